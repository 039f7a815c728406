"""What waits for the next turn of the main thread, is done beside it, or collected there."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotDoneError
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, QTimer

from opdiff.uncollected import is_under_way

T = TypeVar("T")
_MOMENT = 0.02
"""Seconds that nobody notices: what is done by then needs no more ado."""
_LOOK_MS = 5
_EVERY_MS = 1000
COLLECTOR = "collector"
"""What the timer that collects is called."""


def next_turn(owner: QObject, work: Callable[[], object]) -> None:
    """Do the rest when painting, keys and the mouse have had their turn; not if the owner is gone.

    After no time at all Qt would do it among the events of this very turn.
    """
    QTimer.singleShot(1, owner, work)


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


def collect_in_turns() -> None:
    """From now on Python does not collect by itself: a timer of the application does.

    Python collects wherever it happens to run. On a thread that reads or compares, that would take
    apart widgets: Qt allows it on the main thread only, and crashes. And while Qt itself takes one
    apart and asks Python for overrides, another one may wait for a lock that is held, for ever.
    """
    app = QCoreApplication.instance()
    if app is not None and app.findChild(QTimer, COLLECTOR) is None:
        gc.disable()
        timer = QTimer(app, interval=_EVERY_MS)
        timer.setObjectName(COLLECTOR)
        timer.timeout.connect(collect_due)
        timer.start()


def leave_out(comparison: object | None) -> None:
    """An answer was laid down: it holds no cycles, and may be a million objects to go through.

    All that is there now is left out until another one comes or it goes.
    """
    gc.unfreeze()
    if comparison is not None:
        gc.freeze()


def collect_due() -> None:
    """Collect what is due, the generation that Python itself would have chosen.

    Not while another thread makes very many objects: the window would stand still for all of them.
    """
    if is_under_way():
        return
    counts = zip(gc.get_count(), gc.get_threshold(), strict=True)
    due = [generation for generation, (count, most) in enumerate(counts) if count > most]
    if due:
        gc.collect(due[-1])
