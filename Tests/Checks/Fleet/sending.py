"""Many hosts send many records through the web server: each arrives once, and every copy has the root of its original."""

import time

import centre as fleet


def check(centre, says, count=20, records=200):
    hosts = centre.school(count, records)
    centre.start_web()
    together = fleet.together
    # A report costs by the rules of a host and not by its records, and comes at most each hour: it is counted alone.
    together(fleet.Host.send, hosts)
    first = fleet.cost(centre.collect)
    print(f"        the first turn of a host with its report of {records} rules: collector {first / count * 1e3:.1f} ms")
    together(lambda host: host.attempt(records, 2), hosts)
    total = sum(host.size() for host in hosts)
    says(f"{count} hosts have {total} records", total >= count * records, total)
    new = total - sum(centre.acknowledged(host.name) for host in hosts)
    began, taken, web = time.monotonic(), 0, centre.web_cost()
    waiting, rounds = hosts, 0
    while waiting and rounds < 20 + records // 500:
        together(fleet.Host.send, waiting)
        taken += fleet.cost(centre.collect)
        waiting = [host for host in waiting if not host.is_held()]
        rounds += 1
    seconds, web = time.monotonic() - began, centre.web_cost() - web
    says("everything is acknowledged", not waiting, f"{len(waiting)} hosts wait")
    wrong = [text for text in together(fleet.Host.compare, hosts) if text]
    says(f"{total} of {total} records, 0 repeated, every root checked", not wrong, "; ".join(wrong[:5]))
    print(f"        {rounds} rounds in {seconds:.1f} s; a record: collector {taken / new * 1e6:.1f} µs of processor, "
          f"nginx {web / new * 1e6:.1f} µs")
    held = {host.name: centre.acknowledged(host.name) for host in hosts}
    together(fleet.Host.send, hosts)
    centre.collect()
    says("another turn changes no acknowledgement", held == {name: centre.acknowledged(name) for name in held})
    alarms = centre.folder / "alarms.jsonl"
    says("no alarm", not alarms.exists() or not alarms.read_text(), alarms.exists() and alarms.read_text()[:500])
