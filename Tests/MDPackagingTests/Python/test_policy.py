"""What is forced, by whom, and what a write meets."""

from __future__ import annotations

import datetime
import os
import plistlib
import struct
from pathlib import Path

import pytest
from conftest import Machine

from managed_defaults import (
    ConflictError,
    ForcedError,
    ManagedDefaults,
    ManagedDefaultsError,
    NotAllowedError,
    Outcome,
    Value,
    WriteError,
    version,
)


def test_the_entry_says_who_forces_a_key(defaults: ManagedDefaults) -> None:
    assert defaults.is_forced("Count") and defaults.is_forced("Gone") and not defaults.is_forced("Nothing")
    entry = defaults.forced_by("Count")
    assert entry is not None and (entry.policy, entry.contact, entry.summary) == ("test.c", "room 1", "Why")
    assert entry.title is None and (entry.line or 0) > 1 and entry.file.endswith("/10-c.json") and "is set by policy" in entry.message
    assert defaults.forced_by("Nothing") is None and version()


def test_the_introduction_says_since_when(machine: Machine) -> None:
    with machine.open() as defaults:
        assert defaults.introduction("Count") is None and defaults.introduction("Nothing") is None
        machine.apply()
        found = defaults.introduction("Count")
        assert found is not None and found.generation == 1 and found.is_by_hand and found.time is not None
        assert found.message.startswith("Not by install: ") and (found.by, found.reason) == (None, None)


def test_a_refused_write_raises_who_forces_it(defaults: ManagedDefaults) -> None:
    with pytest.raises(ForcedError) as raised:
        defaults["Count"] = 1
    error = raised.value
    assert error.entry.policy == "test.c" and error.entry.contact == "room 1" and error.outcome == Outcome.REFUSED
    assert error.entry.file.endswith("10-c.json") and (error.entry.line or 0) > 1 and "room 1" in str(error)
    assert defaults.set("Count", 42) == Outcome.UNCHANGED
    with pytest.raises(ForcedError) as raised:
        defaults["Shadow"] = "mine"
    assert raised.value.outcome == Outcome.SHADOWED and defaults["Shadow"] == "theirs"
    with pytest.raises(ForcedError):
        del defaults["Count"]


def test_bounds_and_choices(defaults: ManagedDefaults) -> None:
    volume, skin, room = defaults.allowed("Volume"), defaults.allowed("Skin"), defaults.allowed("Room")
    assert volume is not None and (volume.minimum, volume.maximum, volume.choices) == (0, 70, None)
    assert volume.contact == "room 1" and volume.policy == "test.c" and (volume.line or 0) > 1 and "70" in volume.requirement
    assert skin is not None and skin.choices == ["plain", "dark"] and room is not None and room.pattern == "r[0-9]+"
    assert defaults.allowed("Count") is None
    with pytest.raises(NotAllowedError) as raised:
        defaults["Volume"] = 100
    assert raised.value.outcome == Outcome.CLAMPED and raised.value.allowed == volume and defaults["Volume"] == 70
    with pytest.raises(NotAllowedError):
        defaults["Skin"] = "loud"
    assert "Skin" not in defaults


def test_it_is_a_mapping(defaults: ManagedDefaults) -> None:
    defaults.register({"Registered": 1, "$only": 2})
    assert defaults["Registered"] == 1 and "Registered" in defaults and "Gone" not in defaults and 5 not in defaults
    assert set(defaults) >= {"Count", "Registered"} and "Gone" not in set(defaults) and len(defaults) == len(set(defaults))
    defaults.update({"One": 1, "Two": 2})
    assert dict(defaults)["One"] == 1 and defaults.pop("One") == 1 and "One" not in defaults
    assert defaults.setdefault("Two", 3) == 2
    with pytest.raises(KeyError):
        defaults["Nothing"]
    for key in ("Nothing", "Registered"):
        with pytest.raises(KeyError):
            del defaults[key]
    assert defaults.popitem() == ("Two", 2)
    with pytest.raises(KeyError):
        defaults.popitem()
    defaults.update(Three=3)
    defaults.clear()
    assert "Three" not in defaults and "Count" in defaults and "Registered" in defaults
    with pytest.raises(WriteError):
        defaults.register({"": 1})


