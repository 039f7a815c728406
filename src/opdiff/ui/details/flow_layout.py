"""Both sides of a dataflow in common layers, and from layers to places: none over another."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any

from opdiff.ui.details.surroundings import Around, FlowNode, More

if TYPE_CHECKING:
    # At run time where it is needed: its import takes a third of the start.
    import networkx as nx

Key = Hashable
"""A node of both sides: a pair is one key."""

_SWEEPS = 4
_ROUNDS = 6
_MOST_STEPS = 3


@dataclass(frozen=True, slots=True)
class Bend:
    """Where a long edge passes through a layer."""

    source: Key
    target: Key
    layer: int


@dataclass(slots=True)
class SideLayers:
    """One side, layer by layer from the top, and the way of each edge through the layers."""

    layers: list[list[Key]] = field(default_factory=list)
    nodes: dict[Key, FlowNode] = field(default_factory=dict)
    edges: list[tuple[Key, ...]] = field(default_factory=list)
    lost: set[tuple[Key, Key]] = field(default_factory=set)
    """Edges, by their ends, that only the other side has."""
    middle: int = 0
    """Which layer holds the op that the rest is around."""


def lay_out(
    left: Around | None, right: Around | None, partner: Callable[[int], int]
) -> tuple[SideLayers, SideLayers]:
    """Layers of both sides; *partner* gives the right row of a left one, or -1.

    Where what is above on one side is below on the other, no common layers exist: each side then
    gets its own.
    """
    import networkx as nx

    sides = (left, right)
    names = _keys(left, right, partner)
    graphs = [_renamed(side, keys) for side, keys in zip(sides, names, strict=True)]
    joint = nx.compose(graphs[0], graphs[1])
    focus = next(
        keys[side.focus]
        for side, keys in zip(sides, names, strict=True)
        if side and side.focus is not None
    )
    _drop_strangers(focus, joint, *graphs)
    if nx.is_directed_acyclic_graph(joint):
        orders = [_ordered(joint, _layer_numbers(joint, focus))] * 2
    else:
        orders = [_own_order(graph, focus) for graph in graphs]
    return (
        _side_layers(graphs[0], orders[0], names[0]),
        _side_layers(graphs[1], orders[1], names[1]),
    )


def _keys(
    left: Around | None, right: Around | None, partner: Callable[[int], int]
) -> tuple[dict[FlowNode, Key], dict[FlowNode, Key]]:
    left_keys: dict[FlowNode, Key] = {}
    right_keys: dict[FlowNode, Key] = {}
    pairs: dict[int, int] = {}
    if left and right:
        pairs = {row: partner(row) for row in left.graph if not isinstance(row, More)}
        pairs = {row: other for row, other in pairs.items() if other in right.graph}
        if left.focus is not None and right.focus is not None:
            pairs = {row: other for row, other in pairs.items() if other != right.focus}
            pairs[left.focus] = right.focus
    for side, keys, letter in ((left, left_keys, "L"), (right, right_keys, "R")):
        if side:
            keys.update({row: (letter, row) for row in side.graph if not isinstance(row, More)})
    for row, other in pairs.items():
        left_keys[row] = right_keys[other] = ("=", row)
    for side, keys in ((left, left_keys), (right, right_keys)):
        if side:
            mores = [node for node in side.graph if isinstance(node, More)]
            keys.update({more: ("+", keys[more.row], more.upward) for more in mores})
    return left_keys, right_keys


def _renamed(side: Around | None, keys: dict[FlowNode, Key]) -> nx.DiGraph:
    import networkx as nx

    graph: nx.DiGraph = nx.DiGraph()
    if side:
        graph.add_nodes_from(keys[node] for node in side.graph)
        graph.add_edges_from(
            (keys[a], keys[b], facts) for a, b, facts in side.graph.edges(data=True)
        )
    return graph


def _drop_strangers(focus: Key, whole: nx.DiGraph, *parts: nx.DiGraph) -> None:
    """Forget what neither leads to the op in the middle nor comes from it."""
    import networkx as nx

    related = {focus} | nx.ancestors(whole, focus) | nx.descendants(whole, focus)
    for graph in (whole, *parts):
        graph.remove_nodes_from([key for key in graph if key not in related])


def _layer_numbers(graph: nx.DiGraph, focus: Key) -> dict[Key, int]:
    """Steps from the focus on the longest way: negative above it, positive below."""
    import networkx as nx

    numbers: dict[Key, int] = {}
    above = graph.subgraph(nx.ancestors(graph, focus) | {focus}).reverse()
    below = graph.subgraph(nx.descendants(graph, focus) | {focus})
    for part, sign in ((above, -1), (below, 1)):
        for step, generation in enumerate(nx.topological_generations(part)):
            numbers.update(dict.fromkeys(generation, sign * step))
    return numbers


LayerOrder = dict[int, list[Key]]


def _own_order(graph: nx.DiGraph, focus: Key) -> LayerOrder:
    if focus not in graph:
        graph.clear()
        return {}
    _drop_strangers(focus, graph)
    return _ordered(graph, _layer_numbers(graph, focus))


def _ordered(graph: nx.DiGraph, number: dict[Key, int]) -> LayerOrder:
    """Each layer's keys and bends from left to right, with few crossings."""
    way: dict[Key, set[Key]] = {}
    layers: LayerOrder = {}
    for key in graph:
        layers.setdefault(number[key], []).append(key)
    for source, target in graph.edges:
        route = _route(source, target, number)
        for bend in route[1:-1]:
            layers[bend.layer].append(bend)
        for upper, lower in pairwise(route):
            way.setdefault(upper, set()).add(lower)
            way.setdefault(lower, set()).add(upper)
    for keys in layers.values():
        keys.sort(key=_reading_order)
    for sweep in range(_SWEEPS):
        _sweep(layers, way, downward=sweep % 2 == 1)
    return layers


