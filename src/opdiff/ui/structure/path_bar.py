"""The path of what is at the top of a pane: it stays there while the rows scroll by."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from opdiff.compare import Side
from opdiff.ui.panes.metrics import Metrics
from opdiff.ui.plain_text import tip
from opdiff.ui.theme import Theme

_TITLE_SHARE = 0.6


class PathBar(QWidget):
    """One line of text. Signal: ``clicked()``."""

    clicked = Signal()

    def __init__(self, side: Side, theme: Theme, metrics: Metrics, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("rightPath" if side else "leftPath")
        self._text = self._title = ""
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setLook(theme, metrics)

    def setLook(self, theme: Theme, metrics: Metrics) -> None:
        """Paint in other colours or sizes."""
        self._theme, self._metrics = theme, metrics
        self.setFixedHeight(round(metrics.row * 0.86))
        self.update()

    def text(self) -> str:
        """What it says."""
        return self._text

    def setText(self, text: str) -> None:
        """Say where the top of the pane is."""
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.setToolTip(tip(text))
            self.update()

    def setTitle(self, title: str) -> None:
        """Say at the right what the trace is."""
        self._title = title
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to where this part begins."""
        if event.button() == Qt.MouseButton.LeftButton and self._text:
            self.clicked.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the path, where it is too long its beginning and its end, and the title."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.panel)
        painter.fillRect(0, self.height() - 1, self.width(), 1, self._theme.line)
        painter.setFont(self._metrics.small)
        metrics, pad = QFontMetricsF(self._metrics.small), self._metrics.pad
        room = max(0.0, self.width() - 2 * pad)
        title = metrics.elidedText(self._title, Qt.TextElideMode.ElideRight, room * _TITLE_SHARE)
        box = QRectF(pad, 0, room + 1, self.height() - 1)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(self._theme.dim)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | middle), title)
        room -= metrics.horizontalAdvance(title) + self._metrics.em
        elided = metrics.elidedText(self._text, Qt.TextElideMode.ElideMiddle, max(0.0, room))
        painter.setPen(self._theme.text)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignLeft | middle), elided)
        painter.end()
