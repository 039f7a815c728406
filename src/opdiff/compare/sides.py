"""One side of a comparison made ready: which rows are aligned, and what of them is compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.compare.codes import Flags, Ints, Vocabulary, Words, mixed, operand_words, row_sums
from opdiff.trace import Role, Trace

_WHOLE_NUMBERS = ("Bool", "Int", "UInt", "int", "uint")
HOST_COPIES = frozenset({"TensorMove"})
TRANSPARENT = frozenset(
    "Contiguous Cast TensorMove Clone Copy InplaceCopy Identity copy_from Load Depend".split()
    + ["aten::contiguous", "aten::clone", "aten::_to_copy", "aten::to"]
)
"""Ops that hand their value on: where they stand on one side only, readers are looked through them."""


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
    """Of each input, the row that wrote it: never a constant or parameter; -1 where there is none."""
    kept: Flags
    """Of each input, whether it is compared."""
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


def ready(trace: Trace, side: int, words: Vocabulary, rows: Ints, noise: Flags) -> Ready:
    """Make one side ready to align *rows*."""
    inputs, outputs = trace.inputs, trace.outputs
    kept, producer = _compared_inputs(trace)
    full = words.spec_of[side]
    dense = words.dense[full]
    every = np.ones(len(outputs.spec), np.bool_)
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
    lone = copies[trace.type] & (trace.inputs.counts() == 0)
    return (producer >= 0) & lone[np.maximum(producer, 0)]


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


def signatures(side: Ready) -> Words:
    """A word a row: type, and dtype and shape of its operands."""
    words: Words = mixed(side.type) + side.outputs + side.inputs
    return words


def written_by(side: Ready, row: int) -> list[int]:
    """The rows that wrote the compared inputs of a row, -1 where there is none."""
    start = side.trace.inputs.start
    here = slice(int(start[row]), int(start[row + 1]))
    writers: list[int] = side.producer[here][side.kept[here]].tolist()
    return writers


def paired_inputs(left: Ready, right: Ready, rows: Ints, others: Ints) -> tuple[Ints, Ints, Ints]:
    """The compared inputs of pairs that have equally many: flat places, and the pair's number."""
    flat = []
    for side, chosen in ((left, rows), (right, others)):
        start = side.trace.inputs.start
        kept = np.concatenate(([0], np.cumsum(side.kept)))
        places = np.flatnonzero(side.kept)
        first, count = kept[start[chosen]], kept[start[chosen + 1]] - kept[start[chosen]]
        flat.append((places, first, count))
    count = np.where(flat[0][2] == flat[1][2], flat[0][2], 0)
    owner = np.repeat(np.arange(len(rows)), count)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    here, there = (places[first[owner] + step] for places, first, _ in flat)
    return here, there, owner
