"""What lies around one op in the dataflow, cut down to what a small picture can hold."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opdiff.trace import Role, Trace
from opdiff.trace.traits import Trait

if TYPE_CHECKING:
    # At run time where it is needed: its import takes a third of the start.
    import networkx as nx

FAN = 6
"""How many producers or consumers of one op are drawn; hubs have thousands."""
LIMIT = 48
"""How many ops are drawn in all."""


@dataclass(frozen=True, slots=True)
class More:
    """Stands for the neighbours of an op that are not drawn."""

    row: int
    upward: bool
    count: int


Node = int | More


@dataclass(frozen=True, slots=True)
class Reading:
    """How a side is to be looked at: plain facts of the comparison, asked row by row."""

    hidden: Callable[[int], bool]
    """Noise that is not drawn."""
    inserted: Callable[[int], bool]
    """Without a counterpart."""
    differs: Callable[[int], bool]


PLAIN = Reading(lambda row: False, lambda row: False, lambda row: False)
"""Before anything is compared."""


def is_copy(trace: Trace, row: int) -> bool:
    """Whether an op only hands on what it reads, in another layout, dtype or place."""
    return bool(trace.traits[row] & Trait.PASSES_ON) or trace.role[row] == Role.COPY


def surroundings(trace: Trace, focus: int, depth: int, reading: Reading = PLAIN) -> nx.DiGraph:
    """The ops within *depth* steps of one, as a graph of rows and :class:`More`.

    Copies that only one side makes cost no step, so that both sides reach equally far.
    """
    import networkx as nx

    graph: nx.DiGraph = nx.DiGraph()
    graph.add_node(focus)
    for upward in (True, False):
        _walk(graph, trace, focus, depth, reading, upward)
    _join(graph, trace)
    return graph


def among(trace: Trace, rows: Iterable[int]) -> nx.DiGraph:
    """Just these ops and the edges between them."""
    import networkx as nx

    graph: nx.DiGraph = nx.DiGraph()
    graph.add_nodes_from(rows)
    _join(graph, trace)
    return graph


def _walk(
    graph: nx.DiGraph, trace: Trace, focus: int, depth: int, reading: Reading, upward: bool
) -> None:
    steps_left = {focus: depth}
    waiting = deque([focus])
    while waiting:
        here = waiting.popleft()
        if steps_left[here] <= 0:
            continue
        others = list(_neighbours(trace, here, reading, upward))
        drawn = _most_telling(others, here, graph, reading)
        for other in drawn:
            graph.add_edge(*((other, here) if upward else (here, other)))
            free = reading.inserted(other) and is_copy(trace, other)
            left = steps_left[here] - (0 if free else 1)
            if left > steps_left.get(other, -1):
                steps_left[other] = left
                waiting.append(other)
        if len(drawn) < len(others):
            more = More(here, upward, len(others) - len(drawn))
            graph.add_edge(*((more, here) if upward else (here, more)))


def _neighbours(trace: Trace, row: int, reading: Reading, upward: bool) -> Iterable[int]:
    if upward:
        found = dict.fromkeys(int(p) for p in trace.producers(row) if p is not None)
        return (other for other in found if not reading.hidden(other))
    return (int(other) for other in trace.consumers(row) if not reading.hidden(other))


def _most_telling(others: list[int], here: int, graph: nx.DiGraph, reading: Reading) -> list[int]:
    """Those already drawn, then those that differ, then the nearest; in the order of execution."""
    room = min(FAN, max(0, LIMIT - len(graph)))
    if len(others) <= room:
        return others
    ranked = sorted(
        others, key=lambda row: (row not in graph, not reading.differs(row), abs(row - here))
    )
    return sorted(ranked[:room])


def _join(graph: nx.DiGraph, trace: Trace) -> None:
    """Add the edges between drawn ops that no walk went along, as those of a residual."""
    rows = [node for node in graph if not isinstance(node, More)]
    for row in rows:
        known = [int(p) for p in trace.producers(row) if p is not None]
        graph.add_edges_from((producer, row) for producer in known if producer in graph)
