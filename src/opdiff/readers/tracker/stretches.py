"""Pieces of a text, and the numbers in it, side by side: no Python object for each of them."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.readers.tracker.blocks import MARGIN
from opdiff.trace.columns import Longs

Words = NDArray[np.uint64]
"""Eight bytes a number."""

MOST_DIGITS = 18
"""So many always fit into 64 bits; longer numbers are left to the careful way."""

_ZEROS = np.uint64(0x3030303030303030)
_BEYOND_NINE = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_FIRST_OTHER = np.uint64(0x80) << np.arange(0, 64, 8, dtype=np.uint64)
"""The lowest high bit, by how many digits come before it."""
_WIDEST = 512
_PADDING = 64
"""Lets look-ahead run over the end of the last piece."""


class TextSpans(NamedTuple):
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


def side_by_side(lines: TextSpans) -> tuple[bytes, Longs, Longs]:
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


def _one_after_the_other(lines: TextSpans) -> tuple[bytes, Longs, Longs]:
    """The same for lines of very different lengths: slower, and without gaps between them."""
    places = zip(lines.start.tolist(), (lines.end + 1).tolist(), strict=True)
    pieces = [lines.text[start:end] for start, end in places]
    end = MARGIN - 1 + np.cumsum(lines.end - lines.start + 1)
    text = b"".join((bytes(MARGIN), *pieces, bytes(_PADDING)))
    return text, end - (lines.end - lines.start), end


def read_decimals(text: bytes, places: Longs) -> tuple[Longs, Longs]:
    """The numbers that begin at these places, and how many digits each has.

    The text must go on for more than MOST_DIGITS bytes behind the last place. What has more
    digits than that is counted as one too many.
    """
    digits: Words = gather(text, 8, places)[:, 0] ^ _ZEROS
    other = (digits + _BEYOND_NINE | digits) & _HIGH_BITS
    lowest = other & (~other + np.uint64(1))
    lengths = np.searchsorted(_FIRST_OTHER, lowest)
    lengths[other == 0] = 8
    # Digits at the low end, the last in the highest byte: zeros fill in from below.
    shift = (8 * (8 - lengths)).astype(np.uint64)
    values = np.where(lengths > 0, digits << np.minimum(shift, np.uint64(63)), np.uint64(0))
    values = (values * np.uint64(2561)) >> np.uint64(8) & np.uint64(0x00FF00FF00FF00FF)
    values = (values * np.uint64(6553601)) >> np.uint64(16) & np.uint64(0x0000FFFF0000FFFF)
    values = (values * np.uint64(42949672960001)) >> np.uint64(32)
    numbers: Longs = values.astype(np.int64)
    long = np.flatnonzero(lengths == 8)
    if len(long):
        numbers[long], lengths[long] = _digit_by_digit(text, places[long])
    return numbers, lengths


def _digit_by_digit(text: bytes, places: Longs) -> tuple[Longs, Longs]:
    chars = np.frombuffer(text, np.uint8)
    numbers = np.zeros(len(places), np.int64)
    lengths = np.zeros(len(places), np.int64)
    going_on = np.arange(len(places))
    for digit in range(MOST_DIGITS + 1):
        values = chars[places[going_on] + digit] - np.uint8(ord("0"))
        is_digit = values < 10
        going_on = going_on[is_digit]
        lengths[going_on] += 1
        if digit < MOST_DIGITS:
            numbers[going_on] = numbers[going_on] * 10 + values[is_digit]
    return numbers, lengths
