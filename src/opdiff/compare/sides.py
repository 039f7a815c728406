"""One side of a comparison made ready: which rows are aligned, and what of them is compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.compare.codes import Flags, Ints, Vocabulary, Words, mixed, operand_sums
from opdiff.trace import Role, Trace

_WHOLE_NUMBERS = ("Bool", "Int", "UInt", "int", "uint")
_COPIES = frozenset({"TensorMove"})


@dataclass(frozen=True)
class Ready:
    """A trace with everything that comparing needs, a value a row."""

    trace: Trace
    type: Ints
    """The shared number of the op type."""
    rows: Ints
    """The rows that are aligned, ascending."""
    noise: Flags
    producer: Ints
    """Of each input, the row that wrote it: never noise; -1 where there is none."""
    kept: Flags
    """Of each input, whether it is compared."""
    bare: Flags
    """Rows without any operand."""
    has_operands: bool
    outputs: Words
    inputs: Words
    """Words for the compared operands: dtype and shape."""
    layout: Words
    """Words for all of the compared operands, strides and offset included."""


def ready(trace: Trace, side: int, words: Vocabulary, scope: range, noise: Flags) -> Ready:
    """Make one side ready."""
    inputs, outputs = trace.inputs, trace.outputs
    producer = trace.links.producer
    kept = ~_is_scalar(trace)[inputs.spec] if len(inputs.spec) else np.zeros(0, np.bool_)
    written = producer >= 0
    role = trace.role
    constant = np.zeros(len(producer), np.bool_)
    constant[written] = role[producer[written]] == Role.CONSTANT
    kept |= written
    kept &= ~constant
    kept &= ~_from_host(trace, producer)
    hidden = np.isin(role, (Role.CONSTANT, Role.PARAMETER))
    producer = np.where(written & ~hidden[np.maximum(producer, 0)], producer, -1)
    full = words.spec_of[side]
    dense = words.dense[full] if len(full) else full
    every = np.ones(len(outputs.spec), np.bool_)
    bare = (inputs.counts() == 0) & (outputs.counts() == 0)
    in_scope = np.zeros(len(trace), np.bool_)
    in_scope[scope.start : scope.stop] = True
    return Ready(
        trace=trace,
        type=words.type_of[side][trace.type] if len(trace) else trace.type,
        rows=np.flatnonzero(in_scope & ~noise).astype(np.int32),
        noise=noise,
        producer=producer.astype(np.int32),
        kept=kept,
        bare=bare,
        has_operands=not bool(bare[~noise].all()),
        outputs=operand_sums(outputs, every, dense, 1),
        inputs=operand_sums(inputs, kept, dense, 2),
        layout=operand_sums(outputs, every, full, 3) + operand_sums(inputs, kept, full, 4),
    )


def _is_scalar(trace: Trace) -> Flags:
    """Specs of single whole numbers, which only compiled graphs list as operands."""
    return np.array(
        [not spec.shape and spec.dtype.startswith(_WHOLE_NUMBERS) for spec in trace.tables.specs],
        np.bool_,
    )


def _from_host(trace: Trace, producer: Ints) -> Flags:
    """Inputs that are copies of host memory: a run without the copy prints no such operand."""
    copies = np.array([name in _COPIES for name in trace.types], np.bool_)
    if not len(trace) or not copies.any():
        return np.zeros(len(producer), np.bool_)
    lone = copies[trace.type] & (trace.inputs.counts() == 0)
    return (producer >= 0) & lone[np.maximum(producer, 0)]


def codes_of(left: Ready, right: Ready) -> tuple[Words, Words]:
    """Per side a word a row: type, and dtype and shape of the operands where both sides print them."""
    pair = []
    for side in (left, right):
        word = mixed(side.type)
        if left.has_operands and right.has_operands:
            word = word + side.outputs + side.inputs
        pair.append(word)
    return pair[0], pair[1]
