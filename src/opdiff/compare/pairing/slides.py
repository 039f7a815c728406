"""Ops that stand on one side only, next to ops just like them: which of them is the extra one.

``A A`` against ``A`` leaves open which ``A`` is new. The one whose inputs do not come from where
the counterpart's come from is; where neither that nor the stacks tell, the one farther from the
anchor. Of a block that stands alone on both sides, the ones that are nearest to each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.columns import Flags, Ints, Longs, starts_of
from opdiff.trace.words import Words

_BLOCK = 3


def slide(
    many: Prepared,
    single: Prepared,
    codes: Words,
    rows: Ints,
    others: Ints,
    gap: range,
    place: int,
    backward: bool,
) -> int:
    """How far to shift a gap of *rows* that opens before ``others[place]``; negative is earlier.

    *rows* and *others* are stretches in which everything but the gap is paired in order, and
    *codes* are the codes of *rows*.
    """
    size = len(gap)
    ahead = min(len(rows) - gap.stop, len(others) - place)
    behind = min(gap.start, place)
    later = _agreeing(codes[gap.start : gap.start + ahead], codes[gap.stop : gap.stop + ahead])
    earlier = _agreeing(
        codes[gap.start - behind : gap.start][::-1], codes[gap.stop - behind : gap.stop][::-1]
    )
    if not later and not earlier:
        return 0
    # Of the ops around, `before` are the partners if the gap comes after them, `after` if before.
    span = slice(place - earlier, place + later)
    before = rows[gap.start - earlier : gap.start + later]
    after = rows[gap.start - earlier + size : gap.start + later + size]
    other = others[span]
    gain = _fit(many, single, before, other) - _fit(many, single, after, other)
    cuts = np.arange(earlier + later + 1)
    if size >= _BLOCK:
        # Blocks repeat from the first border on that the fewest values cross.
        first = rows[gap.start - earlier :][: min(size, len(cuts))]
        cuts = cuts[(cuts - int(np.argmin(many.crossing[first]))) % size == 0]
    cuts = _best(cuts, gain)
    if len(cuts) > 1:
        # Stacks never make a difference, but they may tell layers apart.
        stacks = _same_stacks(many, single, before, other)
        cuts = _best(cuts, stacks - _same_stacks(many, single, after, other))
    # Of equal blocks the earlier ones read what is paired.
    return int(cuts[0 if backward and size < _BLOCK else -1]) - earlier


def _best(cuts: Longs, gain: Ints) -> Longs:
    """The cuts that gain most; *gain* has what each step gains that a cut lies beyond."""
    total = starts_of(gain)[cuts]
    best: Longs = cuts[total == total.max()]
    return best


class Moved(NamedTuple):
    """A block that stands alone on both sides: where it begins on either, and its size."""

    here: int
    there: int
    size: int


def moved_blocks(codes: tuple[Words, Words], alone: tuple[Flags, Flags]) -> list[Moved]:
    """Blocks that are the only ones of their codes to stand alone on either side."""
    found: tuple[dict[bytes, list[int]], dict[bytes, list[int]]] = ({}, {})
    for side, (words, free) in enumerate(zip(codes, alone, strict=True)):
        edges = np.flatnonzero(np.diff(free, prepend=False, append=False))
        for begin, end in edges.reshape(-1, 2).tolist():
            if end - begin >= _BLOCK:
                found[side].setdefault(words[begin:end].tobytes(), []).append(begin)
    return [
        Moved(here[0], found[1][content][0], len(content) // codes[0].itemsize)
        for content, here in found[0].items()
        if len(here) == len(found[1].get(content, ())) == 1
    ]


def approach(
    codes: tuple[Words, Words], partner: tuple[Longs, Longs], blocks: list[Moved]
) -> Iterator[tuple[slice, slice]]:
    """What to pair instead, so that moved blocks moved past no block that is just like them.

    *partner* has of each place that of its counterpart on the other side, or -1.
    """
    # What has no counterpart stands behind that of what is before it.
    last = np.maximum.accumulate(np.where(partner[0] >= 0, np.arange(len(partner[0])), -1))
    for moved in blocks:
        before = last[moved.here]
        place = int(partner[0][before]) + 1 if before >= 0 else 0
        if place >= moved.there:
            yield from _approach(codes, partner, moved)
        else:
            turned = Moved(moved.there, moved.here, moved.size)
            for other, one in _approach(codes[::-1], partner[::-1], turned):
                yield one, other


def _approach(
    codes: tuple[Words, Words], partner: tuple[Longs, Longs], moved: Moved
) -> Iterator[tuple[slice, slice]]:
    """The same where the block runs later on the first side."""
    here, there, size = moved
    while _alike(codes[1], partner[1], there + size, there, size):
        met = int(partner[1][there + size])
        if met >= here:
            break
        yield slice(met, met + size), slice(there, there + size)
        there += size
    while _alike(codes[0], partner[0], here - size, here, size):
        met = int(partner[0][here - size])
        if met < there + size:
            break
        yield slice(here, here + size), slice(met, met + size)
        here -= size


def _alike(codes: Words, partner: Longs, begin: int, like: int, size: int) -> bool:
    """Whether there is a block just like another, whose counterparts stand side by side too."""
    if not 0 <= begin <= len(codes) - size or partner[begin] < 0:
        return False
    span = slice(begin, begin + size)
    together = partner[span] == partner[begin] + np.arange(size)
    return bool(together.all() and (codes[span] == codes[like : like + size]).all())


def _agreeing(codes: Words, others: Words) -> int:
    differ = codes != others
    return int(differ.argmax()) if differ.any() else len(codes)


def _same_stacks(many: Prepared, single: Prepared, rows: Ints, others: Ints) -> Ints:
    stacks, other_stacks = many.trace.tables.stacks, single.trace.tables.stacks
    numbers = many.trace.columns.stack[rows].tolist()
    other_numbers = single.trace.columns.stack[others].tolist()
    return np.array(
        [
            bool(stacks[number]) and stacks[number] == other_stacks[other]
            for number, other in zip(numbers, other_numbers, strict=True)
        ],
        np.int32,
    )


def _fit(many: Prepared, single: Prepared, rows: Ints, others: Ints) -> Ints:
    same = many.type[rows] == single.type[others]
    fed = many.upward[rows] == single.upward[others]
    laid_out = many.layout[rows] == single.layout[others]
    read = many.downward[rows] == single.downward[others]
    fit: Ints = (8 * same + 4 * fed + 2 * read + laid_out).astype(np.int32)
    return fit
