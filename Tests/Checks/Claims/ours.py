"""ManagedDefaults, tried: on the machine's own paths, as its users and its administrator see it."""

import json
import os
import shutil
import subprocess
import time

from trial import BIN, FORCED, OTHER, USER, WORK, Driver, Lines, halve, killed_writers, program, put, run, two_writers

FILE = "/etc/managed-defaults/policies.d/10-site.json"
STATE = "/var/lib/managed-defaults"
LOG = "/var/log/managed-defaults"
#: The program of the trials is named after itself, and so is its domain.
DOMAIN = "conformance-managed"


def command(*words, user=None, **variables):
    return run(program("mdefaults"), *words, user=user, **variables)


def begin():
    """A machine with one policy file and the audit service."""
    for folder in ("/etc/managed-defaults", STATE, "/var/lib/mdefaultsd", LOG, "/run/mdefaultsd"):
        os.makedirs(folder, exist_ok=True)
    # The service counts as the machine's only on the device of /run.
    own = "/run/claims"
    os.makedirs(own, exist_ok=True)
    subprocess.run(["mount", "--bind", own, "/run/mdefaultsd"], check=True)
    if subprocess.run(["id", "mdefaultsd"], capture_output=True).returncode:
        subprocess.run(["useradd", "-r", "-M", "mdefaultsd"], check=True)
    subprocess.run(["chown", "mdefaultsd", LOG, "/var/lib/mdefaultsd", "/run/mdefaultsd"], check=True)
    os.chmod("/run/mdefaultsd", 0o755)
    fresh()
    daemon = subprocess.Popen([program("mdefaultsd")], stderr=subprocess.DEVNULL)
    for _ in range(400):
        if os.path.exists("/run/mdefaultsd/audit.sock"):
            return daemon
        time.sleep(0.05)
    raise RuntimeError("mdefaultsd does not answer")


def end(daemon):
    daemon.terminate()
    daemon.wait()
    subprocess.run(["umount", "/run/mdefaultsd"], check=False)
    shutil.rmtree("/run/claims", ignore_errors=True)


def fresh():
    """Policy as it was at the beginning."""
    put(FILE, json.dumps({"Identifier": "org.example.site", "Forced": {DOMAIN: {"HomePage": FORCED}}}, indent=2))
    command("policy", "apply")


def value(**variables):
    """Whether an application of a user still gets the forced value."""
    driver = Driver(DOMAIN, **variables)
    got = driver.ask('object "HomePage"')
    driver.end()
    return got == f'= "{FORCED}"'


def holds(is_good):
    return ("value stays" if is_good else "VALUE GONE"), is_good


def damaged_file():
    fresh()
    halve(FILE)
    return holds(value())


def folder_away():
    fresh()
    folder = os.path.dirname(FILE)
    os.rename(folder, folder + ".away")
    try:
        return holds(value())
    finally:
        os.rename(folder + ".away", folder)


def database():
    results = []
    for name in ("policy.table", "policy.record"):
        fresh()
        with open(f"{STATE}/{name}", "wb") as file:
            file.write(os.urandom(4096))
        results.append(value())
    fresh()
    return holds(all(results))


def variables():
    fresh()
    nowhere = {name: "/nonexistent" for name in (
        "HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "TMPDIR",
        "MDEFAULTS_ROOT", "MANAGED_DEFAULTS_ROOT", "MDEFAULTS_POLICY", "MANAGED_DEFAULTS_POLICY", "TZDIR")}
    return holds(value(**nowhere))


def kills():
    lost = killed_writers(DOMAIN)
    return f"{lost} of 20 lost", lost == 0


def writers():
    lost = two_writers(DOMAIN)
    return f"{lost} of 200 lost", lost == 0


def refused():
    fresh()
    marker = "https://marker-ours.example/"
    code, _ = command("write", DOMAIN, "HomePage", marker, user=USER)
    _, records = command("audit", "list", "--json")
    good = code == 3 and marker in records and USER in records
    return ("recorded" if good else "NO RECORD"), good


def origin():
    fresh()
    _, said = command("explain", DOMAIN, "HomePage", user=USER)
    good = f"{FILE}:5:" in said
    return ("file and line" if good else "NOT SAID"), good


