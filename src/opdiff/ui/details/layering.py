"""Both sides of a dataflow in common layers, so that counterparts stand at the same height."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from opdiff.ui.details.surroundings import Around, More, Node

if TYPE_CHECKING:
    # At run time where it is needed: its import takes a third of the start.
    import networkx as nx

Key = Hashable
"""A node of both sides: a pair is one key."""

_SWEEPS = 4


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
    nodes: dict[Key, Node] = field(default_factory=dict)
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
) -> tuple[dict[Node, Key], dict[Node, Key]]:
    left_keys: dict[Node, Key] = {}
    right_keys: dict[Node, Key] = {}
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


def _renamed(side: Around | None, keys: dict[Node, Key]) -> nx.DiGraph:
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


def _side_layers(graph: nx.DiGraph, order: LayerOrder, names: dict[Node, Key]) -> SideLayers:
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
