"""What the views of the selected pair share: both traces, the comparison, and the ops shown."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from opdiff.compare import Comparison
from opdiff.trace import Trace
from opdiff.ui.boxes import NONE, in_column
from opdiff.ui.details.pairing import ShownPair, completed


class PairView(QWidget):
    """Follows the selected pair; a view draws it, and decides when."""

    def __init__(self) -> None:
        super().__init__()
        self._traces: list[Trace | None] = [None, None]
        self._comparison: Comparison | None = None
        self._shown = ShownPair()

    def setTrace(self, side: int, trace: Trace | None) -> None:
        """Show ops of another trace on one side; what was shown is forgotten."""
        self._traces[side] = trace
        self._comparison = None
        self.showPair(None, None)

    def setComparison(self, comparison: Comparison | None) -> None:
        """Know what a comparison found."""
        self._comparison = comparison
        if comparison is not None:
            self._traces = [comparison.left.trace, comparison.right.trace]

    def showPair(self, left_row: int | None, right_row: int | None) -> None:
        """Show two ops, or one with its counterpart, or none."""
        self._shown = completed(self._comparison, ShownPair(left_row, right_row))

    def _fill(self, header: QWidget, body: QWidget) -> None:
        in_column(self, header, (body, 1), margins=NONE, spacing=0)
