"""Stretches of rows on both sides: segments between certain pairs, and the gaps between runs."""

from __future__ import annotations

from typing import NamedTuple

from opdiff.compare.pairing.walk import Run


class Segment(NamedTuple):
    """Rows of both sides between two pairs that are certain: ranges of places among the rows."""

    here: range
    there: range
    backward: bool


class Gap(NamedTuple):
    """What lies between two runs, and how much of these may be reconsidered for its sake."""

    segment: Segment
    before: int
    after: int


def gaps_between(runs: list[Run], segment: Segment) -> list[Gap]:
    """The stretches of a segment that no run covers; two gaps share the run between them."""
    here, there = segment.here.start, segment.there.start
    gaps: list[Segment] = []
    lengths = [0]
    for run in [*runs, Run(segment.here.stop, segment.there.stop, 0)]:
        inner = Segment(range(here, run.x), range(there, run.y), segment.backward)
        if inner.here or inner.there:
            gaps.append(inner)
            lengths.append(0)
        lengths[-1] += run.length
        here, there = run.x + run.length, run.y + run.length
    last = len(gaps) - 1
    return [
        Gap(
            gap,
            lengths[place] // 2 if place else lengths[place],
            lengths[place + 1] // 2 if place < last else lengths[place + 1],
        )
        for place, gap in enumerate(gaps)
    ]


def placed(run: Run, segment: Segment) -> Run:
    """A run of a walk over a segment, as places among all rows."""
    if segment.backward:
        return Run(
            segment.here.stop - run.x - run.length,
            segment.there.stop - run.y - run.length,
            run.length,
        )
    return Run(segment.here.start + run.x, segment.there.start + run.y, run.length)
