"""Full disks at both ends, a clock of 1970, a host that was away until retention deleted records, and one that floods the server.

It mounts small file systems, and a curl whose clock is set: `run` gives it a mount namespace of its own, as root. Clocks need
faketime, and an mdefaults that is not statically linked to get one itself (those of .build are not).
"""

import json
import os
import pathlib
import shutil
import subprocess
import time

import centre as fleet
import kills

KEYS = 20_000


def check(centre, says, only=None):
    parts = [disks, flood, clocks, retention]
    for number, part in enumerate(parts):
        if only not in (None, number):
            continue
        if part in (clocks, retention) and not shutil.which("faketime"):
            print(f"skipped: {part.__name__}, because faketime is missing")
        else:
            part(centre, says)


def mount(folder, size):
    folder.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=755", "none", folder], check=True)
    return folder


def fill(folder, left):
    """Fills a file system until some bytes are left."""
    free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
    path = folder / "filled"
    with path.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(free - left, 1))
    return path


def disks(outer, says):
    """A host's disk is full, then the centre's: first but for what it keeps free, then wholly."""
    folder = mount(outer.work / "small", "160m")
    centre = fleet.Centre(folder)
    small = mount(folder / "hosts" / "pc0001", "8m")
    try:
        hosts = centre.school(2, kills.KEYS)
        centre.start_web()

        def turn(value):
            for host in hosts:
                fleet.run("--root", host.root, "--user", "alice", "write", fleet.DOMAIN, "Key00001", value, code=None)
                host.send()
            centre.collect(code=None)
            return [centre.acknowledged(host.name) for host in hosts]

        turn("1")
        filled = fill(small, 0)
        before = turn("2")
        after = turn("3")
        says("a host whose disk is full does not stop another one", after[1] > before[1] - 1 and after[1] >= 2, f"{before} {after}")
        filled.unlink()
        filled = fill(folder, 40 << 20)
        before = turn("4")
        said = centre.collect(code=None)
        says("a centre whose disk is full takes no records, and says so",
             "disk is full" in said and turn("5") == before, f"{before}: {said}")
        rest = fill(folder / "stick", 0)
        said = [turn("6"), turn("7")]
        says("a centre that has no byte left acknowledges nothing", said == [before, before], f"{before}: {said}")
        rest.unlink()
        filled.unlink()
        kills.settle(centre, says, hosts, "full disks")
    finally:
        centre.close()
        for place in (small, folder):
            subprocess.run(["umount", "-l", place])


def later(seconds):
    return dict(os.environ, SOURCE_DATE_EPOCH=str(int(time.time() + seconds)))


def clocks(centre, says):
    """A host whose clock says 1970: certificates fail, and the page says silent."""
    centre.enroll(["pc1970", "pcright"])
    hosts = [fleet.Host(centre, name, kills.KEYS) for name in ("pc1970", "pcright")]
    for host in hosts:
        host.join()
    fleet.run("--root", centre.root, "fleet", "enroll", "--back", centre.stick / "hosts")
    centre.start_web()
    curl, real = centre.work / "curl", centre.work / "curl-real"
    shutil.copy("/usr/bin/curl", real)
    curl.write_text(f"#!/bin/sh\nexec faketime '1970-01-02 00:00:00' {real} \"$@\"\n")
    curl.chmod(0o755)
    for host in hosts:
        host.attempt(kills.KEYS, 2)
        host.send()
    centre.collect()
    before = [centre.acknowledged(host.name) for host in hosts]
    subprocess.run(["mount", "--bind", curl, "/usr/bin/curl"], check=True)
    try:
        says("the clock of curl is that of 1970", "1970" in subprocess.run(
            ["faketime", "1970-01-02 00:00:00", "date"], capture_output=True, text=True).stdout)
        hosts[0].attempt(kills.KEYS, 3, within=["faketime", "1970-01-02 00:00:00"])
        result = subprocess.run(
            ["faketime", "1970-01-02 00:00:00", fleet.MDEFAULTS, "--root", hosts[0].root, "fleet", "run"], capture_output=True, text=True)
        says("its server's certificate is not valid yet, and it says so", result.returncode != 0 and "certificate" in result.stderr.lower(),
             result.stdout + result.stderr)
    finally:
        subprocess.run(["umount", "/usr/bin/curl"], check=True)
    # The other host goes on.
    fleet.run("--root", hosts[1].root, "fleet", "run", env=later(3 * 3600))
    fleet.run("--root", centre.root, "fleet", "collect", env=later(3 * 3600))
    status = json.loads(fleet.run("--root", centre.root, "--json", "fleet", "status", env=later(3 * 3600), code=None))
    states = {host["host"]: json.dumps(host) for host in status["hosts"]}
    says("the status says that it is silent, and not of the other one",
         "silent" in states["pc1970"] and "silent" not in states["pcright"], f"{states}")
    # The other host was three hours ahead, and is now right again.
    kills.settle(centre, says, hosts, "a clock of 1970")
    says("records of 1970 arrived", centre.acknowledged("pc1970") >= before[0] + kills.KEYS,
         f"{before} {centre.acknowledged('pc1970')}")
    centre.stop_web()