def _reading_order(key: Any) -> tuple[int, int]:
    if isinstance(key, Bend):
        return _reading_order(key.source)
    if key[0] == "+":
        return 1, 0
    return 0, key[1]


def _sweep(layers: LayerOrder, way: dict[Key, set[Key]], *, downward: bool) -> None:
    numbers = sorted(layers, reverse=not downward)
    for fixed, moving in pairwise(numbers):
        place = {key: position for position, key in enumerate(layers[fixed])}
        middle = len(place) / 2

        def centre(key: Key, place: dict[Key, int] = place, middle: float = middle) -> float:
            near = [place[other] for other in way.get(key, ()) if other in place]
            return sum(near) / len(near) if near else middle

        layers[moving].sort(key=centre)


def _route(source: Key, target: Key, number: dict[Key, int]) -> tuple[Any, ...]:
    between = range(number[source] + 1, number[target])
    return (source, *(Bend(source, target, layer) for layer in between), target)


def _side_layers(graph: nx.DiGraph, order: LayerOrder, names: dict[FlowNode, Key]) -> SideLayers:
    """Of layers that both sides share, what this side has."""
    number = {key: layer for layer, keys in order.items() for key in keys}
    edges = [_route(source, target, number) for source, target in graph.edges]
    mine = {key for route in edges for key in route} | set(graph)
    span = range(min(order), max(order) + 1) if order else range(0)
    return SideLayers(
        layers=[[key for key in order[layer] if key in mine] for layer in span],
        nodes={key: node for node, key in names.items() if key in number},
        edges=edges,
        lost={edge for edge, facts in graph.edges.items() if facts.get("lost")},
        middle=-span.start if span else 0,
    )


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
    """The middle and width of a node or bend, and where its layer begins and ends.

    Edges come in at one x and leave at another: in steps its neighbours stand above and below it.
    """

    x: float
    y: float
    width: float
    top: float
    bottom: float
    into: float
    out: float


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
        steps_down, docks = _steps_down(layer, rows), _docks(layer, rows, x, measures)
        for key in layer:
            y = top + steps_down[key] * pitch + measures.node_height / 2
            width = _width(key, rows, measures)
            places[key] = Position(x[key], y, width, top, top + height, *docks[key])
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


def _docks(
    layer: list[Key], rows: int, x: dict[Key, float], measures: BoxSizes
) -> dict[Key, tuple[float, float]]:
    """Where edges come to each and leave it: in steps, where no neighbour hides them."""
    into, out = dict(x), dict(x)
    nodes = [key for key in layer if not isinstance(key, Bend)]
    for number, (upper, lower) in enumerate(pairwise(nodes), 1):
        if number % rows:
            free = min(measures.column_gap, x[lower] - x[upper]) / 2
            beside = measures.step_width / 2 + free
            into[lower] = max(x[lower], x[upper] + beside)
            out[upper] = min(x[upper], x[lower] - beside)
    return {key: (into[key], out[key]) for key in layer}


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
