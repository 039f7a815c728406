"""What can be done right now: the facts on which the enabled state of every action rests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from opdiff.compare import Side

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow


@dataclass(frozen=True, slots=True)
class Situation:
    """A snapshot of the window, small enough to make after every change."""

    left: bool = False
    right: bool = False
    running: bool = False
    compared: bool = False
    row_selected: bool = False
    op_meant: bool = False
    """There is an op that pins and rules would be about."""
    in_scope: bool = False
    """That op has a scope."""
    both_selected: bool = False
    """Ops are selected on both sides."""
    has_first: bool = False
    at_difference: bool = False
    has_hint: bool = False
    has_value_difference: bool = False
    has_source: bool = False
    search_hits: bool = False
    pinned: bool = False
    pin_begun: bool = False
    pin_can_end: bool = False
    can_undo: bool = False
    can_redo: bool = False
    can_go_back: bool = False
    can_go_forward: bool = False

    @property
    def any_trace(self) -> bool:
        """Something is open."""
        return self.left or self.right

    @property
    def both(self) -> bool:
        """Two traces are open."""
        return self.left and self.right

    @property
    def ready(self) -> bool:
        """They are, and nothing is under way: they can be compared."""
        return self.both and not self.running


def situation_of(window: MainWindow) -> Situation:
    """The situation of a window."""
    store, shown, judging = window.store, window.shown, window.judging
    comparison, history = store.comparison, window.undoing.history
    return Situation(
        left=store.trace(Side.LEFT) is not None,
        right=store.trace(Side.RIGHT) is not None,
        running=window.tasks.running,
        compared=comparison is not None,
        row_selected=shown.place is not None,
        op_meant=shown.meant() is not None,
        in_scope=bool(judging.scope()),
        both_selected=all(map(judging.has_selected, Side)),
        has_first=len(store.visible) > 0,
        at_difference=shown.difference() is not None,
        has_hint=comparison is not None and comparison.anchor_hint is not None,
        has_value_difference=store.first_value_difference() is not None,
        has_source=window.showing.frame() is not None,
        search_hits=window.search.any,
        pinned=window.pinning.here() is not None,
        pin_begun=window.pinning.begun,
        pin_can_end=window.pinning.can_match(),
        can_undo=history.undo_label() is not None,
        can_redo=history.redo_label() is not None,
        can_go_back=window.jumps.has_past,
        can_go_forward=window.jumps.has_future,
    )
