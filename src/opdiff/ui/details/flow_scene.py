"""Drawing the dataflow of both sides next to each other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QPointF, QRectF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QGraphicsScene

from opdiff.compare import Comparison, Side, State, kind_of
from opdiff.trace import Trace
from opdiff.ui.details.both_sides import around_both
from opdiff.ui.details.flow_items import Box, EdgeItem, EdgeLook, NodeItem, elided, label_font
from opdiff.ui.details.layering import Key, SideLayers, lay_out
from opdiff.ui.details.pairing import ShownPair
from opdiff.ui.details.placement import Measures, Spot, layer_steps, place
from opdiff.ui.details.surroundings import More, Node
from opdiff.ui.theme import Theme

_NARROWEST, _WIDEST = 84.0, 132.0
_SIDE_GAP = 24.0
_MARGIN = 6.0
_SHARE = 0.63
"""How much of its half a box may fill, so that boxes below each other can stand in steps."""
_SHARE_ALONE = 0.9
"""The same of a box that stands alone on its height."""


class FlowScene(QGraphicsScene):
    """Both dataflows around a pair; remembers which box stands for what."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.boxes: dict[tuple[Side, Key], NodeItem] = {}
        self.sides: tuple[SideLayers, SideLayers] = (SideLayers(), SideLayers())
        self.setBackgroundBrush(theme.background)

    def draw(
        self,
        traces: Sequence[Trace | None],
        comparison: Comparison | None,
        shown: ShownPair,
        depth: int,
        width: float,
    ) -> None:
        """Draw the surroundings of the shown ops; *width* is what there is for both sides."""
        around = around_both(traces, comparison, shown, depth)
        if not any(around):
            return

        def partner(row: int) -> int:
            return int(comparison.left.partner[row]) if comparison is not None else -1

        self.sides = lay_out(around[0], around[1], partner)
        boxes = [self._boxes(side, traces, comparison, shown) for side in Side]
        # What was compared stays on its side, also where the other has nothing to show.
        halves = 2 if comparison is not None else max(1, sum(map(bool, around)))
        room = (width - _SIDE_GAP - 2 * _MARGIN) / halves
        measures = _measures(boxes, room)
        steps = layer_steps(self.sides, measures)
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

    def _boxes(
        self,
        side: Side,
        traces: Sequence[Trace | None],
        comparison: Comparison | None,
        shown: ShownPair,
    ) -> dict[Key, Box]:
        trace = traces[side]
        if trace is None:
            return {}
        found: dict[Key, Box] = {}
        for key, node in self.sides[side].nodes.items():
            found[key] = _box(side, node, trace, comparison, focus=node == shown.row(side))
        return found

    def _draw_side(
        self,
        side: Side,
        boxes: dict[Key, Box],
        steps: Sequence[int],
        measures: Measures,
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
            self._draw_edge(route, places, middle, measures, look=_look(route, layers, boxes))
        for key, box in boxes.items():
            item = NodeItem(box, places[key].width, measures.node_height, self._theme)
            item.setPos(middle + places[key].x, places[key].y)
            self.addItem(item)
            self.boxes[side, key] = item
        return left_edge + width

    def _draw_edge(
        self,
        route: tuple[Key, ...],
        places: dict[Key, Spot],
        middle: float,
        measures: Measures,
        look: EdgeLook,
    ) -> None:
        half = measures.node_height / 2
        first, last = places[route[0]], places[route[-1]]
        # Through a layer edges run straight, between layers they curve.
        points = [QPointF(middle + first.x, first.y + half)]
        for key in route:
            spot = places[key]
            points += [QPointF(middle + spot.x, edge) for edge in (spot.top, spot.bottom)]
        points = [points[0], *points[2:-1], QPointF(middle + last.x, last.y - half)]
        self.addItem(EdgeItem(points, self._theme, look))


def _look(route: tuple[Key, ...], layers: SideLayers, boxes: dict[Key, Box]) -> EdgeLook:
    if (route[0], route[-1]) in layers.lost:
        return EdgeLook.LOST
    ends = (boxes[route[0]], boxes[route[-1]])
    return EdgeLook.MORE if any(isinstance(box.node, More) for box in ends) else EdgeLook.PLAIN


def _measures(boxes: Sequence[dict[Key, Box]], available: float) -> Measures:
    metrics = QFontMetricsF(label_font(bold=True))
    every = [box for side in boxes for box in side.values()]
    wanted = max(metrics.horizontalAdvance(elided(box, metrics, 1e6)) for box in every) + 14
    width = min(max(wanted, _NARROWEST), max(_WIDEST, available * _SHARE_ALONE))
    in_steps = min(width, max(available * _SHARE, _NARROWEST))
    return Measures(width, in_steps, metrics.height() + 8, available=max(available, width))


def _box(
    side: Side, node: Node, trace: Trace, comparison: Comparison | None, *, focus: bool
) -> Box:
    if isinstance(node, More):
        count = node.count
        text = QCoreApplication.translate("DataflowView", "+ %n more", "", count)
        return Box(side, node, text, "", None, False, True, text)
    state = int(comparison.side(side).state[node]) if comparison is not None else State.EQUAL
    op = trace.op(node)
    written = [f"→ {operand}" for operand in op.outputs[:4]]
    read = [f"← {operand}" for operand in op.inputs[:4]]
    tooltip = "\n".join((f"{op.type} {op.line}", *written, *read, *filter(None, [op.scope])))
    outside = state in (State.OUTSIDE, State.NOISE)
    return Box(
        side, node, op.type, str(op.line), kind_of(state), focus, outside and not focus, tooltip
    )
