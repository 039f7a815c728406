"""Equivalent sequences among ops that were paired one by one: the rule wins over the pairs."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

import numpy as np

from opdiff.compare.matching import Block, Matching
from opdiff.compare.rules import Equivalent
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.columns import Ints

Rows = tuple[int, ...]


def settle_equivalents(
    sides: tuple[Prepared, Prepared],
    matching: Matching,
    rules: tuple[Equivalent, ...],
    decreed: Iterable[tuple[int, int]],
) -> None:
    """Make a block of every two sequences of a rule whose ops are paired with each other only.

    Sequences that nothing is paired with were weighed as blocks with their gap already. Anchors
    and pins stay the pairs they are.
    """
    taken = (
        {row for block in matching.blocks for row in block.left} | {pair[0] for pair in decreed},
        {row for block in matching.blocks for row in block.right} | {pair[1] for pair in decreed},
    )
    for number, rule in enumerate(rules):
        there = {row: rows for rows in _occurrences(sides[1], rule.right) for row in rows}
        for here in _occurrences(sides[0], rule.left):
            others = _counterpart(here, there, matching.partner)
            if others and taken[0].isdisjoint(here) and taken[1].isdisjoint(others):
                matching.blocks.append(Block(here, others, number))
                taken[0].update(here)
                taken[1].update(others)
                for row in here:
                    matching.unpair(row)


def _counterpart(here: Rows, there: dict[int, Rows], partner: tuple[Ints, Ints]) -> Rows:
    """The sequence with which this one, and no other op, is paired; else empty."""
    paired = {int(partner[0][row]) for row in here} - {-1}
    others = there.get(min(paired), ()) if paired else ()
    if not paired.issubset(others):
        return ()
    back = {int(partner[1][row]) for row in others} - {-1}
    return others if back.issubset(here) else ()


def _occurrences(side: Prepared, pattern: tuple[str, ...]) -> list[Rows]:
    """The rows of every occurrence, none of which shares an op with the one before it."""
    rows = side.rows
    starts = len(rows) - len(pattern) + 1
    if starts <= 0:
        return []
    here = np.ones(starts, np.bool_)
    for step, glob in enumerate(pattern):
        wanted = np.array([fnmatchcase(name, glob) for name in side.trace.types], np.bool_)
        here &= wanted[side.trace.type[rows[step : step + starts]]]
    found: list[Rows] = []
    free_from = 0
    for start in np.flatnonzero(here).tolist():
        if start >= free_from:
            found.append(tuple(rows[start : start + len(pattern)].tolist()))
            free_from = start + len(pattern)
    return found
