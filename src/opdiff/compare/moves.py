"""Ops that ran at another place in the order: the same producers, the same consumers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.codes import Flags, Ints, Words, mixed, row_sums
from opdiff.compare.seeds import longest_ascending
from opdiff.compare.sides import TRANSPARENT, Ready, kept_inputs, signatures, written_by

_PASSES = 4
_NEAR = 48
_CANDIDATES = 16
_LOOK_BACK = 256


class Moves:
    """Pairs the ops that were left over where producers and consumers agree."""

    def __init__(
        self,
        left: Ready,
        right: Ready,
        partner: Ints,
        other_partner: Ints,
        blocks: tuple[dict[int, int], dict[int, int]] = ({}, {}),
    ) -> None:
        self._left, self._right = left, right
        self._partner, self._other_partner = partner, other_partner
        self._blocks = blocks
        self._signature = (signatures(left), signatures(right))

    def find(self, rows: Ints, others: Ints) -> list[tuple[int, int]]:
        """New pairs among the rows that are still alone on either side."""
        found: list[tuple[int, int]] = []
        for _ in range(_PASSES):
            new = self._one_pass(
                rows[self._partner[rows] < 0], others[self._other_partner[others] < 0]
            )
            if not new:
                break
            found += new
        return found + self._in_place(rows, others)

    def _in_place(self, rows: Ints, others: Ints) -> list[tuple[int, int]]:
        """Pair what is alike and stands behind the same pair, whoever reads it."""
        waiting: dict[tuple[int, int], list[int]] = {}
        for other in others[self._other_partner[others] < 0].tolist():
            before = _last_paired(self._other_partner, other)
            key = (before, int(self._signature[1][other]))
            waiting.setdefault(key, []).append(other)
        found = []
        for row in rows[self._partner[rows] < 0].tolist():
            before = _last_paired(self._partner, row)
            expected = int(self._partner[before]) if before >= 0 else -1
            alike = waiting.get((expected, int(self._signature[0][row])))
            if alike and self._producers_agree(row, alike[0]) is not None:
                other = alike.pop(0)
                self._partner[row], self._other_partner[other] = other, row
                found.append((row, other))
        return found

    def _one_pass(self, rows: Ints, others: Ints) -> list[tuple[int, int]]:
        rows = rows[np.isin(self._signature[0][rows], self._signature[1][others])]
        others = others[np.isin(self._signature[1][others], self._signature[0][rows])]
        if not len(rows):
            return []
        waiting = self._waiting(others)
        new = []
        keys, certain = self._expected_sources(rows)
        for row, key, told in zip(rows.tolist(), keys.tolist(), certain.tolist(), strict=True):
            lots = waiting.get(int(self._signature[0][row]), {})
            candidates = lots.get(key, []) if told else [o for lot in lots.values() for o in lot]
            if not candidates:
                continue
            wanted = self.expected_place(row)
            candidates = sorted(candidates, key=lambda place: abs(place - wanted))[:_CANDIDATES]
            other = next((o for o in candidates if self._agree(row, o, wanted)), None)
            if other is not None:
                next(lot for lot in lots.values() if other in lot).remove(other)
                self._partner[row], self._other_partner[other] = other, row
                new.append((row, other))
        return new

    def _waiting(self, others: Ints) -> dict[int, dict[int, list[int]]]:
        """The other side's rows by signature and by where their inputs come from."""
        begin, places = kept_inputs(self._right, others)
        keys = _source_words(begin, self._right.producer[places])
        waiting: dict[int, dict[int, list[int]]] = {}
        for other, key in zip(others.tolist(), keys.tolist(), strict=True):
            lots = waiting.setdefault(int(self._signature[1][other]), {})
            lots.setdefault(key, []).append(other)
        return waiting

    def _expected_sources(self, rows: Ints) -> tuple[Words, Flags]:
        """Where the counterparts' inputs would come from, and whether all of that is known."""
        begin, places = kept_inputs(self._left, rows)
        writer = self._left.producer[places]
        expected = np.where(writer >= 0, self._partner[np.maximum(writer, 0)], np.int32(-1))
        unknown = ((writer >= 0) & (expected < 0)).astype(np.uint64)
        return _source_words(begin, expected), row_sums(begin, unknown) == 0

    def expected_place(self, row: int) -> int:
        """About where the counterpart would stand had it not moved."""
        before = _last_paired(self._partner, row)
        return int(self._partner[before]) if before >= 0 else row

    def _agree(self, row: int, other: int, wanted: int) -> bool:
        """Whether producers and consumers are counterparts; near by, none of them need tell."""
        fed = self._producers_agree(row, other)
        if fed is None:
            return False
        read = self._consumers_agree(row, other)
        if read is None:
            return False
        if self._left.trace.type_name(row) in TRANSPARENT:
            return read > 0  # copies stand anywhere: only their readers tell
        near = abs(other - wanted) <= _NEAR and not self._left.bare[row]
        return fed + read > 0 or near

    def linked(self, row: int, other: int) -> bool:
        """Whether producers and consumers are counterparts, and at least one of each tells."""
        if len(written_by(self._left, row)) != len(written_by(self._right, other)):
            return False
        fed, read = self._producers_agree(row, other), self._consumers_agree(row, other)
        return fed is not None and read is not None and fed + read > 0

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
            elif not self._both_alone(writer, other_writer) and not self._one_block(
                writer, other_writer
            ):
                return None
        return known

    def _consumers_agree(self, row: int, other: int) -> int | None:
        readers = self._readers(self._left, self._partner, row)
        other_readers = self._readers(self._right, self._other_partner, other)
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

    @staticmethod
    def _readers(side: Ready, partner: Ints, row: int) -> set[int]:
        """Who reads a row, directly or through a copy that stands on this side only."""
        readers: set[int] = set()
        for reader in side.trace.consumers(row):
            if row not in written_by(side, reader):
                continue  # only by an input that is not compared
            if partner[reader] < 0 and side.trace.type_name(reader) in TRANSPARENT:
                readers.update(int(behind) for behind in side.trace.consumers(reader))
            else:
                readers.add(int(reader))
        return readers

    def _one_block(self, row: int, other: int) -> bool:
        """Whether the rows are part of the same fusion."""
        block = self._blocks[0].get(row)
        return block is not None and block == self._blocks[1].get(other)

    def _both_alone(self, row: int, other: int) -> bool:
        return (
            self._partner[row] < 0
            and self._other_partner[other] < 0
            and bool(self._signature[0][row] == self._signature[1][other])
        )


def _last_paired(partner: Ints, row: int) -> int:
    """The nearest row before this one that is paired, or -1."""
    for near in range(row - 1, max(-1, row - _LOOK_BACK), -1):
        if partner[near] >= 0:
            return near
    return -1


def _source_words(begin: NDArray[np.int64], writers: Ints) -> Words:
    """A word a row for the rows its inputs come from."""
    place = np.arange(len(writers)) - np.repeat(begin[:-1], np.diff(begin))
    return row_sums(begin, mixed(writers.astype(np.int64) + 1 + (place << 32)))


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
    for at in np.flatnonzero(np.diff(cuts) > 1).tolist():
        here = slice(int(cuts[at]), int(cuts[at + 1]))
        stay = _ascending(others[here].tolist(), added[rows[here]].tolist())
        moved[np.delete(rows[here], stay)] = True
    return moved


def _ascending(values: list[int], added: list[bool]) -> list[int]:
    """Places of the heaviest ascending subsequence; originals weigh a little more than added."""
    if not any(added) or len(values) > 4000:
        return longest_ascending(values)
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
