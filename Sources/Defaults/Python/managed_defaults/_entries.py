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
    """The policy entry that forces a key. What policy does not give is None, and the line of a binary file."""

    domain: str
    key: str
    policy: Optional[str]
    title: Optional[str]
    summary: Optional[str]
    contact: Optional[str]
    file: str
    message: str
    line: Optional[int]


@dataclass(frozen=True)
class Introduction:
    """What brought a policy file as it is: by whom, when and why. What is unknown is None.

    Temporary policy has no generation and no time. With `is_by_hand` the file was changed by hand.
    """

    by: Optional[str]
    reason: Optional[str]
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
    contact: Optional[str]
    file: str
    line: Optional[int]
