"""The dataflow around the shown ops on both sides, cut down to what a small picture can hold."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opdiff.compare import Comparison, Kind, Side
from opdiff.trace import Trace
from opdiff.ui.details.pairing import ComparedTrace, ShownPair

if TYPE_CHECKING:
    # At run time where it is needed: its import takes a third of the start.
    import networkx as nx

FAN = 6
"""How many producers or consumers of one op are drawn; hubs have thousands."""
LIMIT = 48
"""How many ops are drawn in all."""
_LOSING = frozenset({Kind.CPU_FALLBACK, Kind.DATAFLOW})
"""Kinds of ops whose edges the other side does not have."""


@dataclass(frozen=True, slots=True)
class More:
    """Stands for the neighbours of an op that are not drawn."""

    row: int
    upward: bool
    count: int


FlowNode = int | More


@dataclass(frozen=True, slots=True)
class Around:
    """The graph of one side and the op in its middle, None where only its neighbours are here."""

    graph: nx.DiGraph
    focus: int | None


def surroundings(side: ComparedTrace, focus: int, depth: int) -> nx.DiGraph:
    """The ops within *depth* steps of one, as a graph of rows and :class:`More`.

    Copies that only one side makes cost no step, so that both sides reach equally far.
    """
    import networkx as nx

    graph: nx.DiGraph = nx.DiGraph()
    graph.add_node(focus)
    for upward in (True, False):
        _walk(graph, side, focus, depth, upward)
    _join(graph, side.trace)
    return graph


def among(trace: Trace, rows: Iterable[int]) -> nx.DiGraph:
    """Just these ops and the edges between them."""
    import networkx as nx

    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(rows)
    _join(graph, trace)
    return graph


def _walk(graph: nx.DiGraph, side: ComparedTrace, focus: int, depth: int, upward: bool) -> None:
    steps_left = {focus: depth}
    waiting = deque([focus])
    while waiting:
        here = waiting.popleft()
        if steps_left[here] <= 0:
            continue
        others = list(_neighbours(side, here, upward))
        drawn = _most_telling(others, here, graph, side)
        for other in drawn:
            graph.add_edge(*((other, here) if upward else (here, other)))
            left = steps_left[here] - (0 if side.is_inserted_copy(other) else 1)
            if left > steps_left.get(other, -1):
                steps_left[other] = left
                waiting.append(other)
        if len(drawn) < len(others):
            more = More(here, upward, len(others) - len(drawn))
            graph.add_edge(*((more, here) if upward else (here, more)))


def _neighbours(side: ComparedTrace, row: int, upward: bool) -> Iterable[int]:
    if upward:
        found = dict.fromkeys(int(p) for p in side.trace.producers(row) if p is not None)
        return (other for other in found if not side.is_hidden(other))
    return (int(other) for other in side.trace.consumers(row) if not side.is_hidden(other))


def _most_telling(
    others: list[int], here: int, graph: nx.DiGraph, side: ComparedTrace
) -> list[int]:
    """Those already drawn, then those that differ, then the nearest; in the order of execution."""
    room = min(FAN, max(0, LIMIT - len(graph)))
    if len(others) <= room:
        return others
    ranked = sorted(
        others, key=lambda row: (row not in graph, not side.differs(row), abs(row - here))
    )
    return sorted(ranked[:room])


def _join(graph: nx.DiGraph, trace: Trace) -> None:
    """Add the edges between drawn ops that no walk went along, as those of a residual."""
    rows = [node for node in graph if not isinstance(node, More)]
    for row in rows:
        known = [int(p) for p in trace.producers(row) if p is not None]
        graph.add_edges_from((producer, row) for producer in known if producer in graph)


def around_both(shown: ShownPair, depth: int) -> list[Around | None]:
    """The surroundings a side, None where there is nothing to draw.

    An op without counterpart stands between the counterparts of its neighbours. Where the
    comparison says that an op lost its links, what they led to is drawn all the same, the edge
    marked ``lost``.
    """
    found = [_around(shown, side, depth) for side in Side]
    comparison = shown.comparison
    if comparison is None:
        return found
    for side in Side:
        here, there = found[side], found[side.other]
        if here is not None and there is None:
            found[side.other] = _counterparts_of(here, comparison, side)
    before = [around.graph.copy() if around is not None else None for around in found]
    for side in Side:
        here, seen = found[side], before[side.other]
        if here is not None and here.focus is not None and seen is not None:
            _add_lost(here.graph, seen, comparison, side)
    return found


def _around(shown: ShownPair, side: Side, depth: int) -> Around | None:
    known = shown.compared(side)
    if known is None:
        return None
    import networkx as nx

    (compared, row), fused = known, shown.fusion()
    rows = fused.rows(side) if fused is not None else (row,)
    graphs = [surroundings(compared, each, depth) for each in rows]
    return Around(nx.compose_all(graphs), row)


def _counterparts_of(here: Around, comparison: Comparison, side: Side) -> Around | None:
    partner = comparison.side(side).partner
    rows = [int(partner[node]) for node in here.graph if not isinstance(node, More)]
    known = [row for row in rows if row >= 0]
    return Around(among(comparison.side(side.other).trace, known), None) if known else None


def _add_lost(mine: nx.DiGraph, other: nx.DiGraph, comparison: Comparison, side: Side) -> None:
    import networkx as nx

    partner = comparison.side(side.other).partner
    for source, target in other.edges:
        if isinstance(source, More) or isinstance(target, More):
            continue
        ends = int(partner[source]), int(partner[target])
        if min(ends) < 0 or not any(_lost_links(comparison, side, row) for row in ends):
            continue
        mine.add_nodes_from(ends)
        # Nothing is lost where the way only leads through other ops, or the other way round.
        if not nx.has_path(mine, *ends) and not nx.has_path(mine, *reversed(ends)):
            mine.add_edge(*ends, lost=True)


def _lost_links(comparison: Comparison, side: Side, row: int) -> bool:
    result = comparison.side(side)
    return any(comparison.divergences[index].kind in _LOSING for index in result.records_at(row))
