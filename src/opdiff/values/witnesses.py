"""Results that both runs have although their ops are no pairs: equal contents bear witness.

A compiler does the work of one op by several, and where among these the same result comes out no
name tells. What both runs have needs no explanation: nobody looks behind it for a cause.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from opdiff.trace.columns import Floats, Ints, Longs
from opdiff.trace.sorting import owners_and_places
from opdiff.values.estimate import errors
from opdiff.values.floors import Floors
from opdiff.values.pairing import ValuedTrace
from opdiff.values.table import precisions

_MOST = 16
"""So many results of almost the same norm are looked at, smaller ones and larger ones."""
_LARGE = 1e3
"""Elements are not so large on the average."""
_WIDER = 2.0
"""Norms of equal contents are so many times a floor apart at most."""


class Witnesses(NamedTuple):
    """Rows of both sides with the same result, and further rows that have it too."""

    left_row: Ints
    """Ascending; each row stands in one pair."""
    right_row: Ints
    further: tuple[tuple[Ints, Ints], tuple[Ints, Ints]]
    """On each side rows, and the pair (a place in *left_row*) whose result they have."""


class _Results(NamedTuple):
    """What some rows of a side wrote first."""

    row: Ints
    place: Longs
    """Among the flat outputs of the side."""
    content: Ints
    size: Longs
    norm: Floats


def witnesses(
    left: ValuedTrace, right: ValuedTrace, rows: tuple[Ints, Ints], floors: Floors
) -> Witnesses:
    """The results that some rows of the left share with some of the right, but for noise."""
    one, other = (_results(side, some) for side, some in zip((left, right), rows, strict=True))
    mine, its = _near(one, other, max(floors.floors))
    apart = errors(
        left.values.measures, one.content[mine], right.values.measures, other.content[its]
    )
    precision = [precisions(side.trace, side.values, outputs=True) for side in (left, right)]
    floor = floors.of_pairs(precision[0][one.place[mine]], precision[1][other.place[its]])
    # Beside the large numbers of a mask little shows: noise is that of numbers around 1.
    usual = np.sqrt(np.maximum(one.size[mine], 1))
    masked = one.norm[mine] > _LARGE * usual
    same = apart.error <= np.where(masked, floor * usual / one.norm[mine], floor)
    return _taken(one.row[mine[same]], other.row[its[same]])


def _results(side: ValuedTrace, rows: Ints) -> _Results:
    contents, measures = side.values.outputs, side.values.measures
    rows = rows[contents.start[rows + 1] > contents.start[rows]]
    place = contents.start[rows]
    index = contents.index[place]
    # Zeros are everywhere, and tell nothing.
    known = (index >= 0) & (measures.norm[index] > 0.0) & np.isfinite(measures.norm[index])
    rows, place, index = rows[known], place[known], index[known]
    return _Results(rows, place, index, measures.count[index], measures.norm[index])


def _near(one: _Results, other: _Results, floor: float) -> tuple[Ints, Longs]:
    """Results of the same size and almost the same norm, the nearest of many."""
    keys = other.size + 1j * other.norm  # complex numbers are sorted by both of their parts
    order = np.argsort(keys, kind="stable")
    at, first, last = (
        np.searchsorted(keys[order], one.size + 1j * one.norm * edge)
        for edge in (1.0, 1.0 - _WIDER * floor, 1.0 + _WIDER * floor)
    )
    first, last = np.maximum(first, at - _MOST), np.minimum(last, at + _MOST)
    mine, within = owners_and_places(last - first)
    return mine, order[first[mine] + within]


def _taken(rows: Ints, others: Ints) -> Witnesses:
    """Each row in one pair, the earliest with the earliest; the rest has the same result."""
    pair_of: tuple[dict[int, int], dict[int, int]] = ({}, {})
    pairs: list[tuple[int, int]] = []
    order = np.lexsort((others, rows))
    for row, other in zip(rows[order].tolist(), others[order].tolist(), strict=True):
        known = pair_of[0].get(row), pair_of[1].get(other)
        if known == (None, None):
            pair_of[0][row] = pair_of[1][other] = len(pairs)
            pairs.append((row, other))
        elif known[1] is None:
            pair_of[1][other] = known[0]  # type: ignore[assignment]
        elif known[0] is None:
            pair_of[0][row] = known[1]
    left_row, right_row = np.array(pairs, np.int32).reshape(-1, 2).T.copy()
    further = []
    for side in (0, 1):
        rest = [(row, pair) for row, pair in pair_of[side].items() if pairs[pair][side] != row]
        found = np.array(rest, np.int32).reshape(-1, 2).T.copy()
        further.append((found[0], found[1]))
    return Witnesses(left_row, right_row, (further[0], further[1]))
