"""What policy says of a key."""

from __future__ import annotations

import datetime
import enum
from dataclasses import dataclass
from typing import Optional

from ._values import Value


class Outcome(enum.IntEnum):
    """What became of a write (`mdefaults_outcome`). Only the first two are in effect; the others are raised."""

    STORED = 0
    UNCHANGED = 1
    REFUSED = 2
    SHADOWED = 3
    CLAMPED = 4
    DISALLOWED = 5
    INVALID = 6
    UNAVAILABLE = 7
    CONFLICT = 8


@dataclass(frozen=True)
class PolicyEntry:
    """The policy entry that forces a key. Texts that policy does not give are empty; the line is 0 for a binary file."""

    domain: str
    key: str
    policy: str
    title: str
    summary: str
    contact: str
    file: str
    message: str
    line: int


@dataclass(frozen=True)
class Introduction:
    """What brought a policy file as it is: by whom, when and why. Texts that are unknown are empty.

    Temporary policy has no generation and no time. With `is_by_hand` the file was changed by hand.
    """

    by: str
    reason: str
    message: str
    generation: Optional[int]
    time: Optional[datetime.datetime]
    is_by_hand: bool


@dataclass(frozen=True)
class AllowedValues:
    """What the user may choose: bounds of a slider, choices of a menu, the expression that a whole text must match.

    `requirement` is a phrase that follows on "must be".
    """

    requirement: str
    minimum: Optional[float]
    maximum: Optional[float]
    choices: Optional[list[Value]]
    pattern: Optional[str]
    policy: str
    contact: str
    file: str
    line: int
