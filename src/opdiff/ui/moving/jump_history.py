"""Back and forward over every jump, as in a browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent

from opdiff.compare import Side
from opdiff.ui.moving.shown_row import ShownRow
from opdiff.ui.panes import ComparisonView
from opdiff.ui.panes.side_by_side import ViewPlace
from opdiff.ui.store import Store

MOST_PLACES = 200
NEAR_ROWS = 10
"""Moves by the cursor or a click within so many rows are no jump."""
_SETTLING_MS = 150
_SAME_DRAG_MS = 500
"""Clicks on the overview that follow each other faster are one jump, as a drag is."""

TwoRows = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """Where somebody was: the row, its counterpart, the divergence, and what was in view."""

    side: Side | None = None
    row: int | None = None
    pair: TwoRows = (None, None)
    divergence: int | None = None
    view: ViewPlace | None = None

    def is_same(self, other: HistoryEntry) -> bool:
        """Whether both are at the same row, and at no different divergences of it."""
        divergences = {self.divergence, other.divergence} - {None}
        return (self.side, self.row) == (other.side, other.row) and len(divergences) < 2

    def is_near(self, other: HistoryEntry) -> bool:
        """Whether one gets from one to the other without losing sight of it."""
        if None not in self.pair and self.pair == other.pair:
            return True
        if self.row is None or other.row is None or self.side is not other.side:
            return False
        return abs(self.row - other.row) <= NEAR_ROWS


class Trail:
    """The places visited, and which of them is the present one."""

    def __init__(self) -> None:
        self._places = [HistoryEntry()]
        self._at = 0

    @property
    def here(self) -> HistoryEntry:
        """The present place."""
        return self._places[self._at]

    @property
    def has_past(self) -> bool:
        """Whether one can go back."""
        return self._at > 0

    @property
    def has_future(self) -> bool:
        """Whether one came back from somewhere."""
        return self._at + 1 < len(self._places)

    def visit(self, place: HistoryEntry) -> None:
        """Go on to another place; where one had come back from is forgotten."""
        del self._places[self._at + 1 :]
        self._places.append(place)
        del self._places[:-MOST_PLACES]
        self._at = len(self._places) - 1

    def amend(self, place: HistoryEntry) -> None:
        """Know the present place better."""
        self._places[self._at] = place

    def travel(self, step: int) -> HistoryEntry:
        """Go back (-1) or forward (1), as far as there is a way."""
        self._at = min(max(0, self._at + step), len(self._places) - 1)
        return self.here

    def forget_divergences(self) -> None:
        """Another comparison: the rows are the same, the numbers of divergences are not."""
        self._places = [replace(place, divergence=None) for place in self._places]


class JumpHistory(QObject):
    """Follows the shown row and the view. Signal: ``changed()`` when there are other ways to go."""

    changed = Signal()

    def __init__(self, store: Store, shown: ShownRow, view: ComparisonView) -> None:
        super().__init__(view)
        self._store, self._shown, self._view = store, shown, view
        self._trail = Trail()
        self._way_out: Callable[[], object] | None = None
        self._travelling = False
        self._strolled = False
        # What is in view is looked at when scrolling has come to rest: a jump finds it noted.
        self._settling = QTimer(self, singleShot=True, interval=_SETTLING_MS)
        self._settling.timeout.connect(self._settle)
        self._dragging = QTimer(self, singleShot=True, interval=_SAME_DRAG_MS)
        shown.changed.connect(self._moved)
        for side in Side:
            pane = view.pane(side)
            pane.strolled.connect(self._stroll)
            pane.viewChanged.connect(self._scrolled)
        view.overviewUsed.connect(self._use_overview)
        store.traceChanged.connect(self._restart)
        store.comparisonChanged.connect(self._trail_of_rows)

    @property
    def has_past(self) -> bool:
        """Whether there is a way back."""
        return self._trail.has_past or self._way_out is not None

    @property
    def has_future(self) -> bool:
        """Whether there is a way forward."""
        return self._trail.has_future

    def begin_here(self) -> None:
        """Take the present place for the first one."""
        self._trail = Trail()
        self._trail.amend(self._here() or HistoryEntry())
        self._settling.start()
        self.changed.emit()

    def set_way_out(self, leave: Callable[[], object] | None) -> None:
        """Where going back from the first place leads: to what the traces were opened from."""
        self._way_out = leave
        self.changed.emit()

    def travel(self, step: int) -> None:
        """Go back (-1) or forward (1)."""
        if step < 0 and not self._trail.has_past:
            if self._way_out is not None:
                self._way_out()
            return
        self._settle()
        place = self._trail.travel(step)
        self._travelling = True
        # Where nothing was selected yet, what is goes on to be: the counter, the list and the
        # details would be at odds about it.
        if place.side is not None and place.row is not None:
            self._store.setCurrent(place.divergence)
            self._view.selectRow(place.side, place.row)
        self._travelling = False
        if place.view is not None:
            self._view.restoreView(place.view)
        self.changed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The side buttons of a mouse, wherever in the window they are pressed."""
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(event, QMouseEvent):
            step = {Qt.MouseButton.BackButton: -1, Qt.MouseButton.ForwardButton: 1}.get(
                event.button()
            )
            if step is not None:
                self.travel(step)
                return True
        return super().eventFilter(watched, event)

    def _here(self) -> HistoryEntry | None:
        place = self._shown.place
        if place is None:
            return None
        return HistoryEntry(*place, self._shown.pair(), self._store.current)

    def _moved(self) -> None:
        strolled, self._strolled = self._strolled, False
        now, before = self._here(), self._trail.here
        if now is None or self._travelling:
            return
        if now.is_same(before):
            self._trail.amend(replace(now, view=before.view))
        elif strolled and now.is_near(before):
            self._trail.amend(now)
            self._settling.start()
        else:
            self._trail.visit(now)
            self._settling.start()
            self.changed.emit()

    def _stroll(self) -> None:
        self._strolled = True

    def _scrolled(self) -> None:
        if not self._settling.isActive():
            self._settling.start()

    def _settle(self) -> None:
        self._settling.stop()
        self._trail.amend(replace(self._trail.here, view=self._view.viewPlace()))

    def _use_overview(self) -> None:
        if not self._dragging.isActive():
            self._trail.visit(replace(self._trail.here, view=None))
            self.changed.emit()
        self._dragging.start()
        self._settling.start()

    def _restart(self) -> None:
        self._trail = Trail()
        self._settling.start()
        self.changed.emit()

    def _trail_of_rows(self) -> None:
        self._trail.forget_divergences()
