"""Changes of values, and of what is forced."""

from __future__ import annotations

import asyncio
import ctypes
import weakref
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Optional

from ._library import Status, library, take


@dataclass(frozen=True)
class Change:
    """A key that has another value, or that is forced or free now. None: so many changed that every key may have."""

    key: Optional[str]


class Watch:
    """A watch for changes, for `select`, `poll` and event loops, which wait by its descriptor.

    It ends with close(), when the defaults are closed, or when it is released. It belongs to the process that opened
    it; a child opens another one.
    """

    def __init__(self, handle: int, defaults: object) -> None:
        # Defaults that are released end their watches: they live as long as this one.
        self._handle, self._defaults = handle, defaults
        self._end = weakref.finalize(self, library().mdefaults_watch_close, handle)
        self._ended: Optional[Callable[[], None]] = None

    def fileno(self) -> int:
        """The descriptor that is readable while there are changes; -1 after close(). Neither read from it nor close it."""
        return int(library().mdefaults_watch_descriptor(self._handle))

    def take(self) -> list[Change]:
        """The changes since the last call, the first one first."""
        found = []
        place = ctypes.c_void_p()
        while library().mdefaults_watch_next(self._handle, ctypes.byref(place)) == Status.OK:
            found.append(Change(take(place) or None))
        return found

    def close(self) -> None:
        """Ends the watch."""
        if self._ended is not None:
            self._ended()
        self._end()

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


class Changes(AsyncIterator[Change]):
    """Changes as they happen, for `async for`; they count from the call that made it.

    It ends when the defaults are closed, which is to happen in the thread of the event loop.
    """

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._taken: list[Change] = []

    async def __anext__(self) -> Change:
        while not self._taken:
            if self._watch.fileno() < 0:
                raise StopAsyncIteration
            self._taken = self._watch.take()
            if not self._taken:
                await self._readable()
        return self._taken.pop(0)

    async def aclose(self) -> None:
        """Ends the watch."""
        self._watch.close()

    async def _readable(self) -> None:
        """Waits once: a descriptor that stayed with the loop would wake it again and again until changes are taken."""
        loop = asyncio.get_running_loop()
        descriptor = self._watch.fileno()
        ready = loop.create_future()

        def wake() -> None:
            loop.remove_reader(descriptor)
            if not ready.done():
                ready.set_result(None)

        loop.add_reader(descriptor, wake)
        self._watch._ended = wake
        try:
            await ready
        finally:
            self._watch._ended = None
            # After the watch's end the number may be another's.
            if self._watch.fileno() == descriptor:
                loop.remove_reader(descriptor)
