"""Which of several equal parts of a value an op reads, where strides and offsets tell.

A graph takes a value apart by one op with several results; eager code looks at the parts of one
block. Where the parts that are read are all there is of the block, they are numbered as the results
of such an op would be.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from opdiff.trace import Trace
from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.trace.sorting import distinct, fresh
from opdiff.trace.traits import Trait

_LARGEST = 1 << 56
"""Elements: a damaged trace may print any sizes and offsets."""


class _Specs(NamedTuple):
    """Columns of the specs of a trace."""

    known: Flags
    """Whether strides and offset are told, and may be true."""
    sort: Longs
    """A number for dtype, shape and strides."""
    offset: Longs
    size: Longs


def takes_apart(trace: Trace, other: Trace) -> bool:
    """Whether a trace has ops with several results of a sort that the other does not run.

    Where both sides look at parts alike, strides and offsets tell which: that is a difference in
    layout, and no other value.
    """
    several = distinct(trace.type[trace.outputs.counts() > 1])
    known = set(other.types)
    return any(trace.types[number] not in known for number in several.tolist())


def shares(trace: Trace) -> Ints:
    """Of each input the number of the part that it is; -1 where that is not told."""
    inputs, outputs, source = trace.inputs, trace.outputs, trace.values.source
    told = np.full(len(inputs.memory), -1, np.int32)
    specs = _columns(trace)
    if not specs.known.any():
        return told
    # Eager code may make the part dense first.
    copying = trace.has_trait(Trait.COPY) & ~trace.has_trait(Trait.VIEW | Trait.IN_PLACE)
    copying &= inputs.counts() == 1
    made = source < len(trace)
    writer = np.where(made, source, 0)
    seen = np.where(made & copying[writer], inputs.start[writer], np.arange(len(source)))
    whole = source[seen]
    reading = specs.known[inputs.spec[seen]] & (whole < len(trace))
    whole = np.where(reading, whole, 0)
    operand = np.flatnonzero(reading & (outputs.counts()[whole] == 1))
    if not len(operand):
        return told
    seen, whole = seen[operand], whole[operand]
    part = inputs.spec[seen]
    total = specs.size[outputs.spec[outputs.start[whole]]]
    smaller = specs.size[part] < total
    operand, whole, part, total = operand[smaller], whole[smaller], part[smaller], total[smaller]
    lot = whole.astype(np.int64) * np.int64(len(specs.sort)) + specs.sort[part]
    order = np.lexsort((specs.offset[part], lot))
    operand, part, total, lot = operand[order], part[order], total[order], lot[order]
    if not len(operand):
        return told
    offset = specs.offset[part]
    new_lot = fresh(lot)
    new = np.concatenate(([True], offset[1:] != offset[:-1])) | new_lot
    first = np.flatnonzero(new_lot)
    size = np.diff(first, append=len(lot))
    rank = np.cumsum(new) - 1
    rank -= np.repeat(rank[first], size)
    count = np.repeat(np.maximum.reduceat(rank, first) + 1, size)
    complete = (count * specs.size[part] == total) & _evenly(offset, rank, first, size)
    told[operand[complete]] = rank[complete]
    return told


def sizes(trace: Trace) -> Longs:
    """How many elements each spec has, within bounds."""
    found = [min(max(prod(spec.shape), 0), _LARGEST) for spec in trace.tables.specs]
    return np.array(found, np.int64)


def _evenly(offset: Longs, rank: Longs, first: Longs, size: Longs) -> Flags:
    """Of each input, whether the parts of its lot lie at equal distances from each other."""
    least = np.minimum.reduceat(offset, first)
    steps = np.maximum(np.maximum.reduceat(rank, first), 1)
    step = (np.maximum.reduceat(offset, first) - least) // steps
    even = offset == np.repeat(least, size) + rank * np.repeat(step, size)
    return np.repeat(np.logical_and.reduceat(even, first), size)


def _columns(trace: Trace) -> _Specs:
    specs = trace.tables.specs
    known = np.zeros(len(specs), np.bool_)
    sort, offset = np.zeros((2, len(specs)), np.int64)
    size = sizes(trace)
    sorts: dict[object, int] = {}
    for number, spec in enumerate(specs):
        if spec.strides is None or spec.offset is None or not 0 <= spec.offset < _LARGEST:
            continue
        known[number] = 0 < size[number] < _LARGEST
        offset[number] = spec.offset
        sort[number] = sorts.setdefault((spec.dtype, spec.shape, spec.strides), len(sorts))
    return _Specs(known, sort, offset, size)
