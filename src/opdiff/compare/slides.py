"""Ops that stand on one side only, next to ops just like them: which of them is the extra one.

``A A`` against ``A`` leaves open which ``A`` is new. The one whose inputs do not come from where
the counterpart's come from is; where that does not tell, the later one.
"""

from __future__ import annotations

import numpy as np

from opdiff.compare.codes import Ints, Words
from opdiff.compare.sides import Ready

_FARTHEST = 512


def slide(
    many: Ready, single: Ready, codes: Words, rows: Ints, others: Ints, gap: range, place: int
) -> int:
    """How far to shift a gap of *rows* that opens before ``others[place]``; negative is earlier.

    *rows* and *others* are stretches in which everything but the gap is paired in order, and
    *codes* are the codes of *rows*.
    """
    size = len(gap)
    ahead = min(len(rows) - gap.stop, len(others) - place, _FARTHEST)
    behind = min(gap.start, place, _FARTHEST)
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
    # gain[t] counts once the gap lies beyond t; the best cut, the last of equal ones.
    total = np.concatenate(([0], np.cumsum(gain)))
    best = len(total) - 1 - int(np.argmax(total[::-1]))
    return best - earlier


def _agreeing(codes: Words, others: Words) -> int:
    differ = codes != others
    return int(differ.argmax()) if differ.any() else len(codes)


def _fit(many: Ready, single: Ready, rows: Ints, others: Ints) -> Ints:
    same = many.type[rows] == single.type[others]
    fed = many.upward[rows] == single.upward[others]
    fit: Ints = (2 * same + fed).astype(np.int32)
    return fit
