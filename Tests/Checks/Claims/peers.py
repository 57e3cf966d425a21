"""The peers, tried: each class has a method for each row of the table, and none for what the system has no such thing for."""

import json
import os
import random
import shutil
import signal
import subprocess
import time

from browser import Chromium, Mozilla
from trial import (FORCED, OTHER, USER, WORK, Lines, NotHere, environment, found, halve, identity, killed_writers, put, run,
                   two_writers)

GAMES = "https://games.example/"


def stays(is_so):
    return "value stays" if is_so else "value gone"


class Dconf:
    """A database with a lock, as the administrator's guide has it."""

    name = "dconf"
    folder, database, key = "/etc/dconf/db/claims.d", "/etc/dconf/db/claims", "/org/gnome/desktop/background/picture-uri"

    def __init__(self):
        for tool in ("dconf", "dbus-run-session"):
            if not shutil.which(tool):
                raise NotHere
        put("/etc/dconf/profile/user", "user-db:user\nsystem-db:claims\n")
        shutil.rmtree("/etc/dconf/db", ignore_errors=True)
        self.fresh()

    def fresh(self):
        for path in (self.folder, self.folder + ".away"):
            shutil.rmtree(path, ignore_errors=True)
        put(f"{self.folder}/10-site", f"[org/gnome/desktop/background]\npicture-uri='{FORCED}'\n")
        put(f"{self.folder}/locks/10-site", self.key + "\n")
        run("dconf", "update")
        os.chmod(self.database, 0o644)

    def value(self, **variables):
        return run("dconf", "read", self.key, user=USER, **variables)[1].strip().endswith(f"'{FORCED}'")

    def damaged_file(self):
        halve(f"{self.folder}/10-site")
        run("dconf", "update")
        return stays(self.value())

    def folder_away(self):
        os.rename(self.folder, self.folder + ".away")
        run("dconf", "update")
        return stays(self.value())

    def database_(self):
        size = os.path.getsize(self.database)
        with open(self.database, "wb") as file:
            file.write(os.urandom(size))
        return stays(self.value())

    def variables(self):
        return stays(self.value(DCONF_PROFILE="/nonexistent"))

    def kills(self):
        """Kills the service that writes, while one value after the other is written."""
        script = f"{WORK}/dconf-kills"
        put(script, """
for kill in $(seq 20); do
    dconf write /claims/keep "'$(printf %100000s x)'"
    dconf write /claims/sure $kill || exit 9
    (for number in $(seq 300); do dconf write /claims/n $number; done) >/dev/null 2>&1 &
    sleep 0.0$((RANDOM % 90 + 10))
    pkill -9 -u "$(id -u)" -x dconf-service
    kill $! 2>/dev/null; wait $! 2>/dev/null
    [ "$(dconf read /claims/sure)" = $kill ] && [ "$(dconf read /claims/keep | wc -c)" -gt 100000 ] || echo lost
done
""")
        code, said = run("dbus-run-session", "bash", script, user=USER)
        if code:
            raise NotHere
        return f"{said.split().count('lost')} of 20 lost"

    def writers(self):
        script = f"{WORK}/dconf-writers"
        put(script, """
write() { for number in $(seq 100); do dconf write /claims/$1$number $number; done; }
write a & write b & wait
for name in a b; do for number in $(seq 100); do [ "$(dconf read /claims/$name$number)" = $number ] || echo lost; done; done
""")
        _, said = run("dbus-run-session", "bash", script, user=USER)
        return f"{said.split().count('lost')} of 200 lost"

    def refused(self):
        marker = "https://marker-dconf.example/"
        code, _ = run("dbus-run-session", "dconf", "write", self.key, f"'{marker}'", user=USER)
        if code == 0:
            return "not refused"
        return "recorded" if found(marker, "/var/log", "/run", f"/home/{USER}", "/etc") else "no record"

    def origin(self):
        said = "".join(run("dconf", *words, user=USER)[1] for words in (
            ["read", self.key], ["read", "-d", self.key], ["list-locks", "/"], ["dump", "/"]))
        return "file" if "10-site" in said else "not said"

    def misspelled(self):
        put(f"{self.folder}/10-site", f"[org/gnome/desktop/background]\npicture-urri='{FORCED}'\n")
        code, said = run("dconf", "update")
        return "said" if code or said.strip() else "not said"


class Web:
    """What both browsers have in common."""

    def start(self, **options):
        raise NotImplementedError

    def damaged_file(self):
        halve(self.file)
        return stays(self.start())

    def folder_away(self):
        folder = os.path.dirname(self.file)
        os.rename(folder, folder + ".away")
        try:
            return stays(self.start())
        finally:
            os.rename(folder + ".away", folder)

    def variables(self):
        return stays(self.start(variables=self.nowhere))


