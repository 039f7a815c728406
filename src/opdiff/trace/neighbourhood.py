"""A piece of the dataflow as a networkx graph, for views and graph algorithms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

if TYPE_CHECKING:
    from opdiff.trace.model import Trace


def neighbourhood(trace: Trace, row: int, up: int, down: int) -> nx.DiGraph[int]:
    """Rows as nodes, an edge from each producer to each of its consumers.

    Edges carry ``memory``: the ids of the blocks that flow along them, ascending.
    """
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_node(int(row))
    _walk(graph, trace, row, up, upward=True)
    _walk(graph, trace, row, down, upward=False)
    return graph


def _walk(graph: nx.DiGraph[int], trace: Trace, row: int, depth: int, *, upward: bool) -> None:
    frontier = [int(row)]
    seen = {int(row)}
    for _ in range(depth):
        found: list[int] = []
        for here in frontier:
            if upward:
                others = [int(p) for p in trace.producers(here) if p is not None]
            else:
                others = [int(c) for c in trace.consumers(here)]
            for other in others:
                _connect(graph, trace, *((other, here) if upward else (here, other)))
                if other not in seen:
                    seen.add(other)
                    found.append(other)
        frontier = found


def _connect(graph: nx.DiGraph[int], trace: Trace, producer: int, consumer: int) -> None:
    if consumer in graph.adj.get(producer, ()):
        return
    inputs = trace.inputs
    first = int(inputs.start[consumer])
    memory = sorted(
        {
            int(inputs.memory[first + slot])
            for slot, writer in enumerate(trace.producers(consumer))
            if writer == producer
        }
    )
    graph.add_edge(producer, consumer, memory=memory)
