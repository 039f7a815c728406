"""The strip between the panes: who belongs with whom."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from opdiff.ui.language import Speaking
from opdiff.ui.panes.links import Link, Weight, links_in_view
from opdiff.ui.panes.metrics import Metrics
from opdiff.ui.panes.pane import TracePane
from opdiff.ui.panes.scene import Scene
from opdiff.ui.theme import Theme, blend

_SHARE = 0.07
"""Of the width of the view."""


class LinkStrip(Speaking, QWidget):
    """Links between the rows in view of two panes.

    Signal: ``endClicked(side, row)``, the user wants to follow the link from that row.
    """

    endClicked = Signal(int, int)

    def __init__(
        self,
        scene: Scene,
        left: TracePane,
        right: TracePane,
        theme: Theme,
        metrics: Metrics,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("linkStrip")
        self._scene = scene
        self._left, self._right = left, right
        self._room = 0
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setLook(theme, metrics)
        self.retranslate()

    def setLook(self, theme: Theme, metrics: Metrics) -> None:
        """Paint in other colours or sizes."""
        self._theme, self._metrics = theme, metrics
        self._grey = blend(theme.dim, theme.background, 0.3)
        self.fit(self._room)
        self.update()

    def fit(self, room: int) -> None:
        """Take a small share of the view's *room* at most: in a narrow one the rows need it."""
        self._room, most = room, self._metrics.strip
        self.setFixedWidth(min(most, max(most // 2, round(room * _SHARE))))

    def retranslate(self) -> None:
        """Speak the present language."""
        self.setAccessibleName(self.tr("Links between the traces"))
        self.setToolTip(self.tr("Click a link to go to its other end"))

    def links(self) -> list[Link]:
        """The links in view."""
        return links_in_view(self._scene, self._left, self._right)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Follow the link that begins at the nearer side."""
        pane = self._left if event.position().x() < self.width() / 2 else self._right
        row = pane.row_under(event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and row is not None:
            self.endClicked.emit(int(pane.side), row)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll what lies beside it."""
        QApplication.sendEvent(self._left.verticalScrollBar(), event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint hairlines first, then what stands out."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.background)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        links = self.links()
        width = self.width()
        plain = [link.left for link in links if _is_hairline(link) and link.left is not None]
        painter.setPen(QPen(self._grey, 1.0))
        painter.drawLines([QLineF(0, y, width, y) for y in plain])
        for link in links:
            if not _is_hairline(link):
                self._paint_link(painter, link)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(0, 0, 1, self.height(), self._theme.line)
        painter.fillRect(width - 1, 0, 1, self.height(), self._theme.line)
        painter.end()

    def _paint_link(self, painter: QPainter, link: Link) -> None:
        colour, thickness = self._pen_of(link)
        pen = QPen(colour, thickness)
        if link.weight is Weight.FOLD:
            pen.setStyle(Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if link.left is None or link.right is None:
            here = link.left if link.left is not None else link.right
            if here is not None:
                self._paint_stub(painter, here, here, link.left is not None, colour)
        elif self._in_sight(link.left) and self._in_sight(link.right):
            self._paint_curve(painter, link.left, link.right)
        elif self._in_sight(link.left):
            self._paint_stub(painter, link.left, link.right, True, colour)
        else:
            self._paint_stub(painter, link.right, link.left, False, colour)

    def _in_sight(self, y: float) -> bool:
        return -self._metrics.row / 2 <= y <= self.height() + self._metrics.row / 2

    def _paint_curve(self, painter: QPainter, left: float, right: float) -> None:
        width = self.width()
        if left == right:
            painter.drawLine(QPointF(0, left), QPointF(width, right))
            return
        path = QPainterPath(QPointF(0, left))
        path.cubicTo(QPointF(width * 0.5, left), QPointF(width * 0.5, right), QPointF(width, right))
        painter.drawPath(path)

    def _paint_stub(
        self, painter: QPainter, here: float, there: float, from_left: bool, colour: QColor
    ) -> None:
        """A short way into the strip, bent towards a far end that is out of sight, and a dot."""
        reach, radius = self._metrics.em * 0.62, self._metrics.em * 0.24
        lean = 0.0 if here == there else self._metrics.row * (0.4 if there > here else -0.4)
        start = QPointF(0 if from_left else self.width(), here)
        end = QPointF(reach if from_left else self.width() - reach, here + lean)
        path = QPainterPath(start)
        middle = (start.x() + end.x()) / 2
        path.cubicTo(QPointF(middle, here), QPointF(end.x(), here), end)
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawEllipse(end, radius, radius)

    def _pen_of(self, link: Link) -> tuple[QColor, float]:
        theme, unit = self._theme, self._metrics.em / 16
        if link.weight is Weight.ANCHOR:
            return theme.accent, 3 * unit
        if link.weight is Weight.PIN:
            return theme.accent if link.kind is None else theme.full(link.kind), 2.6 * unit
        if link.weight is Weight.DIFFERENT and link.kind is not None:
            return theme.full(link.kind), (2.6 if link.current else 1.8) * unit
        return (theme.dim, 1.6 * unit) if link.current else (self._grey, 1.0)


def _is_hairline(link: Link) -> bool:
    """Whether a link is one of the many that are drawn all at once."""
    return link.weight is Weight.EQUAL and link.left == link.right and not link.current
