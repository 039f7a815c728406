"""Work done by a copy of this process, on another processor, while this one goes on.

The copy has everything that was read, and nothing of it is copied until one of the two changes it.
Whatever goes wrong with it, there is no answer, and the work is done here.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import pickle
import select
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from typing import Any, BinaryIO, cast

_PATIENCE = 10.0
"""Seconds to wait for an answer that is late: longer than any of this work takes."""
_ALIGNED = 64
_NUMBER_BYTES = 8
_PROTOCOL = pickle.HIGHEST_PROTOCOL


def can_fork() -> bool:
    """Whether there is a processor for it, and a system and a moment in which copies are sound.

    Another thread may hold a lock that nobody would ever open again in the copy.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    return len(os.sched_getaffinity(0)) > 1


class Copy:
    """A copy of this process that does one piece of work and ends; what it writes is read here."""

    def __init__(self, work: Callable[[BinaryIO], None]) -> None:
        ours, theirs = os.pipe()
        with warnings.catch_warnings():
            # The libraries have threads that wait for work; those of ours hold no lock for long.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process = os.fork()
        if self._process == 0:
            _work_and_end(work, theirs)
        os.close(theirs)
        self.words: BinaryIO = open(ours, "rb")  # noqa: SIM115 closed by end()

    def end(self) -> None:
        """Let go of it, done or not."""
        self.words.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


def _work_and_end(work: Callable[[BinaryIO], None], words: int) -> None:
    """In the copy: nothing of what this process has begun is its business."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        with open(words, "wb") as out:
            work(out)
    finally:
        os._exit(0)


class Forked:
    """Pieces of work done one after the other; what each gives must be what pickle knows.

    Arrays come back in memory that both share: they are not copied again.
    """

    def __init__(self, *works: Callable[[], Any]) -> None:
        self._memory = shared_memory()
        self._copy = Copy(lambda out: self._do(works, out))

    def _do(self, works: tuple[Callable[[], Any], ...], out: BinaryIO) -> None:
        for work in works:
            arrays: list[pickle.PickleBuffer] = []
            told = pickle.dumps(work(), protocol=_PROTOCOL, buffer_callback=arrays.append)
            answer = pickle.dumps((told, [self._put(array) for array in arrays]))
            self._memory.flush()
            out.write(len(answer).to_bytes(_NUMBER_BYTES, "little") + answer)
            out.flush()

    def _put(self, array: pickle.PickleBuffer) -> tuple[int, int]:
        """Where the content of an array is now in the shared memory, and how long it is."""
        with array.raw() as content:
            place, size = self._memory.tell(), content.nbytes
            self._memory.write(content)
            self._memory.write(bytes(-size % _ALIGNED))
        return place, size

    def answer(self) -> Any:
        """What the next work gave, waited for; None where it failed or takes too long."""
        told = self._told()
        if told is None:
            return None
        answer, places = pickle.loads(told)
        if not places:
            return pickle.loads(answer)
        # Whoever changes an array changes a page of his own.
        content = memoryview(mmap.mmap(self._memory.fileno(), 0, access=mmap.ACCESS_COPY))
        return pickle.loads(answer, buffers=[content[at : at + size] for at, size in places])

    def _told(self) -> bytes | None:
        size = self._read(_NUMBER_BYTES)
        return None if size is None else self._read(int.from_bytes(size, "little"))

    def _read(self, size: int) -> bytes | None:
        words, content = self._copy.words.fileno(), b""
        while len(content) < size:
            if not select.select([words], [], [], _PATIENCE)[0]:
                return None
            more = os.read(words, size - len(content))
            if not more:
                return None
            content += more
        return content

    def end(self) -> None:
        """Let go of it, done or not."""
        self._copy.end()
        self._memory.close()


def shared_memory() -> BinaryIO:
    """A file without a name: it is gone when nobody looks at it any more."""
    if hasattr(os, "memfd_create"):
        return cast(BinaryIO, os.fdopen(os.memfd_create("opdiff"), "w+b"))
    return cast(BinaryIO, tempfile.TemporaryFile())
