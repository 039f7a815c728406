"""Several files read at the same time: most of the work is done outside the interpreter's lock."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from opdiff.progress import Cancelled, Progress

T = TypeVar("T")

_WORTH_IT = 4 << 20
"""Bytes: smaller files are read before a thread has begun."""
WORTH_A_PROCESS = 24 << 20
"""Bytes: a smaller file is read before another process has begun."""


class _SharedProgress:
    """How far all of them are, and whether they shall stop."""

    def __init__(self, progress: Progress, count: int) -> None:
        self._progress = progress
        self._parts = [0.0] * count
        self._lock = threading.Lock()
        self.stopped = False

    def report(self, number: int, stage: str, part: float) -> None:
        if self.stopped:
            raise Cancelled
        with self._lock:
            self._parts[number] = part
            try:
                whole = sum(self._parts) / len(self._parts)
                self._progress.report(stage, int(1000 * whole), 1000)
            except BaseException:
                self.stopped = True
                raise


class _PartProgress(Progress):
    """What one of them tells."""

    def __init__(self, shared: _SharedProgress, number: int) -> None:
        self._shared = shared
        self._number = number

    def report(self, stage: str, done: int, total: int) -> None:
        """Pass on how far this one is."""
        self._shared.report(self._number, stage, min(1.0, done / total) if total else 0.0)


def together(
    works: Sequence[Callable[[Progress], T]], progress: Progress, paths: Sequence[str | Path]
) -> list[T]:
    """What each of the works gives, in their order; the error of the first that fails.

    *paths* are what they read: where it is little, one is done after the other.
    """
    shared = _SharedProgress(progress, len(works))
    parts = [_PartProgress(shared, number) for number in range(len(works))]
    if len(works) < 2 or sum(map(_size, paths)) < _WORTH_IT:
        return [work(part) for work, part in zip(works, parts, strict=True)]
    from concurrent.futures import ThreadPoolExecutor, wait  # takes a while

    with ThreadPoolExecutor(len(works), thread_name_prefix="reading") as threads:
        futures = [threads.submit(work, part) for work, part in zip(works, parts, strict=True)]
        try:
            wait(futures)
        finally:
            shared.stopped = True  # also where it was not they who ended
        outcomes = [future.exception() for future in futures]
        # One that was stopped because of another has nothing to tell.
        for error in sorted(filter(None, outcomes), key=lambda e: isinstance(e, Cancelled)):
            raise error
        return [future.result() for future in futures]


def can_read_elsewhere(file: Path) -> bool:
    """Whether it pays to have another process read it, and there is a processor for that."""
    if file.stat().st_size < WORTH_A_PROCESS or hasattr(sys, "frozen"):
        return False
    return bool(sys.executable) and _processors() > 1


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1


def _size(path: str | Path) -> int:
    """Of a folder, whatever is in it is taken for large."""
    with contextlib.suppress(OSError, ValueError):
        return os.stat(path).st_size if os.path.isfile(path) else _WORTH_IT
    return 0
