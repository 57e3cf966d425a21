"""The web server away while hosts write on, and senders are killed meanwhile: nothing is lost, nothing is repeated.

In the same run rsyslog's RELP, where it is installed, carries a file over the same misfortune, and what it loses is printed.
"""

import os
import random
import shutil
import signal
import subprocess
import time

import centre as fleet
import kills

LINES = 20_000


def check(centre, says, seconds=60, count=4):
    chance = random.Random(seconds)
    hosts = centre.school(count, kills.KEYS)
    centre.start_web()
    with kills.Traffic(centre, hosts, pause=0.5) as traffic:
        fleet.until(lambda: all(centre.acknowledged(host.name) for host in hosts), "the first records are acknowledged", 60)
        centre.stop_web()
        end, hits = time.monotonic() + seconds, 0
        while time.monotonic() < end and not traffic.failures:
            # Any moment of a turn.
            time.sleep(chance.uniform(0, 0.1))
            hits += chance.choice(traffic.senders).kill()
        written = sum(host.size() - centre.acknowledged(host.name) for host in hosts)
        centre.start_web()
        back = time.monotonic()
        time.sleep(2)
    print(f"        the listener was away for {seconds} s; {written} records were written meanwhile, "
          f"and senders killed {hits} times")
    kills.settle(centre, says, hosts, f"{seconds} s without a listener and {hits} kills of senders")
    print(f"        everything had arrived {time.monotonic() - back:.1f} s after the listener was back")
    centre.stop_web()
    relp(centre.work / "relp")


def relp(folder):
    """Lets rsyslog read a file and send it by RELP; the sender is killed while the server is away."""
    if not shutil.which("rsyslogd") or not any(
            os.path.exists(f"/usr/lib/{place}/rsyslog/omrelp.so") for place in ("x86_64-linux-gnu", "aarch64-linux-gnu", "")):
        return print("skipped: rsyslog's RELP, which is not installed (rsyslog, rsyslog-relp)")
    on_disk = 'queue.filename="q" queue.saveOnShutdown="on" queue.syncqueuefiles="on" queue.checkpointInterval="1"'
    for what, position, queue in (
        ("with a queue in memory", "", ""),
        ("with a queue in memory and the position in the file kept each 100 lines", 'persistStateInterval="100"', ""),
        ("with a queue on disk that is synced, and the position", 'persistStateInterval="100"', on_disk),
    ):
        lost, repeated = relp_once(folder, position, queue)
        print(f"        rsyslog {what}: {lost} of {LINES} lost, {repeated} repeated, after one kill while the server was away")
        shutil.rmtree(folder)


def relp_once(folder, position, queue):
    """One run; returns the lines that are lost and those that came more than once."""
    folder.mkdir()
    port = fleet.free_ports()
    for name in ("sender", "server"):
        (folder / name).mkdir()
    source, target = folder / "in.log", folder / "out.log"
    (folder / "sender.conf").write_text(f"""
global(workDirectory="{folder}/sender")
module(load="imfile")
module(load="omrelp")
template(name="line" type="string" string="%msg%")
input(type="imfile" file="{source}" tag="check" {position})
action(type="omrelp" target="127.0.0.1" port="{port}" template="line" action.resumeRetryCount="-1"
       action.resumeInterval="1" queue.type="LinkedList" {queue})
""")
    (folder / "server.conf").write_text(f"""
global(workDirectory="{folder}/server")
module(load="imrelp")
template(name="line" type="string" string="%rawmsg%\\n")
input(type="imrelp" address="127.0.0.1" port="{port}")
action(type="omfile" file="{target}" template="line")
""")

    def start(name):
        return subprocess.Popen(
            ["rsyslogd", "-n", "-f", folder / f"{name}.conf", "-i", folder / f"{name}.pid"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def stop(process, how=signal.SIGTERM):
        process.send_signal(how)
        process.wait(timeout=30)

    def write(first, last):
        with source.open("a") as file:
            file.writelines(f"line {number:06}\n" for number in range(first, last + 1))

    def seen():
        return target.read_text().split("\n") if target.exists() else []

    running = {}
    try:
        for name in ("server", "sender"):
            running[name] = start(name)
        write(1, 100)
        fleet.until(lambda: len(seen()) > 100, "rsyslog carries the first lines", 20)
        stop(running["server"])
        write(101, LINES)
        time.sleep(3)
        stop(running["sender"], signal.SIGKILL)
        for name in ("server", "sender"):
            running[name] = start(name)
        write(LINES + 1, LINES + 1)
        fleet.until(lambda: any(line.endswith(f"{LINES + 1:06}") for line in seen()), "rsyslog carries a line again", 30)
        size, since = -1, time.monotonic()
        while time.monotonic() - since < 5:
            if size != (now := target.stat().st_size):
                size, since = now, time.monotonic()
            time.sleep(0.1)
    finally:
        for process in running.values():
            fleet.end(process)
    numbers = [int(line[-6:]) for line in seen() if line]
    return LINES + 1 - len(set(numbers)), len(numbers) - len(set(numbers))
