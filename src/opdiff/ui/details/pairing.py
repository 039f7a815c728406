"""What a comparison says of the shown ops: their records, their counterparts, their operands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.compare import SEVERITY, Comparison, Divergence, Kind, Side, State
from opdiff.trace import Trace
from opdiff.ui.details.surroundings import PLAIN, Reading, is_copy


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
    other = int(comparison.side(side).partner[row])
    if other < 0:
        fused = fusion(comparison, shown)
        rows = fused.rows(side.other) if fused else ()
        other = rows[0] if rows else -1
    if other < 0:
        return shown
    return ShownPair(row, other) if side is Side.LEFT else ShownPair(other, row)


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


def reading(comparison: Comparison | None, side: Side) -> Reading:
    """How the comparison looks at the rows of one side."""
    if comparison is None:
        return PLAIN
    result = comparison.side(side)

    def hidden(row: int) -> bool:
        # What hands data on stays: without it the flow would seem to break off.
        return bool(result.noise[row]) and not is_copy(result.trace, row)

    return Reading(
        hidden=hidden,
        inserted=lambda row: int(result.partner[row]) < 0,
        differs=lambda row: int(result.state[row]) >= State.DIFFERENT,
    )


def origin(trace: Trace, row: int, operand: int, view: Reading) -> list[int]:
    """Who wrote an input: its producer, and behind copies that one side inserted, theirs."""
    way: list[int] = []
    producers = trace.producers(row)
    found = producers[operand] if operand < len(producers) else None
    while found is not None:
        way.append(int(found))
        if not (view.inserted(found) and is_copy(trace, found)):
            break
        found = next((before for before in trace.producers(found) if before is not None), None)
    return way


def inputs_of(
    comparison: Comparison | None, side: Side, trace: Trace, row: int
) -> tuple[list[int], list[int]]:
    """Which inputs of an op are compared, which are not; all that it prints count before that."""
    here = slice(int(trace.inputs.start[row]), int(trace.inputs.start[row + 1]))
    if comparison is None:
        return list(range(here.stop - here.start)), []
    compared = comparison.side(side).compared_inputs[here]
    return np.flatnonzero(compared).tolist(), np.flatnonzero(~compared).tolist()
