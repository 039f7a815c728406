"""Ops that were paired crosswise: what they held tells which belongs to which.

Two projections of the same size, or the norms of all gradients, look alike in an order of ops.
Where such pairs read different things, and another op of the same name on the other side reads and
writes the very same, that one is the counterpart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from opdiff.trace.columns import Flags, Ints, Longs, marked
from opdiff.trace.sorting import distinct
from opdiff.values.causes import Cause, Causes, ErrorsOfPairs
from opdiff.values.estimate import errors
from opdiff.values.floors import Floors
from opdiff.values.operands import by_position
from opdiff.values.pairing import ValuedTrace
from opdiff.values.table import precisions

_MOST = 256
"""Of more ops of a name than these, on one side, no twins are looked for."""


def settle_twins(
    left: ValuedTrace,
    right: ValuedTrace,
    pairs: ErrorsOfPairs,
    causes: Causes,
    *,
    floors: Floors | None = None,
) -> tuple[Ints, Ints] | None:
    """The rows of all pairs with twins put right, in the order of the left ones; None if none are.

    Looks at the causes that may come from wrong pairs, and at ops without counterpart.
    """
    partner = np.full(len(left.trace), -1, np.int32)
    partner[pairs.left_row] = pairs.right_row
    return _Twins((left, right), pairs, causes, floors or Floors(), partner).settled()


@dataclass(frozen=True, slots=True)
class _Twins:
    """One look at the causes of a comparison."""

    _sides: tuple[ValuedTrace, ValuedTrace]
    _pairs: ErrorsOfPairs
    _causes: Causes
    _floors: Floors
    _partner: Ints

    def settled(self) -> tuple[Ints, Ints] | None:
        """The new pairs."""
        before = self._partner.copy()
        for mine, its in self._groups():
            self._settle(mine, its)
        if np.array_equal(before, self._partner):
            return None
        left_row = np.flatnonzero(self._partner >= 0).astype(np.int32)
        return left_row, self._partner[left_row]

    def _doubtful(self) -> Flags:
        """Pairs that may be causes because they are no pairs."""
        cause = self._causes.cause
        doubtful: Flags = (cause != Cause.NONE) & (cause != Cause.COMPUTE)
        doubtful |= (cause == Cause.COMPUTE) & self._pairs.only_moves
        return doubtful

    def _groups(self) -> Iterator[tuple[Longs, Longs]]:
        """Rows of one op type on both sides, those of doubtful pairs and those without a pair."""
        pairs, (left, right) = self._pairs, self._sides
        doubtful = self._doubtful()
        taken = marked(len(right.trace), pairs.right_row[~doubtful])
        types = {name: number for number, name in enumerate(right.trace.types)}
        for kind in distinct(left.trace.type[pairs.left_row[doubtful]]).tolist():
            other = types.get(left.trace.types[kind])
            if other is None:
                continue
            alone = (self._partner < 0) & (left.trace.type == kind)
            alone[pairs.left_row[doubtful]] = left.trace.type[pairs.left_row[doubtful]] == kind
            mine = np.flatnonzero(alone)
            its = np.flatnonzero(~taken & (right.trace.type == other))
            if 0 < len(mine) <= _MOST and 0 < len(its) <= _MOST:
                yield mine, its

    def _settle(self, mine: Longs, its: Longs) -> None:
        """Pair those that agree in all they read and write, if each has but one such."""
        rows = np.repeat(mine, len(its)).astype(np.int32)
        others = np.tile(its, len(mine)).astype(np.int32)
        agree = self._agree(rows, others).reshape(len(mine), len(its))
        sure = agree & (agree.sum(axis=1) == 1)[:, None] & (agree.sum(axis=0) == 1)[None, :]
        for row, place in zip(*np.nonzero(sure), strict=True):
            found, before = int(its[place]), int(self._partner[mine[row]])
            if found != before:
                # Whoever had it gets what becomes free.
                self._partner[self._partner == found] = before
                self._partner[mine[row]] = found

    def _agree(self, rows: Ints, others: Ints) -> Flags:
        """Whether two ops read and wrote the same, as far as that is known of anything."""
        (left, right), known = self._sides, np.zeros(len(rows), np.bool_)
        agree = np.ones(len(rows), np.bool_)
        for is_output in (False, True):
            mine, its = (side.values.side(outputs=is_output) for side in self._sides)
            counts = [np.diff(contents.start) for contents in (mine, its)]
            agree &= counts[0][rows] == counts[1][others]
            operands = by_position(mine.start, its.start, rows, others)
            apart = errors(
                left.values.measures,
                mine.index[operands.left],
                right.values.measures,
                its.index[operands.right],
            ).error
            kinds = [precisions(side.trace, side.values, outputs=is_output) for side in self._sides]
            floor = self._floors.of_pairs(kinds[0][operands.left], kinds[1][operands.right])
            agree[operands.pair[apart > floor]] = False
            known[operands.pair[~np.isnan(apart)]] = True
        return agree & known
