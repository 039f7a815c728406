"""Another op in the same role: it reads the same values, and the same ops read it."""

from __future__ import annotations

from opdiff.compare.congruence import Congruence
from opdiff.compare.matching import Matching, Step
from opdiff.compare.prepared import Prepared
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
        # The same memory, asked value by value without numpy's scalars.
        self._mate = (matching.partner[0].data, matching.partner[1].data)
        self._may_stand_in = tuple(~(side.passes | side.bare | side.fused) for side in sides)

    def pair(self, rows: Ints, others: Ints) -> None:
        """Pair what has the same role, from the first op on: one substitute may feed the next."""
        waiting = set(others[self._may_stand_in[1][others]].tolist())
        for row in rows[self._may_stand_in[0][rows]].tolist() if waiting else ():
            scores = {other: self._score(row, other) for other in self._candidates(row, waiting)}
            best = max(scores.values(), default=0)
            chosen = [other for other, score in scores.items() if score == best]
            if best > 0 and len(chosen) == 1 and not self._contested(row, chosen[0], best):
                waiting.discard(chosen[0])
                self._matching.pair(row, chosen[0], Step.ROLE)

    def _candidates(self, row: int, waiting: set[int]) -> set[int]:
        """Ops that are alone on the other side and share a value or a reader with a row."""
        left, right = self._sides
        mate = self._mate[0]
        found: set[int] = set()
        for value in left.read_by(row):
            if mate[value] >= 0:
                operands = right.readings(mate[value])[:_MOST_READERS].tolist()
                found.update(map(right.reader, operands))
        for operand in left.readings(row)[:_MOST_READERS].tolist():
            reader = mate[left.reader(operand)]
            if reader >= 0:
                found.update(right.read_by(reader))
        return found & waiting

    def _score(self, row: int, other: int) -> int:
        """How many values and readers two ops share; 0 where anything contradicts the pair."""
        left, right = self._sides
        verdicts = self._congruence.verdicts(row, other)
        if False in verdicts:
            return 0
        agreeing = sum(verdict is True for verdict in verdicts)
        if not verdicts:
            mine = {self._mate[0][value] for value in left.read_by(row)}
            agreeing = len(mine & set(right.read_by(other)) - {-1})
        readers = self._shared_readers(row, other)
        if readers is None:
            return 0
        if left.outputs[row] != right.outputs[other] and not (agreeing and readers):
            return 0
        return agreeing + 2 * readers

    def _shared_readers(self, row: int, other: int) -> int | None:
        """How many readers two ops share; None where one has a reader that the other lacks."""
        left, right = self._sides
        read = set(map(right.reader, right.readings(other).tolist()))
        shared = 0
        for operand in left.readings(row)[:_MOST_READERS].tolist():
            reader = self._mate[0][left.reader(operand)]
            if reader < 0:
                continue
            if reader not in read:
                return None
            shared += 1
        paired = {self._mate[1][reader] for reader in read} - {-1}
        mine = set(map(left.reader, left.readings(row).tolist()))
        return None if paired - mine else shared

    def _contested(self, row: int, other: int, score: int) -> bool:
        """Whether another op of the left has as good a claim to an op of the right."""
        left, right = self._sides
        back = self._mate[1]
        rivals: set[int] = set()
        for value in right.read_by(other):
            if back[value] >= 0:
                operands = left.readings(back[value])[:_MOST_READERS].tolist()
                rivals.update(map(left.reader, operands))
        rivals = {
            rival
            for rival in rivals - {row}
            if self._mate[0][rival] < 0 and self._may_stand_in[0][rival]
        }
        return any(self._score(rival, other) >= score for rival in rivals)
