"""A machine in a folder, with one user and policy for org.example.C; Tests/Checks/Languages/run says how tests find the library."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from managed_defaults import ManagedDefaults

POLICY = """
{
  "Identifier": "test.c", "Description": "Why", "Contact": "room 1",
  "Forced": { "org.example.C": {
    "Count": 42, "Off": false, "Page": "${user}'s ö!", "Half": 0.5, "Day": {"$date": "2026-11-20T08:00:00Z"}, "Wide": "wide",
    "Bytes": {"$data": "AAEC"}, "List": [1, {"a": true}], "Table": {"$dict": {"$date": "no form"}}, "Huge": 18446744073709551615 } },
  "Absent": { "org.example.C": ["Gone"] },
  "Constraints": { "org.example.C": {
    "Volume": { "Minimum": 0, "Maximum": 70 }, "Skin": { "OneOf": ["plain", "dark"] }, "Room": { "Pattern": "r[0-9]+" } } }
}
"""
SUITE = '{ "Identifier": "test.suite", "Forced": { "org.example.Suite": { "InSuite": 5 } } }'
SHADOW = '{ "Identifier": "test.shadow", "OnOverride": "shadow", "Forced": { "org.example.C": { "Shadow": "theirs" } } }'


class Machine:
    """A machine in a folder."""

    def __init__(self, folder: Path) -> None:
        self.path = str(folder)
        self.policies = folder / "etc/managed-defaults/policies.d"
        (folder / "home/pupil").mkdir(parents=True)
        (folder / "etc").mkdir()
        (folder / "etc/passwd").write_text(f"pupil:x:{os.getuid()}:{os.getgid()}:Pupil:/home/pupil:/bin/sh\n")

    def policy(self, name: str, text: str) -> None:
        """Puts a policy file into place, as a whole."""
        self.policies.mkdir(parents=True, exist_ok=True)
        new = self.policies.parent / name
        new.write_text(text)
        new.rename(self.policies / name)

    def apply(self) -> None:
        """Records policy."""
        subprocess.run([os.environ["MDEFAULTS"], "--root", self.path, "policy", "apply"], check=True, capture_output=True)

    def open(self, application: str = "org.example.C") -> ManagedDefaults:
        return ManagedDefaults(application, root=self.path, user="pupil")


@pytest.fixture
def unmanaged(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def machine(unmanaged: Machine) -> Machine:
    for name, text in [("10-c.json", POLICY), ("11-shadow.json", SHADOW), ("12-suite.json", SUITE)]:
        unmanaged.policy(name, text)
    return unmanaged


@pytest.fixture
def defaults(machine: Machine) -> Iterator[ManagedDefaults]:
    with machine.open() as defaults:
        yield defaults
