"""Reports of several machines of known truth, as labs.py has single ones."""

import os
import shutil
import subprocess
import time

from labs import lab, waiver
from machine import LOGS


def two(m):
    other = m.another("room1-pc04", "4")
    other.expect("room1-pc03", "room1-pc04")
    m.options = other.options
    return other


@lab("merge: two that are as they should be", green=True, merged=True)
def _(m):
    other = two(m)
    m.report("a")
    other.report("b")


@lab("merge: a waiver on one", green=True, merged=True)
def _(m):
    other = two(m)
    other.policy("40-a.json", Forced={"org.example.Browser": {"Zoom": 2}}, Waivers=[waiver("2099-01-01T00:00:00Z")])
    m.report("a")
    other.report("b")


@lab("merge: the log of one was changed", merged=True, fails=["room1-pc04"])
def _(m):
    other = two(m)
    other.run("--user", "bob", "write", "org.example.Browser", "HomePage", "https://games.example", codes=(3,))
    other.write(f"{LOGS}/current.jsonl", other.read(f"{LOGS}/current.jsonl").replace("games.example", "games.exampla"))
    m.report("a")
    other.report("b")


@lab("merge: a preference file of one is damaged", merged=True, fails=["room1-pc04"], complete=False)
def _(m):
    other = two(m)
    other.write("home/bob/.config/org.example.Browser.plist", "<plist><dict>")
    m.report("a")
    other.report("b")


@lab("merge: one has not reported", merged=True, fails=["room1-pc04"], complete=False)
def _(m):
    two(m)
    m.report("a")


def unobeyed(m):
    m.policy("40-a.json", codes=(0, 1), Forced={"org.example.Unheard": {"Key": 1}})


@lab("merge: a green report of the future over a red one", merged=True, fails=["room1-pc04"])
def _(m):
    other = two(m)
    m.report("a")
    other.report("future", variables={"SOURCE_DATE_EPOCH": "1900000000"})
    unobeyed(other)
    other.report("b")


@lab("merge: a green report as if of the future over a red one", merged=True, fails=["room1-pc04"])
def _(m):
    other = two(m)
    m.report("a")
    other.report("future", "--at", "2030-01-01")
    unobeyed(other)
    other.report("b")


@lab("merge: two of one machine, the newer one red", merged=True, fails=["room1-pc04"])
def _(m):
    other = two(m)
    m.report("a")
    other.report("b")
    unobeyed(other)
    other.report("c")


@lab("merge: two of one machine, the newer one green", merged=True, green=True)
def _(m):
    other = two(m)
    unobeyed(other)
    other.report("b")
    other.opened("org.example.Unheard")
    m.report("a")
    other.report("c")


@lab("merge: the log of one shrank between two reports", merged=True, fails=["room1-pc04"])
def _(m):
    other = two(m)
    other.policy("40-a.json", Forced={"org.example.Browser": {"Zoom": 2}})
    shutil.copytree(other.path(LOGS), other.path("kept"))
    shutil.copy(other.path("var/lib/managed-defaults/audit.checkpoint"), other.path("kept.checkpoint"))
    other.run("--user", "bob", "write", "org.example.Browser", "Proxy", "socks5://x.example:1", codes=(3,))
    m.report("a")
    other.report("b")
    shutil.rmtree(other.path(LOGS))
    os.rename(other.path("kept"), other.path(LOGS))
    os.rename(other.path("kept.checkpoint"), other.path("var/lib/managed-defaults/audit.checkpoint"))
    other.report("c")


@lab("merge: a report that was changed", merged=True, fails=["room1-pc04"])
def _(m):
    other = two(m)
    unobeyed(other)
    m.report("a")
    path = other.report("b")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace('"result": "not all covered"', '"result": "compliant"'))


def key(m, name):
    path = f"{os.path.dirname(m.root)}/{name}.key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path], check=True)
    with open(path + ".pub", encoding="utf-8") as file:
        return path, " ".join(file.read().split()[:2])


def signed(m, signer):
    other = two(m)
    one, its = key(m, "room1-pc03")
    two_, others = key(m, "room1-pc04")
    path = f"{os.path.dirname(m.root)}/signers"
    with open(path, "w", encoding="utf-8") as file:
        for host, words in (("room1-pc03", its), ("room1-pc04", others)):
            file.write(f'{host} namespaces="managed-defaults-report" {words}\n')
    m.report("a", "--sign", one)
    other.report("b", "--sign", one if signer == "room1-pc03" else two_)
    m.options += ["--signers", path]


@lab("merge: each signed by its machine", merged=True, green=True)
def _(m):
    signed(m, "room1-pc04")


@lab("merge: one signed by another machine", merged=True, fails=["room1-pc04"])
def _(m):
    signed(m, "room1-pc03")


@lab("merge: a report made before the last record of its log", merged=True, fails=["room1-pc04"])
def _(m):
    other = two(m)
    m.report("a")
    other.report("b", variables={"SOURCE_DATE_EPOCH": str(int(time.time()) - 7200)})
