"""The fast way through plain stretches: three lines a record, thousands of records at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.readers.tracker.grammar import TASK_MARK
from opdiff.readers.tracker.interning import MISFIT, AttrKeys, NameKeys, SpecLines, StackLines
from opdiff.trace.columns import Ints, Longs

Flags = NDArray[np.bool_]
Chars = NDArray[np.uint8]

_OPEN, _CLOSE, _PERCENT, _COMMA, _SPACE, _ZERO, _NEWLINE = b"()%, 0\n"
_PARENTHESES = np.array([_OPEN, _CLOSE, _OPEN, _CLOSE], np.uint8)
_MOST_DIGITS = 18
"""So many always fit into 64 bits; longer numbers are left to the careful way."""
_PADDING = bytes(len(TASK_MARK) + _MOST_DIGITS + 1)
"""Lets look-ahead run over the end of the last header."""


class Tables(NamedTuple):
    """The dictionaries of one file."""

    names: NameKeys
    attrs: AttrKeys
    specs: SpecLines
    stacks: StackLines


class Records(NamedTuple):
    """The facts of some records, a number a record; memory ids one after the other."""

    name: Ints
    attrs: Ints
    specs: Ints
    stack: Ints
    task: Longs
    memory: Longs


def read_plain(lines: list[bytes], tables: Tables, *, closed: bool) -> tuple[Records, bool]:
    """The records of a stretch that begins with a header, up to the first that is not plain.

    A record is plain if its three lines say all of it and its name holds neither parentheses nor
    ``%``. The last of them is left out: its stack may go on in the next line, unless the stretch is
    *closed*, with nothing behind it. Also says whether all were plain.
    """
    offered = count = len(lines) // 3
    specs = np.fromiter(map(tables.specs.__getitem__, lines[1 : 3 * count : 3]), np.int32, count)
    stack = np.fromiter(map(tables.stacks.__getitem__, lines[2 : 3 * count : 3]), np.int32, count)
    count = _first((specs == MISFIT) | (stack == MISFIT), count)
    head = _Headers(lines[0 : 3 * count : 3], specs[:count], tables)
    count = _first(head.misfits(), len(head.name))
    plain = count == offered
    if count and not (closed and 3 * count == len(lines)):
        count -= 1
    specs = specs[:count]
    ids = int(np.array(tables.specs.counts, np.int64)[specs].sum())
    found = Records(
        name=head.name[:count],
        attrs=head.attrs[:count],
        specs=specs,
        stack=stack[:count],
        task=head.task[:count],
        memory=head.memory[:ids],
    )
    return found, plain


def _first(misfits: Flags, count: int) -> int:
    place = int(misfits.argmax()) if len(misfits) else 0
    return place if len(misfits) and misfits[place] else count


class _Headers:
    """First lines taken apart side by side, up to the first with other parentheses."""

    def __init__(self, headers: list[bytes], specs: Ints, tables: Tables) -> None:
        text = b"\n".join((*headers, _PADDING))
        self._chars: Chars = np.frombuffer(text, np.uint8)
        count = self._place_parentheses(len(headers))
        self._outputs = np.array(tables.specs.outputs, np.int64)[specs[:count]]
        self._inputs = np.array(tables.specs.counts, np.int64)[specs[:count]] - self._outputs
        self.name = _slices(text, self._close, self._open + 1, tables.names)
        self._percent = np.flatnonzero(self._chars[: self._size] == _PERCENT)
        task = self._end + len(TASK_MARK)
        places = np.concatenate((self._percent + 1, task))
        numbers, self._digits = _numbers(self._chars, places)
        self.memory: Longs = numbers[: len(self._percent)]
        self.task: Longs = numbers[len(self._percent) :]
        attrs = task + self._digits[len(self._percent) :]
        self.attrs = _slices(text, attrs, self._line_end, tables.attrs)

    def _place_parentheses(self, count: int) -> int:
        """Find the four parentheses of every header; returns how many headers have just them."""
        chars = self._chars
        found = np.flatnonzero((chars | 1) == _CLOSE)
        line_end = np.flatnonzero(chars == _NEWLINE)[:count]
        count = _first(np.diff(np.searchsorted(found, line_end), prepend=0) != 4, count)
        fours: Longs = found[: 4 * count].reshape(-1, 4)
        count = _first((chars[fours] != _PARENTHESES).any(axis=1), count)
        self._start, self._close, self._open, self._end = np.ascontiguousarray(fours[:count].T)
        self._line_end = line_end[:count]
        self._size = int(line_end[count - 1]) if count else 0
        return count

    def misfits(self) -> Flags:
        """Which headers do not fit the grammar, or not their second line."""
        chars = self._chars
        line_start = np.concatenate(([0], self._line_end + 1))[:-1]
        bad: Flags = (self.name == MISFIT) | (self.attrs == MISFIT) | (self._start != line_start)
        for offset, char in enumerate(TASK_MARK):
            bad |= chars[self._end + offset] != char
        for first in (chars[self._start + 1], chars[self._open + 1]):
            bad |= (first != _PERCENT) & (first != _CLOSE)
        digits = self._digits[len(self._percent) :]
        bad |= (digits == 0) | (digits > _MOST_DIGITS)
        bad |= self._miscounted()
        bad_id = self._bad_ids()
        if bad_id.any():
            owner = np.searchsorted(line_start, self._percent[bad_id], side="right") - 1
            bad[owner] = True
        return bad

    def _bad_ids(self) -> Flags:
        """Which ``%`` are no id: digits follow it, and then the next one or the list's end."""
        chars = self._chars
        digits = self._digits[: len(self._percent)]
        stop = self._percent + 1 + digits
        after = chars[stop]
        next_id = (after == _COMMA) & (chars[stop + 1] == _SPACE) & (chars[stop + 2] == _PERCENT)
        bad: Flags = ~(next_id | (after == _CLOSE)) | (digits == 0) | (digits > _MOST_DIGITS)
        return bad

    def _miscounted(self) -> Flags:
        """Where the ids of the first line are not as many as the descriptions of the second."""
        places = (self._start, self._close, self._open, self._end)
        start, close, open_, end = (np.searchsorted(self._percent, place) for place in places)
        # A % between the lists belongs to the name: the careful way knows what to do with it.
        bad: Flags = (close - start != self._outputs) | (end - open_ != self._inputs)
        bad |= open_ != close
        return bad


def _numbers(chars: Chars, places: Longs) -> tuple[Longs, Longs]:
    """The decimal numbers that begin at these places, and how many digits each has."""
    values = np.zeros(len(places), np.int64)
    lengths = np.zeros(len(places), np.int64)
    alive = np.arange(len(places))
    for digit_place in range(_MOST_DIGITS + 1):
        digits = chars[places[alive] + digit_place] - np.uint8(_ZERO)
        keep = digits < 10
        alive, digits = alive[keep], digits[keep]
        if not len(alive):
            break
        values[alive] = values[alive] * 10 + digits
        lengths[alive] += 1
    return values, lengths


def _slices(text: bytes, start: Longs, end: Longs, table: dict[bytes, int]) -> Ints:
    pieces = map(text.__getitem__, map(slice, start.tolist(), end.tolist()))
    return np.fromiter(map(table.__getitem__, pieces), np.int32, len(start))