def retention(centre, says, days=40):
    """A host was away for 40 days, and its retention deleted what it had not sent."""
    centre.enroll(["pcaway"])
    host = fleet.Host(centre, "pcaway", KEYS)
    host.join()
    fleet.run("--root", centre.root, "fleet", "enroll", "--back", centre.stick / "hosts")
    (host.root / "etc/managed-defaults/audit.json").write_text('{"MaximumDays": 30}')
    centre.start_web()
    host.send()
    centre.collect()
    held = centre.acknowledged("pcaway")
    for value in (2, 3, 4, 5):
        host.attempt(KEYS, value)
    size = host.size()
    # Age deletes when a segment ends: the days later of the host's clock, which its curl does not see.
    then = ["faketime", f"+{days} days"]
    for value in (6, 7, 8):
        host.attempt(KEYS, value, within=then)
    left = host.size()
    total = json.loads(fleet.lines(host.log)[-1])["seq"]
    says("retention deleted records that were not sent", left < total and held < total - left,
         f"{size} records at first, {total} in all, {left} left, {held} acknowledged")
    print(f"        {total} records, of which {total - left} were deleted, and {held} acknowledged before")
    for turn in range(1, 40):
        environment = dict(os.environ, SOURCE_DATE_EPOCH=str(int(time.time() + days * 86_400 + 660 * turn)))
        fleet.run("--root", host.root, "fleet", "run", env=environment, code=None, within=then)
        fleet.run("--root", centre.root, "fleet", "collect", env=environment, code=None)
        if centre.acknowledged("pcaway") == total:
            break
    says("all that is left is acknowledged", centre.acknowledged("pcaway") == total, (centre.acknowledged("pcaway"), total))
    result = subprocess.run(
        [fleet.MDEFAULTS, "--root", centre.folder / "hosts/pcaway", "audit", "verify"], capture_output=True, text=True)
    says("audit verify of the copy is not altered, and names what is missing",
         result.returncode in (0, 12) and "delete" in result.stdout, f"{result.returncode}: {result.stdout}{result.stderr}")
    print("        " + result.stdout.replace("\n", "\n        ").rstrip())
    alarms = centre.folder / "alarms.jsonl"
    says("no alarm", not alarms.exists() or not alarms.read_text(), alarms.exists() and alarms.read_text()[:500])
    centre.stop_web()


def flood(centre, says, count=600):
    """A host puts a file again and again: the server refuses most of them, and answers another host meanwhile."""
    centre.enroll(["pcflood", "pcother"])
    centre.start_web()
    folder, small = centre.stick / "hosts/pcflood", centre.work / "flood"
    small.write_bytes(b"x" * 500)
    began = time.monotonic()
    process = subprocess.Popen(
        ["curl", "--disable", "--silent", "--no-progress-meter", "--parallel", "--parallel-max", "50", "--cert", folder / "certificate.pem", "--key", folder / "key.pem",
         "--cacert", folder / "authority.pem", "--write-out", "%{http_code}\n",
         *(word for _ in range(count) for word in ("-o", "/dev/null", "-T", small, f"{centre.address}/in/pcflood~status"))],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    others = []
    while process.poll() is None:
        others.append(fleet.curl(centre.stick / "hosts/pcother", "-T", small, f"{centre.address}/in/pcother~status"))
    codes = process.stdout.read().split()
    refused = codes.count("429")
    print(f"        {count} files of one host in {time.monotonic() - began:.1f} s: {refused} refused with 429, "
          f"{sum(code in ('201', '204') for code in codes)} taken; another host put {len(others)} meanwhile")
    says("a host that floods is refused", refused > 0, codes[:5])
    says("another host is not", bool(others) and all(code in (201, 204) for code in others), others)
    says("the collector goes on, and its spool is empty",
         centre.collect(code=None) is not None and not list(pathlib.Path(centre.folder / "in").iterdir()))
    centre.stop_web()
