"""Which divergence explains which: from a difference upstream to those that follow from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.codes import Ints
from opdiff.compare.findings import Columns
from opdiff.compare.kinds import Kind
from opdiff.compare.sides import Ready

Longs = NDArray[np.int64]

_ONE_SIDED = {Kind.ONLY_LEFT: 2, Kind.ONLY_RIGHT: 2}
_EXPLAINED_BY: dict[Kind, dict[Kind, int]] = {
    Kind.DTYPE: {Kind.DTYPE: 3, Kind.OP_TYPE: 2, Kind.FUSED: 1, **_ONE_SIDED},
    Kind.SHAPE: {Kind.SHAPE: 3, Kind.OP_TYPE: 2, Kind.FUSED: 1, **_ONE_SIDED},
    Kind.LAYOUT_MISSING: {
        Kind.CONTIGUOUS: 3,
        Kind.OP_TYPE: 3,
        Kind.LAYOUT_MISSING: 2,
        Kind.FUSED: 1,
        **_ONE_SIDED,
    },
    Kind.LAYOUT: {Kind.LAYOUT: 3, Kind.CONTIGUOUS: 2, Kind.OP_TYPE: 2, **_ONE_SIDED},
    Kind.OPERANDS: {
        Kind.ONLY_LEFT: 3,
        Kind.ONLY_RIGHT: 3,
        Kind.CPU_FALLBACK: 2,
        Kind.FUSED: 2,
        Kind.OP_TYPE: 1,
    },
    Kind.DATAFLOW: {Kind.CPU_FALLBACK: 2, Kind.CONTIGUOUS: 1, **_ONE_SIDED},
    Kind.OP_TYPE: {Kind.OP_TYPE: 3},
    Kind.CPU_FALLBACK: {Kind.CPU_FALLBACK: 3},
    Kind.MOVED: {Kind.MOVED: 3},
    Kind.CONTIGUOUS: {Kind.CONTIGUOUS: 2},
    Kind.ONLY_LEFT: {Kind.ONLY_LEFT: 3, Kind.ONLY_RIGHT: 1},
    Kind.ONLY_RIGHT: {Kind.ONLY_RIGHT: 3, Kind.ONLY_LEFT: 1},
}
"""Of each kind, the kinds at a producer that explain it, and how well."""
_SHOWN_BY_TYPE = (Kind.LAYOUT_MISSING, Kind.LAYOUT, Kind.DTYPE, Kind.SHAPE, Kind.OPERANDS)
"""What another op at the same place brings with it."""
_KINDS = list(Kind)
_MIRRORED = np.array([min(_KINDS.index(k), _KINDS.index(k.mirrored)) for k in _KINDS])
"""A number for each kind that it shares with its mirror image."""


def causes(columns: Columns, left: Ready, right: Ready, at: Longs) -> Ints:
    """Of each divergence the one that explains it, or -1: one upstream, or at the same pair."""
    kind = _kind_numbers(columns)
    cause = np.full(len(columns.detail), -1, np.int32)
    edges = [
        _upstream(columns, side, rows)
        for side, rows in ((left, columns.left), (right, columns.right))
    ]
    follower = np.concatenate([edge[0] for edge in edges])
    leader = np.concatenate([edge[1] for edge in edges])
    rank = _ranks()[kind[follower], kind[leader]]
    good = (rank > 0) & (at[leader] < at[follower])
    follower, leader, rank = follower[good], leader[good], rank[good]
    # The best explanation, then the nearest; what is left is the same whichever side is left.
    line = np.maximum(columns.left, columns.right)
    order = np.lexsort((line[leader], _MIRRORED[kind[leader]], at[leader], rank, follower))
    follower, leader = follower[order], leader[order]
    last = np.flatnonzero(np.diff(follower, append=-1))
    cause[follower[last]] = leader[last]
    _same_pair(columns, kind, cause)
    return cause


def _kind_numbers(columns: Columns) -> Longs:
    numbers = np.array([_KINDS.index(detail.kind) for detail in columns.details], np.int64)
    return numbers[columns.detail]


def _ranks() -> Longs:
    ranks = np.zeros((len(_KINDS), len(_KINDS)), np.int64)
    for follower, leaders in _EXPLAINED_BY.items():
        for leader, rank in leaders.items():
            ranks[_KINDS.index(follower), _KINDS.index(leader)] = rank
    return ranks


def _upstream(columns: Columns, ready: Ready, rows: Ints) -> tuple[Longs, Longs]:
    """Divergences and those at the producers of their rows, on one side."""
    follows = np.array([detail.from_inputs for detail in columns.details], np.bool_)
    follower = np.flatnonzero((rows >= 0) & follows[columns.detail])
    start = ready.trace.inputs.start
    reading = rows[follower]
    count = start[reading + 1] - start[reading]
    operand = _ranges(start[reading], count)
    follower, writer = np.repeat(follower, count), ready.producer[operand]
    known = (writer >= 0) & ready.kept[operand]
    follower, writer = follower[known], writer[known]
    # The divergences of each row, as a table to join with.
    owner = np.flatnonzero(rows >= 0)
    owner = owner[np.argsort(rows[owner], kind="stable")]
    first = np.searchsorted(rows[owner], writer, side="left")
    count = np.searchsorted(rows[owner], writer, side="right") - first
    return np.repeat(follower, count), owner[_ranges(first, count)]


def _ranges(start: NDArray[np.int64], count: NDArray[np.int64]) -> Longs:
    """All numbers of the ranges ``start:start + count``, one after the other."""
    before = np.cumsum(count) - count
    numbers: Longs = np.repeat(start - before, count) + np.arange(int(count.sum()))
    return numbers


def _same_pair(columns: Columns, kind: Longs, cause: Ints) -> None:
    """Where another op runs, what its operands show follows from that."""
    op_type = kind == _KINDS.index(Kind.OP_TYPE)
    owner = np.flatnonzero(op_type)
    owner = owner[np.argsort(columns.left[owner], kind="stable")]
    shown = np.isin(kind, [_KINDS.index(k) for k in _SHOWN_BY_TYPE])
    follower = np.flatnonzero(shown & (columns.left >= 0) & (columns.right >= 0))
    if not len(owner) or not len(follower):
        return
    place = np.minimum(np.searchsorted(columns.left[owner], columns.left[follower]), len(owner) - 1)
    hit = columns.left[owner[place]] == columns.left[follower]
    cause[follower[hit]] = owner[place[hit]]
