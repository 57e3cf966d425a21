"""False greens of reports: a machine in a folder that is as it should be, and what is then done to it."""

import os
import shutil
import subprocess
import sys

from trial import program

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Reports"))
from consumers import scap  # noqa: E402
from machine import LOGS, Machine, base  # noqa: E402

EXAMPLE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../Examples/lab"))
#: The folder's owner, whom no account has: root could read every home.
OWNER = 61234


def log(machine):
    machine.write(f"{LOGS}/current.jsonl", machine.read(f"{LOGS}/current.jsonl").replace("games.example/1", "games.example/7"))


def home(machine):
    os.chmod(machine.path("home/bob"), 0)


def browser(machine):
    machine.install()
    machine.policy("40-web.json", Forced={"org.chromium.Chromium": {"HomepageLocation": "https://start.example/"}})


def constraint(machine):
    machine.policy("40-sound.json", Constraints={"org.example.Player": {"Volume": {"Maximum": 5}}})
    machine.store("alice", "org.example.Player", Volume=99)


def past(machine):
    machine.words = ["--at", "2025-11-28"]


CHANGES = {"log": log, "home": home, "program": browser, "constraint": constraint, "past": past, "good": lambda machine: None}


def tried(name, folder):
    """The cells of a row: what the command says of the machine, and what OpenSCAP shows of its XCCDF."""
    machine = Machine(program("mdefaults"), f"{folder}/machine")
    base(machine.program, machine.root, EXAMPLE)
    CHANGES[name](machine)
    subprocess.run(["chown", "-R", f"{OWNER}:{OWNER}", folder], check=True)
    done = {}
    for form in ("text", "xccdf"):
        done[form] = subprocess.run(
            [machine.program, "--root", machine.root, *machine.words, "report", "--format", form, "-o", f"{folder}/{form}"],
            capture_output=True, text=True, user=OWNER, group=OWNER, extra_groups=[])
    code = done["text"].returncode
    if name == "past":
        own = ("refused", True) if code == 2 else ("NOT REFUSED", False)
        return [own, ("refused", None) if done["xccdf"].returncode == 2 else ("shown", None)]
    green = code == 0
    good = green == (name == "good")
    words = ("green" if green else "not green") if good else ("GREEN" if green else "NOT GREEN")
    if not shutil.which("oscap"):
        return [(words, good), ("not here", None)]
    shown = scap(f"{folder}/xccdf").green
    if bool(shown) != (name == "good"):
        return [(words, False), ("GREEN" if shown else "NOT GREEN", None)]
    return [(words, good), ("green" if shown else "not green", None)]
