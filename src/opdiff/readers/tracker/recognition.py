"""Recognising texts seen before without taking them out of the file.

Cutting a long line out and hashing it costs more than all else together. So a fingerprint of its
end and its middle is computed for thousands of lines at once, and what was seen with that
fingerprint is compared with the line in place: equal byte for byte, or it is not that line.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from opdiff.readers.tracker.blocks import MARGIN
from opdiff.readers.tracker.interning import MISFIT
from opdiff.readers.tracker.stretches import TextSpans, Words, gather, own_bytes
from opdiff.trace.columns import Flags, Ints, Longs

_WORDS = MARGIN // 8
_SHORT = 32
_PROBE, _FRAMES = 64, 256
_LONG = MARGIN + _FRAMES
"""Of so long texts more is looked at: stacks differ in the frames before the innermost ones."""


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


class _Fingerprints(NamedTuple):
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
        if not self._texts:
            return np.full(len(look.length), MISFIT, np.int32)
        values = self._known[known]
        doubtful = ~self._same(stretch, look, known)
        doubtful |= known < 0
        if doubtful.any():
            for place in np.flatnonzero(doubtful).tolist():
                line = stretch.text[stretch.start[place] : stretch.end[place]]
                values[place] = self._values[bytes(line)]
        return values

    def _same(self, stretch: TextSpans, look: _Fingerprints, known: Longs) -> Flags:
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

    def _learn(self, stretch: TextSpans, look: _Fingerprints, fresh: Longs) -> None:
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


def _look_at(stretch: TextSpans) -> _Fingerprints:
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
    return _Fingerprints(length, tail, prints)
