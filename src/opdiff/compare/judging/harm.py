"""Which divergences cannot change a value: views, copies, layout, known names, order."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import chain
from math import prod

import numpy as np

from opdiff.compare.comparison import What
from opdiff.compare.judging.elements import KEEPING
from opdiff.compare.judging.likelihoods import made_once
from opdiff.compare.judging.regions import Stretch
from opdiff.compare.judging.spreading import spread_otherwise
from opdiff.compare.judging.told import listed_otherwise, told_otherwise
from opdiff.compare.kinds import Kind
from opdiff.compare.matching import Matching
from opdiff.compare.names.spelling import canonical
from opdiff.compare.pairing.common_subexpressions import shared
from opdiff.compare.records.findings import Columns
from opdiff.compare.sides.prepared import Prepared, paired_inputs
from opdiff.structure import names_gradients
from opdiff.trace import TensorSpec
from opdiff.trace.columns import Flags, Ints
from opdiff.trace.sorting import among, distinct
from opdiff.trace.traits import Trait

_MOST_READERS = 64
_MOST_CONSTANTS = 256
_NUMBERS, _MATRICES = "mul", ("mm", "bmm")
_FACTORS = 2
_MIRRORING = {"conj", "negview"}
"""Views of other numbers than those that they look at."""
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
    anchors: tuple[int, int] | None,
) -> Flags:
    """Of each divergence, whether it cannot change a value.

    *anchors* are the rows that the ops before them were compared for, if only these were.
    """
    by_detail = np.array([detail.harmless for detail in columns.details], np.bool_)
    found: Flags = by_detail[columns.detail]
    for kind, side in ((Kind.ONLY_LEFT, 0), (Kind.ONLY_RIGHT, 1)):
        here = columns.of_kind(kind)
        rows = (columns.left, columns.right)[side][here]
        found[here] = _idle(sides[side], rows) | _again(sides[side], stretches, side)[rows]
        found[here] |= _folded_away(sides, matching, side, rows)
        found[here] |= _adds_zero(sides, matching, side, rows)
        found[here] |= shared(sides, matching, side, rows)
        found[here] |= made_once(sides, matching, side, rows)
        found[here] |= _rounds_result(sides, matching, side, rows)
        copied = (columns.left, columns.right)[side][columns.of_kind(Kind.CONTIGUOUS)]
        found[here] |= among(
            rows, _dead(sides[side], distinct(np.append(rows, copied[copied >= 0])))
        )
        if anchors is not None and len(rows):
            found[here] |= _for_later(sides, side, anchors, rows)
    copying = [side.trace.has_trait(Trait.COPY) for side in sides]
    works = _Works(sides, matching)
    last = None if anchors is None else anchors[0]
    for kind in (Kind.LAYOUT, Kind.SHAPE, Kind.DATAFLOW):
        for at in columns.of_kind(kind).tolist():
            row, other = int(columns.left[at]), int(columns.right[at])
            # Of two views or copies the readers tell.
            handing = bool(sides[0].passes[row] and sides[1].passes[other])
            if kind is Kind.DATAFLOW:
                handing &= all(
                    _keeps_digits(side, each)
                    for side, each in zip(sides, (row, other), strict=True)
                    if side.trace.traits[each] & Trait.CAST
                )
                found[at] |= handing and (
                    _readers_agree(sides, matching, row, last) or works.tell(row, other)
                )
            elif kind is Kind.LAYOUT:
                # A copy of a part prints which part, its readers do not.
                tells = handing and not (copying[0][row] and copying[1][other])
                found[at] = tells or not _other_elements(sides, matching, row, other)
            else:
                found[at] &= handing or not _broadcast_otherwise(sides, row, other)
                found[at] |= handing or _spread_beforehand(sides, matching, row, other)
                found[at] &= not (handing and spread_otherwise(sides, matching, row, other))
                found[at] &= not (handing and _in_another_order(sides, row, other))
    for at in columns.of_kind(Kind.OPERANDS).tolist():
        row, other = int(columns.left[at]), int(columns.right[at])
        found[at] &= not _lacks_a_tensor(sides, matching, row, other)
        found[at] |= bool(sides[0].constant[row] and sides[1].constant[other])
        found[at] |= _lacks_constants(sides, matching, row, other)
        found[at] |= _prints_no_result(sides, row, other)
    _look_at_types(columns, sides, found)
    if anchors is not None:
        found[_kept_apart(columns, sides, matching, anchors)] = True
    return found


def _look_at_types(columns: Columns, sides: tuple[Prepared, Prepared], found: Flags) -> None:
    """Mark pairs of two names that do one job by the way they are called, or that do not."""
    unlike = columns.of_kind(Kind.OP_TYPE)
    renamed = columns.of_kind(Kind.OP_TYPE, Kind.FUSED)
    for at in renamed[found[renamed]].tolist():
        if at in columns.more:
            found[at] = not listed_otherwise(sides, *columns.more[at])
        else:
            found[at] = not told_otherwise(sides, int(columns.left[at]), int(columns.right[at]))
    unlike = unlike[~found[unlike]]
    for at in unlike[_products(sides, columns.left[unlike], columns.right[unlike])].tolist():
        found[at] = _outer(sides, int(columns.left[at]), int(columns.right[at]))


def _products(sides: tuple[Prepared, Prepared], rows: Ints, others: Ints) -> Flags:
    """Which pairs are a product of matrices and one of numbers."""
    numbers, matrices = [], []
    for side, at in zip(sides, (rows, others), strict=True):
        spelled = [canonical(name) for name in side.trace.types]
        kind = side.trace.type[at]
        numbers.append(np.array([name == _NUMBERS for name in spelled], np.bool_)[kind])
        matrices.append(np.array([name in _MATRICES for name in spelled], np.bool_)[kind])
    found: Flags = (numbers[0] & matrices[1]) | (matrices[0] & numbers[1])
    return found


def _outer(sides: tuple[Prepared, Prepared], row: int, other: int) -> bool:
    """Whether of a product of matrices and one of numbers the first sums over an axis of one."""
    one_of_numbers = canonical(sides[0].trace.type_name(row)) == _NUMBERS
    side, at = (sides[1], other) if one_of_numbers else (sides[0], row)
    places = side.places_in(at)
    return len(places) == _FACTORS and _shape(side, int(places[0]))[-1:] == (1,)


def _kept_apart(
    columns: Columns,
    sides: tuple[Prepared, Prepared],
    matching: Matching,
    anchors: tuple[int, int],
) -> Flags:
    """What differs only since two ops are anchors: the counterpart of either that is left over.

    The last ops of two backwards need not be the same one: gradients are added up in any order, and
    handed out in any order. If that is so of both, nor does the pair of anchors itself differ.
    """
    mine = _counterpart(sides, matching, 1, anchors[1])
    theirs = _counterpart(sides, matching, 0, anchors[0])
    if (mine, theirs) == anchors:
        return np.zeros(len(columns.left), np.bool_)
    partner = matching.partner
    found = np.zeros(len(columns.left), np.bool_)
    if mine is not None and partner[0][mine] in (-1, theirs):
        found |= columns.left == mine
    if theirs is not None and partner[1][theirs] in (-1, mine):
        found |= columns.right == theirs
    apart = mine is not None and theirs is not None and found.any()
    if apart or all(_hands_on_common(sides, matching, side, anchors[side]) for side in (0, 1)):
        found |= (columns.left == anchors[0]) & (columns.right == anchors[1])
    return found


def _hands_on_common(
    sides: tuple[Prepared, Prepared], matching: Matching, which: int, row: int
) -> bool:
    """Whether a row makes nothing of its own of what both sides compute."""
    side, partner = sides[which], matching.partner[which]
    read, block = side.read_by(row), matching.block_of(which)
    common = all(partner[value] >= 0 or value in block for value in read)
    return bool(side.passes[row]) and bool(read) and common


def _counterpart(
    sides: tuple[Prepared, Prepared], matching: Matching, which: int, row: int
) -> int | None:
    """The one op of the other side that is alike and reads the same."""
    side, other = sides[which], sides[1 - which]
    wanted = matching.partner[which][[*side.read_by(row)]].tolist()
    known = [value for value in wanted if value >= 0]
    if not known:
        return None
    # What several ops make together on one side, others make on the other.
    block = matching.block_of(which), matching.block_of(1 - which)
    parts = [block[0].get(value) for value in side.read_by(row)]
    if any(value < 0 and part is None for value, part in zip(wanted, parts, strict=True)):
        return None
    readers = other.trace.values.reader_row[other.readings(known[0])[:_MOST_READERS]]
    same = [
        reader
        for reader in dict.fromkeys(readers.tolist())
        if other.type[reader] == side.type[row]
        and other.layout[reader] == side.layout[row]
        and len(read := other.read_by(reader)) == len(wanted)
        and all(
            value == there or (value < 0 and part == block[1].get(there))
            for value, part, there in zip(wanted, parts, read, strict=True)
        )
    ]
    return same[0] if len(same) == 1 else None


class _Works:
    """What views lead into, or come from, where several ops do the work of one."""

    def __init__(self, sides: tuple[Prepared, Prepared], matching: Matching) -> None:
        self._sides = sides
        self._matching = matching

    def tell(self, row: int, other: int) -> bool:
        """Whether all that reads what two views hand on tells itself whether it reads the same.

        That is a work, or a pair that does read the same; or nobody does: a view that a compiler
        or autograd leaves behind has no place.
        """
        readers = self._readers(0, row), self._readers(1, other)
        alike = all(
            found is not None and all(self._reads_the_same(which, each) for each in found)
            for which, found in enumerate(readers)
        )
        return alike and any(
            not found or any(self._has_to_do_with(which, each) for each in found)
            for which, found in enumerate(readers)
        )

    def _readers(self, which: int, row: int) -> list[int] | None:
        """All that computes with what a view hands on; None if that is not known."""
        side = self._sides[which]
        waiting, seen = [row], {row}
        while waiting and len(seen) < _MOST_READERS:
            new = [each for each in side.trace.consumers(waiting.pop()) if each not in seen]
            seen.update(new)
            waiting += [each for each in new if side.passes[each]]
        found = [each for each in sorted(seen) if not side.passes[each]]
        return found if not waiting and (found or _dead(side, np.array(sorted(seen)))) else None

    def _has_to_do_with(self, which: int, row: int) -> bool:
        """Whether a row is part of a work or reads what one makes."""
        works = self._of_row[which]
        return row in works or any(value in works for value in self._sides[which].read_by(row))

    def _reads_the_same(self, which: int, row: int) -> bool:
        if row in self._of_row[which]:
            return True
        other = int(self._matching.partner[which][row])
        return other >= 0 and self._read(which, row) == self._read(1 - which, other)

    def _read(self, which: int, row: int) -> list[tuple[int, int]]:
        """What a row reads, as both sides name it: a work, or a value of the left."""
        partner, works = self._matching.partner[which], self._of_row[which]
        return [
            (0, works[value])
            if value in works
            else (1, int(partner[value]) if which else value)
            if partner[value] >= 0
            else (2 + which, value)
            for value in self._sides[which].read_by(row)
        ]

    @cached_property
    def _of_row(self) -> tuple[dict[int, int], dict[int, int]]:
        """Of each row of a work the number of that."""
        return self._matching.block_of(0), self._matching.block_of(1)


def _readers_agree(
    sides: tuple[Prepared, Prepared], matching: Matching, row: int, last: int | None
) -> bool:
    """Whether all that compute with what a view hands on read the same on both sides.

    What is read behind the *last* row only, the anchor, does not come into it: gradients are handed
    out in any order.
    """
    left, right = sides
    waiting, seen, agreed, idle = [row], {row}, False, last is not None
    while waiting and len(seen) < _MOST_READERS:
        here = waiting.pop()
        idle &= bool(left.passes[here]) and here != last
        if left.passes[here]:
            readers = left.trace.consumers(here)
            new = [each for each in readers if each not in seen and (last is None or each <= last)]
            seen.update(new)
            waiting += new
        elif (other := int(matching.partner[0][here])) >= 0:
            mine = matching.partner[0][[*left.read_by(here)]].tolist()
            if tuple(mine) != right.read_by(other):
                return False
            agreed = True
    return (agreed or idle) and not waiting


def _spread_beforehand(
    sides: tuple[Prepared, Prepared], matching: Matching, row: int, other: int
) -> bool:
    """Whether one side spreads out what its op reads, as the other's op does by itself."""
    left, right = sides
    here, there, _ = paired_inputs(left, right, np.array([row]), np.array([other]))
    if left.outputs[row] != right.outputs[other] or not len(here):
        return False
    for mine, theirs in zip(here.tolist(), there.tolist(), strict=True):
        shape, other_shape = _shape(left, mine), _shape(right, theirs)
        if shape == other_shape:
            continue
        same = matching.partner[0][left.value[mine]] == right.value[theirs]
        spread = _spread(left, mine, other_shape) or _spread(right, theirs, shape)
        if not same or not spread:
            return False
    return True


