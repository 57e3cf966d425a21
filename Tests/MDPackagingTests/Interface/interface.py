"""interface.py EXAMPLE ROOT POLICY: the Python example on a machine in a folder; ends with exit 0 if all of it holds."""

import datetime
import math
import os
import select
import sys

sys.path.insert(0, sys.argv[1])
from managed_defaults import ManagedDefaults, ManagedDefaultsError, Outcome  # noqa: E402

root, policy = sys.argv[2:4]
day = datetime.datetime(2026, 11, 20, 8, tzinfo=datetime.timezone.utc)

with ManagedDefaults("org.example.C", root=root, user="pupil") as defaults:
    assert defaults.get("Count") == 42 and isinstance(defaults.get("Count"), int)
    assert defaults.get("Off") is False
    assert defaults.get("Page") == "pupil's ö!"
    assert defaults.get("Half") == 0.5
    assert defaults.get("Day") == day
    assert defaults.get("Bytes") == b"\0\1\2"
    assert defaults.get("List") == [1, {"a": True}]
    assert defaults.get("Table") == {"$date": "no form"}
    assert defaults.get("Nothing") is None and defaults.get("Nothing", 7) == 7
    assert defaults.is_forced("Count") and not defaults.is_forced("Nothing")
    entry = defaults.forced_by("Count")
    assert entry is not None and (entry.policy, entry.contact, entry.domain) == ("test.c", "room 1", "org.example.C")
    assert entry.line > 1 and entry.file.endswith("/10.json") and "is set by policy" in entry.message
    assert defaults.forced_by("Nothing") is None
    assert defaults.allowed("Volume") == "at most 70" and defaults.allowed("Count") is None

    for value in ["ö \"'", "", True, -(2**63), 2**64 - 1, 0.1, math.inf, b"", b"\xff", day, [], {}, {"$data": "x"},
                  {"a": [1, {"b": [b"x", day, 2.0]}]}]:
        assert defaults.set("Value", value).outcome in (Outcome.STORED, Outcome.UNCHANGED), value
        assert defaults.get("Value") == value and type(defaults.get("Value")) is type(value), value
    assert defaults.set("Value", math.nan).in_effect and math.isnan(defaults.get("Value"))
    refused = defaults.set("Count", 1)
    assert refused.outcome is Outcome.REFUSED and not refused.in_effect and "room 1" in refused.message
    assert defaults.set("Volume", 100).outcome is Outcome.CLAMPED and defaults.get("Volume") == 70
    assert defaults.remove("Value").outcome is Outcome.STORED and defaults.get("Value") is None
    for wrong in (lambda: defaults.get("a\0b"), lambda: defaults.set("a", object()), lambda: ManagedDefaults("a/b"),
                  lambda: ManagedDefaults(user="x"), lambda: defaults.set("a", datetime.datetime.now())):
        try:
            wrong()
        except ManagedDefaultsError as error:
            assert str(error)
        else:
            raise AssertionError("nothing was refused")

    def pages() -> int:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])

    # What the library gave was freed: a text that was not would be 64 bytes of each round.
    before = 0
    for index in range(9000):
        if index == 3000:
            before = pages()
        defaults.get("List"), defaults.forced_by("Count"), defaults.allowed("Volume")
        # Refused with a sentence, and without a record, which would wait in memory for its way to the log.
        assert defaults.set("", index).outcome is Outcome.INVALID
    assert pages() - before < 256, pages() - before

    watch = defaults.watch("Watched")
    poller = select.poll()
    poller.register(watch, select.POLLIN)
    assert poller.poll(0) == []
    os.rename(policy, f"{root}/etc/managed-defaults/policies.d/20.json")
    assert poller.poll(20_000)
    assert list(watch.changes()) == ["Watched"] and poller.poll(0) == []
    assert defaults.is_forced("Watched")
    watch.close()
    assert watch.fileno() == -1
    assert defaults.synchronize() and list(defaults.problems()) == []

try:
    defaults.get("Count")
except ManagedDefaultsError:
    pass
else:
    raise AssertionError("a closed handle reads")
