"""One side of a comparison made ready: which rows are aligned, and what of them is compared."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.codes import Flags, Ints, Vocabulary, Words, mixed, operand_words, row_sums
from opdiff.trace import Role, Trace

_WHOLE_NUMBERS = ("Bool", "Int", "UInt", "int", "uint")
HOST_COPIES = frozenset({"TensorMove"})
TRANSPARENT = frozenset(
    "Contiguous Cast TensorMove Clone Copy InplaceCopy Identity copy_from Load Depend "
    "aten::contiguous aten::clone aten::_to_copy aten::to".split()
)
"""Ops that hand their value on: on one side only, they are looked through."""


@dataclass(frozen=True)
class Ready:
    """A trace with everything that comparing needs, a value a row (or an input)."""

    trace: Trace
    type: Ints
    """The shared number of the op type."""
    family: Ints
    """The number of its family: op types that are known to do the same job."""
    rows: Ints
    """The rows that are aligned, ascending."""
    noise: Flags
    producer: Ints
    """Of each input, the row that wrote it, no constant or parameter; -1 where there is none."""
    kept: Flags
    """Of each input, whether it is compared."""
    kept_outputs: Flags
    """Of each output, whether it is compared."""
    bare: Flags
    """Rows without any operand."""
    has_operands: bool
    dense: Ints
    """Of each of the trace's own specs, the shared number of its dtype and shape."""
    outputs: Words
    """Words for the outputs: dtype and shape."""
    inputs: Words
    """Words for the compared inputs: dtype and shape."""
    layout: Words
    """Words for outputs and compared inputs, strides and offset included."""
    upward: Words
    """Words for the families of the producers, input by input."""
    downward: Words
    """Words for the families of the consumers, whatever their order."""

    @cached_property
    def kept_places(self) -> NDArray[np.int64]:
        """The flat places of the compared inputs."""
        return np.flatnonzero(self.kept)

    @cached_property
    def kept_before(self) -> NDArray[np.int64]:
        """Of each flat place, how many compared inputs come before it."""
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(self.kept)))


def ready(
    trace: Trace,
    side: int,
    words: Vocabulary,
    rows: Ints,
    noise: Flags,
    unseen: NDArray[np.int64] | None = None,
) -> Ready:
    """Make one side ready to align *rows*; *unseen* memory is never listed by the other side."""
    inputs, outputs = trace.inputs, trace.outputs
    kept, producer = _compared_inputs(trace)
    every = np.ones(len(outputs.spec), np.bool_)
    if unseen is not None and len(unseen):
        kept &= ~np.isin(inputs.memory, unseen)
        every &= ~np.isin(outputs.memory, unseen)
    full = words.spec_of[side]
    dense = words.dense[full]
    bare = (inputs.counts() == 0) & (outputs.counts() == 0)
    kind = words.type_of[side][trace.type]
    family = words.family[kind]
    out_full, in_full = (
        row_sums(operands.start, operand_words(operands, mask, full[operands.spec], salt))
        for operands, mask, salt in ((outputs, every, 3), (inputs, kept, 4))
    )
    upward, downward = _neighbours(trace, family, kept, producer)
    return Ready(
        trace=trace,
        type=kind,
        family=family,
        rows=rows,
        noise=noise,
        producer=producer,
        kept=kept,
        kept_outputs=every,
        bare=bare,
        has_operands=not bool(bare[rows].all()),
        dense=dense,
        outputs=row_sums(outputs.start, operand_words(outputs, every, dense[outputs.spec], 1)),
        inputs=row_sums(inputs.start, operand_words(inputs, kept, dense[inputs.spec], 2)),
        layout=out_full + in_full,
        upward=upward,
        downward=downward,
    )


def _compared_inputs(trace: Trace) -> tuple[Flags, Ints]:
    """Which inputs are compared, and who wrote each."""
    inputs, producer = trace.inputs, trace.links.producer
    written = producer >= 0
    writer = np.maximum(producer, 0)
    if not len(producer):
        return np.zeros(0, np.bool_), producer
    constant = written & (trace.role == Role.CONSTANT)[writer]
    unseen = written & (trace.role == Role.PARAMETER)[writer]
    scalar = _is_scalar(trace)[inputs.spec] & ~written
    kept = ~constant & ~scalar & ~_from_host(trace, producer)
    return kept, np.where(constant | unseen, np.int32(-1), producer)