def _in_another_order(sides: tuple[Prepared, Prepared], row: int, other: int) -> bool:
    """Whether two ops that keep elements in their order make one shape of transposed ones."""
    left, right = sides
    here, there, _ = paired_inputs(left, right, np.array([row]), np.array([other]))
    names = left.trace.type_name(row), right.trace.type_name(other)
    if (
        left.outputs[row] != right.outputs[other]
        or not all(canonical(each) in KEEPING for each in names)
        or not len(here)
    ):
        return False
    mine, theirs = (
        [size for size in _shape(side, int(at[0])) if size != 1]
        for side, at in ((left, here), (right, there))
    )
    return mine != theirs and sorted(mine) == sorted(theirs)


def _broadcast_otherwise(sides: tuple[Prepared, Prepared], row: int, other: int) -> bool:
    """Whether one op spreads an input over its result along other axes than the other does.

    As many elements are the same ones elsewhere, but a row added to a matrix is no column.
    """
    left, right = sides
    here, there, _ = paired_inputs(left, right, np.array([row]), np.array([other]))
    outputs = left.trace.outputs
    first = int(outputs.start[row])
    if left.outputs[row] != right.outputs[other] or first == outputs.start[row + 1]:
        return False
    made = left.trace.tables.specs[outputs.spec[first]].shape
    shapes = [
        [_shape(side, at) for at in each.tolist()]
        for side, each in zip(sides, (here, there), strict=True)
    ]
    if not all(_spreads_over(each, made) for each in chain(*shapes)):
        return False  # a product of matrices, say
    # Names of one job may take their operands in another order.
    any_order = left.any_order[row] or left.type[row] != right.type[other]
    if any_order and Counter(shapes[0]) == Counter(shapes[1]):
        return False
    return any(
        prod(mine) < prod(made) and _without_ones(mine) != _without_ones(theirs)
        for mine, theirs in zip(*shapes, strict=True)
    )


