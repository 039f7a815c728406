"""Ops that stand on one side only, next to ops just like them: which of them is the extra one.

``A A`` against ``A`` leaves open which ``A`` is new. The one whose inputs do not come from where
the counterpart's come from is; where neither that nor the stacks tell, the one farther from the
anchor.
"""

from __future__ import annotations

import numpy as np

from opdiff.compare.prepared import Prepared
from opdiff.compare.words import Words
from opdiff.trace.columns import Ints

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
    # gain[t] counts once the gap lies beyond t.
    total = np.concatenate(([0], np.cumsum(gain)))
    cuts = np.flatnonzero(total == total.max())
    if len(cuts) > 1:
        # Stacks never make a difference, but they may tell layers apart.
        stacks = _same_stacks(many, single, before, other) - _same_stacks(
            many, single, after, other
        )
        told = np.concatenate(([0], np.cumsum(stacks)))[cuts]
        cuts = cuts[told == told.max()]
    if size >= _BLOCK and len(cuts) > 1:
        # Blocks repeat from the first border on that the fewest values cross.
        first = rows[gap.start - earlier : gap.start - earlier + min(size, earlier + later + 1)]
        border = int(np.argmin(many.crossing[first]))
        whole = cuts[(cuts - border) % size == 0]
        cuts = whole if len(whole) else cuts
        # Of equal blocks the earlier ones read what is paired.
        return int(cuts[-1]) - earlier
    return int(cuts[0 if backward else -1]) - earlier


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
