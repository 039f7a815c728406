"""Decimal numbers in a text, thousands at once: eight characters are one number of eight bytes.

Sidecars have tens of millions of numbers. What is not plain here (more than 16 characters, NaN, a
damaged digit) is left to Python's ``float``, one at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Flags, Floats, Longs
from opdiff.trace.words import Words, gather

MARGIN = 16
"""So many bytes must stand before the first number: numbers are looked at from their ends."""

_ZEROS = np.uint64(0x3030303030303030)
_BEYOND_NINE = np.uint64(0x7676767676767676)
_HIGH_BITS = np.uint64(0x8080808080808080)
_MINUS, _PLUS, _SMALL_E = b"-+e"
_POWERS = 10.0 ** np.arange(309)
_TOO_MUCH = np.array([0, *(9 * 10**place for place in range(MARGIN))], np.int64)
"""By what the digits before a point are too large where the point is taken for a digit."""
_NEIGHBOURS = tuple(
    (np.uint64(ten << bits | 1), np.uint64(bits), np.uint64(mask))
    for ten, bits, mask in (
        (10, 8, 0x00FF00FF00FF00FF),
        (100, 16, 0x0000FFFF0000FFFF),
        (10_000, 32, 0x00000000FFFFFFFF),
    )
)
"""How two neighbours become one number in the place of both: as many times, moved, cut out."""
_LARGEST_POWER = 280
"""Beyond this, also with the decimals, powers of ten are left to Python."""


def _own_digits() -> Words:
    """Which of the 16 bytes before an end are digits.

    A row for each length, then for each number of characters from the point on.
    """
    place = np.arange(MARGIN, 0, -1)
    length, decimals = np.divmod(np.arange((MARGIN + 1) ** 2), MARGIN + 1)
    own = (place <= length[:, None]) & (place != decimals[:, None])
    masks: Words = np.where(own, 255, 0).astype(np.uint8).view("<u8")
    return masks


_OWN_DIGITS = _own_digits()
_SIGNS = np.array([1.0, -1.0])


def _digits(text: bytes, end: Longs, length: Longs, decimals: Longs | int) -> Words:
    """The last characters before each end, as two words; a digit is its number, no digit 0."""
    words = gather(text, MARGIN, end - MARGIN)
    words ^= _ZEROS
    words &= _OWN_DIGITS.take(length * (MARGIN + 1) + decimals, axis=0)
    return words


def _value(digits: Words) -> tuple[Longs, Flags]:
    """16 digits as one whole number, and whether all of them are digits; these are used up."""
    wrong = digits + _BEYOND_NINE
    wrong |= digits
    wrong &= _HIGH_BITS
    plain = (wrong[:, 0] | wrong[:, 1]) == 0
    for times, bits, mask in _NEIGHBOURS:
        digits *= times
        digits >>= bits
        digits &= mask
    eights = digits.view(np.int64)
    whole: Longs = eights[:, 0] * 100_000_000
    whole += eights[:, 1]
    return whole, plain


def whole_numbers(text: bytes, start: Longs, end: Longs) -> tuple[Longs, Flags]:
    """The whole numbers between these places, and which of them are plain ones."""
    length = end - start
    fits = (length > 0) & (length <= MARGIN)
    found, plain = _value(_digits(text, end, np.where(fits, length, 1), 0))
    return found, plain & fits


def numbers(text: bytes, start: Longs, end: Longs, point: Longs) -> tuple[Floats, Flags]:
    """The numbers between these ascending places, NaN where nothing stands; which are numbers.

    Also given: the first point of each, or any place behind it.
    """
    chars = np.frombuffer(text, np.uint8)
    before, exponent, plain = _exponents(chars, text, start, end)
    negative = chars[start] == _MINUS
    first = start + negative
    length = before - first
    decimals = before - np.minimum(point, before)  # the point among them
    plain &= (length > (decimals > 0)) & (length <= MARGIN)
    if not plain.all():
        length, decimals = np.where(plain, length, 1), np.where(plain, decimals, 0)
    whole, all_digits = _value(_digits(text, before, length, decimals))
    plain &= all_digits
    # The point stands among the digits as a 0: take that out. What stands before it is found
    # exactly, as less than a tenth stands behind.
    whole_part = (whole / _POWERS.take(decimals)).astype(np.int64)
    whole_part *= _TOO_MUCH.take(decimals)
    whole -= whole_part
    shift = np.maximum(decimals - 1, 0)
    shift -= exponent
    if bool((shift >= 0).all()):
        found = whole / _POWERS.take(shift)
    else:
        power = _POWERS[np.abs(shift)]
        found = np.where(shift >= 0, whole / power, whole * power)
    found *= _SIGNS.take(negative.view(np.int8))
    empty = start == end
    found[empty] = np.nan
    good = plain | empty
    for place in np.flatnonzero(~good).tolist():
        found[place], good[place] = _one(text[start[place] : end[place]])
    return found, good


def _exponents(
    chars: NDArray[np.uint8], text: bytes, start: Longs, end: Longs
) -> tuple[Longs, Longs | int, Flags]:
    """Where the digits before an ``e`` end, the power of ten, and whether that is a plain one."""
    good = np.ones(len(end), np.bool_)
    mark = np.flatnonzero(chars == _SMALL_E)
    owner = np.searchsorted(end, mark)
    within = owner < len(end)
    within[within] = mark[within] > start[owner[within]]
    if not within.any():
        return end, 0, good
    mark, owner = mark[within], owner[within]
    sign = chars.take(mark + 1, mode="clip")
    signed = (sign == _MINUS) | (sign == _PLUS)
    digits, plain = whole_numbers(text, mark + 1 + signed, end[owner])
    plain &= digits < _LARGEST_POWER
    before, power = end.copy(), np.zeros(len(end), np.int64)
    before[owner] = mark
    power[owner] = np.where(plain, np.where(sign == _MINUS, -digits, digits), 0)
    good[owner] = plain
    return before, power, good


def _one(text: bytes) -> tuple[float, bool]:
    try:
        return float(text), b"_" not in text
    except ValueError:
        return np.nan, False
