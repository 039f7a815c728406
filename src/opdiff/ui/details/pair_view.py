"""What the views of the selected pair share: both traces, the comparison, and the ops shown."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedLayout, QWidget

from opdiff.compare import Comparison
from opdiff.trace import Trace
from opdiff.ui.details.pairing import ShownPair, completed
from opdiff.ui.frame.boxes import NONE, BoxPart, in_column, in_row
from opdiff.ui.look.fonts import ui_font
from opdiff.ui.look.plain_text import PlainLabel, tip
from opdiff.ui.look.theme import styled


class ElidedLabel(PlainLabel):
    """A line of text that ends in … where there is no room; the tooltip then holds all of it."""

    def __init__(self) -> None:
        super().__init__()
        self._whole = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setWholeText(self, text: str) -> None:
        """The text to show as far as it fits."""
        self._whole = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self._elide()

    def sizeHint(self) -> QSize:
        """All of the text, where the layout asks for it."""
        letters = QFontMetrics(self.font())
        return QSize(letters.horizontalAdvance(self._whole) + 1, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Next to nothing: no words keep a panel wide."""
        return QSize(0, super().minimumSizeHint().height())

    def wholeText(self) -> str:
        """The text, also where only its beginning is seen."""
        return self._whole

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Elide anew."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        room = self.contentsRect().width()
        shown = QFontMetrics(self.font()).elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        self.setText(shown)
        self.setToolTip(tip(self._whole) if shown != self._whole else "")


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
        self._traces: list[Trace | None] = [None, None]
        self._comparison: Comparison | None = None
        self.shown = ShownPair()
        """The ops that are looked at."""

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
        self.refresh()

    def showPair(self, left_row: int | None, right_row: int | None) -> None:
        """Show two ops, or one with its counterpart, or none."""
        self.shown = completed(self._comparison, ShownPair(left_row, right_row))
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
