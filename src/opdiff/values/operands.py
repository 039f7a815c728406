"""Which operands of paired ops are compared with each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from opdiff.trace.columns import Flags, Floats, Ints, Longs

_MOST = 8
"""So many operands of an op are looked at in every order."""


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
    pair = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
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
    counts = mine * its
    owner = np.repeat(np.arange(len(pair)), counts)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
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


def together(first: OperandPairs, second: OperandPairs) -> OperandPairs:
    """Both, in the order of their pairs."""
    both = OperandPairs(
        np.concatenate((first.pair, second.pair)),
        np.concatenate((first.left, second.left)),
        np.concatenate((first.right, second.right)),
    )
    return both.only(np.argsort(both.pair, kind="stable"))
