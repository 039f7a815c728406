"""Divergences as columns while they are collected: a detail, a left row, a right row."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from opdiff.compare.comparison import LostLink
from opdiff.compare.kinds import Kind
from opdiff.compare.matching import Block
from opdiff.trace.columns import Flags, Ints, Longs, marked
from opdiff.wording import Sentence


class Detail(NamedTuple):
    """All that divergences of the same sort have in common."""

    kind: Kind
    title: Sentence
    """What their group is called; the same title means the same group."""
    sentence: Sentence
    known: bool = False
    from_inputs: bool = False
    """Whether the difference shows in an input, so that it may come from upstream."""
    harmless: bool = False
    """Whether it cannot change a value, as far as its sort tells."""
    quiet: bool = False
    """Whether an op that has nothing else is shown as equal."""


class Named(NamedTuple):
    """A detail that only names ops: put into words when asked, there are so many of its sort."""

    kind: Kind
    names: tuple[tuple[str, str], ...]
    """What its group and its sentence call the op, or the ones of both sides."""
    code: str
    """The sentence that says it."""
    number: int | None = None
    """What the sentence counts, if it counts anything."""
    known: bool = False
    from_inputs: bool = True
    harmless: bool = False
    quiet: bool = False

    @property
    def title(self) -> Sentence:
        """What its group is called."""
        return Sentence(f"group.{self.kind.value}", self.names)

    @property
    def sentence(self) -> Sentence:
        """What is said of it."""
        count = () if self.number is None else (("count", self.number),)
        return Sentence(f"divergence.{self.code}", (*self.names, *count))


AnyDetail = Detail | Named


@dataclass(frozen=True)
class Columns:
    """All divergences found, in no particular order."""

    details: tuple[AnyDetail, ...]
    detail: Ints
    left: Ints
    """The (last) left row, -1 where there is none."""
    right: Ints
    more: dict[int, tuple[tuple[int, ...], tuple[int, ...]]]
    """All rows of those that have several on a side."""
    lost: dict[int, tuple[LostLink, ...]]

    @cached_property
    def kind(self) -> Longs:
        """Of each divergence, the number of its kind."""
        numbers = {kind: kind.number for kind in Kind}
        found = np.array([numbers[detail.kind] for detail in self.details], np.int64)
        return found[self.detail]

    def of_kind(self, *kinds: Kind) -> Longs:
        """The divergences of some kinds, ascending."""
        wanted = marked(len(Kind), [kind.number for kind in kinds])
        return np.flatnonzero(wanted[self.kind])

    def by_row(self, counts: tuple[int, int], *kinds: Kind) -> tuple[Longs, Longs]:
        """Of each row of either side, the divergence of some kinds that it has once; or -1."""
        here = self.of_kind(*kinds)
        found = np.full(counts[0], -1), np.full(counts[1], -1)
        for records, rows in zip(found, (self.left[here], self.right[here]), strict=True):
            present = rows >= 0
            records[rows[present]] = here[present]
        return found

    def rows(self, number: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """All rows of a divergence, left and right."""
        several = self.more.get(number)
        if several is not None:
            return several
        left, right = int(self.left[number]), int(self.right[number])
        return ((left,) if left >= 0 else ()), ((right,) if right >= 0 else ())

    def only(self, kept: Flags) -> Columns:
        """The divergences that are kept."""
        number = np.cumsum(kept) - 1
        return Columns(
            self.details,
            self.detail[kept],
            self.left[kept],
            self.right[kept],
            {int(number[at]): rows for at, rows in self.more.items() if kept[at]},
            {int(number[at]): links for at, links in self.lost.items() if kept[at]},
        )

    def retold(self, number: int, detail: Detail) -> Columns:
        """The same with another detail for one of them."""
        details = self.detail.copy()
        details[number] = len(self.details)
        return replace(self, details=(*self.details, detail), detail=details)

    def touching(self, left: Flags, right: Flags) -> Flags:
        """Of each divergence, whether one of its rows is marked."""
        touched = np.zeros(len(self.detail), np.bool_)
        for rows, marks in ((self.left, left), (self.right, right)):
            here = rows >= 0
            touched[here] |= marks[rows[here]]
        for at, (left_rows, right_rows) in self.more.items():
            touched[at] |= bool(left[list(left_rows)].any() or right[list(right_rows)].any())
        return touched


@dataclass
class Findings:
    """Collects divergences."""

    _details: list[AnyDetail] = field(default_factory=list)
    _detail: array[int] = field(default_factory=lambda: array("i"))
    _left: array[int] = field(default_factory=lambda: array("i"))
    _right: array[int] = field(default_factory=lambda: array("i"))
    _more: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=dict)
    _lost: dict[int, tuple[LostLink, ...]] = field(default_factory=dict)

    def add_lots(
        self, details: Sequence[AnyDetail], lots: Sequence[Longs], left: Ints, right: Ints
    ) -> None:
        """Divergences of several sorts, of each those at some places of these rows."""
        sorts = np.repeat(np.arange(len(lots)), [len(lot) for lot in lots])
        every = np.concatenate([*lots, np.zeros(0, np.int64)]).astype(np.int64)
        self.add_each(details, sorts, left[every], right[every])

    def add_each(self, details: Sequence[AnyDetail], sorts: Longs, left: Ints, right: Ints) -> None:
        """Divergences of several sorts in any order, each with the place of its detail."""
        first = len(self._details)
        self._details += details
        for column, new in (
            (self._detail, sorts + first),
            (self._left, left),
            (self._right, right),
        ):
            column.frombytes(new.astype(np.int32).tobytes())

    def add_blocks(self, details: Sequence[AnyDetail], sorts: Longs, blocks: list[Block]) -> None:
        """The same of several rows a side."""
        first = len(self._detail)
        for number, (left, right, _) in enumerate(blocks, first):
            if len(left) > 1 or len(right) > 1:
                self._more[number] = (left, right)
        last = np.array([[left[-1], right[-1]] for left, right, _ in blocks], np.int32)
        self.add_each(details, sorts, *last.reshape(-1, 2).T)

    def add_one(
        self,
        detail: Detail,
        left: Sequence[int] = (),
        right: Sequence[int] = (),
        lost: tuple[LostLink, ...] = (),
    ) -> None:
        """A single divergence, of any number of rows a side."""
        if len(left) > 1 or len(right) > 1:
            self._more[len(self._detail)] = (tuple(left), tuple(right))
        if lost:
            self._lost[len(self._detail)] = lost
        self._detail.append(len(self._details))
        self._details.append(detail)
        self._left.append(left[-1] if left else -1)
        self._right.append(right[-1] if right else -1)

    def columns(self) -> Columns:
        """Everything collected."""
        return Columns(
            tuple(self._details),
            np.array(self._detail, np.int32),
            np.array(self._left, np.int32),
            np.array(self._right, np.int32),
            self._more,
            self._lost,
        )
