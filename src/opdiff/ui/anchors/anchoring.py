"""Anchors from the selected row: the op itself, its pair, the end of the function it is in."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMenu

from opdiff.compare import Side
from opdiff.trace.search import Frames, calls_at, last_of_call
from opdiff.ui.files.opening import Opening
from opdiff.ui.frame.messages import Toast
from opdiff.ui.moving.shown_row import ShownRow
from opdiff.ui.panes import ComparisonView
from opdiff.ui.store import Store


class Anchoring(QObject):
    """Does what the actions that set anchors say. Signal: ``compareWanted(direction)``."""

    compareWanted = Signal(object)

    def __init__(self, store: Store, shown: ShownRow, view: ComparisonView, toast: Toast) -> None:
        super().__init__(view)
        self._store = store
        self._shown = shown
        self._view = view
        self._toast = toast

    def offer_calls(self, menu: QMenu, side: Side, row: int) -> None:
        """A sub-menu with the functions that an op was made in, to anchor at their ends."""
        trace = self._store.trace(side)
        calls = [] if trace is None else calls_at(trace, row)
        if not calls:
            return
        ends = menu.addMenu(self.tr("Set anchor at the last op of"))
        ends.setObjectName("lastOpMenu")
        for call in calls:
            # A single ampersand would be taken for the mark of an Alt key.
            action = ends.addAction(str(call[0]).replace("&", "&&"))
            action.triggered.connect(lambda _=False, call=call: self._at_end(side, row, call))

    def here(self) -> None:
        """Anchor the side of the selected row there."""
        place = self._shown.place
        if place is not None:
            self._store.setAnchor(*place)

    def show(self, opening: Opening | None) -> None:
        """Go to an anchor that came with the traces, unless they are seen elsewhere already."""
        for side in sorted(opening.lines) if opening is not None else ():
            row = self._store.work.anchor(side)
            if row is not None and self._shown.place is None:
                self._view.selectRow(side, row)

    def pair(self) -> None:
        """Anchor both sides at the selected pair."""
        self._set_both(*self._shown.pair())

    def take_hint(self) -> None:
        """Compare again, from the anchors that a note of the comparison names."""
        hint, comparison = self._store.anchor_hint(), self._store.comparison
        if hint is not None and comparison is not None:
            self._set_both(hint.left_row, hint.right_row)
            self.compareWanted.emit(comparison.request.direction)

    def _set_both(self, left: int | None, right: int | None) -> None:
        work = self._store.work.with_anchor(Side.LEFT, left).with_anchor(Side.RIGHT, right)
        self._store.setWork(work, self.tr("anchors"))

    def last_of_function(self) -> None:
        """Anchor at the end of the function that the selected op is in."""
        place = self._shown.place
        trace = None if place is None else self._store.trace(place[0])
        calls = [] if place is None or trace is None else calls_at(trace, place[1])
        if place is not None and calls:
            self._at_end(*place, calls[0])
        else:
            self._toast.tell(self.tr("This op has no Python stack: its function is not known."))

    def _at_end(self, side: Side, row: int, call: Frames) -> None:
        """Anchor at the last op of a call, and go there."""
        trace = self._store.trace(side)
        if trace is not None and row < len(trace):
            last = last_of_call(trace, row, call)
            self._store.setAnchor(side, last)
            self._view.selectRow(side, last)
