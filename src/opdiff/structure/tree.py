"""One tree of a trace: step, micro-batch, phase, layer, module or function, down to its ops.

Every row belongs to one node, the innermost; a node's rows are those of all nodes below it. Nodes
are columns, as rows are: a million ops may have a hundred thousand of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Ints, Longs
from opdiff.trace.sorting import among

ROOT = 0


class NodeKind(str, Enum):
    """What a node is; the order is that in which they nest."""

    TRACE = "trace"
    STEP = "step"
    UPDATE = "update"
    BATCH = "micro-batch"
    PHASE = "phase"
    LIST = "list"
    LAYER = "layer"
    REPEAT = "repeat"
    MODULE = "module"
    FUNCTION = "function"

    def __str__(self) -> str:
        return str(self.value)


KINDS = tuple(NodeKind)


class StructureNode(NamedTuple):
    """One part of a trace."""

    id: int
    what: NodeKind
    name: str
    """Of phases, lists, modules and functions; empty for all others."""
    number: int
    """Of steps, micro-batches and layers, from 0 on; -1 for all others."""
    parent: int
    """-1 for the trace itself."""
    ops: int
    first_row: int
    last_row: int
    """Between the first and the last there may be rows of others."""


@dataclass(frozen=True)
class Structure:
    """What a trace is made of; nodes are numbered so that each comes before its parts."""

    of_row: Ints
    """Of each row, the innermost node it belongs to."""
    parent: Ints
    end: Ints
    """Of each node, the number behind its last part: its parts are ``node + 1`` up to that."""
    depth: Ints
    kind: NDArray[np.int8]
    """Of each node, its place among ``KINDS``."""
    number: Ints
    label: Ints
    names: tuple[str, ...]
    """What the labels of nodes stand for."""
    ops: Longs
    first: Longs
    last: Longs

    def __len__(self) -> int:
        return len(self.parent)

    def node(self, number: int) -> StructureNode:
        """One node."""
        return StructureNode(
            number,
            KINDS[self.kind[number]],
            self.names[self.label[number]],
            int(self.number[number]),
            int(self.parent[number]),
            int(self.ops[number]),
            int(self.first[number]),
            int(self.last[number]),
        )

    def children(self, node: int) -> Iterator[int]:
        """The parts of a node, in the order in which they begin."""
        child, end = node + 1, int(self.end[node])
        while child < end:
            yield child
            child = int(self.end[child])

    def walk(self, top: int = ROOT, depth: int | None = None) -> Iterator[int]:
        """A node and all its parts, each before its own parts; down to so many levels."""
        node, end = top, int(self.end[top])
        deepest = None if depth is None else int(self.depth[top]) + depth
        while node < end:
            yield node
            folded = deepest is not None and self.depth[node] >= deepest
            node = int(self.end[node]) if folded else node + 1

    def above(self, node: int) -> list[StructureNode]:
        """The nodes from the outermost down to this one, without the trace itself."""
        found = []
        while node > ROOT:
            found.append(self.node(node))
            node = int(self.parent[node])
        return found[::-1]

    def path(self, row: int) -> list[StructureNode]:
        """The nodes of a row, outermost first, without the trace itself."""
        return self.above(int(self.of_row[row]))

    def ranges(self, node: int) -> list[tuple[int, int]]:
        """The rows of a node: first and last of each stretch of neighbours, ascending."""
        first, last = int(self.first[node]), int(self.last[node])
        here = self.of_row[first : last + 1]
        inside = (here >= node) & (here < self.end[node])
        change = np.flatnonzero(np.diff(np.concatenate(([False], inside, [False]))))
        return [
            (first + start, first + stop - 1)
            for start, stop in zip(change[::2].tolist(), change[1::2].tolist(), strict=True)
        ]

    def rows(self, node: int) -> Longs:
        """All rows of a node, ascending."""
        first, last = int(self.first[node]), int(self.last[node])
        here = self.of_row[first : last + 1]
        return np.flatnonzero((here >= node) & (here < self.end[node])) + first

    def enclosing(self, *kinds: NodeKind) -> Ints:
        """Of each node, the outermost at or above it that is of one of these kinds; else -1."""
        wanted = among(self.kind, [KINDS.index(kind) for kind in kinds])
        found = np.where(wanted, np.arange(len(self)), -1).astype(np.int32)
        for level in self._levels():
            above = found[self.parent[level]]
            found[level] = np.where(above >= 0, above, found[level])
        return found

    def _levels(self) -> list[Longs]:
        """The nodes of each depth, from the first parts of the trace downwards."""
        order = np.argsort(self.depth, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(self.depth[order])) + 1)[1:]
