"""Recognising texts seen before without taking them out of the file.

Cutting a long line out and hashing it costs more than all else together. So a fingerprint of its
end and its middle is computed for thousands of lines at once, and what was seen with that
fingerprint is compared with the line in place: equal byte for byte, or it is not that line. Pieces
of a text, and the numbers in it, stand side by side: no Python object for each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from opdiff.readers.tracker.blocks import MARGIN
from opdiff.readers.tracker.interning import MISFIT
from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.trace.words import Words, gather, own_bytes, weights

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
_WORDS = MARGIN // 8
_SHORT = 32
_PROBE, _FRAMES = 64, 256
_LONG = MARGIN + _FRAMES
"""Of so long texts more is looked at: stacks differ in the frames before the innermost ones."""


class TextSpans(NamedTuple):
    """Places in a text."""

    text: bytes | bytearray
    start: Longs
    end: Longs


def side_by_side(lines: TextSpans) -> tuple[bytes, Longs, Longs]:
    """A text of only these lines, behind a margin; and where in it each begins and ends."""
    length = lines.end - lines.start
    widest = int(length.max()) + 1 if len(length) else 0
    size = (widest + 7) & ~7
    if not widest or size > _WIDEST or size > 4 * length.mean():
        return _one_after_the_other(lines)
    rows = gather(lines.text, size, lines.start)
    # The line feed is kept: it tells a text from a longer one.
    rows &= own_bytes(size)[length + 1]
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


_END_WEIGHTS = weights(MARGIN // 8, 1)
_MIDDLE_WEIGHTS = weights(_PROBE // 8, 2)
_OUTER_WEIGHTS = weights(_PROBE // 8, 3)
_FRAME_WEIGHTS = weights(_FRAMES // 8, 4)
_LENGTH_WEIGHT = weights(1, 5)
_MASKS = own_bytes(MARGIN).view(np.uint8)[:, ::-1].copy().view("<u8")
"""For a text of each length up to the margin: which of the bytes before its end are its own."""


class _LineFingerprints(NamedTuple):
    """What is seen of each text without cutting it out."""

    length: Longs
    tail: Words
    """Its last bytes, as many words a row as the longest text needs, up to those of the margin."""
    prints: Words


class Recogniser:
    """Gives texts their values: those of a dictionary, each text asked for once."""

    def __init__(self, values: Mapping[bytes, int], ending: bytes) -> None:
        self._values = values
        self._ending = ending
        """What follows every text; it tells a text from a longer one that begins with it."""
        self._prints: Words = np.zeros(0, np.uint64)
        self._order: Longs = np.zeros(0, np.int64)
        """The place among the known texts of each of the fingerprints, which are sorted."""
        self._texts: list[bytes] = []
        self._known: Ints = np.zeros(0, np.int32)
        self._lengths: Longs = np.zeros(0, np.int64)
        self._tails: Words = np.zeros((0, _WORDS), np.uint64)

    def recognise(self, stretch: TextSpans) -> Ints:
        """The value of the text at each place."""
        if not len(stretch.start):
            return np.zeros(0, np.int32)
        look = _look_at(stretch)
        known = self._lookup(look.prints)
        fresh = np.flatnonzero(known < 0)
        if len(fresh):
            self._learn(stretch, look, fresh)
            known = self._lookup(look.prints)
        doubtful = known < 0
        values = np.full(len(known), MISFIT, np.int32)
        if self._texts:
            doubtful |= ~self._same(stretch, look, known)
            values = self._known[known]
        for place in np.flatnonzero(doubtful).tolist():
            line = stretch.text[stretch.start[place] : stretch.end[place]]
            values[place] = self._values[bytes(line)]
        return values

    def _same(self, stretch: TextSpans, look: _LineFingerprints, known: Longs) -> Flags:
        """Whether the text at each place is the known one, byte for byte."""
        words = look.tail.shape[1]
        same: Flags = self._lengths[known] == look.length
        other = self._tails[:, -words:].take(known, axis=0)
        other ^= look.tail
        same &= np.bitwise_or.reduce(other, axis=1) == 0
        if words == _WORDS:
            long = np.flatnonzero(look.length > MARGIN)
            expected = map(self._texts.__getitem__, known[long].tolist())
            starts = stretch.start[long].tolist()
            same[long] = np.fromiter(
                map(stretch.text.startswith, expected, starts), bool, len(long)
            )
        return same

    def _lookup(self, prints: Words) -> Longs:
        """The place among the known texts of each fingerprint, -1 for those never seen."""
        if not len(self._prints):
            return np.full(len(prints), -1, np.int64)
        place = np.minimum(np.searchsorted(self._prints, prints), len(self._prints) - 1)
        return np.where(self._prints[place] == prints, self._order[place], -1)

    def _learn(self, stretch: TextSpans, look: _LineFingerprints, fresh: Longs) -> None:
        """Remember the first text of every new fingerprint, unless it is no text of the grammar."""
        unknown, first = np.unique(look.prints[fresh], return_index=True)
        rows = fresh[first]
        places = zip(stretch.start[rows].tolist(), stretch.end[rows].tolist(), strict=True)
        lines = [bytes(stretch.text[start:end]) for start, end in places]
        values = np.array([self._values[line] for line in lines], np.int32)
        fits = np.flatnonzero(values != MISFIT)
        count = len(self._texts)
        self._texts += [lines[place] + self._ending for place in fits.tolist()]
        rows = rows[fits]
        tails = np.zeros((len(rows), _WORDS), np.uint64)
        tails[:, -look.tail.shape[1] :] = look.tail[rows]
        self._tails = np.concatenate((self._tails, tails))
        self._lengths = np.concatenate((self._lengths, look.length[rows]))
        self._known = np.concatenate((self._known, values[fits]))
        where = np.searchsorted(self._prints, unknown[fits])
        self._prints = np.insert(self._prints, where, unknown[fits])
        self._order = np.insert(self._order, where, np.arange(count, len(self._texts)))


def _look_at(stretch: TextSpans) -> _LineFingerprints:
    text, start, end = stretch
    length = end - start
    size = _SHORT if length.max() <= _SHORT else MARGIN
    words = size // 8
    tail = gather(text, size, end - size)
    tail &= _MASKS[:, -words:].take(np.minimum(length, MARGIN), axis=0)
    prints: Words = tail @ _END_WEIGHTS[-words:]
    prints += length.astype(np.uint64) * _LENGTH_WEIGHT
    if size == MARGIN:
        middle = np.flatnonzero(length > MARGIN)
        places = start[middle] + (length[middle] - _PROBE) // 2
        prints[middle] += gather(text, _PROBE, places) @ _MIDDLE_WEIGHTS
        long = np.flatnonzero(length >= _LONG)
        prints[long] += gather(text, _FRAMES, end[long] - _LONG) @ _FRAME_WEIGHTS
        prints[long] += gather(text, _PROBE, start[long] + _PROBE) @ _OUTER_WEIGHTS
    return _LineFingerprints(length, tail, prints)
