"""Settings of a user, with the values that an administrator forces ahead of them.

    with ManagedDefaults("org.example.Browser") as defaults:
        page = defaults.get("HomePage", "about:blank")
        field.set_sensitive(not defaults.is_forced("HomePage"))
        try:
            defaults["HomePage"] = "https://games.example"
        except ForcedError as error:
            show(error, error.entry.contact)

The functions are those of libmanaged-defaults.so.1; managed-defaults(3) describes them. All of them may be called from every
thread, and in a child that os.fork() made. Values are str, bool, int, float, datetime, bytes, and lists and dictionaries of
them. A datetime needs a zone and comes back in UTC; whole numbers go from -2**63 to 2**64 - 1.
"""

from ._changes import Change, Changes, Watch
from ._defaults import ManagedDefaults
from ._entries import AllowedValues, Introduction, Outcome, PolicyEntry
from ._errors import ConflictError, ForcedError, ManagedDefaultsError, NotAllowedError, WriteError
from ._library import version
from ._values import Value

__all__ = [
    "AllowedValues",
    "Change",
    "Changes",
    "ConflictError",
    "ForcedError",
    "Introduction",
    "ManagedDefaults",
    "ManagedDefaultsError",
    "NotAllowedError",
    "Outcome",
    "PolicyEntry",
    "Value",
    "Watch",
    "WriteError",
    "version",
]
