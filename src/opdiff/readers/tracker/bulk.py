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

_OPEN, _CLOSE, _PERCENT, _COMMA, _SPACE, _ZERO = b"()%, 0"
_MARK = np.frombuffer(TASK_MARK, np.uint8)
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
    text = b"\n".join(lines[0 : 3 * count : 3]) + b"\n"
    count, parentheses = _parentheses(text, count)
    head = _Headers(text, parentheses[:count], specs[:count], tables)
    count = _first(head.misfits(), count)
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


def _parentheses(text: bytes, count: int) -> tuple[int, Longs]:
    """How many headers in a row have just the four parentheses of the grammar, and where."""
    chars = np.frombuffer(text, np.uint8)
    places = np.flatnonzero((chars == _OPEN) | (chars == _CLOSE))
    ends = np.flatnonzero(chars == 10)[:count]
    per_header = np.diff(np.searchsorted(places, ends), prepend=0)
    count = _first(per_header != 4, count)
    places = places[: 4 * count].reshape(-1, 4)
    return _first((chars[places] != _PARENTHESES).any(axis=1), count), places


class _Headers:
    """First lines taken apart side by side."""

    def __init__(self, text: bytes, places: Longs, specs: Ints, tables: Tables) -> None:
        self._chars: Chars = np.frombuffer(text + _PADDING, np.uint8)
        self._places = places
        self._specs = specs
        self._tables = tables
        chars = self._chars
        start, close, open_, end = places.T if len(places) else np.zeros((4, 0), np.int64)
        line_end = np.flatnonzero(chars == 10)[: len(places)]
        self._percent = np.flatnonzero(chars == _PERCENT)
        task = end + len(_MARK)
        numbers, lengths = _numbers(chars, np.concatenate((self._percent + 1, task)))
        ids = len(self._percent)
        self.memory: Longs = numbers[:ids]
        self._id_end = self._percent + 1 + lengths[:ids]
        self.task: Longs = numbers[ids:]
        self._lengths = lengths
        attrs = task + lengths[ids:]
        self.name = _slices(text, close, open_ + 1, tables.names)
        self.attrs = _slices(text, attrs, line_end, tables.attrs)
        self._starts = np.concatenate(([0], line_end[:-1] + 1)) if len(places) else start

    def misfits(self) -> Flags:
        """Which headers do not fit the grammar, or not their second line."""
        chars, places = self._chars, self._places
        start, close, open_, end = places.T if len(places) else np.zeros((4, 0), np.int64)
        bad = (self.name == MISFIT) | (self.attrs == MISFIT) | (start != self._starts)
        bad |= (chars[end[:, None] + np.arange(len(_MARK))] != _MARK).any(axis=1)
        for first in (chars[start + 1], chars[open_ + 1]):
            bad |= (first != _PERCENT) & (first != _CLOSE)
        ids = len(self._percent)
        lengths = self._lengths
        task_length = lengths[ids:]
        bad |= (task_length == 0) | (task_length > _MOST_DIGITS)
        bad |= self._miscounted(start, close, open_, end)
        stop = self._id_end
        after = chars[stop]
        goes_on = (after == _COMMA) & (chars[stop + 1] == _SPACE) & (chars[stop + 2] == _PERCENT)
        bad_id = ~(goes_on | (after == _CLOSE)) | (lengths[:ids] == 0)
        bad_id |= lengths[:ids] > _MOST_DIGITS
        if bad_id.any():
            owner = np.searchsorted(self._starts, self._percent[bad_id], side="right") - 1
            bad[owner] = True
        return bad

    def _miscounted(self, start: Longs, close: Longs, open_: Longs, end: Longs) -> Flags:
        """Where the ids of the first line are not as many as the descriptions of the second."""
        before = np.searchsorted(self._percent, np.stack((start, close, open_, end)))
        lines = self._tables.specs
        outputs = np.array(lines.outputs, np.int64)[self._specs]
        inputs = np.array(lines.counts, np.int64)[self._specs] - outputs
        # A % between the lists belongs to the name: the careful way knows what to do with it.
        named = before[2] != before[1]
        return (before[1] - before[0] != outputs) | (before[3] - before[2] != inputs) | named


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
