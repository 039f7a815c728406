"""Ops that look alike and changed places: told apart by who reads them and whom they read.

Two branches of equal shape that ran in the other order align as if nothing had happened; only
their readers show it. Where exchanging partners, and those of the ops behind them, makes more
links agree, they are exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from opdiff.compare.codes import Flags, Ints
from opdiff.compare.outside import Outside
from opdiff.compare.sides import Ready, paired_inputs, signatures, written_by

_LONGEST_CHAIN = 48
_MOST_STEPS = 3_000
_STEPS_UP = 8
_Log = list[tuple[int, int, int, int]]


class Untangle:
    """Exchanges partners, in the columns it is given."""

    def __init__(
        self,
        left: Ready,
        right: Ready,
        partner: Ints,
        other_partner: Ints,
        free: tuple[Flags, Flags],
    ) -> None:
        self._left, self._right = left, right
        self._partner, self._other_partner = partner, other_partner
        self._free = free
        self._signature = (
            signatures(left, by_family=True),
            signatures(right, by_family=True),
        )
        self._alone = tuple(
            set(words[flags & (column < 0)].tolist())
            for words, flags, column in zip(
                self._signature, free, (partner, other_partner), strict=True
            )
        )

    def exchange(self) -> list[int]:
        """Exchange what is better exchanged; the left rows that have another partner now."""
        rows = np.flatnonzero(self._partner >= 0).astype(np.int32)
        waiting, writers = self._doubtful(rows, self._partner[rows])
        if not waiting:
            return []
        doubtful = self._with_those_behind(writers)
        self._outside = Outside(self._left, self._right, self._partner, doubtful)
        changed: list[int] = []
        for _ in range(_MOST_STEPS):
            if not waiting:
                break
            touched = self._best_exchange(waiting.pop())
            changed += touched
            waiting += touched
        return changed

    def _best_exchange(self, row: int) -> list[int]:
        """Make the exchange around a row that mends most links, if any does."""
        best: tuple[int, _Log] = (0, [])
        for candidate in dict.fromkeys(self._candidates(row)):
            gain, log = self._try(*candidate)
            if gain > best[0]:
                best = (gain, log)
        for here, _, _, other in best[1]:
            self._pair(here, other)
        return _touched(best[1])

    def _doubtful(self, rows: Ints, others: Ints) -> tuple[list[int], Ints]:
        """Paired rows whose producers are not each other's partners, and these producers."""
        here, there, owner = paired_inputs(self._left, self._right, rows, others)
        writer, other_writer = self._left.producer[here], self._right.producer[there]
        both = (writer >= 0) & (other_writer >= 0)
        writer, other_writer = np.maximum(writer, 0), np.maximum(other_writer, 0)
        expected = self._partner[writer]
        alike = self._signature[0][writer] == self._signature[1][other_writer]
        settled = (expected >= 0) & (self._other_partner[other_writer] >= 0)
        crossed = both & (expected != other_writer) & (alike | settled)
        writers = np.concatenate((writer[crossed], self._other_partner[other_writer[crossed]]))
        return [int(row) for row in np.unique(rows[owner[crossed]])], writers

    def _with_those_behind(self, rows: Ints) -> Ints:
        """Rows, and those that feed one of them alone: the branches in question, some steps up."""
        branch = {int(row): int(row) for row in rows if row >= 0}
        frontier = list(branch)
        for _ in range(_STEPS_UP):
            found = []
            for row in frontier:
                for writer in written_by(self._left, row):
                    if writer < 0 or writer in branch:
                        continue
                    fed = {branch.get(int(r)) for r in self._left.trace.consumers(writer)}
                    if fed == {branch[row]}:
                        branch[writer] = branch[row]
                        found.append(writer)
            frontier = found
        return np.array(sorted(branch), np.int32)

    def _candidates(self, row: int) -> Iterator[tuple[int, int]]:
        """New pairs to try where a pair's producers are not each other's partners.

        Either the producers changed places, or the row did with another reader of its producer.
        """
        for place, (writer, other) in enumerate(self._crossed(row)):
            if writer < 0:
                continue
            yield writer, other
            expected = int(self._partner[writer])
            if expected >= 0:
                for reader, reader_place in _readings(self._right, expected):
                    if reader_place == place:
                        yield row, reader

    def _crossed(self, row: int) -> list[tuple[int, int]]:
        """The producers of a pair place by place, (-1, -1) where they agree or tell nothing."""
        other = int(self._partner[row])
        if other < 0:
            return []
        writers, others = written_by(self._left, row), written_by(self._right, other)
        if len(writers) != len(others):
            return []
        return [
            (writer, other_writer)
            if writer >= 0 and other_writer >= 0 and self._partner[writer] != other_writer
            else (-1, -1)
            for writer, other_writer in zip(writers, others, strict=True)
        ]

    def _try(self, row: int, other: int) -> tuple[int, _Log]:
        """How many links pairing two rows, and their neighbours likewise, would mend."""
        log: _Log = []
        waiting = [(row, other)]
        while waiting and len(log) < _LONGEST_CHAIN:
            candidate = waiting.pop()
            if self._may_pair(*candidate):
                log.append(self._pair(*candidate))
                waiting += self._readers_behind(*candidate)
                waiting += [pair for pair in self._crossed(candidate[0]) if pair[0] >= 0]
        if not log:
            return 0, log
        touched = _touched(log)
        concerned = sorted(
            {*touched, *(int(r) for here in touched for r in self._left.trace.consumers(here))}
        )
        after = self._broken(concerned)
        self._undo(log)
        return self._broken(concerned) - after, log

    def _may_pair(self, row: int, other: int) -> bool:
        present, other_present = int(self._partner[row]), int(self._other_partner[other])
        if present == other or (present < 0 and other_present < 0):
            return False
        if not all(self._free[0][[here for here in (row, other_present) if here >= 0]]):
            return False
        if not all(self._free[1][[here for here in (other, present) if here >= 0]]):
            return False
        if self._signature[0][row] != self._signature[1][other]:
            return False
        # Who loses a partner must be able to find another one.
        if other_present < 0:
            return int(self._signature[1][present]) in self._alone[0]
        if present < 0:
            return int(self._signature[0][other_present]) in self._alone[1]
        return bool(self._signature[0][other_present] == self._signature[1][present])

    def _pair(self, row: int, other: int) -> tuple[int, int, int, int]:
        """Pair two rows, and the partners they had with each other; says what was before."""
        present, other_present = int(self._partner[row]), int(self._other_partner[other])
        self._partner[row], self._other_partner[other] = other, row
        if other_present >= 0:
            self._partner[other_present] = present
        if present >= 0:
            self._other_partner[present] = other_present
        return row, present, other_present, other

    def _undo(self, log: _Log) -> None:
        for row, present, other_present, other in reversed(log):
            self._partner[row] = present
            if present >= 0:
                self._other_partner[present] = row
            self._other_partner[other] = other_present
            if other_present >= 0:
                self._partner[other_present] = other

    def _readers_behind(self, row: int, other: int) -> list[tuple[int, int]]:
        """Readers of a new pair, at the same place, that are not each other's partners yet."""
        others: dict[int, list[int]] = {}
        for reader, place in _readings(self._right, other):
            others.setdefault(place, []).append(reader)
        return [
            (reader, candidate)
            for reader, place in _readings(self._left, row)
            for candidate in others.get(place, ())
            if self._partner[reader] != candidate and self._partner[reader] not in others[place]
        ]

    def _broken(self, rows: list[int]) -> int:
        """How many producers of these rows are not each other's partners; unpaired rows count."""
        return sum(
            sum(1 for writer, _ in self._crossed(row) if writer >= 0) + self._outside.strange(row)
            if self._partner[row] >= 0
            else 1
            for row in rows
        )


def _touched(log: _Log) -> list[int]:
    return [row for first, _, second, _ in log for row in (first, second) if row >= 0]


def _readings(side: Ready, row: int) -> list[tuple[int, int]]:
    """The rows that read what a row wrote, and at which of their compared inputs."""
    return [
        (int(reader), place)
        for reader in side.trace.consumers(row)
        for place, writer in enumerate(written_by(side, reader))
        if writer == row
    ]
