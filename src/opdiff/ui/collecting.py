"""Garbage is collected by the event loop of the main thread only.

Python collects wherever it happens to run when enough has been allocated. On a thread that reads or
compares, that would take apart widgets that were dropped in the meantime: Qt allows it on the main
thread only, and crashes. And in the middle of Qt's own taking apart of a widget, which asks Python
for overrides while it holds one of its locks, taking apart another one may wait for that very lock
for ever. So nobody collects by himself as long as there is an application.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QCoreApplication, QObject, QTimer

_EVERY_MS = 1000


class Collector(QObject):
    """Belongs to the application: from now on Python does not collect by itself, a timer does."""

    def __init__(self, app: QCoreApplication) -> None:
        super().__init__(app)
        gc.disable()
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(collect_due)
        self._timer.start()


def collect_in_turns() -> None:
    """Let the application's event loop collect, if it does not yet."""
    app = QCoreApplication.instance()
    if app is not None and app.findChild(Collector) is None:
        Collector(app)


def leave_out(comparison: object | None) -> None:
    """An answer was laid down: it holds no cycles, and may be a million objects to go through.

    All that is there now is left out until another one comes or it goes.
    """
    gc.unfreeze()
    if comparison is not None:
        gc.freeze()


def collect_due() -> None:
    """Collect what is due, the generation that Python itself would have chosen."""
    counts = zip(gc.get_count(), gc.get_threshold(), strict=True)
    due = [generation for generation, (count, most) in enumerate(counts) if count > most]
    if due:
        gc.collect(due[-1])
