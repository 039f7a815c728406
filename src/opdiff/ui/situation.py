"""What can be done right now: the facts on which the enabled state of every action rests."""

from __future__ import annotations

from dataclasses import dataclass

from opdiff.compare import Side
from opdiff.ui.desk import Desk


@dataclass(frozen=True, slots=True)
class Situation:
    """A snapshot of the window, small enough to make after every change."""

    left: bool = False
    right: bool = False
    running: bool = False
    compared: bool = False
    row_selected: bool = False
    has_first: bool = False
    at_difference: bool = False
    has_hint: bool = False
    has_value_difference: bool = False
    search_hits: bool = False
    possible: frozenset[str] = frozenset()
    """What the workbench says can be done."""

    @property
    def both(self) -> bool:
        """Two traces are open and nothing is under way: they can be compared."""
        return self.left and self.right and not self.running


def situation_of(
    desk: Desk,
    *,
    running: bool,
    row_selected: bool,
    at_difference: bool,
    search_hits: bool,
    possible: frozenset[str] = frozenset(),
) -> Situation:
    """The situation of a desk."""
    comparison = desk.comparison
    return Situation(
        left=desk.trace(Side.LEFT) is not None,
        right=desk.trace(Side.RIGHT) is not None,
        running=running,
        compared=comparison is not None,
        row_selected=row_selected,
        has_first=len(desk.visible) > 0,
        at_difference=at_difference,
        has_hint=comparison is not None and comparison.anchor_hint is not None,
        has_value_difference=desk.first_value_difference() is not None,
        search_hits=search_hits,
        possible=possible,
    )
