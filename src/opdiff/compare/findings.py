"""Divergences as columns while they are collected: a detail, a left row, a right row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from opdiff.compare.comparison import LostLink
from opdiff.compare.kinds import Kind
from opdiff.compare.words import Flags, Ints
from opdiff.wording import Sentence


@dataclass(frozen=True, slots=True)
class Detail:
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


@dataclass(frozen=True)
class Columns:
    """All divergences found, in no particular order."""

    details: tuple[Detail, ...]
    detail: Ints
    left: Ints
    """The (last) left row, -1 where there is none."""
    right: Ints
    more: dict[int, tuple[tuple[int, ...], tuple[int, ...]]]
    """All rows of those that have several on a side."""
    lost: dict[int, tuple[LostLink, ...]]

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

    def touching(self, left: Flags, right: Flags) -> Flags:
        """Of each divergence, whether one of its rows is marked."""
        marked = np.zeros(len(self.detail), np.bool_)
        for rows, marks in ((self.left, left), (self.right, right)):
            here = rows >= 0
            marked[here] |= marks[rows[here]]
        for at, (left_rows, right_rows) in self.more.items():
            marked[at] |= bool(left[list(left_rows)].any() or right[list(right_rows)].any())
        return marked


@dataclass
class Findings:
    """Collects divergences."""

    _details: list[Detail] = field(default_factory=list)
    _chunks: list[tuple[int, Ints, Ints]] = field(default_factory=list)
    _count: int = 0
    _more: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=dict)
    _lost: dict[int, tuple[LostLink, ...]] = field(default_factory=dict)

    def add(self, detail: Detail, left: Ints, right: Ints) -> None:
        """Divergences of one sort; -1 for an absent side."""
        self._details.append(detail)
        self._chunks.append((len(self._details) - 1, left, right))
        self._count += len(left)

    def add_one(
        self,
        detail: Detail,
        left: Sequence[int] = (),
        right: Sequence[int] = (),
        lost: tuple[LostLink, ...] = (),
    ) -> None:
        """A single divergence, of any number of rows a side."""
        if len(left) > 1 or len(right) > 1:
            self._more[self._count] = (tuple(left), tuple(right))
        if lost:
            self._lost[self._count] = lost
        last = [np.array([rows[-1] if rows else -1], np.int32) for rows in (left, right)]
        self.add(detail, last[0], last[1])

    def columns(self) -> Columns:
        """Everything collected."""
        none = np.zeros(0, np.int32)
        return Columns(
            tuple(self._details),
            np.concatenate(
                [none, *(np.full(len(rows), at, np.int32) for at, rows, _ in self._chunks)]
            ),
            np.concatenate([none, *(rows for _, rows, _ in self._chunks)]),
            np.concatenate([none, *(rows for _, _, rows in self._chunks)]),
            self._more,
            self._lost,
        )