def misspelled():
    """A key of an application with a manifest, by lint; one of a browser, by the browser itself."""
    folder = os.path.dirname(FILE)
    put("/etc/managed-defaults/manifests.d/org.example.Player.plist", """<?xml version="1.0"?><plist version="1.0"><dict>
        <key>pfm_domain</key><string>org.example.Player</string><key>pfm_subkeys</key><array>
        <dict><key>pfm_name</key><string>Volume</string><key>pfm_type</key><string>integer</string></dict>
        </array></dict></plist>""")
    put(f"{folder}/20-sound.json", json.dumps({"Identifier": "org.example.sound", "Forced": {"org.example.Player": {"Volmue": 3}}}))
    put(f"{folder}/30-web.json", json.dumps(
        {"Identifier": "org.example.web", "Forced": {"org.chromium.Chromium": {"HomepageLoction": FORCED}}}))
    try:
        command("policy", "apply")
        _, lint = command("policy", "lint")
        good = "Volmue" in lint
        if os.path.exists("/usr/bin/chromium"):
            code, check = command("programs", "check", "chromium")
            good = good and code == 1 and "HomepageLoction" in check
        return ("by lint, check", True) if good else ("NOT SAID", False)
    finally:
        for name in ("20-sound.json", "30-web.json"):
            os.remove(f"{folder}/{name}")
        # A name leaves the record after two equal listings.
        command("policy", "apply")
        fresh()


class Log(Lines):
    """The log: of the machine for the flood, else in a folder that log-generator fills."""

    fresh = staticmethod(fresh)

    edit = ('"uid":1', '"uid":2')

    def flood(self):
        """One user sends as much as the service takes for ten seconds; then another user tries once."""
        sender = f"{WORK}/flood.py"
        put(sender, f"""
import json, socket, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect("/run/mdefaultsd/audit.sock")
end, number = time.time() + 10, 0
while time.time() < end:
    number += 1
    s.send(("MD1 %d attempts 0\\n" % number + json.dumps({{"v": 1, "kind": "override", "src": "client", "via": "set",
        "domain": "{DOMAIN}", "key": "HomePage", "tried": "x%d" % number}}) + "\\n").encode())
    s.recv(4096)
print(number)
""")
        _, sent = run("/usr/bin/python3", sender, user=USER)
        marker = "https://other-user.example/"
        command("write", DOMAIN, "HomePage", marker, user=OTHER)
        return int(sent), marker

    def flood_other(self, shared):
        _, records = command("audit", "list", "--json")
        return ("stored", True) if shared[1] in records else ("LOST", False)

    def flood_count(self, shared):
        """Records of that user with their counts, and counts of what was not stored, must be all that was sent."""
        total = 0
        for _ in range(150):
            _, records = command("audit", "list", "--json")
            total = sum(item.get("count", 1) for item in json.loads(records) if item.get("user") == USER
                        and (item["kind"] == "drop" or str(item.get("tried", "")).startswith("x")))
            if total >= shared[0]:
                break
            time.sleep(0.2)
        return ("exact", True) if total == shared[0] else (f"{shared[0] - total} UNSAID", False)

    def write(self, folder, count=3000):
        subprocess.run([f"{BIN}/log-generator", "write", folder, str(count)], check=True, stdout=subprocess.DEVNULL)
        return f"{folder}{LOG}/current.jsonl"

    def change(self, folder, change):
        path = self.write(folder)
        with open(path, encoding="utf-8") as file:
            lines = change(file.read().splitlines(True))
        if lines is None:
            os.remove(path)
        else:
            put(path, "".join(lines))
        return self.verify(folder)

    def verify(self, folder, *words):
        code, _ = command("--root", folder, "audit", "verify", *words)
        return ("noticed", True) if code in (10, 11) else ("NOT NOTICED", False)

    def newest_gone(self, folder):
        return self.change(folder, lambda lines: None)

    def rolled_back(self, folder):
        self.write(folder)
        shutil.copytree(folder, folder + ".before")
        self.write(folder, 100)
        shutil.copy(f"{folder}{LOG}/checkpoint", folder + ".kept")
        return self.verify(folder + ".before", "--against", folder + ".kept")
