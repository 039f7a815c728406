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
from typing import Any

_PATIENCE = 10.0
"""Seconds to wait for an answer that is late: longer than any of this work takes."""


def can_fork() -> bool:
    """Whether there is a processor for it, and a system and a moment in which copies are sound.

    Another thread may hold a lock that nobody would ever open again in the copy.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    return len(os.sched_getaffinity(0)) > 1


class Forked:
    """One piece of work; what it gives must be what pickle knows."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._answers, ours = os.pipe()
        with warnings.catch_warnings():
            # The libraries have threads that wait for work; those of ours hold no lock for long.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process = os.fork()
        if self._process == 0:
            _work_and_end(work, ours)
        os.close(ours)

    def answer(self) -> Any:
        """What the work gave, waited for; None where it failed or takes too long."""
        with open(self._answers, "rb", closefd=False) as answers:
            if not select.select([answers], [], [], _PATIENCE)[0]:
                return None
            try:
                return pickle.load(answers)
            except (EOFError, pickle.UnpicklingError):
                return None

    def end(self) -> None:
        """Let go of it, done or not."""
        os.close(self._answers)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)


def _work_and_end(work: Callable[[], Any], answers: int) -> None:
    """In the copy: nothing of what this process has begun is its business."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        with open(answers, "wb") as out:
            pickle.dump(work(), out, protocol=pickle.HIGHEST_PROTOCOL)
    finally:
        os._exit(0)
