"""The table of attacks, losses and false greens; run starts it where it cannot hurt the machine."""

import os
import shutil
import subprocess
import sys
import tempfile

import ours
import peers
import reports
from trial import WORK, NotHere, make_users

SETTINGS = [
    ("a policy file is cut in half", "damaged_file", "dconf: and dconf update; browsers: started after it"),
    ("the policy folder is moved away", "folder_away", "the same; put back afterwards"),
    ("the compiled database is overwritten", "database", "random bytes; ours: the table, then the record of what is in force"),
    ("variables of the user point elsewhere", "variables", "dconf: DCONF_PROFILE; others: XDG_*, HOME, MOZ_*, CHROME_*, own names"),
    ("the writer is killed 20 times", "kills", "kill -9 at a random moment of saving; lost: what was saved before is not there"),
    ("two programs save 100 keys each", "writers", "at once, each key saved before the next; dconf: two loops of dconf write"),
    ("a refused write", "refused", "one value is tried, then looked for in /var/log, /run and the home (browsers: the profile, but for its preferences)"),
    ("who forced it", "origin", "ours: explain; dconf: read, list-locks, dump; browsers: their page of policies"),
    ("a misspelled key in policy", "misspelled", "ours: lint with a manifest, programs check for Chromium; dconf: update; browsers: their page of policies"),
]
LOGS = [
    ("a record is edited", "edited", "one bit of a record in the middle, then the log's own check; auditd has none: ausearch reads it"),
    ("a record is taken out", "taken_out", "a line in the middle; a journal's records are no lines"),
    ("a record is put in", "put_in", "a line of the middle, twice"),
    ("the newest records are cut off", "cut", "the last hundred lines"),
    ("the newest file is removed", "newest_gone", "ours: current.jsonl"),
    ("all is put back as it was before", "rolled_back", "ours: with its checkpoint, checked against one that was kept elsewhere"),
    ("a user floods: another's record", "flood_other", "ours: ten seconds as fast as answers come; journald: 60,000 records, both users in one unit"),
    ("… and what was not stored is said", "flood_count", "sent = stored + counted as not stored"),
]
REPORTS = [
    ("a log whose byte was flipped", "log", "a green machine in a folder; then one byte of a record"),
    ("a home that cannot be read", "home", "mode 000, asked by the folder's owner"),
    ("a browser that nobody asked", "program", "Chromium is installed in the folder, and its file is written"),
    ("a stored 99 where at most 5 is allowed", "constraint", "a constraint on a domain that no program opened, and that value in the user's file"),
    ("a report of last year", "past", "report --at; refused: no report is made"),
    ("a machine that is as it should be", "good", "the same folder before anything is done to it"),
]


def cell(system, method, *arguments):
    """Tries one cell; returns its words, and whether it is good where the system says so."""
    if system is None:
        return "not here", None
    # The name of a row may be that of a member.
    action = getattr(system, method + "_", None) or getattr(system, method, None)
    if not callable(action):
        return "-", None
    try:
        result = action(*arguments)
    except NotHere:
        return "not here", None
    except (OSError, RuntimeError, EOFError, TimeoutError, AssertionError, KeyError, ValueError, subprocess.SubprocessError) as error:
        print(f"{getattr(system, 'name', 'ours')}, {method}: {type(error).__name__}: {error}", file=sys.stderr)
        return "did not run", False
    finally:
        if hasattr(system, "fresh"):
            system.fresh()
    return result if isinstance(result, tuple) and isinstance(result[0], str) else (result, None)


def made(kind):
    try:
        return kind()
    except NotHere:
        return None


class Table:
    """Prints a line for each wanted row as soon as it is known, and keeps what was bad."""

    bad, why = [], []

    def __init__(self, title, columns, rows, words):
        self.rows = [row for row in rows if not words or any(word == title or word in row[0] for word in words)]
        if self.rows:
            Table.print(("\n" if Table.why else "") + f"{title:39}", columns)
        Table.why += [f"  {name}: {why}" for name, _, why in self.rows]

    @staticmethod
    def print(name, cells):
        print(f"{name:39} " + "".join(f"{text:15}" for text in cells).rstrip(), flush=True)

    def row(self, name, cells):
        if cells[0][1] is False:
            Table.bad.append(f"{name}: " + ", ".join(text for text, _ in cells))
        Table.print(name, [text for text, _ in cells])


def main():
    words = [word for word in sys.argv[1:] if word != "--why"]
    make_users()
    daemon = ours.begin()
    try:
        kinds = [peers.Dconf, peers.ChromiumPeer, peers.FirefoxPeer, peers.Foundation]
        table = Table("settings", ["ours"] + [kind.name for kind in kinds], SETTINGS, words)
        systems = [ours] + [made(kind) if table.rows else None for kind in kinds]
        for name, method, _ in table.rows:
            table.row(name, [cell(system, method) for system in systems])

        systems = [ours.Log(), made(peers.Journald), made(peers.Auditd)]
        table = Table("logs", ["ours", "journald", "auditd"], LOGS, words)
        floods = {}
        for name, method, _ in table.rows:
            cells = []
            for system in systems:
                if method.startswith("flood") and hasattr(system, "flood"):
                    # One flood answers two rows.
                    if system not in floods:
                        floods[system], _ = cell(system, "flood")
                    flood = floods[system]
                    cells.append((flood, None) if isinstance(flood, str) else cell(system, method, flood))
                else:
                    cells.append(cell(system, method, tempfile.mkdtemp(dir=WORK)))
            table.row(name, cells)
    finally:
        ours.end(daemon)

    table = Table("reports", ["ours", "OpenSCAP of it"], REPORTS, words)
    for name, method, _ in table.rows:
        table.row(name, reports.tried(method, tempfile.mkdtemp(dir=WORK)))

    if "--why" in sys.argv:
        print("\nHow each was tried:", *Table.why, sep="\n")
    print("\n-: it has no such thing; not here: not installed, or not possible here")
    for sentence in Table.bad:
        print(f"bad of ours: {sentence}")
    return 1 if Table.bad else 0


try:
    code = main()
finally:
    subprocess.run(["chmod", "-R", "u+rwX", WORK], check=False)
    shutil.rmtree(WORK, ignore_errors=True)
sys.exit(code)
