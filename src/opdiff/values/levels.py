"""How far off the things are that ops read: by who wrote to their memory before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.trace.columns import Ints
from opdiff.values.flow import NOBODY, Flow
from opdiff.values.measures import Floats


@dataclass(frozen=True, slots=True)
class Levels:
    """Of every input of one side the largest level of those that wrote to its memory before it.

    Not only of its producer: a part of a tensor may have been written to after the whole.
    """

    level: Floats
    """0 where nobody did."""
    origin: Ints
    """The pair that it comes from, -1 where it comes from none."""


def levels_of(flow: Flow, pair_of: Ints, pair_level: Floats) -> Levels:
    """Those of all inputs, given the pair of each row and the level of each pair."""
    row_level = np.zeros(len(flow))
    paired = np.flatnonzero(pair_of >= 0)
    row_level[paired] = pair_level[pair_of[paired]]
    row_origin = pair_of.copy()
    _hand_down(flow, pair_of, row_level, row_origin)
    writer = _worst_writer(flow, row_level)
    known = writer >= 0
    return Levels(
        np.where(known, row_level[writer], 0.0),
        np.where(known, row_origin[writer], NOBODY).astype(np.int32),
    )


def _hand_down(flow: Flow, pair_of: Ints, row_level: Floats, row_origin: Ints) -> None:
    """Give ops without counterpart the level of the worst of what they read."""
    start, producer = flow.start, flow.producer
    for row in np.flatnonzero(pair_of == NOBODY).tolist():
        sources = producer[start[row] : start[row + 1]]
        sources = sources[sources >= 0]
        if len(sources):
            worst = sources[np.argmax(row_level[sources])]
            row_level[row], row_origin[row] = row_level[worst], row_origin[worst]


def _worst_writer(flow: Flow, row_level: Floats) -> Ints:
    """Of every input the row with the largest level that wrote to its memory before; -1 if none."""
    found = np.full(len(flow.producer), NOBODY, np.int32)
    if not len(flow.output_row) or not len(found):
        return found
    blocks, block = np.unique(flow.output_block, return_inverse=True)
    order = np.argsort(block, kind="stable")  # rows ascend within a block
    row, block = flow.output_row[order].astype(np.int64), block.reshape(-1)[order]
    # The largest so far within each block: by rank, so that nothing is lost in adding the block.
    rank = np.empty(len(row), np.int64)
    by_level = np.argsort(row_level[row], kind="stable")
    rank[by_level] = np.arange(len(row))
    worst = np.maximum.accumulate(block * len(row) + rank) - block * len(row)
    rows = len(flow)
    reader = np.repeat(np.arange(rows), np.diff(flow.start))
    place = np.minimum(np.searchsorted(blocks, flow.input_block), len(blocks) - 1)
    before = np.searchsorted(block * rows + row, place * rows + reader) - 1
    there = (before >= 0) & (blocks[place] == flow.input_block)
    there[there] = block[before[there]] == place[there]
    found[there] = row[by_level[worst[before[there]]]]
    return found
