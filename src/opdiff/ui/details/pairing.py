"""What a comparison says of the shown ops: their records, their counterparts, their operands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from opdiff.compare import SEVERITY, Comparison, Divergence, Kind, Side, State
from opdiff.trace import Role, Trace
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


def is_constant(trace: Trace, row: int, operand: int) -> bool:
    """Whether an input is a constant of the graph, as only graph kernels list them."""
    producer = trace.producers(row)[operand]
    return producer is not None and trace.role[producer] == Role.CONSTANT


Slots = list[tuple[int | None, int | None]]


def aligned_inputs(traces: Sequence[Trace | None], shown: ShownPair) -> Slots:
    """Inputs of both ops slot by slot; a constant that one side lists in excess stands alone."""
    flags: list[list[bool]] = []
    for side in Side:
        trace, row = traces[side], shown.row(side)
        if trace is None or row is None:
            flags.append([])
        else:
            count = int(trace.inputs.start[row + 1] - trace.inputs.start[row])
            flags.append([is_constant(trace, row, slot) for slot in range(count)])
    left, right = flags
    slots: Slots = []
    i = j = 0
    while i < len(left) or j < len(right):
        excess = (len(left) - i) - (len(right) - j)
        if i < len(left) and (j >= len(right) or (excess > 0 and left[i] and not right[j])):
            slots.append((i, None))
            i += 1
        elif j < len(right) and (i >= len(left) or (excess < 0 and right[j] and not left[i])):
            slots.append((None, j))
            j += 1
        else:
            slots.append((i, j))
            i, j = i + 1, j + 1
    return slots
