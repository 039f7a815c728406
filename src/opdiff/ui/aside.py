"""A piece of work whose outcome is waited for, without holding up the window."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotDoneError
from typing import TypeVar

from PySide6.QtCore import QEventLoop, QTimer

T = TypeVar("T")

_MOMENT = 0.02
"""Seconds that nobody notices: what is done by then needs no more ado."""
_LOOK_MS = 5

_threads = ThreadPoolExecutor(thread_name_prefix="aside")


def aside(work: Callable[[], T]) -> T:
    """What the work returns, or raises, done on another thread.

    Meanwhile the window paints and hears of what else is done; keys and the mouse wait, so that
    nothing is begun in the middle of this.
    """
    outcome = _threads.submit(work)
    with contextlib.suppress(NotDoneError):
        return outcome.result(_MOMENT)
    loop = QEventLoop()
    # Looked at from here: a signal from the thread would have to outlive what it is sent to.
    look = QTimer(interval=_LOOK_MS)
    look.timeout.connect(lambda: loop.quit() if outcome.done() else None)
    look.start()
    loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    look.stop()
    return outcome.result()
