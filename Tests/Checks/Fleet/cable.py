"""The cable between hosts and centre is cut again and again, at either end or in one direction: nothing is lost or repeated.

The web server is in a network namespace of its own, with a pair of interfaces between it and the hosts. It needs root, and
runs in a namespace that has no other interface: `run` sees to that.
"""

import random
import subprocess
import time

import centre as fleet
import kills

HOSTS, WEB = "10.77.0.2", "10.77.0.1"


def check(centre, says, cuts=12, count=4):
    chance = random.Random(cuts)
    # It is the owner of the other namespace.
    owner = subprocess.Popen(["unshare", "--net", "sleep", "1000"], start_new_session=True)
    there = ["nsenter", f"--net=/proc/{owner.pid}/ns/net"]

    def ip(words, within=()):
        subprocess.run([*within, "ip", *words.split()], check=True, capture_output=True)

    try:
        own = subprocess.run(["readlink", "/proc/self/ns/net"], capture_output=True, text=True).stdout
        fleet.until(lambda: subprocess.run(["readlink", f"/proc/{owner.pid}/ns/net"], capture_output=True, text=True)
                    .stdout != own, "another namespace", 5)
        ip(f"link add name hosts0 type veth peer name web0 netns {owner.pid}")
        ip(f"address add {HOSTS}/24 dev hosts0")
        ip("link set hosts0 up")
        for words in ("link set lo up", f"address add {WEB}/24 dev web0", "link set web0 up"):
            ip(words, there)
        far = fleet.Centre(centre.work / "far", WEB, there)
        try:
            play(far, says, chance, cuts, count, ip, there)
        finally:
            far.close()
    finally:
        fleet.end(owner)


def play(centre, says, chance, cuts, count, ip, there):
    hosts = centre.school(count, kills.KEYS)
    centre.start_web()
    ways = {
        "the centre's end": (lambda: ip("link set web0 down", there), lambda: ip("link set web0 up", there)),
        "the hosts' end": (lambda: ip("link set hosts0 down"), lambda: ip("link set hosts0 up")),
        # What hosts send arrives, and no answer comes back.
        "the way back": (lambda: ip(f"route add blackhole {HOSTS}/32", there), lambda: ip(f"route del blackhole {HOSTS}/32", there)),
    }
    done, away = dict.fromkeys(ways, 0), 0.0
    with kills.Traffic(centre, hosts) as traffic:
        for number in range(cuts):
            if traffic.failures:
                break
            time.sleep(chance.uniform(0.2, 1.5))
            name = list(ways)[number % len(ways)]
            cut, mend = ways[name]
            began = time.monotonic()
            cut()
            time.sleep(chance.uniform(0.5, 4))
            mend()
            away += time.monotonic() - began
            done[name] += 1
    print(f"        cut {', '.join(f'{name} {number} times' for name, number in done.items())}, {away:.0f} s in all")
    kills.settle(centre, says, hosts, f"{cuts} cuts")
