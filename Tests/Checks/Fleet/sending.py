"""Many hosts send many records through the web server: each arrives once, and every copy has the root of its original."""

import time

import centre as fleet


def check(centre, says, count=20, records=200):
    hosts = centre.school(count, records)
    centre.start_web()
    together = fleet.together
    together(lambda host: host.attempt(records, 2), hosts)
    total = sum(host.size() for host in hosts)
    says(f"{count} hosts have {total} records", total >= count * records, total)
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
    print(f"        {rounds} rounds in {seconds:.1f} s; a record: collector {taken / total * 1e6:.1f} µs of processor, "
          f"nginx {web / total * 1e6:.1f} µs")
    held = {host.name: centre.acknowledged(host.name) for host in hosts}
    together(fleet.Host.send, hosts)
    centre.collect()
    says("another turn changes no acknowledgement", held == {name: centre.acknowledged(name) for name in held})
    alarms = centre.folder / "alarms.jsonl"
    says("no alarm", not alarms.exists() or not alarms.read_text(), alarms.exists() and alarms.read_text()[:500])
