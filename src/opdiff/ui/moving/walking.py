"""Going from difference to difference by key: in the order of the list, and round at its ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from opdiff.ui.commands.actions import Actions
from opdiff.ui.differences.outline import Order
from opdiff.ui.frame.messages import Toast
from opdiff.ui.moving.shown_row import ShownRow
from opdiff.ui.store import Store


class Walking(QObject):
    """Does what the actions of the walk say; where there is no way on it says why."""

    def __init__(self, store: Store, shown: ShownRow, actions: Actions, toast: Toast) -> None:
        super().__init__(toast)
        self._store = store
        self._shown = shown
        self._toast = toast
        self._at_end: tuple[str, int, int | None] | None = None
        """The walk that has just met an end, its step, and where."""
        self._nearest = actions["nearestFirst"]
        store.orderChanged.connect(self._check_order)

    def to_difference(self, step: int) -> None:
        """Go to the next (1) or previous (-1) difference."""
        self._go("difference", step, self._store.outline.neighbour)

    def to_group(self, step: int) -> None:
        """Go to the first difference of the next or previous group."""
        self._go("group", step, self._store.outline.group_beside)

    def to_root(self, step: int) -> None:
        """Go to the next or previous group that nothing explains."""
        self._go("root", step, partial(self._store.outline.group_beside, root=True))

    def _go(self, what: str, step: int, beside: Callable[[int | None, int], int | None]) -> None:
        here = (what, step, self._store.current)
        found = beside(self._store.current, step)
        if found is None and self._at_end == here:
            found = beside(None, step)  # pressed once more at an end: on from the other one
        self._at_end = here if found is None else None
        if found is not None:
            self._shown.goTo(found)
        else:
            self._toast.tell(self._end_text(what, step))

    def to_cause(self) -> None:
        """Go to what explains the difference that is looked at; say so where nothing does."""
        here, comparison = self._shown.difference(), self._store.comparison
        if here is None or comparison is None:
            return
        found = comparison.divergences[here]
        if found.caused_by is not None:
            self._shown.goTo(found.caused_by)
        elif comparison.groups[found.group].parent is not None:
            self._toast.tell(self.tr("Nothing upstream explains this one of its group."))
        else:
            self._toast.tell(self.tr("This is a root: nothing upstream explains it."))

    def _end_text(self, what: str, step: int) -> str:
        # Spelled out one by one: only so are they found by the translators' tool.
        texts = {
            ("difference", 1): self.tr("The last difference. Once more: on from the first."),
            ("difference", -1): self.tr("The first difference. Once more: on from the last."),
            ("group", 1): self.tr("The last group. Once more: on from the first."),
            ("group", -1): self.tr("The first group. Once more: on from the last."),
            ("root", 1): self.tr("No further root. Once more: on from the first."),
            ("root", -1): self.tr("No root before this. Once more: on from the last."),
        }
        return texts[what, step]

    def to_first(self) -> None:
        """Go to the difference nearest the anchor."""
        self._shown.goTo(int(self._store.visible[0]))

    def to_first_value(self) -> None:
        """Go to the first op that differs in value."""
        found = self._store.first_value_difference()
        if found is not None:
            self._shown.goTo(found)

    def by_distance(self, nearest: bool) -> None:
        """List and walk by distance from the anchor, or by cause."""
        self._store.setOrder(Order.NEAREST if nearest else Order.CAUSE)

    def _check_order(self, order: Order) -> None:
        self._nearest.setChecked(order is Order.NEAREST)
