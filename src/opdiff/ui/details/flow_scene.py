"""The boxes and curves of a drawn dataflow, both sides next to each other."""

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
    QGraphicsScene,
    QStyleOptionGraphicsItem,
    QWidget,
)

from opdiff.compare import Kind, Side, State, kind_of
from opdiff.ui.details.flow_layout import (
    BoxSizes,
    Key,
    Position,
    SideLayers,
    lay_out,
    layer_steps,
    place,
)
from opdiff.ui.details.pairing import ShownPair
from opdiff.ui.details.surroundings import FlowNode, More, around_both
from opdiff.ui.look.fonts import text_scale, ui_font
from opdiff.ui.look.language import kind_name
from opdiff.ui.look.plain_text import tip
from opdiff.ui.look.theme import blend, current, draw_box, sign_of
from opdiff.wording.printable import printable

RADIUS = 5.0
_PADDING = 8.0
_COMFORT = 6.0
"""What a box has besides, where there is room."""
_EDGE_Z, _NODE_Z = 0, 1
_NARROWEST, _WIDEST = 84.0, 132.0
_SIDE_GAP = 24.0
_MARGIN = 6.0
_SHARE = 0.8
"""How much of its half a box may fill, so that boxes below each other can stand in steps."""
_SHARE_ALONE = 0.9
"""The same of a box that stands alone on its height."""


@dataclass(frozen=True, slots=True)
class Box:
    """What one node shows."""

    side: Side
    node: FlowNode
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

    def __init__(self, box: Box, width: float, height: float) -> None:
        super().__init__()
        self.box = box
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
        theme, kind = current(), self.box.kind
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._lit or (self.hasFocus() and _has_keys(widget)):
            ring = self._rect.adjusted(-3, -3, 3, 3)
            draw_box(painter, ring, RADIUS + 2, edge=theme.accent, width=1.5)
        plain = theme.accent if self.box.focus else blend(theme.dim, theme.line, 0.3)
        edge = theme.full(kind) if kind is not None else plain
        fill = theme.tint(kind) if kind is not None else theme.background
        draw_box(painter, self._rect, RADIUS, fill, edge, 1.5 if kind is not None else 1.0)
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
    """Sign, type and line in the room there is; only the type gives way, in its middle."""
    sign = f"{sign_of(box.kind)} " if box.kind is not None else ""
    tail = f" {box.line}" if box.line else ""
    left = room - metrics.horizontalAdvance(sign + tail)
    return sign + metrics.elidedText(printable(box.name), Qt.TextElideMode.ElideMiddle, left) + tail


class EdgeLook(Enum):
    """How an edge is drawn."""

    PLAIN = "plain"
    MORE = "more"
    """To what is only counted."""
    LOST = "lost"
    """Only the other side has it."""


class EdgeItem(QGraphicsPathItem):
    """A curve from a producer to a consumer, through the bends of a long way."""

    def __init__(self, points: Sequence[QPointF], look: EdgeLook) -> None:
        super().__init__(_curve(points))
        pen = QPen(current().dim, 1.0)
        if look is EdgeLook.MORE:
            pen.setStyle(Qt.PenStyle.DashLine)
        elif look is EdgeLook.LOST:
            pen = QPen(current().full(Kind.CPU_FALLBACK), 1.5, Qt.PenStyle.DotLine)
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


