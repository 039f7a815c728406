"""Garbage is collected on the main thread only.

Python collects wherever it happens to run when enough has been allocated. On a thread that reads or
compares, that would take apart widgets that were dropped in the meantime: Qt allows it on the main
thread only, and crashes.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 1000
_windows = 0


class Collector(QObject):
    """As long as it lives, Python does not collect by itself: a timer does it here."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        _begin()
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()
        self.destroyed.connect(_end)

    def collect(self) -> None:
        """Collect what is due, the generation that Python itself would have chosen."""
        due = [
            generation
            for generation, (count, most) in enumerate(
                zip(gc.get_count(), gc.get_threshold(), strict=True)
            )
            if count > most
        ]
        if due:
            gc.collect(due[-1])


def _begin() -> None:
    global _windows  # noqa: PLW0603 there is but one garbage collector
    _windows += 1
    gc.disable()


def _end() -> None:
    global _windows  # noqa: PLW0603 see above
    _windows -= 1
    if not _windows:
        gc.enable()
