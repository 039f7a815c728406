"""The boxes and curves of a drawn dataflow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise

from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QGraphicsItem,
    QGraphicsPathItem,
    QStyleOptionGraphicsItem,
    QWidget,
)

from opdiff.compare import Kind, Side
from opdiff.ui.details.surroundings import Node
from opdiff.ui.fonts import ui_font
from opdiff.ui.language import kind_name
from opdiff.ui.plain_text import tip
from opdiff.ui.theme import Theme, blend, sign_of

RADIUS = 5.0
_PADDING = 8.0
_EDGE_Z, _NODE_Z = 0, 1


@dataclass(frozen=True, slots=True)
class Box:
    """What one node shows."""

    side: Side
    node: Node
    name: str
    """The op type, elided where it is too long."""
    line: str
    """Its line, never elided."""
    kind: Kind | None
    focus: bool
    dim: bool
    tooltip: str


def label_font(bold: bool = False) -> QFont:
    """The font of the boxes."""
    return ui_font(0.92, QFont.Weight.DemiBold if bold else QFont.Weight.Medium)


class NodeItem(QGraphicsItem):
    """A rounded box with the type and line of an op."""

    def __init__(self, box: Box, width: float, height: float, theme: Theme) -> None:
        super().__init__()
        self.box = box
        self._theme = theme
        self._rect = QRectF(-width / 2, -height / 2, width, height)
        self._lit = False
        self.setZValue(_NODE_Z)
        self.setToolTip(tip(box.tooltip))
        self.setAcceptHoverEvents(True)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsFocusable)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def setLit(self, lit: bool) -> None:
        """Ring the box: the mouse is over it or over its counterpart."""
        self._lit = lit
        self.update()

    def boundingRect(self) -> QRectF:
        """The box and its ring."""
        return self._rect.adjusted(-4, -4, 4, 4)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Tinted and edged by the kind, plain where nothing differs."""
        theme, kind = self._theme, self.box.kind
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._lit or (self.hasFocus() and _has_keys(widget)):
            painter.setPen(QPen(theme.accent, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(self._rect.adjusted(-3, -3, 3, 3), RADIUS + 2, RADIUS + 2)
        plain = theme.accent if self.box.focus else blend(theme.dim, theme.line, 0.3)
        edge = theme.full(kind) if kind is not None else plain
        painter.setPen(QPen(edge, 1.5 if kind is not None else 1.0))
        painter.setBrush(theme.tint(kind) if kind is not None else theme.background)
        painter.drawRoundedRect(self._rect, RADIUS, RADIUS)
        painter.setFont(label_font(kind is not None or self.box.focus))
        painter.setPen(theme.dim if self.box.dim else theme.text)
        metrics = QFontMetricsF(painter.font())
        room = self._rect.width() - _PADDING
        text = elided(self.box, metrics, room)
        painter.drawText(self._rect, Qt.AlignmentFlag.AlignCenter, text)


def spoken(box: Box) -> str:
    """What a screen reader says of a box: its side, its op, how it differs, its operands."""
    translate = QCoreApplication.translate
    said = (
        translate("DataflowView", "left {op}")
        if box.side is Side.LEFT
        else translate("DataflowView", "right {op}")
    ).format(op=box.tooltip)
    return said if box.kind is None else f"{kind_name(box.kind)}: {said}"


def _has_keys(viewport: QWidget | None) -> bool:
    view = viewport.parentWidget() if viewport is not None else None
    return view is not None and view.hasFocus()


def elided(box: Box, metrics: QFontMetricsF, room: float) -> str:
    """Sign, type and line in the room there is; only the type gives way."""
    sign = f"{sign_of(box.kind)} " if box.kind is not None else ""
    tail = f" {box.line}" if box.line else ""
    left = room - metrics.horizontalAdvance(sign + tail)
    return sign + metrics.elidedText(box.name, Qt.TextElideMode.ElideRight, left) + tail


class EdgeLook(Enum):
    """How an edge is drawn."""

    PLAIN = "plain"
    MORE = "more"
    """To what is only counted."""
    LOST = "lost"
    """Only the other side has it."""


class EdgeItem(QGraphicsPathItem):
    """A curve from a producer to a consumer, through the bends of a long way."""

    def __init__(self, points: Sequence[QPointF], theme: Theme, look: EdgeLook) -> None:
        super().__init__(_curve(points))
        pen = QPen(theme.dim, 1.0)
        if look is EdgeLook.MORE:
            pen.setStyle(Qt.PenStyle.DashLine)
        elif look is EdgeLook.LOST:
            pen = QPen(theme.full(Kind.CPU_FALLBACK), 1.5, Qt.PenStyle.DotLine)
            lost = QCoreApplication.translate("DataflowView", "this link is lost on this side")
            self.setToolTip(lost)
        self.setPen(pen)
        self.setZValue(_EDGE_Z)


def _curve(points: Sequence[QPointF]) -> QPainterPath:
    path = QPainterPath(points[0])
    for start, end in pairwise(points):
        reach = (end.y() - start.y()) / 2
        path.cubicTo(start + QPointF(0, reach), end - QPointF(0, reach), end)
    return path
