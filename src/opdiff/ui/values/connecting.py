"""The curve of errors in its place: it hears of comparisons and rows, and goes to them."""

from __future__ import annotations

from opdiff.compare import Side
from opdiff.ui.desk import Desk
from opdiff.ui.panes import ComparisonView
from opdiff.ui.values.error_curve import ErrorCurve


def connect_curve(curve: ErrorCurve, view: ComparisonView, desk: Desk) -> None:
    """Let the curve show what lies on the desk, and a click on it select the op."""

    def selected(side: int, row: int) -> None:
        if row < 0:
            curve.setCurrentRow(None)
        elif side == Side.LEFT:
            curve.setCurrentRow(row)
        elif desk.comparison is not None:
            partner = int(desk.comparison.right.partner[row])
            curve.setCurrentRow(partner if partner >= 0 else None)

    desk.comparisonChanged.connect(curve.setComparison)
    view.rowSelected.connect(selected)
    curve.rowChosen.connect(lambda row: view.selectRow(Side.LEFT, row))
