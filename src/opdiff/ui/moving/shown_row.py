"""The row the user is at: panes, list, details and dataflow kept in step with it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, QTimer, Signal

from opdiff.compare import Comparison, Divergence, Side
from opdiff.ui.details.pair_view import PairView
from opdiff.ui.details.pairing import counterpart
from opdiff.ui.panes import ComparisonView
from opdiff.ui.store import Store


class ShownRow(QObject):
    """Follows the panes and the store. Signal: ``changed()`` when another row is shown."""

    changed = Signal()

    def __init__(self, store: Store, view: ComparisonView, followers: Iterable[PairView]) -> None:
        super().__init__(view)
        self._store = store
        self._view = view
        self._followers = tuple(followers)
        self._side: Side | None = None
        self._row: int | None = None
        self._moving = False
        # A new comparison or trace keeps the window busy: details and dataflow wait for the next
        # turn of the event loop, and are drawn once, however often the row changes until then.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._show_followers)
        view.rowSelected.connect(self._selected)
        store.currentChanged.connect(self._current_changed)
        store.comparisonChanged.connect(self._comparison_changed)
        store.traceChanged.connect(self._trace_changed)
        for follower in self._followers:
            if hasattr(follower, "goTo"):
                follower.goTo.connect(view.selectRow)

    @property
    def place(self) -> tuple[Side, int] | None:
        """The side and the row, or None."""
        if self._side is None or self._row is None:
            return None
        return self._side, self._row

    def meant(self) -> tuple[Side, int] | None:
        """The op that the user means; selecting one selects its counterpart too: focus decides."""
        for side in Side:
            pane = self._view.pane(side)
            row = pane.currentRow()
            if row is not None and self._view.window().focusWidget() is pane:
                return side, row
        return self.place

    def pair(self) -> tuple[int | None, int | None]:
        """The rows shown side by side: the row and its counterpart."""
        if self._side is None or self._row is None:
            return None, None
        other = counterpart(self._store.comparison, self._side, self._row)
        return (self._row, other) if self._side is Side.LEFT else (other, self._row)

    def goTo(self, index: int) -> None:
        """Go to a difference, back to the current one too where another op is looked at."""
        if index == self._store.current:
            self._current_changed(index)
        else:
            self._store.setCurrent(index)

    def standAt(self, side: Side, row: int) -> None:
        """Show a row; what differs there does not become the current difference by that."""
        self._moving = True
        self._view.selectRow(side, row)
        self._side, self._row = side, row
        self._moving = False
        self._show()

    def remainAt(self, side: Side, row: int, current: int) -> None:
        """Show a row; a difference somewhere else is the current one."""
        self._moving = True
        self._store.setCurrent(current)
        self._moving = False
        self.standAt(side, row)

    def difference(self) -> int | None:
        """The difference that is looked at: the current one, else the first at the row.

        Where the user has gone on to another op the current one is out of sight: what is decided
        or noted then is not meant for it.
        """
        if self._is_at_current():
            return self._store.current
        return next(iter(self._differences_here()), None)

    def _is_at_current(self) -> bool:
        """Whether the row is one of the current difference's; no row is no other row."""
        found, place = self._store.current_divergence, self.place
        return found is not None and (place is None or place[1] in found.rows(place[0]))

    def divergence(self) -> Divergence | None:
        """The difference that is looked at, itself."""
        index, comparison = self.difference(), self._store.comparison
        return None if index is None or comparison is None else comparison.divergences[index]

    def _differences_here(self) -> list[int]:
        """What the filters show of the differences at the row, what may change a value first."""
        comparison, place = self._store.comparison, self.place
        if comparison is None or place is None:
            return []
        records = comparison.side(place[0]).records_at(place[1])
        return comparison.as_read(index for index in records if self._store.shows(index))

    def _selected(self, side: int, row: int) -> None:
        if self._moving:
            return  # whoever moves shows it, once
        self._side, self._row = (Side(side), row) if row >= 0 else (None, None)
        self._follow_in_list()
        self._show()

    def _follow_in_list(self) -> None:
        """A row that differs makes its divergence the current one, in the list too."""
        here = self._differences_here()
        if here and self._store.current not in here:
            self._moving = True
            self._store.setCurrent(here[0])
            self._moving = False

    def _current_changed(self, index: int) -> None:
        if index < 0 or self._moving:
            return
        self._moving = True
        self._view.showDivergence(index)
        found = self._store.current_divergence
        if found is not None:
            side = Side.LEFT if found.left_rows else Side.RIGHT
            self._side, self._row = side, found.rows(side)[0]
        self._moving = False
        self._show()

    def _comparison_changed(self, comparison: Comparison | None) -> None:
        self._moving = True
        self._view.setComparison(comparison)
        for follower in self._followers:
            follower.setComparison(comparison)
        self._moving = False
        self._soon.start()
        self._show()

    def _trace_changed(self, side: int) -> None:
        trace = self._store.trace(Side(side))
        self._view.setTrace(Side(side), trace)
        for follower in self._followers:
            follower.setTrace(Side(side), trace)
        self._side = self._row = None
        self._soon.start()
        self._show()

    def _show(self) -> None:
        if not self._soon.isActive():
            self._show_followers()
        self.changed.emit()

    def _show_followers(self) -> None:
        pair = self.pair()
        for follower in self._followers:
            follower.showPair(*pair)
