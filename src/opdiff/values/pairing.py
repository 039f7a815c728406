"""From pairs of ops to the errors of their operands: what :mod:`opdiff.values.causes` asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from opdiff.trace import Trace
from opdiff.trace.columns import Bytes, Ints, Longs
from opdiff.values.causes import ErrorsOfPairs
from opdiff.values.conditions import Norms, conditions, norms
from opdiff.values.estimate import Errors, errors
from opdiff.values.floors import Floors, precisions
from opdiff.values.measures import Flags, Floats
from opdiff.values.table import Values


@dataclass(frozen=True, slots=True)
class Side:
    """A trace and what its tensors held."""

    trace: Trace
    values: Values


class OperandPairs(NamedTuple):
    """Operands that are compared with each other: their pair of ops, their places on both sides.

    Places are those among the flat contents of a side (which are the flat operands of its trace,
    save for ops whose operands the trace does not print).
    """

    pair: Ints
    left: Longs
    right: Longs


class Compared(NamedTuple):
    """The errors of pairs of ops, and what each of them was worked out from."""

    pairs: ErrorsOfPairs
    inputs: Errors
    outputs: Errors


def by_position(
    left_start: Longs, right_start: Longs, left_row: Ints, right_row: Ints
) -> OperandPairs:
    """The n-th operand of the one with the n-th of the other, as far as both have them."""
    counts = np.minimum(
        left_start[left_row + 1] - left_start[left_row],
        right_start[right_row + 1] - right_start[right_row],
    )
    pair = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
    return OperandPairs(
        pair, left_start[left_row][pair] + within, right_start[right_row][pair] + within
    )


def compare_values(
    left: Side,
    right: Side,
    left_row: Ints,
    right_row: Ints,
    *,
    inputs: OperandPairs | None = None,
    outputs: OperandPairs | None = None,
    floors: Floors | None = None,
    bitwise: bool = False,
    only_moves: Flags | None = None,
) -> Compared:
    """The errors of all operands of ops that are paired so, in the order in which to read them.

    Operands are compared by their positions unless others are given.
    """
    floors = floors or Floors()
    found: list[tuple[OperandPairs, Errors, Floats, Norms]] = []
    for is_output, operands in ((False, inputs), (True, outputs)):
        mine, its = (side.values.side(outputs=is_output) for side in (left, right))
        if operands is None:
            operands = by_position(mine.start, its.start, left_row, right_row)
        apart = errors(
            left.values.measures,
            mine.index[operands.left],
            right.values.measures,
            its.index[operands.right],
            bitwise=bitwise,
        )
        kinds: list[Bytes] = [
            precisions(side.trace, side.values, outputs=is_output) for side in (left, right)
        ]
        floor = floors.of_pairs(kinds[0][operands.left], kinds[1][operands.right])
        sizes = norms(
            operands.pair,
            (left.values.measures, mine, operands.left),
            (right.values.measures, its, operands.right),
        )
        found.append((operands, apart, floor, sizes))
    (read, read_errors, read_floor, read_sizes), written = found[0], found[1]
    nature = conditions(left.trace, left_row, read_sizes, written[3])
    pairs = ErrorsOfPairs(
        left_row=left_row,
        right_row=right_row,
        input_pair=read.pair,
        input_left=read.left,
        input_right=read.right,
        input_error=read_errors.error,
        input_floor=read_floor,
        output_pair=written[0].pair,
        output_error=written[1].error,
        output_floor=written[2],
        only_moves=only_moves,
        output_condition=None if bitwise else nature.condition,
        output_steps=None if bitwise else nature.steps,
    )
    return Compared(pairs, read_errors, written[1])