def _spreads_over(shape: tuple[int, ...], made: tuple[int, ...]) -> bool:
    """Whether elements of that shape can be spread over a result."""
    axes = zip(shape[::-1], made[::-1], strict=False)
    return len(_without_ones(shape)) <= len(made) and all(size in (1, to) for size, to in axes)


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without the axes in front that hold one element."""
    first = next((axis for axis, size in enumerate(shape) if size != 1), len(shape))
    return shape[first:]


def _spread(side: Prepared, operand: int, shape: tuple[int, ...]) -> bool:
    """Whether what is read has been spread out from that shape, its axes kept."""
    start = side.trace.inputs.start
    row = int(side.trace.links.producer[operand])
    while row >= 0 and side.passes[row] and start[row] < start[row + 1]:
        first = int(start[row])
        axes = zip(shape[::-1], _shape(side, operand)[::-1], strict=False)
        if side.trace.traits[row] & Trait.SPREADS and _shape(side, first) == shape:
            return all(size in (1, wider) for size, wider in axes)
        row = int(side.trace.links.producer[first])
    return False


def _shape(side: Prepared, operand: int) -> tuple[int, ...]:
    spec: TensorSpec = side.trace.tables.specs[side.trace.inputs.spec[operand]]
    return spec.shape


def _lacks_a_tensor(
    sides: tuple[Prepared, Prepared], matching: Matching, row: int, other: int
) -> bool:
    """Whether one of two names of one job reads all that the other does, and a tensor more.

    A product of matrices with a bias and one without are known for one job. Sums may be added up
    in other steps.
    """
    if sides[0].adds[row] and sides[1].adds[other]:
        return False
    read = [
        side.value[[each for each in side.places_in(at).tolist() if not side.folded[each]]]
        for side, at in zip(sides, (row, other), strict=True)
    ]
    met = Counter(matching.partner[0][read[0]].tolist())
    wanted = Counter(read[1].tolist())
    return (-1 not in met and met < wanted) or wanted < met


def _lacks_constants(
    sides: tuple[Prepared, Prepared], matching: Matching, row: int, other: int
) -> bool:
    """Whether a pair reads the same but for constants, which a compiler folds into the op.

    What it reads beside them may be an op without counterpart: that is the difference.
    """
    left, right = sides
    counts = (left.trace.outputs.counts()[row], right.trace.outputs.counts()[other])
    if counts[0] != counts[1]:
        return False
    mine = [operand for operand in left.places_in(row).tolist() if not left.folded[operand]]
    theirs = [operand for operand in right.places_in(other).tolist() if not right.folded[operand]]
    values, others = left.value[mine].tolist(), right.value[theirs].tolist()
    met = Counter(int(matching.partner[0][value]) for value in values)
    lost = [int(matching.partner[1][value]) for value in (Counter(others) - met).elements()]
    alone = (met - Counter(others)).keys() <= {-1} or set(lost) <= {-1}
    made = max(values, default=0) < len(left.trace) and max(others, default=0) < len(right.trace)
    return len(values) == len(others) and (not lost or (alone and made))


def _prints_no_result(sides: tuple[Prepared, Prepared], row: int, other: int) -> bool:
    """Whether all that differs is that a graph prints no result of what it writes in place."""
    both = (sides[0], row), (sides[1], other)
    in_place = all(bool(side.trace.traits[at] & Trait.IN_PLACE) for side, at in both)
    silent = any(
        side.trace.outputs.start[at] == side.trace.outputs.start[at + 1] for side, at in both
    )
    read = {len(side.places_in(at)) for side, at in both}
    return in_place and silent and len(read) == 1


def _folded_away(
    sides: tuple[Prepared, Prepared], matching: Matching, which: int, rows: Ints
) -> Flags:
    """Constants of which the other side computes nothing: a compiler knows them beforehand.

    It may still run the last one, of numbers. If something else is read in their place, their
    readers tell.
    """
    side, partner = sides[which], matching.partner[which]
    found = np.zeros(len(rows), np.bool_)
    decided: dict[int, bool] = {}
    for at in np.flatnonzero(side.constant[rows]).tolist():
        row = int(rows[at])
        if row not in decided:
            connected = _connected_constants(sides, partner, which, row)
            decided.update(dict.fromkeys(connected, bool((partner[connected] < 0).all())))
        found[at] = decided.get(row, False)
    return found


def _connected_constants(
    sides: tuple[Prepared, Prepared], partner: Ints, which: int, row: int
) -> list[int]:
    """The constants that a constant is made from or goes into, up to what reads nothing there."""
    side, other = sides[which], sides[1 - which]
    seen, waiting = {row}, [row]
    while waiting and len(seen) < _MOST_CONSTANTS:
        here = waiting.pop()
        near = [*side.trace.producers(here), *side.trace.consumers(here)]
        for each in near:
            if each is None or each in seen or not side.constant[each]:
                continue
            met = int(partner[each])
            if 0 <= met < len(other.trace) and side.read_by(each) and not other.read_by(met):
                continue
            seen.add(each)
            waiting.append(each)
    return sorted(seen)


def _for_later(
    sides: tuple[Prepared, Prepared], which: int, anchors: tuple[int, int], rows: Ints
) -> Flags:
    """Rows of a graph, which has its own schedule, before an anchor and for what comes after it.

    An op without operands is one if the other side runs such an op only behind its anchor.
    """
    side, other = sides[which], sides[1 - which]
    behind = among(side.type[rows], other.type[anchors[1 - which] + 1 :])
    before = among(side.type[rows], other.type[: anchors[1 - which] + 1])
    found: Flags = side.bare[rows] & behind & ~before
    if names_gradients(side.trace):
        found |= _only_read_behind(side, anchors[which])[rows]
    return found


def _only_read_behind(side: Prepared, anchor: int) -> Flags:
    """Rows before an anchor of which it, and all that nobody reads, depends on none.

    What a state is set to is read in the next step.
    """
    links, writes = side.trace.links, side.trace.has_trait(Trait.IN_PLACE)
    start, consumer = links.start.tolist(), links.consumer.tolist()
    found = [False] * len(side.trace)
    for row in range(anchor - 1, -1, -1):
        readers = consumer[start[row] : start[row + 1]]
        read = bool(readers) or writes[row]
        found[row] = read and all(each > anchor or found[each] for each in readers)
    return np.array(found, np.bool_)


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
    mirrors = np.array([canonical(name) in _MIRRORING for name in trace.types], np.bool_)
    idle: Flags = side.passes[rows] | side.idle[rows]
    casts = np.flatnonzero(((trace.traits[rows] & Trait.CAST) > 0) & ~side.idle[rows])
    for at in casts.tolist():
        idle[at] = _keeps_digits(side, int(rows[at]))
    copies = (trace.traits[rows] & Trait.COPY) > 0
    copies |= side.bare[rows] & ((trace.traits[rows] & Trait.VIEW) > 0)
    harmless: Flags = ((idle | copies) & ~mirrors[trace.type[rows]]) | (side.twin[rows] != rows)
    return harmless


def _dead(side: Prepared, rows: Ints) -> list[int]:
    """Dead code among some rows, ascending, which compilers leave out.

    Nobody reads its results, and the run goes on to a phase that would: what the last phase leaves
    may be what the user wants. What is filled with zeros takes a shape, and reads no result; what
    is filled with ones is the gradient of a loss.
    """
    trace = side.trace
    if not side.has_operands or not len(side.rows):
        return []
    last = int(side.phase[~side.noise].max())  # what runs behind an anchor would read it too
    sends = (trace.traits & Trait.COMMUNICATION) > 0
    filled = trace.has_trait(Trait.ZERO)
    dead: set[int] = set()
    for row in rows[::-1].tolist():  # readers before what they read
        if side.phase[row] >= last or sends[row] or _writes_in_place(side, row):
            continue
        if all(reader in dead or filled[reader] for reader in trace.consumers(row)):
            dead.add(row)
    return sorted(dead)


def _writes_in_place(side: Prepared, row: int) -> bool:
    inputs, outputs = side.trace.inputs, side.trace.outputs
    written = outputs.memory[outputs.start[row] : outputs.start[row + 1]].tolist()
    read = inputs.memory[inputs.start[row] : inputs.start[row + 1]].tolist()
    return not written or (not side.passes[row] and not set(written).isdisjoint(read))


def _adds_zero(
    sides: tuple[Prepared, Prepared], matching: Matching, which: int, rows: Ints
) -> Flags:
    """Sums of one value and zeros, with which compiled graphs begin, read as that value is."""
    side, other = sides[which], sides[1 - which]
    trace, partner = side.trace, matching.partner[which]
    adding = trace.has_trait(Trait.ACCUMULATES) & ~trace.has_trait(Trait.IN_PLACE)
    zero = trace.has_trait(Trait.ZERO)
    found = np.zeros(len(rows), np.bool_)
    for at in np.flatnonzero(adding[rows]).tolist():
        row = int(rows[at])
        read = side.read_by(row)
        values = [value for value in read if value >= len(trace) or not zero[value]]
        if len(values) != 1 or len(read) < 2:
            continue
        readers = partner[list(trace.consumers(row))]
        wanted = int(partner[values[0]])
        found[at] = all(wanted in other.read_by(one) for one in readers[readers >= 0].tolist())
    return found


def _rounds_result(
    sides: tuple[Prepared, Prepared], matching: Matching, which: int, rows: Ints
) -> Flags:
    """Conversions of what an expansion makes to the type that the op makes by itself.

    In half precision an op computes in single precision within; its expansion tells so.
    """
    side, other = sides[which], sides[1 - which]
    block = matching.block_of(which)
    found = np.zeros(len(rows), np.bool_)
    for at in np.flatnonzero(side.trace.has_trait(Trait.CAST)[rows]).tolist():
        row = int(rows[at])
        (before, after), producers = _types(side, row), side.trace.producers(row)
        if (after, before) in _WIDER and producers and producers[0] in block:
            works = matching.blocks[block[producers[0]]].rows(1 - which)
            found[at] = any(_types(other, work)[1] == after for work in works)
    return found


def _types(side: Prepared, row: int) -> tuple[str, str]:
    """The types of a row's first input and first output; empty where there is none."""
    specs, found = side.trace.tables.specs, []
    for each in (side.trace.inputs, side.trace.outputs):
        first, after = each.start[row], each.start[row + 1]
        found.append(specs[each.spec[first]].dtype if first < after else "")
    return found[0], found[1]


def _keeps_digits(side: Prepared, row: int) -> bool:
    """Whether a conversion goes to the same type or to a wider one."""
    before, after = _types(side, row)
    return not (before and after) or before == after or (before, after) in _WIDER


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
