"""Recognising texts seen before without taking them out of the file.

Cutting a long line out and hashing it costs more than all else together. So a fingerprint of its
end and its middle is computed for thousands of lines at once, and what was seen with that
fingerprint is compared with the line in place: equal byte for byte, or it is not that line. Pieces
of a text, and the numbers in it, stand side by side: no Python object for each of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.readers.tracker.blocks import MARGIN
from opdiff.readers.tracker.interning import MISFIT
from opdiff.trace.columns import Flags, Ints, Longs

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


def _weights(seed: int, size: int) -> Words:
    """Odd numbers, so that no difference in a word is lost, and otherwise as if by chance.

    SplitMix64: importing numpy's own generators would take as long as reading a small trace.
    """
    numbers: Words = np.arange(1, size // 8 + 1, dtype=np.uint64) + np.uint64(seed << 32)
    numbers *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers ^= numbers >> np.uint64(shift)
        numbers *= np.uint64(factor)
    numbers ^= numbers >> np.uint64(31)
    numbers |= np.uint64(1)
    return numbers


_END_WEIGHTS = _weights(1, MARGIN)
_MIDDLE_WEIGHTS = _weights(2, _PROBE)
_OUTER_WEIGHTS = _weights(3, _PROBE)
_FRAME_WEIGHTS = _weights(4, _FRAMES)
_LENGTH_WEIGHT = _weights(5, 8)
_MASKS = own_bytes(MARGIN)[:, ::-1].copy().view("<u8")
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
