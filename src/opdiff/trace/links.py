"""Who wrote what is read: producers and consumers of every operand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.trace.columns import Ints, Longs, Operands


@dataclass(frozen=True, slots=True)
class Links:
    """The edges of the dataflow.

    ``producer[k]`` is the row that wrote input operand k (an index into the flat inputs), or -1.
    The consumers of row r are ``consumer[start[r]:start[r + 1]]``, ascending; a row appears
    once for each operand it reads.
    """

    producer: Ints
    start: Longs
    consumer: Ints


def link(outputs: Operands, inputs: Operands) -> Links:
    """The last writer of the block before the reader; of several tensors in it, the like one."""
    rows = len(outputs.start) - 1
    writer_row, reader_row = outputs.rows(), inputs.rows()
    producer = _last_writer(outputs.memory, writer_row, inputs.memory, reader_row, rows)
    _prefer_equal_spec(producer, outputs, inputs, writer_row, reader_row)
    known = producer >= 0
    order = np.argsort(producer[known], kind="stable")
    counts = np.bincount(producer[known], minlength=rows)
    start = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Links(producer, start, reader_row[known][order])


def _last_writer(
    written: Longs, writer_row: Ints, read: Longs, reader_row: Ints, rows: int
) -> Ints:
    if not len(written) or not len(read):
        return np.full(len(read), -1, np.int32)
    # Dense block numbers keep (block, row) within one integer, whatever ids a file holds.
    blocks, writer_block = np.unique(written, return_inverse=True)
    place = np.minimum(np.searchsorted(blocks, read), len(blocks) - 1)
    step = np.int64(rows + 1)
    keys = writer_block.astype(np.int64) * step + writer_row
    order = np.argsort(keys, kind="stable")
    found = np.searchsorted(keys[order], place * step + reader_row) - 1
    candidate = order[np.maximum(found, 0)]
    hit = (found >= 0) & (written[candidate] == read)
    return np.where(hit, writer_row[candidate], -1).astype(np.int32)


def _prefer_equal_spec(
    producer: Ints, outputs: Operands, inputs: Operands, writer_row: Ints, reader_row: Ints
) -> None:
    """Where the last writer wrote another spec, look for the last one that wrote this very spec."""
    if not len(outputs.memory) or not len(inputs.memory):
        return
    first = outputs.start[:-1][np.maximum(producer, 0)]
    single = outputs.counts()[np.maximum(producer, 0)] == 1
    same = single & (outputs.spec[np.minimum(first, len(outputs.spec) - 1)] == inputs.spec)
    unsure = np.flatnonzero((producer >= 0) & ~same)
    if not len(unsure):
        return
    contested = np.isin(outputs.memory, inputs.memory[unsure])
    memory = np.concatenate((outputs.memory[contested], inputs.memory[unsure]))
    spec = np.concatenate((outputs.spec[contested], inputs.spec[unsure])).astype(np.int64)
    # Block and spec in one integer: sorting pairs takes many times as long.
    _, block = np.unique(memory, return_inverse=True)
    code = block.reshape(-1).astype(np.int64) * (int(spec.max()) + 1) + spec
    split = int(contested.sum())
    exact = _last_writer(
        code[:split], writer_row[contested], code[split:], reader_row[unsure], len(outputs.start)
    )
    producer[unsure] = np.where(exact >= 0, exact, producer[unsure])
