"""Who wrote what is read: producers and consumers of every operand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.trace.columns import Flags, Ints, Longs, Operands

_SPARSE = 8
"""Ids that reach so many times further than there are operands get numbers without gaps."""


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


def link(outputs: Operands, inputs: Operands, in_place: Flags) -> Links:
    """The last writer of the block before the reader; of several tensors in it, the like one.

    What an op wrote *in place* holds for every way of looking at the block.
    """
    rows = len(outputs.start) - 1
    writer_row, reader_row = outputs.rows(), inputs.rows()
    producer = _last_writer(outputs.memory, writer_row, inputs.memory, reader_row)
    _prefer_equal_spec(producer, outputs, inputs, writer_row, reader_row, in_place)
    known = producer >= 0
    order = np.argsort(producer[known], kind="stable")
    counts = np.bincount(producer[known], minlength=rows)
    start = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Links(producer, start, reader_row[known][order])


def _last_writer(written: Longs, writer_row: Ints, read: Longs, reader_row: Ints) -> Ints:
    """The row that last wrote each thing that is read, before its reader; -1 if none did."""
    producer = np.full(len(read), -1, np.int32)
    if not len(written) or not len(read):
        return producer
    written, read = _numbered(written, read)
    # One after the other is assigned, so the last writer in the whole trace stays.
    last = np.full(int(max(written.max(), read.max())) + 1, -1, np.int32)
    last[written] = writer_row
    producer = last[read]
    late = np.flatnonzero(producer >= reader_row)
    if len(late):
        producer[late] = _search(written, writer_row, read[late], reader_row[late])
    return producer


def _numbered(written: Longs, read: Longs) -> tuple[Longs, Longs]:
    """Both with small numbers, equal where they were; what is never written gets one number."""
    low = min(written.min(), read.min())
    high = max(written.max(), read.max())
    if low >= 0 and high <= _SPARSE * (len(written) + len(read)):
        return written, read
    distinct, numbers = np.unique(written, return_inverse=True)
    place = np.minimum(np.searchsorted(distinct, read), len(distinct) - 1)
    return numbers, np.where(distinct[place] == read, place, len(distinct))


def _search(written: Longs, writer_row: Ints, read: Longs, reader_row: Ints) -> Ints:
    """The same for things that are also written after their reader: look for the place between."""
    wanted = np.zeros(int(max(written.max(), read.max())) + 1, bool)
    wanted[read] = True
    candidates = np.flatnonzero(wanted[written])
    step = np.int64(max(int(writer_row[-1]), int(reader_row.max())) + 1)
    keys = written[candidates].astype(np.int64) * step + writer_row[candidates]
    order = np.argsort(keys, kind="stable")
    found = np.searchsorted(keys[order], read * step + reader_row) - 1
    candidate = candidates[order[np.maximum(found, 0)]]
    hit = (found >= 0) & (written[candidate] == read)
    return np.where(hit, writer_row[candidate], -1).astype(np.int32)


def _prefer_equal_spec(
    producer: Ints,
    outputs: Operands,
    inputs: Operands,
    writer_row: Ints,
    reader_row: Ints,
    in_place: Flags,
) -> None:
    """Where the last writer wrote another spec, look for the last one that wrote this very spec."""
    if not len(outputs.memory) or not len(inputs.memory):
        return
    writer = np.maximum(producer, 0)
    first = np.minimum(outputs.start[writer], len(outputs.spec) - 1)
    same = outputs.spec[first] == inputs.spec
    same &= outputs.start[writer + 1] - outputs.start[writer] == 1
    unsure = np.flatnonzero((producer >= 0) & ~same & ~in_place[writer])
    if not len(unsure):
        return
    written, read = _numbered(outputs.memory, inputs.memory[unsure])
    specs = np.int64(max(int(outputs.spec.max()), int(inputs.spec.max())) + 1)
    wanted = read * specs + inputs.spec[unsure]
    exact = _last_writer(written * specs + outputs.spec, writer_row, wanted, reader_row[unsure])
    inside = np.flatnonzero(in_place[writer_row])
    over = _last_writer(written[inside], writer_row[inside], read, reader_row[unsure])
    producer[unsure] = np.where(exact >= 0, np.maximum(exact, over), producer[unsure])
