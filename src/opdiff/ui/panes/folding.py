"""Long stretches in which nothing differs take one row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.ui.panes.chain import Flags, Ints

CONTEXT = 2
"""Rows that stay unfolded beside a difference."""
LEAST = 4
"""A stretch of fewer rows is not worth folding."""

FOLD = -3
"""Cells of fold i hold ``FOLD - i``."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A stretch of equal rows: first and last row on each side, None where it has none."""

    left: tuple[int, int] | None
    right: tuple[int, int] | None
    opened: bool

    def span(self, side: int) -> tuple[int, int] | None:
        """First and last row on one side."""
        return self.right if side else self.left


def fold_index(cell: int) -> int | None:
    """Which fold a cell is the head of, None for rows and gaps."""
    return FOLD - cell if cell <= FOLD else None


def stretches(quiet: Flags) -> list[tuple[int, int]]:
    """Stretches worth folding, as (first, past the last), their context left out."""
    if not len(quiet):
        return []
    edges = np.flatnonzero(np.diff(np.concatenate(([False], quiet, [False])).astype(np.int8)))
    starts, ends = edges[::2], edges[1::2]
    # Nothing differs beyond the ends, so no context is needed there.
    starts = np.where(starts > 0, starts + CONTEXT, starts)
    ends = np.where(ends < len(quiet), ends - CONTEXT, ends)
    worth = ends - starts >= LEAST
    return list(zip(starts[worth].tolist(), ends[worth].tolist(), strict=True))


def fold(columns: list[Ints], quiet: Flags, opened: Flags) -> tuple[list[Ints], list[Fold], Ints]:
    """Columns with their quiet stretches folded.

    *opened* marks heights whose stretch the user has opened: it keeps its rows below a head. Also
    returns, for every height before folding, the height after: that of the head for folded rows.
    """
    found = stretches(quiet)
    height = len(quiet)
    keep = np.ones(height, bool)
    heads = np.zeros(height, np.int32)
    folds: list[Fold] = []
    for first, end in found:
        spans = [_span(column[first:end]) for column in columns]
        is_open = bool(opened[first:end].any())
        folds.append(Fold(spans[0], spans[-1], is_open))
        heads[first] = 1
        if not is_open:
            keep[first:end] = False
    places = np.cumsum(keep + heads).astype(np.int32) - 1
    total = int(places[-1]) + 1 if height else 0
    head_places = np.array(
        [
            places[first] - (1 if fold_.opened else 0)
            for (first, _), fold_ in zip(found, folds, strict=True)
        ],
        np.int32,
    )
    for (first, end), fold_ in zip(found, folds, strict=True):
        if not fold_.opened:
            places[first:end] = places[first]
    folded = []
    for column in columns:
        cells = np.empty(total, np.int32)
        cells[places[keep]] = column[keep]
        cells[head_places] = FOLD - np.arange(len(folds), dtype=np.int32)
        folded.append(cells)
    return folded, folds, places


def _span(cells: Ints) -> tuple[int, int] | None:
    rows = cells[cells >= 0]
    return (int(rows[0]), int(rows[-1])) if len(rows) else None
