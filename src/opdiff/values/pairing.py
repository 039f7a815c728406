"""From pairs of ops to the errors of their operands: what :mod:`opdiff.values.causes` asks for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from opdiff.trace import Trace
from opdiff.trace.columns import Bytes, Flags, Floats, Ints, Longs, marked
from opdiff.trace.traits import Trait
from opdiff.values.causes import ErrorsOfPairs
from opdiff.values.conditions import Norms, conditions, norms
from opdiff.values.drowning import drowns
from opdiff.values.estimate import Errors, errors
from opdiff.values.floors import DEFAULT_FLOORS, Floors, Precision
from opdiff.values.measures import Measures
from opdiff.values.operands import (
    OperandPairs,
    by_position,
    choices,
    in_turn,
    most_alike,
    slides,
    together,
)
from opdiff.values.table import Contents, Values, precisions

_LAYS_OUT = Trait.VIEW | Trait.REARRANGE
_NOT_YET = -2
_APART = 1e-4
"""Sums of the same elements in the same order are not so far apart."""
_NOISE_MARGIN = 2.0
"""A third run may be that much noisier than the one that was measured."""
_LARGEST_NOISE = 0.1
"""More than this is no noise: random numbers from another seed, or a run that is not equal."""
_STEPS = {Precision.F64: 2e-16, Precision.F32: 1.2e-7, Precision.F16: 1e-3, Precision.BF16: 8e-3}
"""The step of each precision: what is measured below it is luck."""


class ValuedTrace(NamedTuple):
    """A trace and what its tensors held."""

    trace: Trace
    values: Values


class Compared(NamedTuple):
    """The errors of pairs of ops, and what each of them was worked out from."""

    pairs: ErrorsOfPairs
    drowned: Flags
    """Pairs in whose outputs the error of an input does not show."""
    inputs: Errors
    outputs: Errors


def same_job(left: Trace, right: Trace, left_row: Ints, right_row: Ints) -> Flags:
    """Which pairs of ops can be expected to write the same values.

    Ops of two names that lay values out, each in its own way, cannot: they are no counterparts as
    far as values go.
    """
    either = left.has_trait(_LAYS_OUT)[left_row] | right.has_trait(_LAYS_OUT)[right_row]
    return _same_type(left, right, left_row, right_row) | ~either


def part_ways(
    left: ValuedTrace, right: ValuedTrace, left_row: Ints, right_row: Ints, floors: Floors
) -> Flags:
    """Which pairs of ops of two names have other results."""
    found = np.zeros(len(left_row), np.bool_)
    here = np.flatnonzero(~_same_type(left.trace, right.trace, left_row, right_row))
    written = _Operands(
        left,
        right,
        (left_row[here], right_row[here]),
        _Apart(left.values.measures, right.values.measures, bitwise=False),
        floors,
        is_output=True,
    )
    differ = written.errors().error > written.floors()
    found[here[written.operands.pair[differ]]] = True
    return found


def compare_values(
    left: ValuedTrace,
    right: ValuedTrace,
    left_row: Ints,
    right_row: Ints,
    *,
    floors: Floors | None = None,
    bitwise: bool = False,
) -> Compared:
    """The errors of all operands of ops that are paired so, in the order in which to read them.

    Operands are compared by their positions, without those that one side lacks; inputs of ops of
    two names, and those whose order does not matter, by which are most alike.
    """
    floors = floors or Floors()
    traits = left.trace.traits[left_row]
    other_type = ~_same_type(left.trace, right.trace, left_row, right_row)
    any_order = other_type | ((traits & Trait.COMMUTATIVE) > 0)
    apart = _Apart(left.values.measures, right.values.measures, bitwise=bitwise)
    # Outputs first: most inputs are what another op wrote, and need not be looked at again.
    rows = (left_row, right_row)
    written = _Operands(left, right, rows, apart, floors, is_output=True)
    out_errors = written.errors()
    read = _Operands(left, right, rows, apart, floors, is_output=False, any_order=any_order)
    in_errors = read.errors()
    in_floor, out_floor = read.floors(), written.floors()
    # Which input of another op is meant nobody knows, unless they agree; nor what else than
    # its result another op leaves: places in one form or another, what a backward needs.
    in_errors.error[other_type[read.operands.pair] & (in_errors.error > in_floor)] = np.nan
    beside = written.operands.left > left.values.outputs.start[left_row][written.operands.pair]
    beside &= other_type[written.operands.pair]
    out_errors.error[beside & (out_errors.error > out_floor)] = np.nan
    differs = marked(len(left_row), read.operands.pair[~(in_errors.error <= in_floor)])
    differs[written.operands.pair[~(out_errors.error <= out_floor)]] = True
    # What agrees is no cause, whatever its size.
    some = read.of_pairs(differs), written.of_pairs(differs)
    sizes = read.norms(some[0]), written.norms(some[1])
    drowned = drowns(*sizes, in_errors.error[some[0]], in_floor[some[0]], len(left_row))
    if drowned.any():  # errors are handed on to pairs that agree
        some = read.of_pairs(differs | True), written.of_pairs(differs | True)
        sizes = read.norms(some[0]), written.norms(some[1])
    nature = conditions(left.trace, left_row, *sizes)
    norm, turns = np.full(len(in_floor), np.nan), np.full(len(out_floor), np.nan)
    condition = np.ones(len(out_floor))
    norm[some[0]] = sizes[0].norm
    if bitwise:
        drowned[:] = False
    else:
        condition[some[1]], turns[some[1]] = nature.condition, nature.turns
    pairs = ErrorsOfPairs(
        left_row=left_row,
        right_row=right_row,
        input_pair=read.operands.pair,
        input_left=read.operands.left,
        input_right=read.operands.right,
        input_error=in_errors.error,
        input_floor=in_floor,
        output_pair=written.operands.pair,
        output_error=out_errors.error,
        output_floor=out_floor,
        output_left=written.operands.left,
        output_right=written.operands.right,
        input_norm=norm,
        only_moves=(traits & Trait.PASSES_ON) > 0,
        two_names=other_type,
        output_condition=condition,
        output_turns=turns,
    )
    return Compared(pairs, drowned, in_errors, out_errors)


def _same_type(left: Trace, right: Trace, left_row: Ints, right_row: Ints) -> Flags:
    names = {name: number for number, name in enumerate(left.types)}
    of_left = np.array([names.get(name, -1) for name in right.types], np.int32)
    same: Flags = left.type[left_row] == of_left[right.type[right_row]]
    return same


class _Apart:
    """How far contents are apart; of each left one the latest that it was compared with is kept."""

    def __init__(self, left: Measures, right: Measures, *, bitwise: bool) -> None:
        self._left, self._right, self._bitwise = left, right, bitwise
        # One more, for contents that nobody knows.
        self._other = np.full(len(left) + 1, _NOT_YET, np.int32)
        self._error = np.full(len(left) + 1, np.nan)
        self._estimate = np.zeros(len(left) + 1, np.int8)

    def errors(self, mine: Ints, its: Ints) -> Errors:
        """Those of pairs of contents, given by their places in the measures (-1: not known)."""
        fresh = np.flatnonzero((mine < 0) | (self._other[mine] != its))
        error, estimate = self._error[mine], self._estimate[mine]
        if len(fresh):
            one, other = mine[fresh], its[fresh]
            found = errors(self._left, one, self._right, other, bitwise=self._bitwise)
            error[fresh], estimate[fresh] = found.error, found.estimate
            self._other[one] = other
            self._error[one], self._estimate[one] = found.error, found.estimate
        return Errors(error, estimate)


class _Operands:
    """The inputs, or the outputs, of pairs of ops: by position, and in some what is alike."""

    def __init__(
        self,
        left: ValuedTrace,
        right: ValuedTrace,
        rows: tuple[Ints, Ints],
        apart: _Apart,
        floors: Floors,
        *,
        is_output: bool,
        any_order: Flags | None = None,
    ) -> None:
        self._sides, self._rows = (left, right), rows
        self._known, self._noise = apart, floors
        self._is_output = is_output
        self._mine = left.values.side(outputs=is_output)
        self._its = right.values.side(outputs=is_output)
        if any_order is None:
            any_order = np.zeros(len(rows[0]), np.bool_)
        self.operands = by_position(self._mine.start, self._its.start, *rows)
        self._skip_what_is_missing(~any_order)
        if any_order.any():
            self._take_what_is_alike(any_order)

    def _take_what_is_alike(self, any_order: Flags) -> None:
        # Where those at the same positions agree, there is no need for another order.
        differ = np.zeros(len(any_order), np.bool_)
        some = self.operands.only(any_order[self.operands.pair])
        agree = self._apart(some).error <= self._floors(some)
        differ[some.pair[~agree]] = True
        if differ.any():
            every = choices(self._mine.start, self._its.start, *self._rows, differ)
            alike = most_alike(every, self._apart(every.pairs).error)
            fixed = self.operands.only(~differ[self.operands.pair])
            self.operands = together(fixed, alike)

    def _skip_what_is_missing(self, which: Flags) -> None:
        """Where one side has more of them, find which: lists of tensors may lack some."""
        some = slides(self._mine.start, self._its.start, *self._rows, which)
        if len(some.few):
            found = in_turn(some, self._apart(some.pairs).error)
            uneven = marked(len(which), found.pair)
            self.operands = together(self.operands.only(~uneven[self.operands.pair]), found)

    def errors(self) -> Errors:
        """How far they are apart."""
        return self._apart(self.operands)

    def _apart(self, operands: OperandPairs) -> Errors:
        return self._known.errors(self._mine.index[operands.left], self._its.index[operands.right])

    def floors(self) -> Floats:
        """How far noise may bring them apart."""
        return self._floors(self.operands)

    def _floors(self, operands: OperandPairs) -> Floats:
        return self._noise.of_pairs(*self._precisions(operands))

    def _precisions(self, operands: OperandPairs) -> tuple[Bytes, Bytes]:
        left, right = (
            precisions(side.trace, side.values, outputs=self._is_output) for side in self._sides
        )
        return left[operands.left], right[operands.right]

    def of_pairs(self, which: Flags) -> Longs:
        """Those of some pairs of ops."""
        return np.flatnonzero(which[self.operands.pair])

    def norms(self, which: Longs) -> Norms:
        """The norms and sizes of some."""
        left, right = self._sides
        operands = self.operands.only(which)
        found = norms(
            operands.pair,
            (left.values.measures, self._mine, operands.left),
            (right.values.measures, self._its, operands.right),
        )
        mine, its = self._precisions(operands)
        whole = (mine == Precision.WHOLE) & (its == Precision.WHOLE)
        return found._replace(norm=np.where(whole, 0.0, found.norm))


def reorders(side: ValuedTrace, rows: Ints) -> Flags:
    """Which of these views and copies write what they read first, all of it, in another order."""
    read, written = (
        _first(contents, rows) for contents in (side.values.inputs, side.values.outputs)
    )
    measures = side.values.measures
    found = errors(measures, read, measures, written).error > _APART
    known = (read >= 0) & (written >= 0)
    same: Flags = known & (measures.count[read] == measures.count[written])
    return found & same


def _first(contents: Contents, rows: Ints) -> Ints:
    """The content of the first operand of each row, -1 where there is none."""
    some = contents.start[rows + 1] > contents.start[rows]
    found = np.full(len(rows), -1, np.int32)
    found[some] = contents.index[contents.start[rows[some]]]
    return found


def measured_floors(compared: Compared, left: ValuedTrace, right: ValuedTrace) -> Floors:
    """Of each precision the largest error between both runs, with a margin.

    A precision that does not occur keeps what is usual; whole numbers have no noise.
    """
    kinds = np.maximum(
        precisions(left.trace, left.values, outputs=True)[compared.pairs.output_left],
        precisions(right.trace, right.values, outputs=True)[compared.pairs.output_right],
    )
    error = compared.pairs.output_error
    floors = list(DEFAULT_FLOORS)
    for precision in Precision:
        here = error[(kinds == precision) & (error <= _LARGEST_NOISE)]
        if precision is not Precision.WHOLE and len(here):
            floors[precision] = max(_NOISE_MARGIN * float(here.max()), _STEPS.get(precision, 0.0))
    return Floors(tuple(floors))
