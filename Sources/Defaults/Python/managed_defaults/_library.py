"""The functions of the shared library with their types, and texts on their way from and to it."""

from __future__ import annotations

import ctypes
import enum
import functools
from typing import Any, Optional

from ._errors import ManagedDefaultsError

NAME = "libmanaged-defaults.so.1"


class Status(enum.IntEnum):
    """What became of a call (`mdefaults_status`)."""

    OK = 0
    NO_VALUE = 1
    WRONG_TYPE = 2
    BAD_ARGUMENT = 3
    NO_MEMORY = 4
    FAILED = 5


class EntryStructure(ctypes.Structure):
    """`mdefaults_entry`."""

    _fields_ = [
        ("domain", ctypes.c_char_p),
        ("key", ctypes.c_char_p),
        ("policy", ctypes.c_char_p),
        ("title", ctypes.c_char_p),
        ("summary", ctypes.c_char_p),
        ("contact", ctypes.c_char_p),
        ("file", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("line", ctypes.c_int64),
    ]


class IntroductionStructure(ctypes.Structure):
    """`mdefaults_introduction`."""

    _fields_ = [
        ("by", ctypes.c_char_p),
        ("reason", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("generation", ctypes.c_int64),
        ("time", ctypes.c_double),
        ("is_by_hand", ctypes.c_bool),
    ]


_handle, _text, _place, _number = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int
_size = ctypes.POINTER(ctypes.c_size_t)
_functions: dict[str, tuple[Any, list[Any]]] = {
    "version": (_text, []),
    "open": (_handle, [_text, _place]),
    "open_root": (_handle, [_text, _text, _text, _place]),
    "close": (None, [_handle]),
    "free": (None, [ctypes.c_void_p]),
    "add_suite": (_number, [_handle, _text]),
    "remove_suite": (_number, [_handle, _text]),
    "register_json": (_number, [_handle, _text, _place]),
    "keys": (_number, [_handle, ctypes.POINTER(ctypes.POINTER(_text)), _size]),
    "get_type": (_number, [_handle, _text]),
    "get_bool": (_number, [_handle, _text, ctypes.POINTER(ctypes.c_bool)]),
    "get_integer": (_number, [_handle, _text, ctypes.POINTER(ctypes.c_int64)]),
    "get_real": (_number, [_handle, _text, ctypes.POINTER(ctypes.c_double)]),
    "get_string": (_number, [_handle, _text, _place, _size]),
    "get_json": (_number, [_handle, _text, _place]),
    "is_forced": (ctypes.c_bool, [_handle, _text]),
    "is_forced_in_domain": (ctypes.c_bool, [_handle, _text, _text]),
    "forced_by": (_number, [_handle, _text, ctypes.POINTER(ctypes.POINTER(EntryStructure))]),
    "introduced_by": (_number, [_handle, _text, ctypes.POINTER(ctypes.POINTER(IntroductionStructure))]),
    "allowed_json": (_number, [_handle, _text, _place]),
    "set_json": (_number, [_handle, _text, _text, _place]),
    "update_json": (_number, [_handle, _text, _text, _text, _place, _place]),
    "remove": (_number, [_handle, _text, _place]),
    "synchronize": (_number, [_handle]),
    "problem": (_number, [_handle, _place]),
    "watch_open": (_handle, [_handle, _text]),
    "watch_descriptor": (_number, [_handle]),
    "watch_next": (_number, [_handle, _place]),
    "watch_close": (None, [_handle]),
}


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """Loads the library at the first use."""
    try:
        loaded = ctypes.CDLL(NAME)
        for name, (result, arguments) in _functions.items():
            function = getattr(loaded, f"mdefaults_{name}")
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise ManagedDefaultsError(f"the package libmanaged-defaults1 is missing or too old: {error}") from error
    return loaded


def version() -> str:
    """The version of the library."""
    return str(library().mdefaults_version().decode())


def text(given: str, what: str) -> bytes:
    """A text for C, which would take a NUL for its end."""
    if not isinstance(given, str):
        raise TypeError(f"{what} is a str, not {type(given).__name__}")
    if "\0" in given:
        raise ValueError(f"{what} has a NUL")
    return given.encode()


def optional_text(given: Optional[str], what: str) -> Optional[bytes]:
    """The same, NULL for None."""
    return None if given is None else text(given, what)


def take(place: ctypes.c_void_p, length: int = -1) -> Optional[str]:
    """Copies a text that the library returned, and frees it; None for NULL."""
    if place.value is None:
        return None
    try:
        return ctypes.string_at(place.value, length).decode()
    finally:
        library().mdefaults_free(place)
        place.value = None


def check(status: int) -> None:
    """Raises an error for a status that no argument explains."""
    if status != Status.OK:
        raise ManagedDefaultsError(f"the library answered {Status(status).name}")
