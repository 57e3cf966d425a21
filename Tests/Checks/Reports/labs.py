"""Machines in folders, and reports of several, of each of which the truth is known: whether all is as it should be, whether
all was looked at, and what is not so. The truth is written beside what makes it true, and comes from no report.
"""

import hashlib
import json
import os
import shutil
import subprocess
import time

#: Every lab: a name, what makes it, and its truth.
LABS = []

LOG = "log-verifies"
POLICY = "policy-in-force"
ERRORS = "no-errors"
COMPLETE = "everything-looked-at"
CLOCK = "clock"
HOME_PAGE = "org.example.Browser HomePage"
BROWSER = "org.chromium.Chromium HomepageLocation"
FOLDER = "etc/managed-defaults/policies.d"
START = "https://start.example/"


class Lab:
    """A lab and its truth.

    - green: whether all that is required is known to hold
    - fails: the rules and keys that do not hold, or of which nobody knows it
    - complete: whether everything was looked at; None where it is not the question
    - says: words that text, page and JSON must have; silent: words that none of them may have
    - refused: the command makes no report, with these words and exit code 2
    - as_if: the report is for people only, without a verdict; formats for programs are refused with these words
    """

    def __init__(self, name, make, *, green=False, fails=(), complete=None, says=(), silent=(), refused=None,
                 as_if=None, merged=False):
        self.name, self.make, self.green, self.fails = name, make, green, list(fails)
        self.complete, self.says, self.silent = complete, list(says), list(silent)
        self.refused, self.as_if, self.merged = refused, as_if, merged
        if green and complete is None:
            self.complete = True


def lab(name, **truth):
    def add(make):
        LABS.append(Lab(name, make, **truth))
        return make
    return add


class Machine:
    """A machine in a folder, which the command itself works on."""

    def __init__(self, program, root):
        self.program, self.root = program, root
        #: Words before the verb, and variables, of the report.
        self.words, self.variables = [], {}
        #: What a merge takes, and its options.
        self.reports, self.options = [], []

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def run(self, *words, codes=(0,), variables=None):
        done = subprocess.run(
            [self.program, "--root", self.root, *words], capture_output=True, text=True,
            env={**os.environ, **(variables or {})})
        assert done.returncode in codes, f"{words} exited {done.returncode}: {done.stdout}{done.stderr}"
        return done.stdout

    def apply(self, codes=(0,)):
        self.run("policy", "apply", codes=codes)

    def policy(self, name, codes=(0,), **members):
        """Puts a policy file into force."""
        members.setdefault("Identifier", "org.example." + name.split(".")[0])
        self.write(f"{FOLDER}/{name}", json.dumps(members, indent=2))
        self.apply(codes)

    def opened(self, domain, user=None, program="/usr/bin/app"):
        """Notes that a program of the users opened a domain, as the audit service does."""
        with open(self.path("run/mdefaultsd/opened"), "a", encoding="utf-8") as file:
            for uid in [1002, 1003] if user is None else [user]:
                file.write(json.dumps({"uid": uid, "exe": program, "domain": domain}) + "\n")

    def store(self, user, domain, **values):
        """Stores values in a user's preference file, past the command."""
        kinds = {bool: lambda v: f"<{str(v).lower()}/>", int: lambda v: f"<integer>{v}</integer>",
                 str: lambda v: f"<string>{v}</string>"}
        items = "".join(f"<key>{key}</key>{kinds[type(value)](value)}" for key, value in values.items())
        self.write(f"home/{user}/.config/{domain}.plist",
                   f'<?xml version="1.0"?><plist version="1.0"><dict>{items}</dict></plist>', 0o600)

    def install(self, program="chromium"):
        """Puts a program onto the machine, which nothing starts."""
        self.write(f"usr/bin/{program}", "#!/bin/sh\n", 0o755)

    def testimony(self, denied=None, older=False):
        """Notes what Chromium said of its home page when root's `programs check` asked it: yes, or why not.

        The program itself cannot be asked in a folder, so that this writes what the check would have written.
        """
        status = os.stat(self.path("usr/bin/chromium"))
        version = f"/usr/bin/chromium\n{status.st_size} {status.st_mtime_ns} {status.st_ino}\n"
        policy = json.dumps([["org.chromium.Chromium", "HomepageLocation", "forced", START]], separators=(",", ":"))
        digests = [hashlib.sha256(text.encode()).hexdigest() for text in (policy, version + ("older" if older else ""))]
        words = denied.replace(" ", "%20") if denied else ""
        lines = f"managed-defaults testimony 1\nprogram chromium {' '.join(digests)} {time.time_ns() // 1000}\n"
        lines += f"{'denied' if denied else 'confirmed'} org.chromium.Chromium HomepageLocation{' ' * bool(words)}{words}\n"
        self.write("var/lib/managed-defaults/testimony", f"{lines}sha256 {hashlib.sha256(lines.encode()).hexdigest()}\n")

    def report(self, name, *words, variables=None, codes=(0, 1)):
        """Keeps a report of the machine as it is now, for a merge."""
        path = f"{os.path.dirname(self.root)}/{name}.json"
        self.run("report", "--format", "json", "-o", path, *words, codes=codes, variables=variables)
        self.reports.append(path)
        return path

    def another(self, host, digit):
        """A copy of the machine with another name and id, whose reports this one's merge takes too."""
        root = f"{os.path.dirname(self.root)}/{host}"
        shutil.copytree(self.root, root, symlinks=True)
        other = Machine(self.program, root)
        other.reports = self.reports
        other.write("etc/hostname", host + "\n")
        other.write("etc/machine-id", digit * 32 + "\n")
        # A log belongs to one machine: the copy begins its own.
        shutil.rmtree(other.path("var/log/managed-defaults"))
        os.remove(other.path("var/lib/managed-defaults/audit.checkpoint"))
        other.run("--user", "bob", "write", "org.example.Browser", "HomePage", f"https://{host}.example", codes=(3,))
        return other

    def expect(self, *hosts):
        path = f"{os.path.dirname(self.root)}/hosts"
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(host + "\n" for host in hosts))
        self.options += ["--expected", path]