class FlowScene(QGraphicsScene):
    """Both dataflows around a pair; remembers which box stands for what."""

    def __init__(self) -> None:
        super().__init__()
        self.boxes: dict[tuple[Side, Key], NodeItem] = {}
        self.sides: tuple[SideLayers, SideLayers] = (SideLayers(), SideLayers())
        self.lack = 1.0
        """How many times as much room boxes had to have for all of their words."""
        self.setBackgroundBrush(current().background)

    def draw(self, shown: ShownPair, depth: int, width: float) -> None:
        """Draw the surroundings of the shown ops; *width* is what there is for both sides."""
        around, comparison = around_both(shown, depth), shown.comparison
        if not any(around):
            return

        def partner(row: int) -> int:
            return int(comparison.left.partner[row]) if comparison is not None else -1

        self.sides = lay_out(around[0], around[1], partner)
        boxes = [self._boxes(shown, side) for side in Side]
        # What was compared stays on its side, also where the other has nothing to show.
        halves = 2 if comparison is not None else max(1, sum(map(bool, around)))
        room = (width - _SIDE_GAP - 2 * _MARGIN) / halves
        words = _words_width(boxes)
        measures = _measures(words, room)
        steps = layer_steps(self.sides, measures)
        in_steps = max(steps) > 1
        if words > (measures.step_width if in_steps else measures.node_width):
            self.lack = max(1.0, words / room / (_SHARE if in_steps else _SHARE_ALONE))
        x = 0.0
        for side in Side:
            if around[side]:
                x = self._draw_side(side, boxes[side], steps, measures, x) + _SIDE_GAP
            elif comparison is not None:
                x += room + _SIDE_GAP
        bounds = self.itemsBoundingRect().united(QRectF(0, 0, x - _SIDE_GAP, 1))
        self.setSceneRect(bounds.adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN))

    def counterpart(self, item: NodeItem) -> NodeItem | None:
        """The box of the same pair on the other side."""
        for (side, key), other in self.boxes.items():
            if other is item:
                return self.boxes.get((side.other, key))
        return None

    def _boxes(self, shown: ShownPair, side: Side) -> dict[Key, Box]:
        return {key: _box(shown, side, node) for key, node in self.sides[side].nodes.items()}

    def _draw_side(
        self,
        side: Side,
        boxes: dict[Key, Box],
        steps: Sequence[int],
        measures: BoxSizes,
        left_edge: float,
    ) -> float:
        layers = self.sides[side]
        places = place(layers, steps, measures)
        first = min(spot.x - spot.width / 2 for spot in places.values())
        last = max(spot.x + spot.width / 2 for spot in places.values())
        width = max(last - first, measures.available)
        # Where x = 0 comes to lie when the drawing stands in the middle of its half.
        middle = left_edge + (width - (last - first)) / 2 - first
        for route in layers.edges:
            points = _points(route, places, middle, measures.node_height / 2)
            self.addItem(EdgeItem(points, _look(route, layers, boxes)))
        for key, box in boxes.items():
            item = NodeItem(box, places[key].width, measures.node_height)
            item.setPos(middle + places[key].x, places[key].y)
            self.addItem(item)
            self.boxes[side, key] = item
        return left_edge + width


def _points(
    route: Sequence[Key], places: dict[Key, Position], middle: float, half: float
) -> list[QPointF]:
    """The way of an edge: through a layer it runs straight, between layers it curves."""
    first, last = places[route[0]], places[route[-1]]
    points = [QPointF(middle + first.out, first.y + half)]
    for spot in map(places.__getitem__, route):
        points += [QPointF(middle + spot.into, spot.top)]
        points += [QPointF(middle + spot.out, spot.bottom)]
    return [points[0], *points[2:-1], QPointF(middle + last.into, last.y - half)]


def _look(route: tuple[Key, ...], layers: SideLayers, boxes: dict[Key, Box]) -> EdgeLook:
    if (route[0], route[-1]) in layers.lost:
        return EdgeLook.LOST
    ends = (boxes[route[0]], boxes[route[-1]])
    return EdgeLook.MORE if any(isinstance(box.node, More) for box in ends) else EdgeLook.PLAIN


def _words_width(boxes: Sequence[dict[Key, Box]]) -> float:
    """How wide a box must be for the longest words."""
    metrics = QFontMetricsF(label_font(bold=True))
    every = [box for side in boxes for box in side.values()]
    return max(metrics.horizontalAdvance(elided(box, metrics, 1e6)) for box in every) + _PADDING


def _measures(words: float, available: float) -> BoxSizes:
    narrowest, widest = _NARROWEST * text_scale(), _WIDEST * text_scale()
    width = min(max(words + _COMFORT, narrowest), max(widest, available * _SHARE_ALONE))
    in_steps = min(width, max(available * _SHARE, narrowest))
    height = QFontMetricsF(label_font(bold=True)).height() + 8
    return BoxSizes(width, in_steps, height, available=max(available, width))


def _box(shown: ShownPair, side: Side, node: FlowNode) -> Box:
    if isinstance(node, More):
        count = node.count
        text = QCoreApplication.translate("DataflowView", "+ %n more", "", count)
        return Box(side, node, text, "", None, False, True, text)
    comparison, trace = shown.comparison, shown.traces[side]
    assert trace is not None  # what is drawn is of a trace
    state = int(comparison.side(side).state[node]) if comparison is not None else State.EQUAL
    op, focus = trace.op(node), node == shown.rows[side]
    written = [f"→ {operand}" for operand in op.outputs[:4]]
    read = [f"← {operand}" for operand in op.inputs[:4]]
    tooltip = "\n".join((f"{op.type} {op.line}", *written, *read, *filter(None, [op.scope])))
    outside = state in (State.OUTSIDE, State.NOISE)
    return Box(
        side, node, op.type, str(op.line), kind_of(state), focus, outside and not focus, tooltip
    )
