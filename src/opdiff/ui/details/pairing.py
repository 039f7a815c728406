"""What a comparison says of the shown ops: their records, their counterparts, their operands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.compare import SEVERITY, Comparison, Divergence, Kind, Side, SideResult, State
from opdiff.trace import Role, Trace
from opdiff.trace.traits import Trait


@dataclass(frozen=True, slots=True)
class ShownPair:
    """The ops that are looked at, one a side or none there."""

    left: int | None = None
    right: int | None = None

    def row(self, side: Side) -> int | None:
        """The op of one side."""
        return self.left if side is Side.LEFT else self.right

    def __bool__(self) -> bool:
        return self.left is not None or self.right is not None


def completed(comparison: Comparison | None, shown: ShownPair) -> ShownPair:
    """The shown ops, a missing side filled in with the counterpart, also that of a fusion."""
    if comparison is None or (shown.left is not None) == (shown.right is not None):
        return shown
    side = Side.LEFT if shown.left is not None else Side.RIGHT
    row = shown.row(side)
    assert row is not None
    other = counterpart(comparison, side, row)
    return ShownPair(row, other) if side is Side.LEFT else ShownPair(other, row)


def counterpart(comparison: Comparison | None, side: Side, row: int) -> int | None:
    """The op on the other side that an op stands for; of several that it is one with, the first."""
    if comparison is None:
        return None
    result = comparison.side(side)
    if result.partner[row] >= 0:
        return int(result.partner[row])
    found = (comparison.divergences[index].rows(side.other) for index in result.records_at(row))
    return next((rows[0] for rows in found if rows), None)


def records(comparison: Comparison | None, shown: ShownPair) -> list[Divergence]:
    """The divergences of the shown ops, most severe first."""
    if comparison is None:
        return []
    indices: dict[int, None] = {}
    for side in Side:
        row = shown.row(side)
        if row is not None:
            indices.update(dict.fromkeys(comparison.side(side).records_at(row)))
    found = [comparison.divergences[index] for index in indices]
    return sorted(found, key=lambda record: -SEVERITY.index(record.kind))


def standing(comparison: Comparison, shown: ShownPair) -> int:
    """The state of the shown op, of the left one where there are two."""
    side = Side.LEFT if shown.left is not None else Side.RIGHT
    row = shown.row(side)
    return State.OUTSIDE if row is None else int(comparison.side(side).state[row])


def fusion(comparison: Comparison | None, shown: ShownPair) -> Divergence | None:
    """The record of the fusion that the shown ops belong to."""
    return next((r for r in records(comparison, shown) if r.kind is Kind.FUSED), None)


@dataclass(frozen=True, slots=True)
class ComparedTrace:
    """A trace with what a comparison says of its rows: nothing before there is one."""

    trace: Trace
    result: SideResult | None = None

    @classmethod
    def of(cls, trace: Trace, comparison: Comparison | None, side: Side) -> ComparedTrace:
        """The trace of one side."""
        return cls(trace, None if comparison is None else comparison.side(side))

    def is_hidden(self, row: int) -> bool:
        """Whether a row is noise; what hands data on is none, or the flow would seem to end."""
        noise = self.result is not None and bool(self.result.noise[row])
        return noise and not self._is_copy(row)

    def is_inserted_copy(self, row: int) -> bool:
        """Whether an op only hands on what it reads, on this side alone."""
        alone = self.result is not None and int(self.result.partner[row]) < 0
        return alone and self._is_copy(row)

    def differs(self, row: int) -> bool:
        """Whether anything was found at a row."""
        return self.result is not None and int(self.result.state[row]) >= State.DIFFERENT

    def origin(self, row: int, operand: int) -> list[int]:
        """Who wrote an input: its producer, and behind copies that one side inserted, theirs."""
        way: list[int] = []
        producers = self.trace.producers(row)
        found = producers[operand] if operand < len(producers) else None
        while found is not None:
            way.append(int(found))
            if not self.is_inserted_copy(found):
                break
            before = self.trace.producers(found)
            found = next((row for row in before if row is not None), None)
        return way

    def inputs(self, row: int) -> tuple[list[int], list[int]]:
        """Which inputs of an op are compared, which are not; before that all that it prints are."""
        start = self.trace.inputs.start
        here = slice(int(start[row]), int(start[row + 1]))
        if self.result is None:
            return list(range(here.stop - here.start)), []
        compared = self.result.compared_inputs[here]
        return np.flatnonzero(compared).tolist(), np.flatnonzero(~compared).tolist()

    def _is_copy(self, row: int) -> bool:
        passes_on = bool(self.trace.traits[row] & Trait.PASSES_ON)
        return passes_on or self.trace.role[row] == Role.COPY