def base(program, root, example):
    """The machine that every lab begins as: two users, one policy file that all programs obey, a refused write on record."""
    machine = Machine(program, root)
    shutil.copytree(f"{example}/etc", machine.path("etc"))
    shutil.rmtree(machine.path("etc/managed-defaults/sets.d"))
    for name in os.listdir(machine.path(FOLDER)):
        if name != "10-site.json":
            os.remove(machine.path(f"{FOLDER}/{name}"))
    accounts = [line for line in machine.read("etc/passwd").splitlines(True) if line.startswith(("alice:", "bob:"))]
    machine.write("etc/passwd", "".join(accounts))
    for user in ("alice", "bob"):
        os.makedirs(machine.path(f"home/{user}/.config"))
    shutil.copy(f"{example}/home/bob/.config/org.example.Browser.plist", machine.path("home/bob/.config"))
    machine.install("app")
    machine.write("run/mdefaultsd/opened", "boot folder\n")
    for domain in ("Browser", "Updater", "Desktop"):
        machine.opened(f"org.example.{domain}")
    machine.apply()
    for number in range(4):
        machine.run("--user", "bob", "write", "org.example.Browser", "HomePage", f"https://games.example/{number}", codes=(3,))
    return machine


# The log.

LOGS = "var/log/managed-defaults"


@lab("as it should be", green=True)
def _(m):
    pass


@lab("log: one byte flipped", fails=[LOG])
def _(m):
    m.write(f"{LOGS}/current.jsonl", m.read(f"{LOGS}/current.jsonl").replace("games.example/1", "games.example/7"))


@lab("log: the last records cut off", fails=[LOG])
def _(m):
    lines = m.read(f"{LOGS}/current.jsonl").splitlines(True)
    m.write(f"{LOGS}/current.jsonl", "".join(lines[:-2]))


@lab("log: one record taken out", fails=[LOG])
def _(m):
    lines = m.read(f"{LOGS}/current.jsonl").splitlines(True)
    m.write(f"{LOGS}/current.jsonl", "".join(lines[:2] + lines[3:]))


