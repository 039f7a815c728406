"""What to do next, as long as there is nothing compared."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from opdiff.compare import Side
from opdiff.ui.desk import Desk


def next_step(desk: Desk) -> str:
    """One sentence on the way from an empty window to the first comparison."""
    # By this very name, and with the texts spelled out: only so does lupdate find them.
    translate = QCoreApplication.translate
    if desk.both() is None:
        if desk.trace(Side.LEFT) is None:
            return translate("NextStep", "Open the left trace, or drop it on its pane.")
        return translate("NextStep", "Open the right trace, or drop it on its pane.")
    anchored = [side for side in Side if desk.work.anchor(side) is not None]
    if len(anchored) == 2:
        return translate("NextStep", "Both sides are anchored: compare upward (F5).")
    if anchored == [Side.LEFT]:
        return translate(
            "NextStep",
            "Compare upward (F5) from the op that is offered at the right field; "
            "⌕ beside it lists others.",
        )
    if anchored == [Side.RIGHT]:
        return translate(
            "NextStep",
            "Compare upward (F5) from the op that is offered at the left field; "
            "⌕ beside it lists others.",
        )
    return translate(
        "NextStep",
        "Anchor both traces at the same op: select it and press A, or search with ⌕. "
        "Then compare upward. Where all of both should be the same, compare the whole traces (F7).",
    )
