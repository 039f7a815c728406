"""Which comparison is shown: one that is kept from before, one that is made now, or none."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from opdiff.compare import Comparison, Direction, Side
from opdiff.session import Answers, DivergenceKey, Work, divergence_key
from opdiff.session.work import index_of
from opdiff.ui.anchors.suggesting import Suggesting
from opdiff.ui.frame.messages import Toast
from opdiff.ui.frame.window_frame import WindowFrame
from opdiff.ui.main_thread import next_turn
from opdiff.ui.moving.shown_row import ShownRow
from opdiff.ui.store import Store
from opdiff.ui.tasks import Tasks


@dataclass(frozen=True, slots=True)
class _RunningComparison:
    """A comparison under way: what was shown before it, and whether the panes stay where they are.

    They do for a new answer to the same question.
    """

    before: Comparison | None
    current: int | None
    stay: bool


class Comparing(QObject):
    """The one place that compares, keeps answers and shows them. Signal: ``ready(comparison)``."""

    ready = Signal(object)

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        frame: WindowFrame,
        shown: ShownRow,
        suggesting: Suggesting,
        toast: Toast,
    ) -> None:
        super().__init__(store)
        self._store, self._tasks, self._frame = store, tasks, frame
        self._shown, self._suggesting, self._toast = shown, suggesting, toast
        self._answers = Answers()
        self._run: _RunningComparison | None = None
        self._announced: Comparison | None = None
        """What the store has, and is not ready yet."""
        self._place: DivergenceKey | None = None
        """The difference that the user was at before the question was put otherwise."""
        self._elsewhere: tuple[Side, int] | None = None
        """The op that was looked at, where it was none of that difference."""
        store.workChanged.connect(self._work_changed)
        store.traceChanged.connect(self._forget)
        tasks.compared.connect(self._compared)
        for fruitless in (tasks.cancelled, tasks.failed, tasks.crashed):
            fruitless.connect(self._take_back)

    def compare(self, direction: Direction, *, stay: bool = False) -> None:
        """Compare from the anchors as they are now, typed but not yet entered ones included.

        The panes then stand at the anchors, unless they *stay* where they are.
        """
        both = self._store.both()
        if both is None or self._tasks.running or not self._anchored(direction):
            return
        # Compare is disabled while it runs; the focus it loses must not land in a text field, where
        # the keys that walk the differences would be typed.
        self._frame.view.leftPane.setFocus()
        run = _RunningComparison(self._store.comparison, self._store.current, stay)
        request = replace(self._store.work.request, direction=direction)
        self._store.setWork(replace(self._store.work, request=request), self.tr("direction"))
        self._frame.banner.put_away()
        kept = self._answers.to(request)
        if kept is not None:
            self._show(kept, stay=stay)
            return
        self._run = run
        self._store.setComparison(None)
        self._tasks.compare(*both, request, self._frame.view.prepare)

    def _anchored(self, direction: Direction) -> bool:
        """Whether the fields hold what a comparison needs; they say so themselves if not."""
        for edit in self._frame.top.anchors.values():
            if not edit.commit():
                edit.setFocus()
                return False
        if direction is Direction.WHOLE and not any(
            self._store.work.anchor(side) is not None for side in Side
        ):
            return True  # with one anchor the other is wanted here too
        for side, edit in self._frame.top.anchors.items():
            if self._store.work.anchor(side) is None and not edit.takes_offer():
                self._ask_for_anchor(side, direction)
                return False
        return True

    def _ask_for_anchor(self, side: Side, direction: Direction) -> None:
        """Wait for the counterpart that is being looked for; else the user has to say."""
        other = self._store.work.anchor(side.other)
        if other is not None and self._suggesting.searching:
            self._toast.tell(self.tr("Looking for the counterpart of the anchor…"))
            self._suggesting.when_found(lambda: self.compare(direction))
        else:
            self._frame.top.anchors[side].ask_for_one()

    def _work_changed(self, before: Work, after: Work) -> None:
        """Show what belongs to another request: kept from before, or compared now."""
        request, shown = after.request, self._store.comparison
        if shown is None and self._run is not None and self._run.stay:
            shown = self._run.before
        if before.request == request or shown is None or shown.request == request:
            return
        self._remember_place()
        kept = self._answers.to(request)
        if kept is not None:
            self._tasks.cancel()
            self._show(kept, stay=True)
        elif shown.request.asks_as(request):  # then the user wants the answer to both
            self._tasks.cancel()
            self.compare(request.direction, stay=True)

    def _remember_place(self) -> None:
        found = self._store.current_divergence
        if self._place is None and found is not None:
            self._place = divergence_key(found)
            at_it = self._shown.difference() == self._store.current
            self._elsewhere = None if at_it else self._shown.place

    def _forget(self) -> None:
        self._answers.clear()
        self._place = self._elsewhere = None

    def _compared(self, comparison: Comparison) -> None:
        self._show(comparison, stay=self._run is not None and self._run.stay)

    def _take_back(self) -> None:
        """A comparison that came to nothing leaves what was there before it."""
        run, self._run = self._run, None
        if run is not None:
            self._frame.view.setComparison(None)
            self._store.setComparison(run.before)
            self._store.setCurrent(run.current)

    def _show(self, comparison: Comparison, *, stay: bool) -> None:
        self._run = None
        if (comparison.left.trace, comparison.right.trace) != self._store.both():
            return  # another trace was opened in the meantime
        self._announced = comparison
        self._store.setComparison(comparison)
        # In two steps, so that the window can breathe between them.
        next_turn(self, lambda: self._finish(comparison, stay=stay))

    def _finish(self, comparison: Comparison, *, stay: bool) -> None:
        if self._announced is not comparison or self._store.comparison is not comparison:
            return
        self._announced = None
        if not stay and self._store.current is None:
            self._begin(comparison)
        self._answers.keep(comparison)
        place, self._place = self._place, None
        if place is not None:
            self._return_to(comparison, place, self._elsewhere if stay else None)
        self.ready.emit(comparison)

    def _begin(self, comparison: Comparison) -> None:
        """Stand where values show the cause, else at the anchors, or at what differs near them."""
        view, lead = self._frame.view, self._store.lead()
        anchored = view.standAtAnchors()
        first = self._store.neighbour(1)
        if lead is not None:
            self._store.setCurrent(lead)
        elif first is not None and (not anchored or view.isInView(first)):
            self._store.setCurrent(first)
        elif comparison.left.anchor is not None:
            # The anchor may differ itself: the walk begins at the first all the same.
            self._shown.standAt(Side.LEFT, comparison.left.anchor)

    def _return_to(
        self, comparison: Comparison, place: DivergenceKey, elsewhere: tuple[Side, int] | None
    ) -> None:
        """Stay at the difference one was at; where it is gone, go to the one after it.

        Who had gone on to another op stays there.
        """
        index = index_of(comparison, place)
        if index is None:
            index = _next_after(comparison, place)
        if index is None or not self._store.shows(index):
            return
        if elsewhere is None:
            self._store.setCurrent(index)
        else:
            self._shown.remainAt(*elsewhere, index)


def _next_after(comparison: Comparison, place: DivergenceKey) -> int | None:
    """The first difference that is further from the anchor than a place, by rows of one side."""
    here = (place.left_rows or place.right_rows)[0]
    downward = comparison.request.direction is Direction.DOWN
    for index, divergence in enumerate(comparison.divergences):
        rows = divergence.left_rows if place.left_rows else divergence.right_rows
        if rows and (rows[0] >= here if downward else rows[0] <= here):
            return index
    return None
