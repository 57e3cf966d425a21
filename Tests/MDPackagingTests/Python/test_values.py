"""Values that come back as what they were, and types that are asked for."""

from __future__ import annotations

import datetime
import math
import sys
from typing import Any

import pytest
from conftest import Machine

from managed_defaults import ManagedDefaults, Outcome, Value, WriteError

DAY = datetime.datetime(2026, 11, 20, 8, tzinfo=datetime.timezone.utc)


def test_forced_values_have_their_types(defaults: ManagedDefaults) -> None:
    expected: dict[str, Value] = {
        "Count": 42, "Off": False, "Page": "pupil's ö!", "Half": 0.5, "Day": DAY, "Bytes": b"\0\1\2",
        "List": [1, {"a": True}], "Table": {"$date": "no form"}, "Huge": 2**64 - 1,
    }
    for key, value in expected.items():
        assert defaults[key] == value and type(defaults[key]) is type(value), key


def test_a_default_names_the_type(defaults: ManagedDefaults) -> None:
    assert defaults.get("Count", 1.0) == 42.0 and type(defaults.get("Count", 1.0)) is float
    assert defaults.get("Count", "") == "42" and defaults.get("Count", False) is True
    assert defaults.get("Off", 7) == 0 and type(defaults.get("Off", 7)) is int
    assert defaults.get("Huge", 1) == 2**64 - 1
    assert defaults.get("Bytes", b"") == b"\0\1\2" and defaults.get("Day", DAY - datetime.timedelta(1)) == DAY
    assert defaults.get("List", list[Any]()) == [1, {"a": True}]
    assert defaults.get("Nothing", 5) == 5 and defaults.get("Nothing") is None and defaults.get("Gone", "x") == "x"
    # A forced value of another type: the default counts, and the key is forced all the same.
    assert defaults.get("Wide", 1.25) == 1.25 and defaults.get("Wide", True) is True and defaults.is_forced("Wide")
    assert defaults.get("List", 3) == 3 and defaults.get("Page", b"none") == b"none"
    # It is said once.
    assert [problem.split()[3] for problem in defaults.problems()] == ["Wide", "List", "Page"]
    assert defaults.get("Wide", 1.25) == 1.25 and list(defaults.problems()) == []
    with pytest.raises(TypeError):
        defaults.get("Count", object())
    defaults.set("Text", "5")
    assert defaults.get("Text", 1) == 5 and defaults.get("Text", 1.0) == 5.0
    defaults.set("Text", "a\0b")
    assert defaults.get("Text", "") == "a\0b" and defaults["Text"] == "a\0b"
    defaults.set("Text", "5 pages")
    assert defaults.get("Text", 1) == 1


@pytest.mark.parametrize(
    "value",
    [
        "ö \"'\U0001f600", "", "\0", True, False, 0, -(2**63), 2**63, 2**64 - 1, 0.1, -0.0, 1e300, 5e-324, 2.0**60, math.inf,
        -math.inf, b"", b"\xff" * 100, DAY, DAY.replace(microsecond=123456),
        datetime.datetime(1, 1, 1, tzinfo=datetime.timezone.utc),
        datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.timezone.utc), [], {}, {"$data": "x"},
        {"$date": 1, "b": []}, {"a": [1, {"b": [b"x", DAY, 2.0]}]},
    ],
)
def test_every_value_comes_back(machine: Machine, value: Value) -> None:
    with machine.open() as defaults:
        assert defaults.set("Value", value) == Outcome.STORED
        assert defaults["Value"] == value and type(defaults["Value"]) is type(value)
    # From the disk, too.
    with machine.open() as defaults:
        assert defaults["Value"] == value and type(defaults["Value"]) is type(value)


def test_a_zone_is_told_as_utc(defaults: ManagedDefaults) -> None:
    there = DAY.replace(microsecond=250000).astimezone(datetime.timezone(datetime.timedelta(hours=5, minutes=45)))
    defaults["Value"] = there
    found = defaults["Value"]
    assert found == there and isinstance(found, datetime.datetime) and found.tzinfo == datetime.timezone.utc


def test_not_a_number_and_other_sequences(defaults: ManagedDefaults) -> None:
    defaults["Value"] = math.nan
    assert math.isnan(defaults.get("Value", 0.0))
    defaults["Value"] = (1, (2,))
    assert defaults["Value"] == [1, [2]]
    defaults["Value"] = bytearray(b"x")
    assert defaults["Value"] == b"x"


def test_what_no_property_list_holds_is_an_error_and_changes_nothing(defaults: ManagedDefaults) -> None:
    endless: list[Any] = []
    endless.append(endless)
    wrong: list[tuple[Any, type[Exception]]] = [
        (2**64, OverflowError), (-(2**63) - 1, OverflowError), ([2**70], OverflowError), (None, TypeError),
        (object(), TypeError), ({1: 2}, TypeError), ({"a": {1, 2}}, TypeError), (datetime.datetime(2026, 1, 1), ValueError),
        (datetime.date(2026, 1, 1), TypeError), ("\ud800", ValueError), (endless, ValueError),
    ]
    defaults["Value"] = 1
    for value, error in wrong:
        with pytest.raises(error):
            defaults["Value"] = value
    deep: list[Any] = []
    for _ in range(600):
        deep = [deep]
    sys.setrecursionlimit(5000)
    with pytest.raises(WriteError) as raised:
        defaults["Value"] = deep
    assert raised.value.outcome == Outcome.INVALID and defaults["Value"] == 1


def test_a_date_that_no_datetime_holds(machine: Machine, defaults: ManagedDefaults) -> None:
    machine.policy("20.json", '{ "Identifier": "l", "Forced": { "org.example.C": { "Late": {"$date": 1e15} } } }')
    assert defaults.synchronize()
    with pytest.raises(OverflowError):
        defaults["Late"]
    assert defaults.get("Late", DAY) == DAY and "Late" in defaults


@pytest.mark.parametrize("key", ["a\0b", "\ud800"])
def test_a_name_that_is_no_text_is_refused(defaults: ManagedDefaults, key: str) -> None:
    for call in (defaults.get, defaults.is_forced, defaults.forced_by, defaults.remove, defaults.watch):
        with pytest.raises(ValueError):
            call(key)
    with pytest.raises(TypeError):
        defaults.get(5)  # type: ignore[call-overload]
