"""The phase of every op as both sides together tell it, once the ops are paired.

In a graph each op speaks for itself, and what an op of the backward expands into, or what a
compiler makes beforehand for the backward, says nothing. Eager code tells by when it runs.
"""

from __future__ import annotations

import numpy as np

from opdiff.compare.matching import Matching
from opdiff.compare.sides.prepared import Prepared
from opdiff.structure import Phase, names_gradients, phase_marks
from opdiff.structure.phases import Phases
from opdiff.trace.columns import marked

_ROUNDS = 64
"""Ops one behind the other that are followed to what reads them."""


def told_phases(sides: tuple[Prepared, Prepared], matching: Matching) -> tuple[Phases, Phases]:
    """Of either side the phase of every row; of eager code what it says itself."""
    marks = [phase_marks(side.trace) for side in sides]
    graphs = [names_gradients(side.trace) for side in sides]
    for side in (0, 1):
        if graphs[side]:
            marks[side] = _of_graph(sides[side], marks, matching, side, eager=not graphs[1 - side])
    return marks[0], marks[1]


def _of_graph(
    side: Prepared, marks: list[Phases], matching: Matching, which: int, *, eager: bool
) -> Phases:
    """What the counterparts in eager code say; else what alone reads an op that has none."""
    rows = len(side.trace)
    found: Phases = marks[which].copy()
    partner = matching.partner[which][:rows]
    known = partner >= 0
    if eager:
        found[known] = marks[1 - which][partner[known]]
        for block in matching.blocks:
            told = marks[1 - which][list(block.rows(1 - which))]
            found[list(block.rows(which))] = told.min(initial=Phase.OPTIMIZER)
    asked = ~known & ~matching.blocked(which) & (found == Phase.FORWARD)
    producer, reader = side.trace.links.producer, side.trace.values.reader_row
    linked = np.flatnonzero((producer >= 0) & asked[producer])
    producer, reader = producer[linked], reader[linked]
    for _ in range(_ROUNDS):
        early = marked(rows, producer[found[reader] == Phase.FORWARD])
        late = (found[producer] == Phase.FORWARD) & ~early[producer]
        if not late.any():
            break
        first = np.full(rows, Phase.OPTIMIZER, np.int8)
        np.minimum.at(first, producer[late], found[reader[late]])
        found[producer[late]] = first[producer[late]]
    return found
