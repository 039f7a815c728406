"""What is seen of files while they are read: their names, how far each is, its first rows."""

from __future__ import annotations

from PySide6.QtCore import QObject

from opdiff.compare import Side
from opdiff.errors import OpdiffError
from opdiff.trace import Trace
from opdiff.ui.opening import Opener, Opening
from opdiff.ui.store import Store
from opdiff.ui.tasks import Tasks
from opdiff.ui.window_frame import WindowFrame


class Loading(QObject):
    """From the moment files are named until they are open, or will not be."""

    def __init__(self, store: Store, frame: WindowFrame, opener: Opener, tasks: Tasks) -> None:
        super().__init__(frame)
        self._store, self._frame = store, frame
        self._coming: Opening | None = None
        self._previewed: set[Side] = set()
        opener.begun.connect(self._begin)
        tasks.sideReported.connect(self._tell)
        tasks.firstRows.connect(self._show_first)
        tasks.sideFailed.connect(self._tell_trouble)
        for fruitless in (tasks.failed, tasks.crashed, tasks.cancelled):
            fruitless.connect(self._give_up)
        opener.opened.connect(self._end)
        store.traceChanged.connect(self._there)

    def _begin(self, opening: Opening) -> None:
        self._coming = opening
        for side, path in opening.paths.items():
            self._frame.top.combos[side].setPath(str(path))
            self._frame.view.setTrouble(side, None)
            self._tell(side, 0)
        self._frame.setLoading(True)

    def _tell(self, side: int, permille: int) -> None:
        if self._coming is not None and Side(side) in self._coming.paths:
            name = self._coming.paths[Side(side)].name
            self._frame.view.setReading(Side(side), name, permille)

    def _tell_trouble(self, side: int, error: OpdiffError) -> None:
        """Say in its own pane what is wrong with a file; the other one is still read."""
        self._there(side)
        self._frame.view.setTrace(side, None)
        self._frame.view.setReading(Side(side), "", None)
        self._frame.view.setTrouble(side, error)

    def _show_first(self, side: int, trace: Trace) -> None:
        """Rows to look at, not to work with; what is open already stays in sight instead."""
        if self._coming is not None and self._store.trace(Side(side)) is None:
            self._previewed.add(Side(side))
            self._frame.view.setTrace(side, trace)
            self._frame.view.pane(side).setEnabled(False)

    def _there(self, side: int) -> None:
        if Side(side) in self._previewed:
            self._previewed.discard(Side(side))
            self._frame.view.pane(side).setEnabled(True)

    def _give_up(self, *_: object) -> None:
        """It was not to be: what was open before is named and seen again."""
        if self._coming is None:
            return
        for side in self._coming.paths:
            self._frame.view.setTrouble(side, None)
        self._end()
        for side in tuple(self._previewed):
            self._there(side)
            self._frame.view.setTrace(side, None)
        for side in Side:
            trace = self._store.trace(side)
            self._frame.top.combos[side].setPath(trace.source.path if trace is not None else "")

    def _end(self) -> None:
        self._coming = None
        for side in Side:
            self._frame.view.setReading(side, "", None)
        self._frame.setLoading(False)
