"""Autosave: a copy of the work that is there after a crash and gone after a clean end."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

from opdiff.file_locks import is_free, lock
from opdiff.own_folders import state_folder
from opdiff.session.document import SUFFIX, View, save_session
from opdiff.session.value_choice import ValueChoice
from opdiff.session.work import Work
from opdiff.trace import Trace

_AS_USUAL = ValueChoice()

ORIGIN = "autosaved_from"
"""The key of the view that names the document the work belongs to."""
_YOUNG = 60.0


class Recovery:
    """The autosaved copy of one running window.

    A lock that the system itself lifts when the process ends, however it ends, tells the copies of
    windows that are still open from those that a crash left behind.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or state_folder()
        self._folder.mkdir(parents=True, exist_ok=True)
        _sweep(self._folder)
        name = f"recovery-{os.getpid()}-{os.urandom(3).hex()}"
        self.path = self._folder / f"{name}{SUFFIX}"
        self._lock_path = _lock_path(self.path)
        self._lock = self._lock_path.open("wb")
        lock(self._lock)

    def save(
        self,
        work: Work,
        left: Trace,
        right: Trace,
        view: View,
        origin: Path | None,
        values: ValueChoice = _AS_USUAL,
    ) -> None:
        """Write the copy anew."""
        named = {**view, ORIGIN: None if origin is None else str(origin)}
        save_session(self.path, work, left, right, named, values)

    def discard(self) -> None:
        """Nothing is left to be recovered: the work was saved, or given up on purpose."""
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """A clean end: the copy and its lock go."""
        self.discard()
        self._lock.close()
        self._lock_path.unlink(missing_ok=True)

    def left_behind(self) -> list[Path]:
        """Copies of windows that ended without a goodbye, the latest first."""
        found = [
            path
            for path in self._folder.glob(f"recovery-*{SUFFIX}")
            if path != self.path and is_free(_lock_path(path))
        ]
        return sorted(found, key=_written, reverse=True)


def forget(copy: Path) -> None:
    """Remove a copy that was restored or is not wanted."""
    copy.unlink(missing_ok=True)
    _lock_path(copy).unlink(missing_ok=True)


def _sweep(folder: Path) -> None:
    """Remove locks of windows that crashed with nothing to save."""
    for path in folder.glob("recovery-*.lock"):
        # A young one may belong to a window that is about to lock it.
        is_old = time.time() - _written(path) > _YOUNG
        if is_old and not path.with_suffix(SUFFIX).exists() and is_free(path):
            path.unlink(missing_ok=True)


def _written(path: Path) -> float:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _lock_path(copy: Path) -> Path:
    return copy.with_suffix(".lock")
