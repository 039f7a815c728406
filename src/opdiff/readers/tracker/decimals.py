"""Decimal numbers in a text, thousands at once: eight digits are one number of eight bytes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Longs

MOST_DIGITS = 18
"""So many always fit into 64 bits; longer numbers are left to the careful way."""

_Words = NDArray[np.uint64]
_ZEROS = np.uint64(0x3030303030303030)
_BEYOND_NINE = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_FIRST_OTHER = np.uint64(0x80) << np.arange(0, 64, 8, dtype=np.uint64)
"""The lowest high bit, by how many digits come before it."""


def read_decimals(text: bytes, places: Longs) -> tuple[Longs, Longs]:
    """The numbers that begin at these places, and how many digits each has.

    The text must go on for more than MOST_DIGITS bytes behind the last place. What has more
    digits than that is counted as one too many.
    """
    windows = np.ndarray((len(text) - 7,), "V8", text, 0, (1,))
    digits: _Words = windows[places].view("<u8") ^ _ZEROS
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
