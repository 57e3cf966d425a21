#!/usr/bin/env python3
"""Managed defaults in Python: one file, typed, over the library libmanaged-defaults.so.1 by ctypes.

    with ManagedDefaults("org.example.Browser") as defaults:
        page = defaults.get("HomePage", "about:blank")
        field.enabled = not defaults.is_forced("HomePage")
        outcome = defaults.set("HomePage", "https://games.example")
        if not outcome.in_effect:
            show(outcome.message)

As a program: managed_defaults.py [--root DIR --user NAME] APPLICATION [KEY [VALUE as JSON]]
"""

from __future__ import annotations

import ctypes
import datetime
import enum
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Union

Value = Union[str, bool, int, float, datetime.datetime, bytes, Sequence["Value"], Mapping[str, "Value"]]


class Outcome(enum.IntEnum):
    """What became of a write."""

    STORED = 0
    UNCHANGED = 1
    REFUSED = 2
    SHADOWED = 3
    CLAMPED = 4
    DISALLOWED = 5
    INVALID = 6
    UNAVAILABLE = 7


@dataclass(frozen=True)
class WriteResult:
    """What became of a write, and a sentence for the user if it is not in effect."""

    outcome: Outcome
    message: str

    @property
    def in_effect(self) -> bool:
        return self.outcome <= Outcome.UNCHANGED


@dataclass(frozen=True)
class PolicyEntry:
    """By whom a key is forced, why, where that is written, and whom to ask."""

    domain: str
    key: str
    policy: str
    title: str
    summary: str
    contact: str
    file: str
    message: str
    line: int


class ManagedDefaultsError(Exception):
    """The defaults could not be opened, or an argument is not what it has to be."""


class _Entry(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in PolicyEntry.__dataclass_fields__ if name != "line"] + [
        ("line", ctypes.c_int64)
    ]


_OK, _NO_VALUE = 0, 1
_handle, _text, _out = ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)
_functions: dict[str, tuple[object, list[object]]] = {
    "open": (_handle, [_text, _out]),
    "open_root": (_handle, [_text, _text, _text, _out]),
    "close": (None, [_handle]),
    "free": (None, [ctypes.c_void_p]),
    "get_json": (ctypes.c_int, [_handle, _text, _out]),
    "is_forced": (ctypes.c_bool, [_handle, _text]),
    "forced_by": (ctypes.c_int, [_handle, _text, ctypes.POINTER(ctypes.POINTER(_Entry))]),
    "allowed": (ctypes.c_int, [_handle, _text, _out]),
    "set_json": (ctypes.c_int, [_handle, _text, _text, _out]),
    "remove": (ctypes.c_int, [_handle, _text, _out]),
    "synchronize": (ctypes.c_int, [_handle]),
    "problem": (ctypes.c_int, [_handle, _out]),
    "watch_open": (_handle, [_handle, _text]),
    "watch_descriptor": (ctypes.c_int, [_handle]),
    "watch_next": (ctypes.c_int, [_handle, _out]),
    "watch_close": (None, [_handle]),
}


class _Library:
    """The functions of the shared library, with their types."""

    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(path)
        for name, (result, arguments) in _functions.items():
            function = getattr(library, f"mdefaults_{name}")
            function.restype = result
            function.argtypes = arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> ctypes._FuncPointer:  # type: ignore[name-defined]
        raise AttributeError(name)

    def taken(self, place: ctypes.c_void_p) -> str:
        """Copies a text that the library gave, and frees it."""
        if not place.value:
            return ""
        try:
            return ctypes.string_at(place.value).decode()
        finally:
            self.free(place)


_loaded: _Library | None = None


def _library() -> _Library:
    global _loaded
    if _loaded is None:
        _loaded = _Library(os.environ.get("MANAGED_DEFAULTS_LIBRARY", "libmanaged-defaults.so.1"))
    return _loaded


def _bytes(text: str) -> bytes:
    """A text for C, which would take a NUL for its end."""
    if "\0" in text:
        raise ManagedDefaultsError("a name or a value has a NUL")
    return text.encode()