class ChromiumPeer(Web):
    name = "Chromium"
    file = "/etc/chromium/policies/managed/10-site.json"
    nowhere = {name: "/nonexistent" for name in (
        "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS", "CHROME_CONFIG_HOME", "CHROME_POLICY_PATH", "SNAP")}

    def __init__(self):
        if not os.path.exists("/usr/bin/chromium"):
            raise NotHere
        self.fresh()

    def fresh(self):
        shutil.rmtree(os.path.dirname(self.file), ignore_errors=True)
        put(self.file, json.dumps({"HomepageLocation": FORCED}))

    def start(self, variables=None, change=None, see=None):
        """Starts it, and says whether its page of policies has the value, or what `see` makes of the page."""
        with Chromium(USER) as browser:
            if change:
                change(browser)
            browser.run(variables=variables)
            page = browser.policies()
            return see(browser, page) if see else browser.policy(page, "HomepageLocation") == FORCED

    def refused(self):
        """The user writes another value into the own profile: a record of it would name it, outside of the profile."""
        marker = "https://marker-chromium.example/"

        def change(browser):
            browser.write("profile/Default/Preferences", json.dumps({"homepage": marker, "homepage_is_newtabpage": False}))

        def see(browser, page):
            if browser.policy(page, "HomepageLocation") != FORCED:
                return "not refused"
            own = found(marker, "/var/log", "/run", browser.home, but=("Preferences",))
            return "recorded" if own else "no record"
        return self.start(change=change, see=see)

    def origin(self):
        return self.start(see=lambda browser, page: "file" if "10-site" in browser.evaluate(
            page, "JSON.stringify(window.values) + document.documentElement.innerHTML") else "not said")

    def misspelled(self):
        put(self.file, json.dumps({"HomepageLoction": FORCED}))
        return self.start(see=lambda browser, page: "on its page" if browser.evaluate(
            page, "((window.values.policyGroups.chrome || {policies: {}}).policies['HomepageLoction'] || {}).error")
            else "not said")


class FirefoxPeer(Web):
    name = "Firefox"
    file = "/etc/firefox/policies/policies.json"
    nowhere = {name: "/nonexistent" for name in ("MOZ_SYSTEM_CONFIG_DIR", "XDG_CONFIG_DIRS", "XDG_DATA_DIRS")}
    locked = ("return Services.policies.status == 1 && Services.prefs.prefIsLocked('browser.startup.homepage')"
              f" && Services.prefs.getStringPref('browser.startup.homepage') == '{FORCED}'")

    def __init__(self):
        if not os.path.exists("/usr/bin/firefox-esr"):
            raise NotHere
        self.fresh()

    def fresh(self):
        put(self.file, json.dumps({"policies": {"Homepage": {"URL": FORCED, "Locked": True}}}))

    def start(self, variables=None, script=None, see=None):
        with Mozilla(USER) as browser:
            browser.run(variables=variables)
            answer = browser.evaluate(script or self.locked)
            return see(browser, answer) if see else answer

    def refused(self):
        """A script sets the locked preference: a record of it would name the value, outside of the profile."""
        marker = "https://marker-firefox.example/"
        script = (f"Services.prefs.setStringPref('browser.startup.homepage', '{marker}');"
                  "return Services.prefs.getStringPref('browser.startup.homepage')")

        def see(browser, answer):
            if answer != FORCED:
                return "not refused"
            own = found(marker, "/var/log", "/run", browser.home, but=("prefs.js",))
            return "recorded" if own else "no record"
        return self.start(script=script, see=see)

    def origin(self):
        script = "return JSON.stringify(Services.policies.getActivePolicies())"
        return self.start(script=script, see=lambda _, answer: "file" if "policies.json" in answer else "not said")

    def misspelled(self):
        put(self.file, json.dumps({"policies": {"Hompage": {"URL": FORCED, "Locked": True}}}))
        # What about:policies#errors shows.
        script = ("return JSON.stringify(Cc['@mozilla.org/consoleAPI-storage;1'].getService(Ci.nsIConsoleAPIStorage)"
                  ".getEvents().map(event => event.arguments))")
        return self.start(script=script, see=lambda _, answer: "on its page" if "Hompage" in answer else "not said")


class Foundation:
    """UserDefaults of Foundation on Linux, which has no policy."""

    name = "Foundation"

    def kills(self):
        return f"{killed_writers('conformance-foundation')} of 20 lost"

    def writers(self):
        return f"{two_writers('conformance-foundation')} of 200 lost"


