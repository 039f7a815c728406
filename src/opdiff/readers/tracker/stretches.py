"""Pieces of a text that are looked at side by side, without a Python object for each."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.readers.tracker.blocks import MARGIN
from opdiff.trace.columns import Longs

Words = NDArray[np.uint64]
"""Eight bytes a number."""

_WIDEST = 512
_PADDING = 64
"""Lets look-ahead run over the end of the last piece."""


class Stretch(NamedTuple):
    """Places in a text."""

    text: bytes | bytearray
    start: Longs
    end: Longs


def gather(text: bytes | bytearray, size: int, places: Longs) -> Words:
    """So many bytes from each place on, a row a place."""
    if not len(places):  # the text may be shorter than one window then
        return np.zeros((0, size // 8), np.uint64)
    windows = np.ndarray((len(text) - size + 1,), f"V{size}", text, 0, (1,))
    words: Words = windows[places].view("<u8").reshape(len(places), size // 8)
    return words


def own_bytes(size: int) -> NDArray[np.uint8]:
    """A row a length up to the size: 255 for so many bytes, then 0."""
    return np.where(np.arange(size) < np.arange(size + 1)[:, None], 255, 0).astype(np.uint8)


@lru_cache(maxsize=_WIDEST // 8)
def _masks(size: int) -> Words:
    masks: Words = own_bytes(size).view("<u8")
    return masks


def side_by_side(lines: Stretch) -> tuple[bytes, Longs, Longs]:
    """A text of only these lines, behind a margin; and where in it each begins and ends."""
    length = lines.end - lines.start
    widest = int(length.max()) + 1 if len(length) else 0
    size = (widest + 7) & ~7
    if not widest or size > _WIDEST or size > 4 * length.mean():
        return _one_after_the_other(lines)
    rows = gather(lines.text, size, lines.start)
    # The line feed is kept: it tells a text from a longer one.
    rows &= _masks(size)[length + 1]
    start = MARGIN + size * np.arange(len(length))
    return bytes(MARGIN) + rows.tobytes() + bytes(_PADDING), start, start + length


def _one_after_the_other(lines: Stretch) -> tuple[bytes, Longs, Longs]:
    """The same for lines of very different lengths: slower, and without gaps between them."""
    places = zip(lines.start.tolist(), (lines.end + 1).tolist(), strict=True)
    pieces = [lines.text[start:end] for start, end in places]
    end = MARGIN - 1 + np.cumsum(lines.end - lines.start + 1)
    text = b"".join((bytes(MARGIN), *pieces, bytes(_PADDING)))
    return text, end - (lines.end - lines.start), end