def _encode(value: Value) -> object:
    """A value in the JSON of property lists."""
    if isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return {"$real": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    if isinstance(value, datetime.datetime):
        if value.tzinfo is None:
            raise ManagedDefaultsError("a date needs a time zone")
        return {"$date": value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")}
    if isinstance(value, (bytes, bytearray)):
        import base64

        return {"$data": base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        encoded = {str(key): _encode(item) for key, item in value.items()}
        is_form = len(encoded) == 1 and next(iter(encoded)).startswith("$")
        return {"$dict": encoded} if is_form else encoded
    if isinstance(value, Sequence):
        return [_encode(item) for item in value]
    raise ManagedDefaultsError(f"a {type(value).__name__} is no value of a property list")


def _decode(value: object) -> Value:
    """A value of the JSON of property lists."""
    if isinstance(value, list):
        return [_decode(item) for item in value]
    if not isinstance(value, dict):
        return value  # type: ignore[return-value]
    if len(value) == 1:
        ((form, content),) = value.items()
        if form == "$date" and isinstance(content, str):
            return datetime.datetime.fromisoformat(content.replace("Z", "+00:00"))
        if form == "$date":
            start = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
            return start + datetime.timedelta(seconds=content)
        if form == "$data":
            import base64

            return base64.b64decode(content)
        if form == "$real":
            return float(content)
        if form == "$int":
            return int(content)
        if form == "$dict":
            return {key: _decode(item) for key, item in content.items()}
    return {key: _decode(item) for key, item in value.items()}


class ManagedDefaults:
    """The defaults of one application and one user."""

    def __init__(self, application: str | None = None, *, root: str | None = None, user: str | None = None) -> None:
        library = _library()
        problem = ctypes.c_void_p()
        name = None if application is None else _bytes(application)
        if root is None:
            if user is not None:
                raise ManagedDefaultsError("only the machine of a folder has other users than the caller")
            handle = library.open(name, ctypes.byref(problem))
        else:
            handle = library.open_root(
                _bytes(root), None if user is None else _bytes(user), name, ctypes.byref(problem)
            )
        sentence = library.taken(problem)
        if not handle:
            raise ManagedDefaultsError(sentence)
        self._library, self._handle = library, handle

    def close(self) -> None:
        """Saves and closes; every later call raises an error."""
        self._library.close(self._handle)

    def __enter__(self) -> ManagedDefaults:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get(self, key: str, default: Value | None = None) -> Value | None:
        """The value of a key, forced values first; `default` without one."""
        place = ctypes.c_void_p()
        status = self._library.get_json(self._handle, _bytes(key), ctypes.byref(place))
        text = self._library.taken(place)
        if status == _NO_VALUE:
            return default
        self._check(status)
        return _decode(json.loads(text))

    def is_forced(self, key: str) -> bool:
        """Whether an administrator decides the value; then its control is to be locked."""
        return bool(self._library.is_forced(self._handle, _bytes(key)))

    def forced_by(self, key: str) -> PolicyEntry | None:
        """By whom a key is forced; None if the user decides."""
        place = ctypes.POINTER(_Entry)()
        status = self._library.forced_by(self._handle, _bytes(key), ctypes.byref(place))
        if status == _NO_VALUE:
            return None
        self._check(status)
        try:
            entry = place.contents
            texts = {name: getattr(entry, name).decode() for name, kind in _Entry._fields_ if kind is ctypes.c_char_p}
            return PolicyEntry(line=entry.line, **texts)
        finally:
            self._library.free(place)

    def allowed(self, key: str) -> str | None:
        """What the user may choose, as a phrase that follows on "must be"; None if anything."""
        place = ctypes.c_void_p()
        status = self._library.allowed(self._handle, _bytes(key), ctypes.byref(place))
        phrase = self._library.taken(place)
        if status == _NO_VALUE:
            return None
        self._check(status)
        return phrase

    def set(self, key: str, value: Value) -> WriteResult:
        """Stores a value; a forced key refuses it."""
        place = ctypes.c_void_p()
        text = json.dumps(_encode(value), ensure_ascii=False)
        outcome = self._library.set_json(self._handle, _bytes(key), _bytes(text), ctypes.byref(place))
        return WriteResult(Outcome(outcome), self._library.taken(place))

    def remove(self, key: str) -> WriteResult:
        """Removes the user's value, so that other domains answer."""
        place = ctypes.c_void_p()
        outcome = self._library.remove(self._handle, _bytes(key), ctypes.byref(place))
        return WriteResult(Outcome(outcome), self._library.taken(place))

    def synchronize(self) -> bool:
        """Saves what is pending; false if a file could not be read or written."""
        return self._library.synchronize(self._handle) == _OK

    def problems(self) -> Iterator[str]:
        """What went wrong since the last call."""
        place = ctypes.c_void_p()
        while self._library.problem(self._handle, ctypes.byref(place)) == _OK:
            yield self._library.taken(place)

    def watch(self, key: str | None = None) -> Watch:
        """Watches a key, or all: for another value, and for being forced or free."""
        handle = self._library.watch_open(self._handle, None if key is None else _bytes(key))
        if not handle:
            raise ManagedDefaultsError("the watch could not be opened")
        return Watch(self._library, handle)

    @staticmethod
    def _check(status: int) -> None:
        if status != _OK:
            raise ManagedDefaultsError(f"the library returned the status {status}")


class Watch:
    """A watch; `select`, `poll` and event loops wait for it by its descriptor."""

    def __init__(self, library: _Library, handle: int) -> None:
        self._library, self._handle = library, handle

    def fileno(self) -> int:
        """The descriptor that is readable while there are changes; it belongs to the watch."""
        return int(self._library.watch_descriptor(self._handle))

    def changes(self) -> Iterator[str]:
        """The keys that have changed; an empty text means all."""
        place = ctypes.c_void_p()
        while self._library.watch_next(self._handle, ctypes.byref(place)) == _OK:
            yield self._library.taken(place)

    def close(self) -> None:
        self._library.watch_close(self._handle)


def _main(arguments: list[str]) -> int:
    options: dict[str, str] = {}
    while len(arguments) > 1 and arguments[0] in ("--root", "--user"):
        options[arguments[0][2:]] = arguments[1]
        arguments = arguments[2:]
    if not 1 <= len(arguments) <= 3:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    try:
        with ManagedDefaults(arguments[0], root=options.get("root"), user=options.get("user")) as defaults:
            if len(arguments) == 3:
                result = defaults.set(arguments[1], _decode(json.loads(arguments[2])))
                if result.message:
                    print(result.message, file=sys.stderr)
                return 0 if result.in_effect else 3
            if len(arguments) == 2:
                entry = defaults.forced_by(arguments[1])
                print(defaults.get(arguments[1]), f"(forced by {entry.policy})" if entry else "")
    except (ManagedDefaultsError, json.JSONDecodeError, OSError) as error:
        print(error, file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