class Journald:
    """journald, run by hand in mounts of its own, and files that systemd-journal-remote writes."""

    name = "journald"
    daemon, remote = "/lib/systemd/systemd-journald", "/lib/systemd/systemd-journal-remote"

    def __init__(self):
        if not shutil.which("journalctl"):
            raise NotHere

    def write(self, folder, count=3000):
        if not os.path.exists(self.remote):
            raise NotHere
        for part in (1, 2):
            text = "".join(
                f"__REALTIME_TIMESTAMP={1790000000000000 + part * 100000000 + number}\n"
                f"__MONOTONIC_TIMESTAMP={part * 100000000 + number}\n_BOOT_ID=1c9ff1e53d2a4a548f091f7a3c5d2b11\n"
                f"MESSAGE=attempt {number} of user{number % 7}\n\n" for number in range(1, count + 1))
            run(self.remote, "-o", f"{folder}/{part}.journal", "-", text=text)
        return [f"{folder}/1.journal", f"{folder}/2.journal"]

    def verify(self, folder):
        code, _ = run("journalctl", "--verify", "--directory", folder)
        return "noticed" if code else "not noticed"

    def edited(self, folder):
        path = self.write(folder)[1]
        with open(path, "rb") as file:
            data = bytearray(file.read())
        place = data.find(b"of user", len(data) // 2) + 7
        data[place] ^= 1
        with open(path, "wb") as file:
            file.write(data)
        return self.verify(folder)

    def newest_gone(self, folder):
        os.remove(self.write(folder)[1])
        return self.verify(folder)

    def rolled_back(self, folder):
        return self.newest_gone(folder)

    def flood(self):
        """Two users' programs of one unit: one sends 60,000 records, then the other sends five."""
        mounted = run("findmnt", "-n", "-t", "cgroup2", "-o", "TARGET")[1].split()
        if not os.path.exists(self.daemon) or not mounted:
            raise NotHere
        group = f"{mounted[0]}/system.slice/md-claims.service"
        slice_is_new = not os.path.exists(os.path.dirname(group))
        os.makedirs("/run/systemd", exist_ok=True)
        os.makedirs("/run/log", exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run/systemd"], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run/log"], check=True)
        os.makedirs("/run/systemd/journal")
        os.makedirs("/run/log/journal")
        daemon = subprocess.Popen([self.daemon], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        sent, senders = 60_000, []
        try:
            os.makedirs(group, exist_ok=True)
            for _ in range(200):
                if os.path.exists("/run/systemd/journal/socket"):
                    break
                time.sleep(0.05)
            for user, count in ((USER, sent), (OTHER, 5)):
                put(f"{WORK}/journal.py", f"""
import socket
input()
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect("/run/systemd/journal/socket")
for number in range({count}):
    s.send(b"MESSAGE=attempt %d of {user}\\nPRIORITY=5\\n" % number)
""")
                sender = subprocess.Popen(["/usr/bin/python3", f"{WORK}/journal.py"], stdin=subprocess.PIPE, text=True,
                                          env=environment(user), **identity(user))
                put(f"{group}/cgroup.procs", str(sender.pid))
                sender.communicate("\n", timeout=100)
            time.sleep(1)
            _, said = run("journalctl", "-o", "cat", "--no-pager", "--directory", "/run/log/journal/" + os.listdir("/run/log/journal")[0])
        finally:
            daemon.terminate()
            daemon.wait()
            for folder in [group] + ([os.path.dirname(group)] if slice_is_new else []):
                for _ in range(40):
                    try:
                        os.rmdir(folder)
                        break
                    except OSError:
                        time.sleep(0.05)
            for path in ("/run/systemd", "/run/log"):
                subprocess.run(["umount", "-l", path], check=False)
        return sent, said

    def flood_other(self, shared):
        return "stored" if f"of {OTHER}" in shared[1] else "lost"

    def flood_count(self, shared):
        lost = shared[0] - shared[1].count(f"of {USER}")
        return "exact" if lost == 0 or f"Suppressed {lost}" in shared[1] else f"{lost} unsaid"


class Auditd(Lines):
    """The log of auditd, which only ausearch reads; it has no check."""

    name = "auditd"

    edit = ('uid=1000', 'uid=1001')

    def __init__(self):
        if not shutil.which("ausearch"):
            raise NotHere

    def write(self, folder, count=3000):
        for part in (1, 2):
            put(f"{folder}/audit.log.{part}", "".join(
                f"type=USER_CMD msg=audit({1790000000 + part * 100000 + number}.{number % 1000:03}:{part * count + number}): "
                f"pid={number} uid=1000 auid=1000 ses=3 msg='cmd=\"{number}\"'\n" for number in range(count)))
        return [f"{folder}/audit.log.1", f"{folder}/audit.log.2"]

    def verify(self, folder):
        text = "".join(open(f"{folder}/{name}", encoding="utf-8").read() for name in sorted(os.listdir(folder)))
        code, _ = run("ausearch", "--input", "/dev/stdin", "-m", "USER_CMD", text=text)
        return "noticed" if code else "not noticed"

    def change(self, folder, change):
        path = self.write(folder)[1]
        with open(path, encoding="utf-8") as file:
            lines = change(file.read().splitlines(True))
        put(path, "".join(lines))
        return self.verify(folder)

    def rolled_back(self, folder):
        return self.newest_gone(folder)

    def newest_gone(self, folder):
        os.remove(self.write(folder)[1])
        return self.verify(folder)
