"""The structure of both traces, found away from the main thread, and what differs where in it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from opdiff.compare import Comparison, Side
from opdiff.report.places import PlaceNames
from opdiff.report.summary_table import SummaryTable, summary_table
from opdiff.structure import Structure, structure_of
from opdiff.structure.part_names import PartNames
from opdiff.trace import Trace
from opdiff.trace.columns import Ints, Longs
from opdiff.ui.store import Store

_LOOK_MS = 15


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
class PartCounts:
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


def part_counts_of(
    comparison: Comparison, visible: Longs, anywhere: Longs, known: PartCounts | None
) -> PartCounts:
    """Count what the filters let through of a comparison by parts."""
    nodes = PlaceNames(comparison).nodes
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
    return PartCounts(
        comparison, anywhere, table, (counts[0], counts[1]), (suspects[0], suspects[1])
    )


def _with_parts(structure: Structure, nodes: Ints) -> Longs:
    """Of each part, how many of the nodes are it or lie in it; those below 0 are nowhere."""
    nodes = nodes[nodes >= 0]
    before = np.concatenate(([0], np.cumsum(np.bincount(nodes, minlength=len(structure)))))
    inside: Longs = before[structure.end] - before[:-1]
    return inside


_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="structure")


class Structures(QObject):
    """The structure of both traces and where their differences are, once they are found.

    Signals: ``found(side)`` when the structure of a side is there, or gone; ``counted()`` when the
    differences have been counted by parts, or are gone.
    """

    found = Signal(int)
    counted = Signal()

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._store = store
        self._outlines: dict[Side, OutlineIndex] = {}
        self.part_counts: PartCounts | None = None
        """Where the differences are; None while that is not known."""
        self._waiting: list[tuple[Future[Any], Callable[[Any], None]]] = []
        # Looked at from here: a signal from the thread would have to outlive what it is sent to.
        self._look = QTimer(self, interval=_LOOK_MS)
        self._look.timeout.connect(self._collect)
        store.traceChanged.connect(lambda side: self._trace_changed(Side(side)))
        store.comparisonChanged.connect(self._forget)
        store.visibleChanged.connect(self._count)

    def outline(self, side: Side) -> OutlineIndex | None:
        """The structure of one side; None while it is not known."""
        return self._outlines.get(side)

    def wait(self) -> None:
        """Return when no thread is at work: for closing the window."""
        self._look.stop()
        for outcome, _ in self._waiting:
            outcome.cancel()
        wait([outcome for outcome, _ in self._waiting])
        self._waiting.clear()

    def _trace_changed(self, side: Side) -> None:
        trace = self._store.trace(side)
        self._outlines.pop(side, None)
        self.found.emit(int(side))
        if trace is None:
            return

        def take(outline: OutlineIndex) -> None:
            if self._store.trace(side) is trace:
                self._outlines[side] = outline
                self.found.emit(int(side))

        self._begin(lambda: outline_index(trace), take)

    def _forget(self) -> None:
        self.part_counts = None
        self.counted.emit()

    def _count(self) -> None:
        """Count what the filters let through; what was counted before is told until then."""
        comparison, visible, known = self._store.comparison, self._store.visible, self.part_counts
        if comparison is None:
            return
        anywhere = self._store.anywhere()

        def take(part_counts: PartCounts) -> None:
            if self._store.comparison is comparison and self._store.visible is visible:
                self.part_counts = part_counts
                self.counted.emit()

        self._begin(lambda: part_counts_of(comparison, visible, anywhere, known), take)

    def _begin(self, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        self._waiting.append((_thread.submit(work), then))
        self._look.start()

    def _collect(self) -> None:
        done = [item for item in self._waiting if item[0].done()]
        self._waiting = [item for item in self._waiting if not item[0].done()]
        if not self._waiting:
            self._look.stop()
        for outcome, then in done:
            then(outcome.result())
