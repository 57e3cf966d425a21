"""The defaults of one application and one user."""

from __future__ import annotations

import ctypes
import datetime
import weakref
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from types import TracebackType
from typing import Any, Optional, TypeVar, overload

from ._changes import Changes, Watch
from ._entries import AllowedValues, Introduction, Outcome, PolicyEntry
from ._errors import ConflictError, ForcedError, ManagedDefaultsError, NotAllowedError, WriteError
from ._library import (
    EntryStructure,
    IntroductionStructure,
    Status,
    check,
    library,
    optional_text,
    take,
    text,
)
from ._values import Value, decode, encode

T = TypeVar("T")


class ManagedDefaults(MutableMapping[str, Value]):
    """The defaults of one application and one user, forced values first; a mapping, as ChainMap is one.

    Reading finds the first value in all domains that are searched, and writing and deleting change the user's own. A write
    that is not in effect raises WriteError: ForcedError, NotAllowedError or ConflictError.
    """

    def __init__(
        self, application: Optional[str] = None, *, root: Optional[str] = None, user: Optional[str] = None
    ) -> None:
        """Opens the defaults of the calling user.

        `application` is the application's domain in reverse DNS notation; None for the one that the program's files give,
        which is that of the interpreter. `root` is a folder that represents a machine, and `user` a user of it: for tests.
        """
        problem = ctypes.c_void_p()
        name = optional_text(application, "the application")
        if root is not None:
            handle = library().mdefaults_open_root(
                text(root, "the root"), optional_text(user, "the user"), name, ctypes.byref(problem)
            )
        elif user is not None:
            raise ValueError("only a machine in a folder has other users than the caller")
        else:
            handle = library().mdefaults_open(name, ctypes.byref(problem))
        sentence = take(problem)
        if not handle:
            raise ManagedDefaultsError(sentence or "there is not enough memory")
        self._open_handle: int = handle
        self._watches: weakref.WeakSet[Watch] = weakref.WeakSet()
        # Keys whose value get() could not read, with the sentence until problems() has given it.
        self._unreadable: dict[str, Optional[str]] = {}
        self._end = weakref.finalize(self, library().mdefaults_close, handle)

    @property
    def _handle(self) -> int:
        if not self._end.alive:
            raise ManagedDefaultsError("the defaults are closed")
        return self._open_handle

    def close(self) -> None:
        """Saves, ends all watches, and closes; every later call raises an error."""
        for watch in list(self._watches):
            watch.close()
        self._end()

    def __enter__(self) -> ManagedDefaults:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    # Reading

    def __getitem__(self, key: str) -> Value:
        found = self._json(key)
        if found is None:
            raise KeyError(key)
        return decode(found)

    @overload
    def get(self, key: str, default: None = None) -> Optional[Value]: ...
    @overload
    def get(self, key: str, default: T) -> T: ...
    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key; `default` if there is none, or none that can be read as the type of `default`.

        Numbers and Booleans are converted into each other and into text, and a text that is a number as a whole into one, as
        by mdefaults_get_integer(). What lists and dictionaries hold is not looked at. A value that cannot be read is a problem,
        once.
        """
        kind = type(default)
        if default is not None and kind not in (str, bool, int, float, datetime.datetime, bytes, list, dict):
            raise TypeError(f"no value has the type {kind.__name__}")
        found = self._json(key)
        if found is None:
            return default
        try:
            value: Any = decode(found)
        except OverflowError:
            value = None
        if value is not None and (default is None or type(value) is kind):
            return value
        value = self._converted(key, default)
        if value is None:
            what = "a value of Python" if default is None else kind.__name__
            self._unreadable.setdefault(key, f"The value of {key} cannot be read as {what}; the default counts.")
            return default
        return value

    def _converted(self, key: str, default: Any) -> Any:
        """The value as another simple type; None if that cannot be."""
        name = text(key, "a key")
        if type(default) is str:
            place, length = ctypes.c_void_p(), ctypes.c_size_t()
            status = library().mdefaults_get_string(self._handle, name, ctypes.byref(place), ctypes.byref(length))
            return take(place, length.value) if status == Status.OK else None
        number: Any = {bool: ctypes.c_bool, int: ctypes.c_int64, float: ctypes.c_double}.get(type(default))
        if number is None:
            return None
        result = number()
        function = {bool: "get_bool", int: "get_integer", float: "get_real"}[type(default)]
        status = getattr(library(), f"mdefaults_{function}")(self._handle, name, ctypes.byref(result))
        return result.value if status == Status.OK else None

    def _json(self, key: str) -> Optional[str]:
        place = ctypes.c_void_p()
        status = library().mdefaults_get_json(self._handle, text(key, "a key"), ctypes.byref(place))
        if status == Status.NO_VALUE:
            return None
        check(status)
        return take(place)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and library().mdefaults_get_type(self._handle, text(key, "a key")) != 0

    def __iter__(self) -> Iterator[str]:
        keys, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_size_t()
        check(library().mdefaults_keys(self._handle, ctypes.byref(keys), ctypes.byref(count)))
        try:
            return iter([(keys[index] or b"").decode() for index in range(count.value)])
        finally:
            library().mdefaults_free(keys)

    def __len__(self) -> int:
        return len(list(iter(self)))

    # Management

    def is_forced(self, key: str, domain: Optional[str] = None) -> bool:
        """Whether an administrator decides the value, in the search list or in one domain: lock the control then."""
        name = text(key, "a key")
        if domain is None:
            return bool(library().mdefaults_is_forced(self._handle, name))
        return bool(library().mdefaults_is_forced_in_domain(self._handle, name, text(domain, "a domain")))

    def forced_by(self, key: str) -> Optional[PolicyEntry]:
        """The policy entry that forces a key; None if the user decides."""
        place = ctypes.POINTER(EntryStructure)()
        if not self._asked("forced_by", key, place):
            return None
        members = _members(place)
        members["line"] = members["line"] or None
        return PolicyEntry(**members)

    def introduction(self, key: str) -> Optional[Introduction]:
        """What brought the policy file that forces a key: by whom, when and why; None if that is unknown.

        Reads a small file each time: for a tooltip, not for each frame.
        """
        place = ctypes.POINTER(IntroductionStructure)()
        if not self._asked("introduced_by", key, place):
            return None
        members = _members(place)
        seconds = members["time"]
        members["generation"] = members["generation"] or None
        members["time"] = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc) if seconds else None
        return Introduction(**members)

    def allowed(self, key: str) -> Optional[AllowedValues]:
        """What the user may choose; None if anything, or if the key is forced."""
        place = ctypes.c_void_p()
        if not self._asked("allowed_json", key, place):
            return None
        found: Any = decode(take(place) or "{}")
        return AllowedValues(
            requirement=found["allowed"],
            minimum=found.get("minimum"),
            maximum=found.get("maximum"),
            choices=found.get("oneOf"),
            pattern=found.get("pattern"),
            contact=found.get("contact"),
            policy=found["origin"]["policy"],
            file=found["origin"]["file"],
            line=found["origin"]["line"] or None,
        )

    def _asked(self, function: str, key: str, place: Any) -> bool:
        """Asks for something that a key may not have."""
        status = getattr(library(), f"mdefaults_{function}")(self._handle, text(key, "a key"), ctypes.byref(place))
        if status != Status.NO_VALUE:
            check(status)
        return bool(status == Status.OK)

    # Writing

    def set(self, key: str, value: Value) -> Outcome:
        """Stores a value, in effect at once and on disk within 100 ms.

        Returns STORED or UNCHANGED, and raises WriteError for every other outcome; TypeError, ValueError or OverflowError if
        no property list has the value.
        """
        message = ctypes.c_void_p()
        outcome = library().mdefaults_set_json(
            self._handle, text(key, "a key"), encode(value), ctypes.byref(message)
        )
        return self._finish(key, outcome, message)

    def __setitem__(self, key: str, value: Value) -> None:
        self.set(key, value)

    def remove(self, key: str) -> Outcome:
        """Removes the user's own value, so that other domains answer. One beneath a forced value goes too."""
        message = ctypes.c_void_p()
        outcome = library().mdefaults_remove(self._handle, text(key, "a key"), ctypes.byref(message))
        return self._finish(key, outcome, message)

    def __delitem__(self, key: str) -> None:
        outcome = self.remove(key)
        entry = self.forced_by(key)
        if entry is not None:
            raise ForcedError(entry.message, key, Outcome.REFUSED, entry)
        if outcome == Outcome.UNCHANGED:
            raise KeyError(key)

    def popitem(self) -> tuple[str, Value]:
        """Removes a value of the user's own, and returns it; KeyError if there is none."""
        for key in self:
            if not self.is_forced(key):
                value = self[key]
                if self.remove(key) == Outcome.STORED:
                    return key, value
        raise KeyError("no value of the user's own")

    def clear(self) -> None:
        """Removes all values of the user's own but those of forced keys."""
        for key in self:
            if not self.is_forced(key):
                self.remove(key)

    def replace(self, key: str, expected: Optional[Value], value: Optional[Value]) -> Outcome:
        """Replaces the user's own value if it still is `expected`, on disk when it returns; None for no value.

        Raises ConflictError, which has the stored value, if it is another one.
        """
        return self._replace(
            key, None if expected is None else encode(expected), None if value is None else encode(value)
        )

    def modify(self, key: str, change: Callable[[Optional[Value]], Optional[Value]]) -> Outcome:
        """Changes the user's own value depending on it, while no other program does: a counter, a list that grows.

        `change` gets the stored value, and returns the new one; None for no value. It may run more than once.
        """
        stored = self._json(key)
        while True:
            new = change(None if stored is None else decode(stored))
            try:
                return self._replace(
                    key, None if stored is None else stored.encode(), None if new is None else encode(new)
                )
            except _Conflict as conflict:
                stored = conflict.json

    def _replace(self, key: str, expected: Optional[bytes], value: Optional[bytes]) -> Outcome:
        stored, message = ctypes.c_void_p(), ctypes.c_void_p()
        outcome = library().mdefaults_update_json(
            self._handle, text(key, "a key"), expected, value, ctypes.byref(stored), ctypes.byref(message)
        )
        return self._finish(key, outcome, message, take(stored))

    def register(self, defaults: Mapping[str, Value]) -> None:
        """Adds default values, behind all other domains, for all objects of this process. Nothing is stored."""
        message = ctypes.c_void_p()
        outcome = library().mdefaults_register_json(
            self._handle, encode(defaults), ctypes.byref(message)
        )
        self._finish("", outcome, message)

    def _finish(
        self, key: str, outcome: int, message: ctypes.c_void_p, stored: Optional[str] = None
    ) -> Outcome:
        """Raises an error for what is not in effect."""
        sentence = take(message) or ""
        result = Outcome(outcome)
        if result <= Outcome.UNCHANGED:
            return result
        if result in (Outcome.REFUSED, Outcome.SHADOWED):
            # If policy has just let go of the key, what is known is the sentence.
            entry = self.forced_by(key) or PolicyEntry("", key, None, None, None, None, "", sentence, None)
            raise ForcedError(sentence, key, result, entry)
        if result in (Outcome.CLAMPED, Outcome.DISALLOWED):
            raise NotAllowedError(sentence, key, result, self.allowed(key))
        if result == Outcome.CONFLICT:
            raise _Conflict(sentence, key, result, stored)
        raise WriteError(sentence, key, result)

    # The search list, and what happens meanwhile

    def add_suite(self, name: str) -> None:
        """Adds a shared domain to what is searched, directly behind the application's domain."""
        if library().mdefaults_add_suite(self._handle, text(name, "a suite")) != Status.OK:
            raise ValueError(f"no domain has the name {name!r}")

    def remove_suite(self, name: str) -> None:
        """Takes a shared domain out of what is searched."""
        check(library().mdefaults_remove_suite(self._handle, text(name, "a suite")))

    def synchronize(self) -> bool:
        """Saves what is pending, and reads what others changed; False if a file could not be read or written."""
        return bool(library().mdefaults_synchronize(self._handle) == Status.OK)

    def problems(self) -> Iterator[str]:
        """What went wrong since the last call, as sentences: an unreadable file, for example."""
        place = ctypes.c_void_p()
        while library().mdefaults_problem(self._handle, ctypes.byref(place)) == Status.OK:
            yield take(place) or ""
        for key, sentence in list(self._unreadable.items()):
            if sentence is not None:
                self._unreadable[key] = None
                yield sentence

    def watch(self, key: Optional[str] = None) -> Watch:
        """Watches a key, or all: for another value, and for being forced or free."""
        handle = library().mdefaults_watch_open(self._handle, optional_text(key, "a key"))
        if not handle:
            raise ManagedDefaultsError("no descriptor is left for a watch")
        watch = Watch(handle, self)
        self._watches.add(watch)
        return watch

    def changes(self, key: Optional[str] = None) -> Changes:
        """The same for `async for`, from this call on."""
        return Changes(self.watch(key))


class _Conflict(ConflictError):
    """A conflict that keeps the stored value as the library wrote it, down to what no datetime can hold."""

    def __init__(self, message: str, key: str, outcome: Outcome, stored: Optional[str]) -> None:
        self.json = stored
        try:
            super().__init__(message, key, outcome, None if stored is None else decode(stored))
        except OverflowError:
            super().__init__(message, key, outcome, None)


def _members(place: Any) -> dict[str, Any]:
    """The members of a structure, which is freed; what is empty and need not be given is None."""
    optional = {"policy", "title", "summary", "contact", "by", "reason"}
    try:
        structure = place.contents
        values = {name: getattr(structure, name) for name, _ in structure._fields_}
        texts = {name: value.decode() for name, value in values.items() if isinstance(value, bytes)}
        return {**values, **texts, **{name: texts[name] or None for name in optional & texts.keys()}}
    finally:
        library().mdefaults_free(place)
