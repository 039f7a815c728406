"""The store of the window: the traces, what is asked of them, the answer and the place in it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from opdiff.compare import Comparison, Divergence, Group, Kind, Request, Side
from opdiff.compare.comparison import Note
from opdiff.report.flags import NO_FLAGS, ToolFlags
from opdiff.session import Work
from opdiff.trace import Trace
from opdiff.trace.columns import Longs
from opdiff.ui.differences.outline import Order, Outline

_NONE: Longs = np.empty(0, np.int64)


class Store(QObject):
    """The one model of the window; every part of it listens here and changes things here.

    Signals: ``traceChanged(side)``, ``workChanged(before, after, label)``,
    ``comparisonChanged(comparison or None)``, ``visibleChanged()`` when the filters let other
    divergences through, ``orderChanged(order)`` when they stand in another order,
    ``currentChanged(index)`` with -1 for none.
    """

    traceChanged = Signal(int)
    workChanged = Signal(object, object, str)
    comparisonChanged = Signal(object)
    visibleChanged = Signal()
    orderChanged = Signal(object)
    currentChanged = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._traces: dict[Side, Trace] = {}
        self._work = Work()
        self._comparison: Comparison | None = None
        self._visible = _NONE
        self._kept: NDArray[np.bool_] | None = None
        self._outline = Outline()
        self._current: int | None = None
        self.flags: ToolFlags = NO_FLAGS
        """What another tool flagged of these traces."""

    @property
    def work(self) -> Work:
        """What the user has decided so far."""
        return self._work

    @property
    def comparison(self) -> Comparison | None:
        """The latest answer, or None."""
        return self._comparison

    @property
    def visible(self) -> Longs:
        """Indices of the divergences that the filters let through, nearest the anchor first."""
        return self._visible

    @property
    def outline(self) -> Outline:
        """The groups that the filters let through, as they are listed and walked."""
        return self._outline

    @property
    def current(self) -> int | None:
        """The divergence the user is looking at."""
        return self._current

    @property
    def current_divergence(self) -> Divergence | None:
        """The divergence the user is looking at, itself."""
        if self._comparison is None or self._current is None:
            return None
        return self._comparison.divergences[self._current]

    def trace(self, side: Side) -> Trace | None:
        """The trace on one side, or None."""
        return self._traces.get(side)

    def both(self) -> tuple[Trace, Trace] | None:
        """The two traces, once there are two."""
        left, right = self.trace(Side.LEFT), self.trace(Side.RIGHT)
        return (left, right) if left is not None and right is not None else None

    def paths(self) -> dict[Side, str]:
        """Where the traces that are open come from."""
        return {side: trace.source.path for side, trace in self._traces.items()}

    def setTrace(self, side: Side, trace: Trace) -> None:
        """Open another trace: what was said of the old one no longer holds."""
        # First, while everybody still knows the trace that the answer and the place speak of.
        self.setComparison(None)
        self._traces[side] = trace
        asked = self._work.request
        request = Request(direction=asked.direction, ancestors=asked.ancestors, rules=asked.rules)
        before = self._work
        # Before anybody hears of it: no anchor or pin of the old trace is a row of the new one.
        # Nor are kinds hidden that nobody has seen yet.
        kept = replace(before, request=request, hidden_kinds=frozenset())
        self._work = kept.with_anchor(side.other, before.anchor(side.other))
        self.traceChanged.emit(int(side))
        if self._work != before:
            self.workChanged.emit(before, self._work, "")

    def setWork(self, work: Work, label: str = "") -> None:
        """The one way to change what the user has decided; *label* says what undoing takes back."""
        before = self._work
        if work == before:
            return
        self._work = work
        if self._filters(work) != self._filters(before):
            self._filter()
        self.workChanged.emit(before, work, label)

    def setAnchor(self, side: Side, row: int | None) -> None:
        """Anchor a side at a row of its trace; one that it does not have is no anchor."""
        trace = self.trace(side)
        if row is not None and (trace is None or not 0 <= row < len(trace)):
            return
        label = self.tr("left anchor") if side is Side.LEFT else self.tr("right anchor")
        self.setWork(self._work.with_anchor(side, row), label)

    def setComparison(self, comparison: Comparison | None) -> None:
        """Keep an answer; the place in the old one is forgotten."""
        if comparison is self._comparison:
            return
        self._comparison = comparison
        self._current = None
        self._kept = None
        self._let_through()
        self.comparisonChanged.emit(comparison)
        self.visibleChanged.emit()
        self.currentChanged.emit(-1)

    def setCurrent(self, index: int | None) -> None:
        """Look at another divergence."""
        if index == self._current:
            return
        self._current = index
        self.currentChanged.emit(-1 if index is None else index)

    def narrow(self, kept: NDArray[np.bool_] | None) -> None:
        """Let only these divergences through, of those that the filters let; None for all."""
        self._kept = kept
        self._filter()

    def groups(self) -> list[Group]:
        """The groups that are let through, each with those of its members that are."""
        if self._comparison is None:
            return []
        shown = [group for group in self._comparison.groups if self._work.shows(group)]
        if self._kept is None:
            return shown
        kept = self._kept.tolist()
        left = self._count_in_groups().tolist()
        return [
            group
            if left[group.id] == group.count
            else replace(group, members=tuple(each for each in group.members if kept[each]))
            for group in shown
            if left[group.id]
        ]

    def anywhere(self) -> Longs:
        """Indices of the divergences that the filters would let through without that by place."""
        if self._comparison is None:
            return _NONE
        shown = np.array([self._work.shows(group) for group in self._comparison.groups], np.bool_)
        return np.flatnonzero(shown[self._comparison.group_of])

    def kind_counts(self) -> Counter[Kind]:
        """How many of each kind that occurs the filters would let through without that by kind."""
        if self._comparison is None:
            return Counter()
        groups, count = self._comparison.groups, self._count_in_groups()
        if self._work.known_hidden:
            count[[group.id for group in groups if self._work.is_known(group)]] = 0
        kinds = list(Kind)
        place = {id(kind): at for at, kind in enumerate(kinds)}  # hashing each would be felt
        of_kind = np.fromiter((place[id(group.kind)] for group in groups), np.int64, len(groups))
        sums = np.bincount(of_kind, count, len(kinds))
        return Counter({kinds[at]: int(sums[at]) for at in np.unique(of_kind)})

    def _count_in_groups(self) -> Longs:
        """How many of each group are where one looks."""
        assert self._comparison is not None
        of_group = self._comparison.group_of
        here = of_group if self._kept is None else of_group[self._kept]
        return np.bincount(here, minlength=len(self._comparison.groups))

    def shows(self, index: int) -> bool:
        """Whether the filters let a divergence through."""
        place = int(np.searchsorted(self._visible, index))
        return place < len(self._visible) and int(self._visible[place]) == index

    def setOrder(self, order: Order) -> None:
        """List and walk the divergences in another order."""
        if order is not self._outline.order:
            self._outline = Outline(self._comparison, self.groups(), order)
            self.orderChanged.emit(order)

    def position(self) -> int | None:
        """Which of the visible divergences is the current one, from 0, in the order of the list."""
        return None if self._current is None else self._outline.place(self._current)

    def neighbour(self, step: int) -> int | None:
        """The next (1) or previous (-1) divergence in the order of the list, None at the end."""
        return self._outline.neighbour(self._current, step)

    def anchor_hint(self) -> Note | None:
        """Where other anchors near by would fit better."""
        return None if self._comparison is None else self._comparison.anchor_hint

    def lead(self) -> int | None:
        """Where to look first: at what values call the cause; None where they tell of none."""
        comparison = self._comparison
        if comparison is None or self.first_value_difference() is None:
            return None
        first = next(iter(self.groups()), None)
        return None if first is None else comparison.as_read(first.members)[0]

    def first_value_difference(self) -> int | None:
        """The first cause that values tell, in the order in which ops ran."""
        comparison = self._comparison
        if comparison is None or comparison.values is None:
            return None
        causes = [
            index
            for group in comparison.groups
            if group.kind is Kind.VALUE and not group.quiet
            for index in group.members
        ]
        return next(iter(comparison.as_read(causes)), None)

    @staticmethod
    def _filters(work: Work) -> tuple[object, ...]:
        return work.hidden_kinds, work.known_hidden, work.known_kinds, work.known_groups

    def _filter(self) -> None:
        self._let_through()
        self.visibleChanged.emit()

    def _let_through(self) -> None:
        self._outline = Outline(self._comparison, self.groups(), self._outline.order)
        self._visible = self._outline.ascending()
