"""From layers to places: every node near those it is connected with, none over another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil

from opdiff.ui.details.layering import Bend, Key, SideLayers

_ROUNDS = 6
_MOST_STEPS = 3


@dataclass(frozen=True, slots=True)
class BoxSizes:
    """Sizes in pixels before zooming."""

    node_width: float
    step_width: float
    """The width of nodes in layers that are drawn in steps."""
    node_height: float
    column_gap: float = 14
    layer_gap: float = 22
    step_gap: float = 8
    bend_width: float = 10
    available: float = 160
    """The width that layers should keep to; wider ones are drawn in steps."""


@dataclass(frozen=True, slots=True)
class Position:
    """The middle and width of a node or bend, and where its layer begins and ends."""

    x: float
    y: float
    width: float
    top: float
    bottom: float


def layer_steps(sides: Sequence[SideLayers], measures: BoxSizes) -> list[int]:
    """In how many steps each layer is drawn, the same on both sides."""
    count = max((len(side.layers) for side in sides), default=0)
    steps = [1] * count
    for side in sides:
        for index, layer in enumerate(side.layers):
            wanted = ceil(_packed_width(layer, measures) / max(measures.available, 1))
            nodes = sum(not isinstance(key, Bend) for key in layer)
            steps[index] = max(steps[index], min(wanted, _MOST_STEPS, max(nodes, 1)))
    return steps


def place(side: SideLayers, steps: Sequence[int], measures: BoxSizes) -> dict[Key, Position]:
    """Places of all keys and bends of one side, around x = 0."""
    x = _columns(side, steps, measures)
    places: dict[Key, Position] = {}
    top = 0.0
    pitch = measures.node_height + measures.step_gap
    for layer, rows in zip(side.layers, steps, strict=False):
        height = pitch * rows - measures.step_gap
        steps_down = _steps_down(layer, rows)
        for key in layer:
            down = steps_down[key] * pitch
            y = top + down + measures.node_height / 2
            places[key] = Position(x[key], y, _width(key, rows, measures), top, top + height)
        top += height + measures.layer_gap
    return places


def _steps_down(layer: list[Key], rows: int) -> dict[Key, float]:
    """How far down in its layer each stands: nodes in turn, one alone and bends in the middle."""
    middle = (rows - 1) / 2
    nodes = [key for key in layer if not isinstance(key, Bend)]
    if len(nodes) == 1:
        return dict.fromkeys(layer, middle)
    turn = {key: float(number % rows) for number, key in enumerate(nodes)}
    return {key: turn.get(key, middle) for key in layer}


def _columns(side: SideLayers, steps: Sequence[int], measures: BoxSizes) -> dict[Key, float]:
    above: dict[Key, list[Key]] = {}
    below: dict[Key, list[Key]] = {}
    for route in side.edges:
        for upper, lower in pairwise(route):
            below.setdefault(upper, []).append(lower)
            above.setdefault(lower, []).append(upper)
    x: dict[Key, float] = {key: 0.0 for layer in side.layers for key in layer}

    def arrange(number: int, *near: dict[Key, list[Key]]) -> None:
        layer = side.layers[number]
        wanted = [
            _mean([x[other] for known in near for other in known.get(key, ())]) for key in layer
        ]
        gaps = _separations(layer, steps[number], measures)
        x.update(zip(layer, spread(wanted, gaps), strict=True))

    numbers = range(len(side.layers))
    for turn in range(_ROUNDS):
        for number in numbers if turn % 2 == 0 else reversed(numbers):
            arrange(number, above, below)
    # Last from the middle outwards, so that chains hang straight.
    for number in range(side.middle - 1, -1, -1):
        arrange(number, below)
    for number in range(side.middle + 1, len(side.layers)):
        arrange(number, above)
    return x


def spread(wanted: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """The places nearest the wanted ones that keep their order and the gaps between neighbours.

    Least squares by pooling adjacent violators.
    """
    offsets = [0.0]
    for gap in gaps:
        offsets.append(offsets[-1] + gap)
    blocks: list[tuple[float, int]] = []
    for value, offset in zip(wanted, offsets, strict=False):
        total, count = value - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            before, size = blocks.pop()
            total, count = total + before, count + size
        blocks.append((total, count))
    level = [total / count for total, count in blocks for _ in range(count)]
    return [value + offset for value, offset in zip(level, offsets, strict=False)]


def _separations(layer: list[Key], rows: int, measures: BoxSizes) -> list[float]:
    gaps = [
        ((a + b) / 2 + measures.column_gap) / rows
        for a, b in pairwise(_width(key, rows, measures) for key in layer)
    ]
    nodes = sum(not isinstance(key, Bend) for key in layer)
    if rows > 1 and nodes <= rows:
        # Each has a step of its own: they may stand as close as the room wants it.
        most = max(measures.available - measures.step_width, measures.bend_width)
        share = min(1.0, most / max(sum(gaps), 1.0))
        gaps = [gap * share for gap in gaps]
    return gaps


def _packed_width(layer: list[Key], measures: BoxSizes) -> float:
    widths = [_width(key, 1, measures) for key in layer]
    return sum(widths) + measures.column_gap * (len(widths) - 1)


def _width(key: Key, rows: int, measures: BoxSizes) -> float:
    if isinstance(key, Bend):
        return measures.bend_width
    return measures.node_width if rows == 1 else measures.step_width


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
