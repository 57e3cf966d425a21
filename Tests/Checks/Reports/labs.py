"""Machines in folders, and reports of several, of each of which the truth is known: whether all is as it should be, whether
all was looked at, and what is not so. The truth is written beside what makes it true, and comes from no report.
"""

import json
import os
import shutil
import time

from machine import FOLDER, LOGS, START

#: Every lab: a name, what makes it, and its truth.
LABS = []

LOG = "log-verifies"
POLICY = "policy-in-force"
ERRORS = "no-errors"
COMPLETE = "everything-looked-at"
CLOCK = "clock"
HOME_PAGE = "org.example.Browser HomePage"
BROWSER = "org.chromium.Chromium HomepageLocation"


class Lab:
    """A lab and its truth.

    - green: whether all that is required is known to hold
    - fails: the rules and keys that do not hold
    - unknown: those of which nobody knows whether they hold
    - complete: whether everything was looked at; None where it is not the question
    - says: words that text, page and JSON must have; silent: words that none of them may have
    - refused: the command makes no report, with these words
    - as_if: the report is for people only, without a verdict; formats for programs are refused with these words
    """

    def __init__(self, name, make, *, green=False, fails=(), unknown=(), complete=None, says=(), silent=(),
                 refused=None, as_if=None, merged=False):
        self.name, self.make, self.green, self.fails, self.unknown = name, make, green, [*fails, *unknown], list(unknown)
        self.complete, self.says, self.silent = complete, list(says), list(silent)
        self.refused, self.as_if, self.merged = refused, as_if, merged
        if green and complete is None:
            self.complete = True


def lab(name, **truth):
    def add(make):
        LABS.append(Lab(name, make, **truth))
        return make
    return add


# The log.

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


@lab("log: cannot be read", fails=[COMPLETE], unknown=[LOG], complete=False)
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


@lab("programs: written, and nobody asked the program", unknown=[BROWSER])
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


@lab("programs: an older version confirmed it", unknown=[BROWSER])
def _(m):
    asked(m, older=True)


@lab("programs: who asked is not known", fails=[COMPLETE], unknown=[HOME_PAGE], complete=False)
def _(m):
    os.chmod(m.path("run/mdefaultsd/opened"), 0)


@lab("programs: one user's program did not ask", fails=["org.example.Player Volume"])
def _(m):
    m.opened("org.example.Player", user=1002)
    m.policy("40-a.json", Forced={"org.example.Player": {"Volume": 3}})


@lab("programs: only one asked that users can write", fails=["org.example.Player Volume"])
def _(m):
    # In a folder its owner stands for root and for all users.
    m.write("home/alice/player", "#!/bin/sh\n", 0o777)
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


@lab("constraint: a stored value outside, which programs that ask do not get", green=True, says=["99"])
def _(m):
    m.opened("org.example.Player")
    m.policy("40-a.json", Constraints={"org.example.Player": {"Volume": {"Maximum": 5}}})
    m.store("alice", "org.example.Player", Volume=99)


@lab("constraint: a stored value outside, and no program asks", fails=["org.example.Player Volume"], says=["99"])
def _(m):
    m.policy("40-a.json", Constraints={"org.example.Player": {"Volume": {"Maximum": 5}}})
    m.store("alice", "org.example.Player", Volume=99)


# Time.

@lab("window: a file of next year", green=True, says=["not now"])
def _(m):
    m.policy("40-a.json", Target={"NotBefore": "2097-01-01T00:00:00Z"}, Forced={"org.example.Browser": {"Zoom": 2}})


@lab("window: a file of last year", green=True, says=["not now"])
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


@lab("time: as if in a year", as_if="results only", says=["as if"])
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
