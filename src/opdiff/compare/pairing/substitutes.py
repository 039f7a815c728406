"""Another op in the same role: it reads the same values, and the same ops read it."""

from __future__ import annotations

from opdiff.compare.matching import Matching
from opdiff.compare.pairing.congruence import Congruence
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.columns import Ints

_MOST_READERS = 64


class Substitutes:
    """Pairs ops of unlike names that are alone, in the matching it is given."""

    def __init__(
        self, sides: tuple[Prepared, Prepared], matching: Matching, congruence: Congruence
    ) -> None:
        self._sides = sides
        self._matching = matching
        self._congruence = congruence
        self._mate = matching.mate
        self._outputs = (sides[0].outputs.data, sides[1].outputs.data)
        self._may_stand_in = tuple(~(side.passes | side.bare | side.fused) for side in sides)
        self._free = tuple(flags.data for flags in self._may_stand_in)
        self._twin = tuple(side.twin.data for side in sides)
        self._constant = tuple(side.constant.data for side in sides)
        self._phase = tuple(side.phase.data for side in sides)

    def pair(self, rows: Ints, others: Ints) -> None:
        """Pair what has the same role, from the first op on: one substitute may feed the next."""
        waiting = set(others[self._may_stand_in[1][others]].tolist())
        rows = rows[self._may_stand_in[0][rows]]
        congruence = self._congruence
        near = bytearray(congruence.reading_pairs(rows) | congruence.read_by_pairs(rows))
        for row in rows.tolist() if waiting else ():
            if not near[row]:
                continue
            scores = {other: self._score(row, other) for other in self._candidates(row, waiting)}
            best = max(scores.values(), default=0)
            chosen = [other for other, score in scores.items() if score == best]
            if best > 0 and len(chosen) == 1 and not self._contested(row, chosen[0], best):
                waiting.discard(chosen[0])
                self._matching.pair(row, chosen[0], late=True)
                for reader in self._sides[0].readers(row):
                    near[reader] = True

    def _candidates(self, row: int, waiting: set[int]) -> set[int]:
        """Ops that are alone on the other side and share a value or a reader with a row."""
        left, right = self._sides
        mate = self._mate[0]
        found = self._reading_the_same(0, row)
        for reader in left.readers(row)[:_MOST_READERS]:
            if mate[reader] >= 0:
                found.update(right.read_by(mate[reader]))
        return {other for other in found & waiting if self._of_a_sort(row, other)}

    def _reading_the_same(self, side: int, row: int) -> set[int]:
        """Ops of the other side that read the counterpart of a value that a row reads."""
        mate, readers = self._mate[side], self._sides[1 - side].readers
        met = [mate[value] for value in self._sides[side].read_by(row) if mate[value] >= 0]
        return {reader for value in met for reader in readers(value)[:_MOST_READERS]}

    def _of_a_sort(self, row: int, other: int) -> bool:
        """Whether both compute something anew or once more, and in one phase or both from tensors.

        A constant of the forward has no stand-in in the backward.
        """
        if (self._twin[0][row] == row) != (self._twin[1][other] == other):
            return False
        phase, other_phase = self._phase[0][row], self._phase[1][other]
        if self._constant[0][row] == self._constant[1][other] or phase == other_phase:
            return True
        # A constant is of the phase that it is made for.
        side, wanted, made = (0, other_phase, row) if self._constant[0][row] else (1, phase, other)
        readers = self._sides[side].readers(made)[:_MOST_READERS]
        return any(self._phase[side][reader] == wanted for reader in readers)

    def _score(self, row: int, other: int) -> int:
        """How many values and readers two ops share; 0 where anything contradicts the pair."""
        left, right = self._sides
        verdicts = self._congruence.verdicts(row, other)
        if False in verdicts:
            return 0
        agreeing = verdicts.count(True)
        if not verdicts:
            mine = {self._mate[0][value] for value in left.read_by(row)}
            agreeing = len(mine & set(right.read_by(other)) - {-1})
        readers = self._shared_readers(row, other)
        if readers is None:
            return 0
        if self._outputs[0][row] != self._outputs[1][other] and not (agreeing and readers):
            return 0
        return agreeing + 2 * readers

    def _shared_readers(self, row: int, other: int) -> int | None:
        """How many readers two ops share; None where one has a reader that the other lacks."""
        left, right = self._sides
        wanted = {self._mate[1][reader] for reader in right.readers(other)} - {-1}
        mine = left.readers(row)
        paired = [reader for reader in mine[:_MOST_READERS] if self._mate[0][reader] >= 0]
        return len(paired) if wanted.issuperset(paired) and wanted.issubset(mine) else None

    def _contested(self, row: int, other: int, score: int) -> bool:
        """Whether another op of the left has as good a claim to an op of the right."""
        rivals = {
            rival
            for rival in self._reading_the_same(1, other) - {row}
            if self._mate[0][rival] < 0 and self._free[0][rival]
        }
        return any(self._score(rival, other) >= score for rival in rivals)
