"""Work done by a copy of this process, on another processor, while this one goes on.

The copy has everything that was read, and nothing of it is copied until one of the two changes it.
Whatever goes wrong with it, there is no answer, and the work is done here.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any, BinaryIO

_PATIENCE = 10.0
"""Seconds to wait for an answer that is late: longer than any of this work takes."""


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
    """One piece of work with an answer; what it gives must be what pickle knows."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._copy = Copy(lambda out: pickle.dump(work(), out, protocol=pickle.HIGHEST_PROTOCOL))
        self.end = self._copy.end

    def answer(self) -> Any:
        """What the work gave, waited for; None where it failed or takes too long."""
        if not select.select([self._copy.words], [], [], _PATIENCE)[0]:
            return None
        try:
            return pickle.load(self._copy.words)
        except (EOFError, pickle.UnpicklingError):
            return None
