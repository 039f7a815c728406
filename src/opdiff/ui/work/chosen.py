"""The op that the user means: where the focus is, not only where the selection began."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opdiff.compare import Side

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow


def chosen(window: MainWindow) -> tuple[Side, int] | None:
    """The side and the row; selecting an op selects its counterpart too, so the focus decides."""
    for side in Side:
        pane = window.frame.view.pane(side)
        row = pane.currentRow()
        if row is not None and window.focusWidget() is pane:
            return side, row
    return window.shown.place
