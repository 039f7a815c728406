"""Undo and redo of every decision, and the answers that make them instant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from opdiff.compare import Comparison, Direction, Request
from opdiff.session import Answers, DivergenceKey, History, Work, divergence_key
from opdiff.session.work import index_of

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow


class Undoing(QObject):
    """Follows the desk: remembers its states, and shows the comparison that belongs to each.

    Signal: ``changed()`` when there is something else to undo or redo.
    """

    changed = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._desk = window.desk
        self.history = History(self._desk.work)
        self.answers = Answers()
        self._stepping = False
        self._place: DivergenceKey | None = None
        self._asked: Comparison | None = None
        self._desk.workChanged.connect(self._work_changed)
        self._desk.traceChanged.connect(self._forget_answers)
        window.opener.opened.connect(self._restart)
        window.comparisonReady.connect(self._answered)

    def undo(self) -> None:
        """Take the last decision back."""
        self._step(self.history.undo())

    def redo(self) -> None:
        """Bring back what was undone."""
        self._step(self.history.redo())

    def _step(self, work: Work) -> None:
        self._stepping = True
        self._desk.setWork(work)
        self._stepping = False
        self.changed.emit()

    def _forget_answers(self) -> None:
        self.answers.clear()
        self._asked = self._place = None

    def _restart(self) -> None:
        """Other traces were opened: what was decided about the old ones is no longer possible."""
        self.history.restart(self._desk.work)
        self.changed.emit()

    def _work_changed(self, before: Work, after: Work, label: str) -> None:
        if not self._stepping:
            if label:
                self.history.record(after, label)
            else:
                self.history.amend(after)
            self.changed.emit()
        if before.request != after.request:
            self._show_answer(after.request)

    def _show_answer(self, request: Request) -> None:
        """Show what belongs to the request: kept from before, or compared now."""
        shown = self._asked if self._asked is not None else self._desk.comparison
        if shown is None or shown.request == request:
            return
        self._place = self._place or self._current_place()
        kept = self.answers.to(request)
        if kept is not None:
            self._window.workshop.cancel()
            self._window.showComparison(kept, stay=True)
        elif _same_question(shown.request, request):
            self._window.workshop.cancel()
            # Until the answer is there nothing is shown: remember what was.
            self._asked = shown
            self._window.compare(request.direction, stay=True)

    def _answered(self, comparison: Comparison) -> None:
        self._asked = None
        self.answers.keep(comparison)
        if self._place is not None:
            self._return_to(comparison, self._place)
        self._place = None

    def _current_place(self) -> DivergenceKey | None:
        found = self._desk.current_divergence
        return None if found is None else divergence_key(found)

    def _return_to(self, comparison: Comparison, place: DivergenceKey) -> None:
        """Stay at the difference one was at; where it is gone, go to the one after it."""
        index = index_of(comparison, place)
        if index is None:
            index = _next_after(comparison, place)
        if index is not None and self._desk.shows(index):
            self._desk.setCurrent(index)


def _same_question(one: Request, other: Request) -> bool:
    """Whether two requests start at the same anchors: then the user wants the answer to both."""
    return (one.direction, one.left_anchor, one.right_anchor, one.ancestors) == (
        other.direction,
        other.left_anchor,
        other.right_anchor,
        other.ancestors,
    )


def _next_after(comparison: Comparison, place: DivergenceKey) -> int | None:
    """The first difference that is further from the anchor than a place, by rows of one side."""
    here = (place.left_rows or place.right_rows)[0]
    downward = comparison.request.direction is Direction.DOWN
    for index, divergence in enumerate(comparison.divergences):
        rows = divergence.left_rows if place.left_rows else divergence.right_rows
        if rows and (rows[0] >= here if downward else rows[0] <= here):
            return index
    return None
