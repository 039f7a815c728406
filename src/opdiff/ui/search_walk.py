"""Walking through what the search finds, on both sides at once."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from opdiff.compare import Side
from opdiff.ui.desk import Desk
from opdiff.ui.panes import ComparisonView
from opdiff.ui.search_edit import SearchEdit
from opdiff.ui.searching import NO_HITS, hits, rows_found

_SOON_MS = 50
"""New traces are laid down one after the other, and painted, before they are searched."""


class SearchWalk(QObject):
    """Signal: ``found()`` when there are other hits than before."""

    found = Signal()

    def __init__(self, desk: Desk, edit: SearchEdit, view: ComparisonView) -> None:
        super().__init__(edit)
        self._desk = desk
        self._edit = edit
        self._view = view
        self._hits = NO_HITS
        self._place: int | None = None
        edit.searched.connect(self.search)
        edit.stepped.connect(self.step)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(lambda: self.search(self._edit.text()))
        desk.traceChanged.connect(self._search_again)
        desk.comparisonChanged.connect(self._search_again)

    @property
    def any(self) -> bool:
        """Whether anything was found."""
        return len(self._hits) > 0

    def search(self, text: str) -> None:
        """Look for a text on both sides and mark what is found."""
        rows = {}
        for side in Side:
            trace = self._desk.trace(side)
            if trace is not None:
                rows[side] = rows_found(trace, text)
                self._view.setSearchHits(side, rows[side])
        self._hits = hits(rows.get(Side.LEFT), rows.get(Side.RIGHT), self._desk.comparison)
        self._place = None
        self._edit.showCount(None, len(self._hits))
        self.found.emit()

    def step(self, step: int) -> None:
        """Go to the next (1) or previous (-1) hit, round at the ends."""
        if not self.any:
            return
        if self._place is None:
            self._place = 0 if step > 0 else len(self._hits) - 1
        else:
            self._place = (self._place + step) % len(self._hits)
        side, row = self._hits[self._place]
        self._edit.showCount(self._place, len(self._hits))
        self._view.selectRow(side, row)

    def _search_again(self, *_: object) -> None:
        if self._edit.text().strip():
            self._hits, self._place = NO_HITS, None
            self._soon.start()
