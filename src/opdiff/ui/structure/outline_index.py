"""A tree of parts as item models ask for it: children by number, and each one's place. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.compare import Comparison, Side
from opdiff.report.places import Places
from opdiff.report.summary_table import SummaryTable, summary_table
from opdiff.structure import Structure, structure_of
from opdiff.structure.part_names import PartNames
from opdiff.trace import Trace
from opdiff.trace.columns import Ints, Longs


@dataclass(frozen=True)
class OutlineIndex:
    """The structure of a trace, with the children of each part side by side.

    A view of memory gives numbers as Python has them, faster than an array: Qt asks for one part
    after the other.
    """

    structure: Structure
    names: PartNames
    start: memoryview
    """The children of part p are ``child[start[p]:start[p + 1]]``."""
    child: memoryview
    place: Longs
    """Of each part, which child of its parent it is."""

    def children(self, node: int) -> int:
        """How many parts a part has."""
        return self.start[node + 1] - self.start[node]

    def part(self, node: int, number: int) -> int | None:
        """One of the parts of a part, from 0; None where it has not so many."""
        at = self.start[node] + number
        return self.child[at] if at < self.start[node + 1] else None


def outline_index(trace: Trace) -> OutlineIndex:
    """The index of a trace's structure."""
    structure = structure_of(trace)
    # Parts are numbered so that those of one parent ascend as they begin.
    order = np.argsort(structure.parent, kind="stable")[1:]
    counts = np.bincount(structure.parent[order], minlength=len(structure))
    start = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    place = np.zeros(len(structure), np.int64)
    place[order] = np.arange(len(order)) - start[structure.parent[order]]
    names = PartNames(structure)
    names.prepare()  # here, not when the window is painted
    return OutlineIndex(structure, names, start.data, order.data, place)


@dataclass(frozen=True)
class Findings:
    """Where the differences of a comparison are."""

    comparison: Comparison
    anywhere: Longs
    """The differences that the filters let through, but for that by place."""
    table: SummaryTable
    """Of these."""
    counts: tuple[Longs, Longs]
    """Of each part of the left and of the right, how many differences are shown in it."""
    suspects: tuple[Longs, Longs]
    """How many of these may change a value."""


def findings_of(
    comparison: Comparison, visible: Longs, anywhere: Longs, known: Findings | None
) -> Findings:
    """Count what the filters let through of a comparison by parts."""
    nodes = Places(comparison).nodes
    suspect = np.array([not group.harmless for group in comparison.groups], np.bool_)
    suspects_of = visible[suspect[comparison.group_of[visible]]]
    counts, suspects = [], []
    for side in Side:
        structure, here = comparison.side(side).structure, nodes[side]
        counts.append(_with_parts(structure, here[visible]))
        suspects.append(_with_parts(structure, here[suspects_of]))
    if known is not None and np.array_equal(known.anywhere, anywhere):
        table = known.table
    else:
        table = summary_table(comparison, anywhere)
    return Findings(comparison, anywhere, table, (counts[0], counts[1]), (suspects[0], suspects[1]))


def _with_parts(structure: Structure, nodes: Ints) -> Longs:
    """Of each part, how many of the nodes are it or lie in it; those below 0 are nowhere."""
    nodes = nodes[nodes >= 0]
    before = np.concatenate(([0], np.cumsum(np.bincount(nodes, minlength=len(structure)))))
    inside: Longs = before[structure.end] - before[:-1]
    return inside
