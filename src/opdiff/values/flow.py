"""Who wrote what is read, as far as values need it.

Ops whose operands a trace does not print get their producers from what tensors held: an input that
equals what an op wrote before it was most likely read from there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from opdiff.trace import Trace
from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.values.measures import Measures
from opdiff.values.table import Contents, Values, without_operands

NOBODY = -1
_INCOMPLETE = frozenset({"msprobe", "mindspore-dump", "torch-debugmode"})
"""Formats that do not record every op, or not the memory of tensors."""


@dataclass(frozen=True)
class Flow:
    """One side: who wrote what is read.

    Inputs are flat: those of row r are ``start[r]:start[r + 1]``.
    """

    start: Longs
    producer: Ints
    """The row that wrote each input, -1 where none did."""
    input_block: Longs
    """The memory that each input lies in: tells tensors from outside apart."""
    output_row: Ints
    """The row of every output, ascending."""
    output_block: Longs
    """The memory that each output lies in."""
    guessed: bool = False
    """Whether ops are missing, or who wrote what was guessed from equal values."""

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.start) - 1

    @cached_property
    def readers(self) -> Ints:
        """The row of every input."""
        return _rows(self.start)

    @classmethod
    def of(cls, trace: Trace, values: Values | None = None) -> Flow:
        """That of a trace; *values* tell of the operands that it does not print."""
        inputs, outputs = trace.inputs, trace.outputs
        flow = cls(
            inputs.start,
            trace.links.producer,
            inputs.memory,
            outputs.rows(),
            outputs.memory,
            trace.source.format in _INCOMPLETE,
        )
        if values is None:
            return flow
        both = ((values.inputs, inputs), (values.outputs, outputs))
        more = any(len(told.index) > len(printed.memory) for told, printed in both)
        return _guessed(flow, trace, values) if more else flow


def _guessed(printed: Flow, trace: Trace, values: Values) -> Flow:
    """The same with producers of equal content where nothing is printed."""
    bare = without_operands(trace)
    same = _same_contents(values.measures)
    inputs = _blocks(values.inputs, bare, printed.input_block, same)
    outputs = _blocks(values.outputs, bare, printed.output_block, same)
    reader, writer = _rows(values.inputs.start), _rows(values.outputs.start)
    rows = len(bare)
    order = np.lexsort((writer, outputs))
    keys = outputs[order] * rows + writer[order]
    before = np.searchsorted(keys, inputs * rows + reader) - 1
    place = order[np.maximum(before, 0)]
    found = (before >= 0) & (outputs[place] == inputs)
    producer = np.where(found, writer[place], NOBODY).astype(np.int32)
    producer[~bare[reader]] = printed.producer
    return Flow(values.inputs.start, producer, inputs, writer, outputs, guessed=True)


def _rows(start: Longs) -> Ints:
    """The row of each operand."""
    counts = np.diff(start)
    return np.repeat(np.arange(len(counts), dtype=np.int32), counts)


def _blocks(contents: Contents, bare: Flags, printed: Longs, same: Longs) -> Longs:
    """Numbers for what operands lie in: contents below 0, printed memory above, unknown apart."""
    there = contents.index >= 0
    blocks = -2 - np.where(there, same[contents.index], len(same) + np.arange(len(there)))
    blocks[np.repeat(~bare, np.diff(contents.start))] = printed
    return blocks


def _same_contents(measures: Measures) -> Longs:
    """A number for each content, the same for equal ones."""
    facts = np.stack(
        [
            measures.count.astype(np.float64),
            measures.nonfinite.astype(np.float64),
            measures.norm,
            measures.minimum,
            measures.maximum,
            measures.mean,
            measures.digest.view(np.float64),
        ],
        axis=1,
    )
    rows = np.ascontiguousarray(np.concatenate((facts, measures.sketch), axis=1))
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).reshape(-1)
    numbers: Longs = np.unique(whole, return_inverse=True)[1].reshape(-1)
    return numbers
