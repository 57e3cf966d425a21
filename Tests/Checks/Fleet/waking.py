"""A snapshot that is published reaches the hosts that wait for news, and is in force there."""

import subprocess
import time

import centre as fleet


def check(centre, says, count=12, seconds=20):
    hosts = centre.school(count, 1)
    centre.start_web()
    waiting = []

    def page(host):
        return fleet.run(
            "--root", host.root, "--user", "alice", "read", "org.example.Browser", "HomePage", code=None).strip()

    try:
        centre.publish("first")
        fleet.together(fleet.Host.send, hosts)
        says("a turn of each host installs what was published", all(page(host) == "first" for host in hosts))
        for host in hosts:
            waiting.append(subprocess.Popen(
                [fleet.MDEFAULTS, "--root", str(host.root), "fleet", "run", "--follow"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True))
        # nginx counts a connection for each host that waits.
        fleet.until(lambda: centre.connections() >= count, f"{count} hosts wait", 60)
        before = centre.web_cost()
        began = time.monotonic()
        centre.publish("second")
        left, last = list(hosts), None
        published = time.monotonic() - began
        while left and time.monotonic() - began < seconds:
            left = [host for host in left if not has(host, "second")]
            last = time.monotonic() - began
            time.sleep(0.01)
        says(f"{count} hosts that waited have the second snapshot", not left, f"{len(left)} do not after {last:.1f} s")
        print(f"        the last one after {last:.1f} s, publishing itself {published:.1f} s; nginx took "
              f"{(centre.web_cost() - before) / count * 1e3:.1f} ms of processor a host")
        says("it is in force", all(page(host) == "second" for host in hosts))
    finally:
        for process in waiting:
            fleet.end(process)


def has(host, page):
    """Whether a host has a policy file with a page."""
    try:
        return page in (host.root / "etc/managed-defaults/policies.d/50-page.json").read_text()
    except FileNotFoundError:
        return False
