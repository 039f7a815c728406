"""The dataflow around the shown ops on both sides, and the edges that one side lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from opdiff.compare import Comparison, Kind, Side
from opdiff.trace import Trace
from opdiff.ui.details.layering import Around
from opdiff.ui.details.pairing import ShownPair, fusion, reading
from opdiff.ui.details.surroundings import More, among, surroundings

if TYPE_CHECKING:
    # At run time where it is needed: its import takes a third of the start.
    import networkx as nx

_LOSING = frozenset({Kind.CPU_FALLBACK, Kind.DATAFLOW})
"""Kinds of ops whose edges the other side does not have."""


def around_both(
    traces: Sequence[Trace | None], comparison: Comparison | None, shown: ShownPair, depth: int
) -> list[Around | None]:
    """The surroundings a side, None where there is nothing to draw.

    An op without counterpart stands between the counterparts of its neighbours. Where the
    comparison says that an op lost its links, what they led to is drawn all the same, the edge
    marked ``lost``.
    """
    found = [_around(side, traces[side], comparison, shown, depth) for side in Side]
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


def _around(
    side: Side, trace: Trace | None, comparison: Comparison | None, shown: ShownPair, depth: int
) -> Around | None:
    row = shown.row(side)
    if trace is None or row is None:
        return None
    import networkx as nx

    fused = fusion(comparison, shown)
    rows = fused.rows(side) if fused is not None else (row,)
    view = reading(comparison, side)
    graphs = [surroundings(trace, each, depth, view) for each in rows]
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
