"""What a comparison says of the shown ops: their records, their counterparts, their operands."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from opdiff.compare import SEVERITY, Comparison, Divergence, Kind, Side, SideResult, State
from opdiff.trace import Op, Role, Trace
from opdiff.trace.traits import Trait


@dataclass(frozen=True, slots=True)
class ShownPair:
    """The ops that are looked at, one a side or none there, and what a comparison says of them."""

    rows: tuple[int | None, int | None] = (None, None)
    traces: tuple[Trace | None, Trace | None] = (None, None)
    comparison: Comparison | None = None

    def __bool__(self) -> bool:
        return self.rows != (None, None)

    def at(self, left: int | None, right: int | None) -> ShownPair:
        """Other ops, a missing side filled in with the counterpart, also that of a fusion."""
        if left is None and right is not None:
            left = counterpart(self.comparison, Side.RIGHT, right)
        elif right is None and left is not None:
            right = counterpart(self.comparison, Side.LEFT, left)
        return replace(self, rows=(left, right))

    def op(self, side: Side) -> Op | None:
        """The op of one side, where it is known."""
        trace, row = self.traces[side], self.rows[side]
        return None if trace is None or row is None else trace.op(row)

    def compared(self, side: Side) -> tuple[ComparedTrace, int] | None:
        """The trace of one side and the row of its op, where it is known."""
        trace, row = self.traces[side], self.rows[side]
        if trace is None or row is None:
            return None
        return ComparedTrace.of(trace, self.comparison, side), row

    def records(self) -> list[Divergence]:
        """The divergences of the ops, most severe first."""
        if self.comparison is None:
            return []
        indices: dict[int, None] = {}
        for side, row in zip(Side, self.rows, strict=True):
            if row is not None:
                indices.update(dict.fromkeys(self.comparison.side(side).records_at(row)))
        found = [self.comparison.divergences[index] for index in indices]
        return sorted(found, key=lambda record: -SEVERITY.index(record.kind))

    def fusion(self) -> Divergence | None:
        """The record of the fusion that the ops belong to."""
        return next((record for record in self.records() if record.kind is Kind.FUSED), None)


def counterpart(comparison: Comparison | None, side: Side, row: int) -> int | None:
    """The op on the other side that an op stands for; of several that it is one with, the first."""
    if comparison is None:
        return None
    result = comparison.side(side)
    if result.partner[row] >= 0:
        return int(result.partner[row])
    found = (comparison.divergences[index].rows(side.other) for index in result.records_at(row))
    return next((rows[0] for rows in found if rows), None)


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
