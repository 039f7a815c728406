"""Finds the structure of what lies on the desk, away from the main thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from opdiff.compare import Side
from opdiff.ui.desk import Desk
from opdiff.ui.structure.outline_index import Findings, OutlineIndex, findings_of, outline_index

_LOOK_MS = 15
_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="structure")


class Structures(QObject):
    """The structure of both traces and where their differences are, once they are found.

    Signals: ``found(side)`` when the structure of a side is there, or gone; ``counted()`` when the
    differences have been counted by parts, or are gone.
    """

    found = Signal(int)
    counted = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._desk = desk
        self._outlines: dict[Side, OutlineIndex] = {}
        self._findings: Findings | None = None
        self._waiting: list[tuple[Future[Any], Callable[[Any], None]]] = []
        # Looked at from here: a signal from the thread would have to outlive what it is sent to.
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._collect)
        desk.traceChanged.connect(lambda side: self._trace_changed(Side(side)))
        desk.comparisonChanged.connect(self._forget)
        desk.visibleChanged.connect(self._count)

    def outline(self, side: Side) -> OutlineIndex | None:
        """The structure of one side; None while it is not known."""
        return self._outlines.get(side)

    @property
    def findings(self) -> Findings | None:
        """Where the differences are; None while that is not known."""
        return self._findings

    @property
    def counting(self) -> bool:
        """Whether a thread is at work."""
        return bool(self._waiting)

    def wait(self) -> None:
        """Return when no thread is at work: for closing the window."""
        self._look.stop()
        for outcome, _ in self._waiting:
            outcome.cancel()
        wait([outcome for outcome, _ in self._waiting])
        self._waiting.clear()

    def _trace_changed(self, side: Side) -> None:
        trace = self._desk.trace(side)
        self._outlines.pop(side, None)
        self.found.emit(int(side))
        if trace is None:
            return

        def take(outline: OutlineIndex) -> None:
            if self._desk.trace(side) is trace:
                self._outlines[side] = outline
                self.found.emit(int(side))

        self._begin(lambda: outline_index(trace), take)

    def _forget(self) -> None:
        self._findings = None
        self.counted.emit()

    def _count(self) -> None:
        """Count what the filters let through; what was counted before is told until then."""
        comparison, visible, known = self._desk.comparison, self._desk.visible, self._findings
        if comparison is None:
            return
        anywhere = self._desk.anywhere()

        def take(findings: Findings) -> None:
            if self._desk.comparison is comparison and self._desk.visible is visible:
                self._findings = findings
                self.counted.emit()

        self._begin(lambda: findings_of(comparison, visible, anywhere, known), take)

    def _begin(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        self._waiting.append((_thread.submit(work), then))
        self._look.start()

    def _collect(self) -> None:
        done = [item for item in self._waiting if item[0].done()]
        self._waiting = [item for item in self._waiting if not item[0].done()]
        if not self._waiting:
            self._look.stop()
        for outcome, then in done:
            then(outcome.result())