@lab("log: removed", fails=[LOG])
def _(m):
    shutil.rmtree(m.path(LOGS))


@lab("log: exchanged for another one", fails=[LOG])
def _(m):
    other = m.another("room1-pc09", "9")
    shutil.rmtree(m.path(LOGS))
    shutil.copytree(other.path(LOGS), m.path(LOGS))


@lab("log: rolled back with its checkpoint", fails=[LOG])
def _(m):
    shutil.copytree(m.path(LOGS), m.path("kept"))
    m.policy("50-more.json", Forced={"org.example.Browser": {"Zoom": 2}})
    shutil.rmtree(m.path(LOGS))
    os.rename(m.path("kept"), m.path(LOGS))


@lab("log: cannot be read", fails=[LOG, COMPLETE], complete=False)
def _(m):
    os.chmod(m.path(f"{LOGS}/current.jsonl"), 0)


# Policy files.

@lab("policy: a file that never was good", fails=[POLICY, ERRORS], says=["80-new.json"])
def _(m):
    m.write(f"{FOLDER}/80-new.json", '{ "Identifier": "org.example.new", "Forced": { ')
    m.apply((1,))


@lab("policy: a file on its last good copy", fails=[POLICY, ERRORS, HOME_PAGE], says=["10-site.json"])
def _(m):
    text = m.read(f"{FOLDER}/10-site.json")
    m.write(f"{FOLDER}/10-site.json", text[: len(text) // 2])


@lab("policy: a file that went without a record", fails=[POLICY], says=["10-site.json"])
def _(m):
    os.remove(m.path(f"{FOLDER}/10-site.json"))


@lab("policy: a file that others can write", fails=[POLICY], says=["10-site.json"])
def _(m):
    os.chmod(m.path(f"{FOLDER}/10-site.json"), 0o666)


@lab("policy: two files of one identifier", fails=[ERRORS], says=["org.example.twice"])
def _(m):
    for name in ("80-a.json", "81-b.json"):
        m.policy(name, codes=(0, 1), Identifier="org.example.twice", Forced={"org.example.Browser": {"Zoom": 2}})


@lab("policy: none", says=["NOTHING TO COMPLY WITH"])
def _(m):
    m.write(f"{FOLDER}/10-site.json", '{ "Identifier": "edu.example.school.site" }')
    m.apply()


@lab("policy: a payload that nothing here carries out", fails=[ERRORS], says=["com.apple.security.firewall"])
def _(m):
    m.write(f"{FOLDER}/90-wall.mobileconfig", """<?xml version="1.0"?><plist version="1.0"><dict>
        <key>PayloadType</key><string>Configuration</string><key>PayloadVersion</key><integer>1</integer>
        <key>PayloadIdentifier</key><string>org.example.wall</string>
        <key>PayloadUUID</key><string>6C0D5A0E-5A57-4D0C-9C2B-2C4B1F1F1A01</string>
        <key>PayloadContent</key><array><dict>
        <key>PayloadType</key><string>com.apple.security.firewall</string><key>PayloadVersion</key><integer>1</integer>
        <key>PayloadIdentifier</key><string>org.example.wall.1</string>
        <key>PayloadUUID</key><string>6C0D5A0E-5A57-4D0C-9C2B-2C4B1F1F1A02</string>
        <key>EnableFirewall</key><true/></dict></array></dict></plist>""")
    m.apply((0, 1))


@lab("policy: a hidden value and a refused write", green=True)
def _(m):
    m.store("alice", "org.example.Browser", HomePage="https://games.example")


@lab("policy: an absent key that programs ask for", green=True)
def _(m):
    m.policy("40-a.json", Absent={"org.example.Browser": ["Extensions"]})


@lab("policy: a sealed domain that programs ask for", green=True)
def _(m):
    m.opened("org.example.Kiosk")
    m.policy("40-a.json", Sealed=["org.example.Kiosk"])


# Programs.

@lab("programs: a key that no program is known to obey", fails=["org.example.Unheard Key"])
def _(m):
    m.policy("40-a.json", codes=(0, 1), Forced={"org.example.Unheard": {"Key": 1}})


@lab("programs: not installed, among keys that are obeyed", green=True, says=["HomepageLocation"])
def _(m):
    m.policy("40-a.json", Forced={"org.chromium.Chromium": {"HomepageLocation": START}})


@lab("programs: only such that are not installed", says=["NOTHING TO COMPLY WITH"])
def _(m):
    m.write(f"{FOLDER}/10-site.json", '{ "Identifier": "edu.example.school.site", "Forced": '
            '{ "org.chromium.Chromium": { "HomepageLocation": "https://start.example/" } } }')
    m.apply()


@lab("programs: written, and nobody asked the program", fails=[BROWSER])
def _(m):
    m.install()
    m.policy("40-a.json", Forced={"org.chromium.Chromium": {"HomepageLocation": START}})


@lab("programs: the written file was changed", fails=[BROWSER], says=["zz-managed-defaults.json"])
def _(m):
    m.install()
    m.policy("40-a.json", Forced={"org.chromium.Chromium": {"HomepageLocation": START}})
    m.write("etc/chromium/policies/managed/zz-managed-defaults.json", "{}")


@lab("programs: the written file was removed", fails=[BROWSER])
def _(m):
    m.install()
    m.policy("40-a.json", Forced={"org.chromium.Chromium": {"HomepageLocation": START}})
    os.remove(m.path("etc/chromium/policies/managed/zz-managed-defaults.json"))


def asked(m, **answer):
    m.install()
    m.policy("40-a.json", Forced={"org.chromium.Chromium": {"HomepageLocation": START}})
    m.testimony(**answer)


@lab("programs: the program confirms it", green=True)
def _(m):
    asked(m)


@lab("programs: the program denies it", fails=[BROWSER], says=["the URL is empty"])
def _(m):
    asked(m, denied="the URL is empty")


@lab("programs: an older version confirmed it", fails=[BROWSER])
def _(m):
    asked(m, older=True)


@lab("programs: who asked is not known", fails=[COMPLETE, HOME_PAGE], complete=False)
def _(m):
    os.chmod(m.path("run/mdefaultsd/opened"), 0)


@lab("programs: one user's program did not ask", fails=["org.example.Player Volume"])
def _(m):
    m.opened("org.example.Player", user=1002)
    m.policy("40-a.json", Forced={"org.example.Player": {"Volume": 3}})


@lab("programs: only a user's own script asked", fails=["org.example.Player Volume"])
def _(m):
    m.write("home/alice/player", "#!/bin/sh\n", 0o755)
    m.opened("org.example.Player", program="/home/alice/player")
    m.policy("40-a.json", Forced={"org.example.Player": {"Volume": 3}})


@lab("programs: another one asked than the one that should", fails=["org.example.Player Volume"])
def _(m):
    m.opened("org.example.Player")
    m.policy("40-a.json", Forced={"org.example.Player": {"Volume": 3}},
             Metadata={"org.example.Player": {"Volume": {"Programs": ["/usr/bin/player"]}}})


# Waivers and constraints.

def waiver(until):
    return {"Users": ["bob"], "Domain": "org.example.Browser", "Key": "Zoom", "Until": until, "Reason": "bad eyes",
            "ApprovedBy": "IT-7"}


@lab("waiver: in force", green=True, says=["bad eyes"])
def _(m):
    m.policy("40-a.json", Forced={"org.example.Browser": {"Zoom": 2}}, Waivers=[waiver("2099-01-01T00:00:00Z")])


@lab("waiver: expired", green=True)
def _(m):
    m.policy("40-a.json", Forced={"org.example.Browser": {"Zoom": 2}}, Waivers=[waiver("2026-01-01T00:00:00Z")])


@lab("constraint: held", green=True)
def _(m):
    m.opened("org.example.Player")
    m.policy("40-a.json", Constraints={"org.example.Player": {"Volume": {"Maximum": 5}}})
    m.store("alice", "org.example.Player", Volume=3)


@lab("constraint: a stored value outside", fails=["org.example.Player Volume"])
def _(m):
    m.opened("org.example.Player")
    m.policy("40-a.json", Constraints={"org.example.Player": {"Volume": {"Maximum": 5}}})
    m.store("alice", "org.example.Player", Volume=99)


# Time.

@lab("window: a file of next year", green=True, says=["40-a.json"])
def _(m):
    m.policy("40-a.json", Target={"NotBefore": "2097-01-01T00:00:00Z"}, Forced={"org.example.Browser": {"Zoom": 2}})


@lab("window: a file of last year", green=True, says=["40-a.json"])
def _(m):
    m.policy("40-a.json", Target={"NotAfter": "2025-01-01T00:00:00Z"}, Forced={"org.example.Browser": {"Zoom": 2}})


@lab("window: inside", green=True, says=["Zoom"])
def _(m):
    m.policy("40-a.json", Target={"NotAfter": "2097-01-01T00:00:00Z"}, Forced={"org.example.Browser": {"Zoom": 2}})


@lab("window: inside, and no program asks", fails=["org.example.Unheard Key"])
def _(m):
    m.policy("40-a.json", codes=(0, 1), Target={"NotAfter": "2097-01-01T00:00:00Z"}, Forced={"org.example.Unheard": {"Key": 1}})


@lab("clock: behind what was recorded", fails=[CLOCK])
def _(m):
    ahead = time.time() + 40 * 86400
    for name in ("policy.record", "policy.clock"):
        os.utime(m.path(f"var/lib/managed-defaults/{name}"), (ahead, ahead))


@lab("clock: given, as it is", green=True, says=["clock given"])
def _(m):
    m.variables["SOURCE_DATE_EPOCH"] = str(int(time.time()) + 2)


@lab("clock: given, a year ago", fails=[CLOCK], says=["clock given"])
def _(m):
    m.variables["SOURCE_DATE_EPOCH"] = str(int(time.time()) - 365 * 86400)


@lab("time: a report of the past", refused="past")
def _(m):
    m.words = ["--at", "2026-01-01"]


@lab("time: against the report of another machine", refused="machine")
def _(m):
    m.options = ["--baseline", m.another("room1-pc04", "4").report("b")]


@lab("time: as if in a year", as_if="as if", says=["as if"])
def _(m):
    m.words = ["--at", "2027-11-01"]


# What could not be looked at.

@lab("home: cannot be read", fails=[COMPLETE], complete=False, says=["bob"])
def _(m):
    os.chmod(m.path("home/bob"), 0)


@lab("home: one preference file cannot be read", fails=[COMPLETE], complete=False, says=["org.example.Browser.plist"])
def _(m):
    os.chmod(m.path("home/bob/.config/org.example.Browser.plist"), 0)


@lab("home: one preference file is damaged", fails=[COMPLETE], complete=False, says=["org.example.Browser.plist"])
def _(m):
    m.write("home/bob/.config/org.example.Browser.plist", "<plist><dict>")


@lab("store: a program's own cannot be read", fails=[COMPLETE], complete=False, says=["Preferences"])
def _(m):
    m.install()
    m.policy("40-a.json", Forced={"org.chromium.Chromium": {"HomepageLocation": START}})
    m.write("home/bob/.config/chromium/Default/Preferences", "{}")
    os.chmod(m.path("home/bob/.config/chromium/Default/Preferences"), 0)


def spool(m):
    """Three records of a thousand attempts each, which somebody wrote into the own spool without trying anything."""
    record = json.loads(m.read(f"{LOGS}/current.jsonl").splitlines()[-1])
    del record["seq"]
    lines = [json.dumps({**record, "tried": f"x{number}", "count": 1000}, separators=(",", ":")) for number in range(3)]
    m.write("home/bob/.local/state/managed-defaults/spool.jsonl", "".join(line + "\n" for line in lines), 0o600)


@lab("spool: records that wait outside of the log", green=True, says=["bob", "unproven"])
def _(m):
    spool(m)


@lab("spool: attempts that only their sender counted", green=True, says=["claimed"], silent=["3004 on record"])
def _(m):
    spool(m)
    m.apply((0, 1))
