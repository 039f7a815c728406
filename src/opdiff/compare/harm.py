"""Which divergences cannot change a value: views, copies, layout, known names, order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.comparison import What
from opdiff.compare.findings import Columns
from opdiff.compare.kinds import Kind
from opdiff.compare.matching import Matching
from opdiff.compare.prepared import Prepared, paired_inputs
from opdiff.compare.regions import Stretch
from opdiff.compare.words import Flags, Ints
from opdiff.structure import Phase
from opdiff.trace import TensorSpec
from opdiff.trace.traits import Trait

_FEW_STOPS = 4
"""So many ops that stop gradients on one side only are no habit of a compiler."""
_WIDTHS = {"Float16": 11, "BFloat16": 8, "Float32": 24, "Float64": 53}
"""How many digits a float holds: what goes into a wider one of the same reach is kept."""
_WIDER = {("Float16", "Float32"), ("BFloat16", "Float32")} | {
    (name, "Float64") for name in ("Float16", "BFloat16", "Float32")
}


def harmless(
    columns: Columns,
    sides: tuple[Prepared, Prepared],
    matching: Matching,
    stretches: list[Stretch],
) -> Flags:
    """Of each divergence, whether it cannot change a value."""
    by_detail = np.array([detail.harmless for detail in columns.details], np.bool_)
    kinds = [detail.kind for detail in columns.details]
    found: Flags = by_detail[columns.detail] if len(columns.detail) else np.zeros(0, np.bool_)
    of_kind = {kind: np.array([k is kind for k in kinds], np.bool_) for kind in Kind}

    def records(kind: Kind) -> NDArray[np.int64]:
        return np.flatnonzero(of_kind[kind][columns.detail]) if len(found) else np.zeros(0, int)

    for kind, side in ((Kind.ONLY_LEFT, 0), (Kind.ONLY_RIGHT, 1)):
        here = records(kind)
        rows = (columns.left, columns.right)[side][here]
        found[here] = _idle(sides[side], rows) | _again(sides[side], stretches, side)[rows]
    for kind in (Kind.LAYOUT, Kind.SHAPE):
        for at in records(kind).tolist():
            row, other = int(columns.left[at]), int(columns.right[at])
            # Of two views or copies the readers tell.
            handing = bool(sides[0].passes[row] and sides[1].passes[other])
            if kind is Kind.LAYOUT:
                found[at] = handing or not _other_elements(sides, matching, row, other)
            else:
                found[at] |= handing
    return found


def _again(side: Prepared, stretches: list[Stretch], which: int) -> Flags:
    """Rows of regions that compute once more what there is already."""
    again = np.zeros(len(side.trace), np.bool_)
    for stretch in stretches:
        if stretch.region is not None and stretch.region.what is What.AGAIN:
            again[list(stretch.right if which else stretch.left)] = True
    return again


def _idle(side: Prepared, rows: Ints) -> Flags:
    """Rows without counterpart that make no value of their own, or one that is there already."""
    trace = side.trace
    idle: Flags = side.passes[rows] | side.idle[rows]
    casts = np.flatnonzero(((trace.traits[rows] & Trait.CAST) > 0) & ~side.idle[rows])
    for at in casts.tolist():
        idle[at] = _keeps_digits(side, int(rows[at]))
    copies = (trace.traits[rows] & Trait.COPY) > 0
    harmless: Flags = idle | copies | (side.twin[rows] != rows)
    return harmless


def _keeps_digits(side: Prepared, row: int) -> bool:
    """Whether a conversion goes to the same type or to a wider one."""
    inputs, outputs, specs = side.trace.inputs, side.trace.outputs, side.trace.tables.specs
    if inputs.start[row] == inputs.start[row + 1] or outputs.start[row] == outputs.start[row + 1]:
        return True
    before = specs[inputs.spec[inputs.start[row]]].dtype
    after = specs[outputs.spec[outputs.start[row]]].dtype
    return before == after or (before, after) in _WIDER


def _other_elements(
    sides: tuple[Prepared, Prepared], matching: Matching, row: int, other: int
) -> bool:
    """Whether a pair reads other elements of the same value, not the same ones laid out otherwise.

    That is so where both sides look at one and the same block, which was written in one layout.
    """
    left, right = sides
    here, there, _ = paired_inputs(left, right, np.array([row]), np.array([other]))
    for mine, theirs in zip(here.tolist(), there.tolist(), strict=True):
        first = left.trace.tables.specs[left.trace.inputs.spec[mine]]
        second = right.trace.tables.specs[right.trace.inputs.spec[theirs]]
        if not (first.is_view and second.is_view) or first.shape != second.shape:
            continue
        if (first.strides, first.offset) == (second.strides, second.offset):
            continue
        source, other_source = int(left.source[mine]), int(right.source[theirs])
        if matching.partner[0][source] != other_source:
            continue
        if _written(left, source) == _written(right, other_source):
            return True
    return False


def _written(side: Prepared, value: int) -> tuple[TensorSpec, ...]:
    """How a value was laid out when it was made; nothing for values from outside."""
    if value >= len(side.trace):
        return ()
    outputs = side.trace.outputs
    here = slice(outputs.start[value], outputs.start[value + 1])
    return tuple(side.trace.tables.specs[spec] for spec in outputs.spec[here])


def cuts_gradient(
    columns: Columns, sides: tuple[Prepared, Prepared], matching: Matching
) -> dict[int, list[int]]:
    """Of each op that stops gradients on one side only, what of the backward it explains.

    It is what cut the backward off if parameters that it depends on have a part in the backward
    on the other side only.
    """
    kinds = np.array([list(Kind).index(detail.kind) for detail in columns.details], np.int64)
    kind = kinds[columns.detail] if len(columns.detail) else np.zeros(0, np.int64)
    found: dict[int, list[int]] = {}
    for side, mine, theirs in (
        (0, Kind.ONLY_LEFT, Kind.ONLY_RIGHT),
        (1, Kind.ONLY_RIGHT, Kind.ONLY_LEFT),
    ):
        prepared, full = sides[side], sides[1 - side]
        rows, others = (columns.left, columns.right)[:: -1 if side else 1]
        alone = np.flatnonzero(kind == list(Kind).index(mine))
        stops = alone[(prepared.trace.traits[rows[alone]] & Trait.STOPS_GRADIENT) > 0]
        stops = stops[prepared.phase[rows[stops]] == Phase.FORWARD]
        lost = np.flatnonzero(kind == list(Kind).index(theirs))
        lost = lost[full.phase[others[lost]] >= Phase.BACKWARD]
        idle = _without_backward(prepared) if len(stops) and len(lost) else set()
        updated = set(full.updated[0].tolist())
        used = {
            value
            for value in idle
            if (partner := int(matching.partner[side][value])) >= 0
            and not _forward_only(full, partner)
            and (not updated or partner in updated)
        }
        if 0 < len(stops) <= _FEW_STOPS and len(lost):
            found.update(_by_lost_readers(sides, matching, side, stops, rows, lost, others))
            continue
        # The last stop that an idle parameter leads to cut it off.
        for at in stops[np.argsort(-rows[stops])].tolist() if used else []:
            cut = used & _upstream(prepared, int(rows[at]))
            if cut:
                used -= cut
                found[at] = lost.tolist()
                lost = lost[:0]
    return found


def _by_lost_readers(
    sides: tuple[Prepared, Prepared],
    matching: Matching,
    side: int,
    stops: NDArray[np.int64],
    rows: Ints,
    lost: NDArray[np.int64],
    others: Ints,
) -> dict[int, list[int]]:
    """The same where a few ops alone stop gradients: what they are made from tells enough."""
    prepared, full = sides[side], sides[1 - side]
    found: dict[int, list[int]] = {}
    for at in stops[np.argsort(-rows[stops])].tolist():
        made_from = _upstream(prepared, int(rows[at]))
        partners = {int(matching.partner[side][value]) for value in made_from} - {-1}
        reading = [n for n in lost.tolist() if partners & set(full.read_by(int(others[n])))]
        if reading:
            found[at] = lost.tolist()
            break
    return found


def _without_backward(side: Prepared) -> set[int]:
    """Values from outside that only the forward reads."""
    values = side.trace.values
    return {value for value in range(values.rows, values.count) if _forward_only(side, value)}


def _forward_only(side: Prepared, value: int) -> bool:
    readers = side.trace.values.reader_row[side.trace.values.readings(value)]
    return not bool((side.phase[readers] >= Phase.BACKWARD).any())


def _upstream(side: Prepared, row: int) -> set[int]:
    """The values that a row is made from, all the way up."""
    seen: set[int] = set()
    waiting = list(side.read_by(row))
    rows = len(side.trace)
    while waiting:
        value = waiting.pop()
        if value in seen:
            continue
        seen.add(value)
        if value < rows:
            waiting += side.read_by(value)
    return seen
