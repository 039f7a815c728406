"""The likeliest counterpart of the one anchor that is set, looked for while the user goes on."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QThreadPool, Signal

from opdiff.compare import Side
from opdiff.compare.pairing.counterparts import Candidate, counterparts
from opdiff.trace import Trace
from opdiff.ui.store import Store
from opdiff.ui.tasks import ORDINARY_PATIENCE_SECONDS, PATIENCE_SECONDS, Tasks

LEAST_TAKEN = 0.5
"""Candidates below this are offered, but only a click takes them."""


class Suggesting(QObject):
    """Signals: ``offered(side, candidate or None)`` whenever there is another offer, or none;
    ``crashed(text)`` when the search met what no code foresaw.
    """

    offered = Signal(int, object)
    crashed = Signal(str)
    _found = Signal(int, object)

    def __init__(self, store: Store, tasks: Tasks) -> None:
        super().__init__(store)
        self._store = store
        self._tasks = tasks
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._asked: tuple[Trace, int, Trace, Side] | None = None
        self._number = 0
        self._offer: Candidate | None = None
        self._waiting: Callable[[], object] | None = None
        self.searching = False
        """Whether an offer is still being looked for."""
        self._found.connect(self._hear)
        store.workChanged.connect(self._look)
        store.traceChanged.connect(self._look)

    def offer(self, side: Side) -> Candidate | None:
        """What is offered for a side."""
        return self._offer if self._asked is not None and self._asked[3] is side else None

    def when_found(self, then: Callable[[], object]) -> None:
        """Do something once the search has ended, if nothing else is decided until then."""
        self._waiting = then

    def wait(self) -> None:
        """Return when no thread is left: for closing the window."""
        self._pool.waitForDone()

    def _look(self, *_: object) -> None:
        """See whether there is something to look for, or another thing than before."""
        wanted = self._wanted()
        if wanted == self._asked:
            return
        self._asked, self._waiting, self._number = wanted, None, self._number + 1
        had, self._offer = self._offer, None
        if had is not None:
            for side in Side:
                self.offered.emit(int(side), None)
        self.searching = wanted is not None
        if wanted is not None:
            trace, row, other, _side = wanted
            sys.setswitchinterval(PATIENCE_SECONDS)
            self._pool.start(partial(self._search, self._number, trace, row, other))

    def _search(self, number: int, trace: Trace, row: int, other: Trace) -> None:
        """On another thread."""
        if number != self._number:
            return
        try:
            found = counterparts(trace, row, other)
        except Exception:  # noqa: BLE001 # shown by the window, as that of any other thread
            self._found.emit(number, traceback.format_exc())
        else:
            self._found.emit(number, found[0] if found else None)

    def _wanted(self) -> tuple[Trace, int, Trace, Side] | None:
        """The anchored trace and its row, the other trace and its side; None if not one is set."""
        both = self._store.both()
        rows = [self._store.work.anchor(side) for side in Side]
        if both is None:
            return None
        for side in Side:
            row = rows[side]
            if row is not None and rows[side.other] is None:
                return both[side], row, both[side.other], side.other
        return None

    def _hear(self, number: int, found: Candidate | str | None) -> None:
        if number != self._number or self._asked is None:
            return  # asked before the user changed their mind
        if not self._tasks.running:
            sys.setswitchinterval(ORDINARY_PATIENCE_SECONDS)
        self.searching = False
        self._offer = found if isinstance(found, Candidate) else None
        if isinstance(found, str):
            self.crashed.emit(found)
        self.offered.emit(int(self._asked[3]), self._offer)
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting()
