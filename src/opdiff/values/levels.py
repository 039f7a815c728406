"""How far off the things are that ops read: by who wrote to their memory before.

And operands of paired ops that the counterpart lacks: lists of tensors of which one is missing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from opdiff.trace.columns import Floats, Ints, Longs, marked
from opdiff.values.flow import NOBODY, Flow


class Levels(NamedTuple):
    """Of inputs of one side the largest level of those that wrote to its memory before it.

    Not only of its producer: a part of a tensor may have been written to after the whole.
    """

    level: Floats
    """0 where nobody did."""
    origin: Ints
    """The pair that it comes from, -1 where it comes from none."""


def levels_of(flow: Flow, pair_of: Ints, pair_level: Floats, places: Longs) -> Levels:
    """Those of some inputs, given the pair of each row and the level of each pair."""
    row_level = np.zeros(len(flow))
    paired = np.flatnonzero(pair_of >= 0)
    row_level[paired] = pair_level[pair_of[paired]]
    row_origin = pair_of.copy()
    _hand_down(flow, pair_of, row_level, row_origin)
    writer = _worst_writer(flow, row_level, places)
    known = writer >= 0
    return Levels(
        np.where(known, row_level[writer], 0.0),
        np.where(known, row_origin[writer], NOBODY).astype(np.int32),
    )


def _hand_down(flow: Flow, pair_of: Ints, row_level: Floats, row_origin: Ints) -> None:
    """Give ops without counterpart the level of the worst of what they read."""
    alone = pair_of == NOBODY
    edges = np.flatnonzero(alone[flow.readers] & (flow.producer >= 0))
    reader, writer = flow.readers[edges], flow.producer[edges]
    from_pair = ~alone[writer]
    # The worst of the pairs that each reads: the last one written stays.
    mine, source = reader[from_pair], writer[from_pair]
    order = np.lexsort((row_level[source], mine))
    row_level[mine[order]] = row_level[source[order]]
    row_origin[mine[order]] = row_origin[source[order]]
    chained = zip(reader[~from_pair].tolist(), writer[~from_pair].tolist(), strict=True)
    for row, above in chained:
        if row_level[above] > row_level[row] or row_origin[row] == NOBODY:
            row_level[row], row_origin[row] = row_level[above], row_origin[above]


def handed_down(flow: Flow, pair_of: Ints, number: Floats) -> Floats:
    """The largest of what is given for a row without counterpart and for those like it above."""
    alone = pair_of == NOBODY
    found = np.where(alone, number, 0.0)
    edges = np.flatnonzero(alone[flow.readers] & (flow.producer >= 0))
    edges = edges[alone[flow.producer[edges]]]
    chained = zip(flow.readers[edges].tolist(), flow.producer[edges].tolist(), strict=True)
    for row, above in chained:
        if found[above] > found[row]:
            found[row] = found[above]
    return found


def _worst_writer(flow: Flow, row_level: Floats, places: Longs) -> Ints:
    """Of some inputs the row with the largest level that wrote to their memory before; else -1."""
    found = np.full(len(places), NOBODY, np.int32)
    blocks, block = np.unique(flow.input_block[places], return_inverse=True)
    place = np.searchsorted(blocks, flow.output_block) if len(blocks) else flow.output_block
    place = np.minimum(place, len(blocks) - 1)
    written = np.flatnonzero(blocks[place] == flow.output_block) if len(blocks) else places[:0]
    if not len(written):
        return found
    written = written[np.argsort(place[written], kind="stable")]  # rows ascend within a block
    row, owner = flow.output_row[written].astype(np.int64), place[written].astype(np.int64)
    # The largest so far within each block: by rank, so that nothing is lost in adding the block.
    rank = np.empty(len(row), np.int64)
    by_level = np.argsort(row_level[row], kind="stable")
    rank[by_level] = np.arange(len(row))
    worst = np.maximum.accumulate(owner * len(row) + rank) - owner * len(row)
    rows = len(flow)
    block = block.reshape(-1).astype(np.int64)
    before = np.searchsorted(owner * rows + row, block * rows + flow.readers[places]) - 1
    there = before >= 0
    there[there] = owner[before[there]] == block[there]
    found[there] = row[by_level[worst[before[there]]]]
    return found


class Lacking(NamedTuple):
    """One side: by row, what is compared with nothing though the op has a counterpart."""

    written: dict[int, set[int]]
    """The memory of such outputs."""
    read: dict[int, list[int]]
    """The places of such inputs."""

    @classmethod
    def of(cls, flow: Flow, pair_of: Ints, places: Longs, outputs: Longs) -> Lacking:
        """Those of a side of which *places* and *outputs* are compared."""
        written: dict[int, set[int]] = {}
        read: dict[int, list[int]] = {}
        alone = np.ones(len(flow.output_row), np.bool_)
        alone[outputs] = False
        # An op none of whose results is compared lacks none of them.
        some = marked(len(flow), flow.output_row[outputs])
        more = np.flatnonzero(alone & some[flow.output_row] & (pair_of[flow.output_row] >= 0))
        for at in more.tolist():
            written.setdefault(int(flow.output_row[at]), set()).add(int(flow.output_block[at]))
        compared = set(places.tolist()) if written else set()
        for row in written:
            every = range(flow.start[row], flow.start[row + 1])
            read[row] = [place for place in every if place not in compared]
        return cls(written, read)

    def behind(self, row: int, block: int) -> list[int]:
        """What a result that the counterpart of its op lacks was made from; nothing for others."""
        return self.read[row] if block in self.written.get(row, ()) else []
