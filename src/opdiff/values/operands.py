"""Which operands of paired ops are compared with each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from opdiff.trace.columns import Flags, Floats, Ints, Longs
from opdiff.trace.sorting import owners_and_places

_MOST = 8
"""So many operands of an op are looked at in every order."""
_MOST_MISSING = 64
"""If so many operands of an op are missing on one side, nobody looks for which."""


class OperandPairs(NamedTuple):
    """Operands that are compared with each other: their pair of ops, their places on both sides.

    Places are those among the flat contents of a side (which are the flat operands of its trace,
    save for ops whose operands the trace does not print).
    """

    pair: Ints
    left: Longs
    right: Longs

    def only(self, which: Flags | Longs) -> OperandPairs:
        """Some of them."""
        return OperandPairs(self.pair[which], self.left[which], self.right[which])


def by_position(
    left_start: Longs, right_start: Longs, left_row: Ints, right_row: Ints
) -> OperandPairs:
    """The n-th operand of the one with the n-th of the other, as far as both have them."""
    counts = np.minimum(
        left_start[left_row + 1] - left_start[left_row],
        right_start[right_row + 1] - right_start[right_row],
    )
    pair, within = owners_and_places(counts)
    return OperandPairs(
        pair, left_start[left_row][pair] + within, right_start[right_row][pair] + within
    )


class Choices(NamedTuple):
    """Operands that might be compared with each other, every one with every other."""

    pairs: OperandPairs
    left_place: Longs
    """Which operand of its op, from 0."""
    right_place: Longs


def choices(
    left_start: Longs, right_start: Longs, left_row: Ints, right_row: Ints, which: Flags
) -> Choices:
    """All there are for some of the pairs."""
    pair = np.flatnonzero(which)
    mine, its = (
        np.minimum(start[row[pair] + 1] - start[row[pair]], _MOST)
        for start, row in ((left_start, left_row), (right_start, right_row))
    )
    owner, within = owners_and_places(mine * its)
    left_place, right_place = within // its[owner], within % its[owner]
    chosen = pair[owner]
    operands = OperandPairs(
        chosen.astype(np.int32),
        left_start[left_row[chosen]] + left_place,
        right_start[right_row[chosen]] + right_place,
    )
    return Choices(operands, left_place, right_place)


def most_alike(choices: Choices, error: Floats) -> OperandPairs:
    """Of these the ones that are nearest to each other, each operand once."""
    pair = choices.pairs.pair
    apart = np.abs(choices.left_place - choices.right_place)
    order = np.lexsort((apart, np.where(np.isnan(error), np.inf, error), pair))
    taken: set[tuple[int, int, int]] = set()
    kept: list[int] = []
    facts = zip(
        order.tolist(),
        pair[order].tolist(),
        choices.left_place[order].tolist(),
        choices.right_place[order].tolist(),
        strict=True,
    )
    for number, owner, mine, its in facts:
        if (owner, 0, mine) not in taken and (owner, 1, its) not in taken:
            taken |= {(owner, 0, mine), (owner, 1, its)}
            kept.append(number)
    return choices.pairs.only(np.array(sorted(kept), np.int64))


class Slides(NamedTuple):
    """Operands that might be compared where the one op has some more of them than the other.

    Each of the shorter side stands with those as far behind it on the longer one as there are more.
    """

    pairs: OperandPairs
    """By pair, then by place on the shorter side, then by how far behind."""
    few: Longs
    """Of each pair of ops in turn, how many the shorter side has."""
    more: Longs
    """How many more the longer one has."""


def slides(
    left_start: Longs, right_start: Longs, left_row: Ints, right_row: Ints, which: Flags
) -> Slides:
    """All there are for those of the pairs of which one has some more operands."""
    mine, its = (
        start[row + 1] - start[row]
        for start, row in ((left_start, left_row), (right_start, right_row))
    )
    few = np.minimum(mine, its)
    differ = np.abs(mine - its)
    pair = np.flatnonzero(which & (differ > 0) & (differ <= _MOST_MISSING) & (few > 0))
    few, differ = few[pair], differ[pair]
    owner, within = owners_and_places(few * (differ + 1))
    place = within // (differ[owner] + 1)
    behind = place + within % (differ[owner] + 1)
    chosen = pair[owner]
    longer = (mine > its)[chosen]
    operands = OperandPairs(
        chosen.astype(np.int32),
        left_start[left_row[chosen]] + np.where(longer, behind, place),
        right_start[right_row[chosen]] + np.where(longer, place, behind),
    )
    return Slides(operands, few, differ)


def in_turn(slides: Slides, error: Floats) -> OperandPairs:
    """Of these the ones that are nearest to each other in all, in the order of both sides."""
    cost = np.minimum(np.where(np.isnan(error), 1.0, error), 1.0)
    kept: list[int] = []
    start = 0
    for few, more in zip(slides.few.tolist(), slides.more.tolist(), strict=True):
        width = more + 1
        total = cost[start : start + few * width].reshape(few, width).copy()
        for place in range(1, few):
            total[place] += np.minimum.accumulate(total[place - 1])
        behind = width
        chosen = []
        for place in range(few - 1, -1, -1):
            behind = int(np.argmin(total[place, : min(behind + 1, width)]))
            chosen.append(start + place * width + behind)
        kept += chosen[::-1]
        start += few * width
    return slides.pairs.only(np.array(kept, np.int64))


def together(first: OperandPairs, second: OperandPairs) -> OperandPairs:
    """Both, in the order of their pairs."""
    both = OperandPairs(
        np.concatenate((first.pair, second.pair)),
        np.concatenate((first.left, second.left)),
        np.concatenate((first.right, second.right)),
    )
    return both.only(np.argsort(both.pair, kind="stable"))