def test_a_value_is_replaced_only_if_it_is_what_was_seen(machine: Machine, defaults: ManagedDefaults) -> None:
    assert defaults.replace("N", None, 1) == Outcome.STORED
    for expected in (None, 2, 1.0, True):
        with pytest.raises(ConflictError) as raised:
            defaults.replace("N", expected, 5)
        assert raised.value.stored == 1
    assert defaults.replace("N", 1, None) == Outcome.STORED and "N" not in defaults
    with machine.open() as other:

        def count(stored: Value | None) -> Value:
            return (stored if isinstance(stored, int) else 0) + 1

        for _ in range(10):
            defaults.modify("N", count)
            other.modify("N", count)
    assert defaults.synchronize() and defaults["N"] == 20
    with pytest.raises(ForcedError):
        defaults.modify("Count", count)


def test_a_time_finer_than_a_datetime_is_replaced_all_the_same(unmanaged: Machine) -> None:
    day = datetime.datetime(2026, 11, 20, 8)
    seconds = (day - datetime.datetime(2001, 1, 1)).total_seconds()
    stored = plistlib.dumps({"T": day}, fmt=plistlib.FMT_BINARY)
    folder = Path(unmanaged.path) / "home/pupil/.config"
    folder.mkdir()
    (folder / "org.example.C.plist").write_bytes(
        stored.replace(struct.pack(">d", seconds), struct.pack(">d", seconds + 1.2e-7))
    )
    with unmanaged.open() as defaults:
        assert defaults["T"] == day.replace(tzinfo=datetime.timezone.utc)
        with pytest.raises(ConflictError):
            defaults.replace("T", defaults["T"], 1)
        assert defaults.modify("T", str) == Outcome.STORED and defaults["T"] == "2026-11-20 08:00:00+00:00"


def test_suites(defaults: ManagedDefaults) -> None:
    assert defaults.is_forced("InSuite", "org.example.Suite") and not defaults.is_forced("InSuite")
    defaults.add_suite("org.example.Suite")
    assert defaults.is_forced("InSuite") and defaults["InSuite"] == 5
    defaults.remove_suite("org.example.Suite")
    assert "InSuite" not in defaults
    with pytest.raises(ValueError):
        defaults.add_suite("a/b")


def test_a_machine_without_policy(unmanaged: Machine) -> None:
    with unmanaged.open() as defaults:
        assert not defaults.is_forced("Count") and defaults.forced_by("Count") is None and "Count" not in defaults
        defaults["Count"] = 1
        assert defaults["Count"] == 1 and defaults.synchronize() and list(defaults.problems()) == []


def test_a_machine_whose_policy_is_unknown(machine: Machine) -> None:
    machine.apply()
    # A copy that was recorded as good is gone, and so is the file.
    for folder in (machine.policies, machine.policies.parent.parent.parent / "var/lib/managed-defaults/good"):
        for file in folder.iterdir():
            file.write_text("{")
    with machine.open() as defaults:
        assert defaults.is_forced("Anything") and defaults.get("Anything", 7) == 7 and "Count" not in defaults
        entry = defaults.forced_by("Anything")
        assert entry is not None and entry.policy is None and entry.message and defaults.introduction("Anything") is None
        with pytest.raises(WriteError) as raised:
            defaults["Anything"] = 1
        assert raised.value.outcome == Outcome.UNAVAILABLE and "Anything" not in defaults


def test_what_cannot_be_opened(machine: Machine) -> None:
    for application, root, user in [("a/b", machine.path, None), ("a.b", "/nonexistent", None), ("a.b", machine.path, "x")]:
        with pytest.raises(ManagedDefaultsError):
            ManagedDefaults(application, root=root, user=user)
    with pytest.raises(ValueError):
        ManagedDefaults("a.b", user="x")


def test_nothing_can_be_asked_once_it_is_closed(machine: Machine) -> None:
    defaults = machine.open()
    watch = defaults.watch()
    defaults.close()
    defaults.close()
    assert watch.fileno() == -1 and watch.take() == []
    for call in (lambda: defaults.get("Count"), lambda: defaults.is_forced("Count"), lambda: list(defaults), defaults.clear):
        with pytest.raises(ManagedDefaultsError):
            call()


def test_a_forked_child_goes_on(machine: Machine, defaults: ManagedDefaults) -> None:
    child = os.fork()
    if child == 0:
        code = 9
        try:
            refused = False
            try:
                defaults["Count"] = 1
            except ForcedError:
                refused = True
            defaults["Child"] = 5
            code = 0 if refused and defaults["Count"] == 42 and defaults.synchronize() else 1
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert defaults.synchronize() and defaults["Child"] == 5
