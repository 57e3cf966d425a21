"""A machine in a folder, which the command itself works on."""

import hashlib
import json
import os
import shutil
import subprocess
import time

FOLDER = "etc/managed-defaults/policies.d"
LOGS = "var/log/managed-defaults"
START = "https://start.example/"


class Machine:
    """The folder, and how its report is asked for."""

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