def _is_scalar(trace: Trace) -> Flags:
    """Specs of single whole numbers, which only compiled graphs list as operands."""
    return np.array(
        [not spec.shape and spec.dtype.startswith(_WHOLE_NUMBERS) for spec in trace.tables.specs],
        np.bool_,
    )


def _from_host(trace: Trace, producer: Ints) -> Flags:
    """Inputs that are copies of host memory: a run without the copy prints no such operand."""
    copies = np.array([name in HOST_COPIES for name in trace.types], np.bool_)
    lone: Flags = copies[trace.type] & (trace.inputs.counts() == 0)
    from_host: Flags = (producer >= 0) & lone[np.maximum(producer, 0)]
    return from_host


def _neighbours(trace: Trace, family: Ints, kept: Flags, producer: Ints) -> tuple[Words, Words]:
    inputs, links = trace.inputs, trace.links
    if not len(family):
        return np.zeros(0, np.uint64), np.zeros(0, np.uint64)
    source = _behind_copies(trace, kept, producer)
    wrote = np.where(source >= 0, family[np.maximum(source, 0)], -1)
    upward = row_sums(inputs.start, operand_words(inputs, kept, wrote + 1, 5))
    reading = mixed(family[links.consumer].astype(np.int64) + (6 << 52))
    return upward, row_sums(links.start, reading)


def _behind_copies(trace: Trace, kept: Flags, producer: Ints) -> Ints:
    """Who wrote each input, a few copies and casts looked through: they come and go."""
    passing = np.array([name in TRANSPARENT for name in trace.types], np.bool_)[trace.type]
    operand = np.flatnonzero(kept)
    first = np.full(len(trace), -1, np.int32)
    first[trace.inputs.rows()[operand[::-1]]] = producer[operand[::-1]]
    source = producer
    for _ in range(3):
        here = (source >= 0) & passing[np.maximum(source, 0)]
        if not here.any():
            break
        source = np.where(here, first[np.maximum(source, 0)], source)
    return source


def codes_of(left: Ready, right: Ready) -> tuple[tuple[Words, Words], tuple[Words, Words]]:
    """Per strictness, per side, a word a row: family with specs, and family alone.

    Specs count only where both sides print operands at all.
    """
    loose = (mixed(left.family), mixed(right.family))
    if not (left.has_operands and right.has_operands):
        return loose, loose
    strict = (
        loose[0] + left.outputs + left.inputs,
        loose[1] + right.outputs + right.inputs,
    )
    return strict, loose


def signatures(side: Ready, *, by_family: bool = False) -> Words:
    """A word a row: type or family of names, and dtype and shape of its operands."""
    name = side.family if by_family else side.type
    words: Words = mixed(name) + side.outputs + side.inputs
    return words


def written_by(side: Ready, row: int) -> list[int]:
    """The rows that wrote the compared inputs of a row, -1 where there is none."""
    writers: list[int] = side.producer[places_in(side, row)].tolist()
    return writers


def places_in(side: Ready, row: int) -> NDArray[np.int64]:
    """The flat places of the compared inputs of one row."""
    start = side.trace.inputs.start
    return side.kept_places[side.kept_before[start[row]] : side.kept_before[start[row + 1]]]


def kept_inputs(side: Ready, rows: Ints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The compared inputs of the given rows: where each row's begin, and their flat places."""
    start = side.trace.inputs.start
    before = side.kept_before
    first, count = before[start[rows]], before[start[rows + 1]] - before[start[rows]]
    begin = np.concatenate((np.zeros(1, np.int64), np.cumsum(count)))
    step = np.arange(int(begin[-1])) - np.repeat(begin[:-1], count)
    return begin, side.kept_places[np.repeat(first, count) + step]


def paired_inputs(
    left: Ready, right: Ready, rows: Ints, others: Ints
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The compared inputs of pairs that have equally many: flat places, and the pair's number."""
    counts = []
    for side, chosen in ((left, rows), (right, others)):
        start = side.trace.inputs.start
        counts.append(side.kept_before[start[chosen + 1]] - side.kept_before[start[chosen]])
    alike = np.flatnonzero(counts[0] == counts[1])
    _, here = kept_inputs(left, rows[alike])
    _, there = kept_inputs(right, others[alike])
    return here, there, np.repeat(alike, counts[0][alike])
