"""What the views of the selected pair share: both traces, the comparison, and the ops shown."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QWidget

from opdiff.compare import Comparison
from opdiff.trace import Trace
from opdiff.ui.details.pairing import ShownPair
from opdiff.ui.frame.boxes import NONE, BoxPart, in_column, in_row
from opdiff.ui.look.fonts import ui_font
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.look.theme import styled


class PairView(QWidget):
    """Follows the selected pair: a bar with a heading, below it a hint or what a view draws."""

    def __init__(self, heading: PlainLabel | None = None) -> None:
        super().__init__()
        self.heading = styled(heading or PlainLabel(), "heading")
        self.header = QHBoxLayout()
        """The row of the bar, for what else stands there."""
        self._hint = styled(PlainLabel(wrap=True), "dim")
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setContentsMargins(24, 8, 24, 8)
        self.shown = ShownPair()
        """What is looked at."""

    def setTrace(self, side: int, trace: Trace | None) -> None:
        """Show ops of another trace on one side; what was shown is forgotten."""
        left, right = self.shown.traces
        self.shown = ShownPair(traces=(left, trace) if side else (trace, right))
        self.showPair(None, None)

    def setComparison(self, comparison: Comparison | None) -> None:
        """Know what a comparison found."""
        self.shown = replace(self.shown, comparison=comparison)
        if comparison is not None:
            both = comparison.left.trace, comparison.right.trace
            self.shown = replace(self.shown, traces=both)
        self.refresh()

    def showPair(self, left_row: int | None, right_row: int | None) -> None:
        """Show two ops, or one with its counterpart, or none."""
        self.shown = self.shown.at(left_row, right_row)
        self.refresh()

    def refresh(self) -> None:
        """Show what there is to be seen now."""
        raise NotImplementedError

    def _fill(self, *header: BoxPart, contents: QWidget) -> None:
        """Put the parts of the bar, and the contents where there is more to show than the hint."""
        bar = styled(QWidget(), "panel")
        bar.setMinimumHeight(QFontMetrics(ui_font()).height() + 16)  # as its neighbour's
        self.header = in_row(bar, *header, margins=(14, 2, 10, 2), spacing=12)
        body = styled(QWidget(), "sheet")
        self._pages = QStackedLayout(body)
        self._pages.addWidget(self._hint)
        self._pages.addWidget(contents)
        in_column(self, bar, (body, 1), margins=NONE, spacing=0)

    def _show_contents(self, shown: bool) -> None:
        self._pages.setCurrentIndex(1 if shown else 0)
