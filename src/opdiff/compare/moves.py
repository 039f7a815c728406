"""Ops that ran at another place in the order: the same producers, the same consumers."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict

import numpy as np

from opdiff.compare.codes import Flags, Ints
from opdiff.compare.sides import Ready, signatures, written_by

_PASSES = 4
_NEAR = 48


class Moves:
    """Pairs the ops that were left over where producers and consumers agree."""

    def __init__(self, left: Ready, right: Ready, partner: Ints, other_partner: Ints) -> None:
        self._left, self._right = left, right
        self._partner, self._other_partner = partner, other_partner
        self._signature = (signatures(left), signatures(right))

    def find(self, rows: Ints, others: Ints) -> list[tuple[int, int]]:
        """New pairs among the rows that are still alone on either side."""
        found: list[tuple[int, int]] = []
        for _ in range(_PASSES):
            new = self._one_pass(
                [row for row in rows.tolist() if self._partner[row] < 0],
                [row for row in others.tolist() if self._other_partner[row] < 0],
            )
            if not new:
                break
            found += new
        return found

    def _one_pass(self, rows: list[int], others: list[int]) -> list[tuple[int, int]]:
        waiting: dict[int, list[int]] = defaultdict(list)
        for other in others:
            waiting[int(self._signature[1][other])].append(other)
        new = []
        for row in rows:
            candidates = waiting.get(int(self._signature[0][row]))
            if not candidates:
                continue
            wanted = self._expected_place(row)
            fitting = [other for other in candidates if self._agree(row, other, wanted)]
            if fitting:
                other = min(fitting, key=lambda place: abs(place - wanted))
                candidates.remove(other)
                self._partner[row], self._other_partner[other] = other, row
                new.append((row, other))
        return new

    def _expected_place(self, row: int) -> int:
        """About where the counterpart would stand had it not moved."""
        near = self._partner[max(0, row - 64) : row + 64]
        known = near[near >= 0]
        return int(np.median(known)) if len(known) else row

    def _agree(self, row: int, other: int, wanted: int) -> bool:
        """Whether producers and consumers are counterparts; near by, none need tell."""
        fed = self._producers_agree(row, other)
        if fed is None:
            return False
        read = self._consumers_agree(row, other)
        return read is not None and (fed + read > 0 or abs(other - wanted) <= _NEAR)

    def _producers_agree(self, row: int, other: int) -> int | None:
        known = 0
        for writer, other_writer in zip(
            written_by(self._left, row), written_by(self._right, other), strict=True
        ):
            if writer < 0 and other_writer < 0:
                continue
            if writer < 0 or other_writer < 0:
                return None
            if self._partner[writer] == other_writer:
                known += 1
            elif not self._both_alone(writer, other_writer):
                return None
        return known

    def _consumers_agree(self, row: int, other: int) -> int | None:
        readers = self._left.trace.consumers(row)
        other_readers = set(self._right.trace.consumers(other))
        known = 0
        for reader in readers:
            counterpart = int(self._partner[reader])
            if counterpart < 0:
                continue
            if counterpart not in other_readers:
                return None
            known += 1
        paired = sum(1 for reader in other_readers if self._other_partner[reader] >= 0)
        return known if known == paired else None

    def _both_alone(self, row: int, other: int) -> bool:
        return (
            self._partner[row] < 0
            and self._other_partner[other] < 0
            and bool(self._signature[0][row] == self._signature[1][other])
        )


def out_of_order(partner: Ints, added: Flags) -> Flags:
    """Of each row, whether its pair crosses others and is the one that moved.

    Of each tangle of crossing pairs the longest ascending part stays in place; a pair that was
    *added* by looking for moves gives way to one that was not.
    """
    moved = np.zeros(len(partner), np.bool_)
    rows = np.flatnonzero(partner >= 0)
    if len(rows) < 2:
        return moved
    others = partner[rows]
    highest = np.maximum.accumulate(others)
    lowest = np.minimum.accumulate(others[::-1])[::-1]
    # A cut is clean where everything before lies below everything after.
    clean = np.concatenate(([True], highest[:-1] < lowest[1:], [True]))
    cuts = np.flatnonzero(clean)
    for first, last in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        if last - first > 1:
            here = slice(first, last)
            stay = _ascending(others[here].tolist(), added[rows[here]].tolist())
            moved[np.delete(rows[here], stay)] = True
    return moved


def _ascending(values: list[int], added: list[bool]) -> list[int]:
    """Places of the heaviest ascending subsequence; originals weigh a little more than added."""
    if not any(added) or len(values) > 4000:
        return _longest_ascending(values)
    weight = [1.0 if late else 1.0 + 1.0 / (len(values) + 1) for late in added]
    best, before = list(weight), [-1] * len(values)
    for place, value in enumerate(values):
        for earlier in range(place):
            if values[earlier] < value and best[earlier] + weight[place] > best[place]:
                best[place], before[place] = best[earlier] + weight[place], earlier
    chain, place = [], max(range(len(values)), key=best.__getitem__)
    while place >= 0:
        chain.append(place)
        place = before[place]
    return chain[::-1]


def _longest_ascending(values: list[int]) -> list[int]:
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(values)
    for place, value in enumerate(values):
        at = bisect_left(tails, value)
        before[place] = ends[at - 1] if at else -1
        tails[at : at + 1] = [value]
        ends[at : at + 1] = [place]
    chain, place = [], ends[-1]
    while place >= 0:
        chain.append(place)
        place = before[place]
    return chain[::-1]
