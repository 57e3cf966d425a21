"""Errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from ._entries import AllowedValues, Outcome, PolicyEntry
    from ._values import Value


class ManagedDefaultsError(Exception):
    """The defaults could not be opened or are closed, or the library could not answer."""


class WriteError(ManagedDefaultsError):
    """A write is not in effect. The text is a sentence for the user."""

    def __init__(self, message: str, key: str, outcome: Outcome) -> None:
        super().__init__(message)
        self.key, self.outcome = key, outcome


class ForcedError(WriteError):
    """The key is forced. The attempt is in the audit log; `entry` says by whom, where that is written, and whom to ask."""

    def __init__(self, message: str, key: str, outcome: Outcome, entry: PolicyEntry) -> None:
        super().__init__(message, key, outcome)
        self.entry = entry


class NotAllowedError(WriteError):
    """The value is not allowed; the attempt is in the audit log. With Outcome.CLAMPED the nearest bound was stored."""

    def __init__(self, message: str, key: str, outcome: Outcome, allowed: Optional[AllowedValues]) -> None:
        super().__init__(message, key, outcome)
        self.allowed = allowed


class ConflictError(WriteError):
    """Another value is stored than the one that was to be replaced; None for none."""

    def __init__(self, message: str, key: str, outcome: Outcome, stored: Optional[Value]) -> None:
        super().__init__(message, key, outcome)
        self.stored = stored
