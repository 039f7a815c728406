"""The fast way through plain stretches: three lines a record, thousands of records at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.readers.tracker.blocks import MARGIN, TrackerBlock
from opdiff.readers.tracker.grammar import TASK_MARK
from opdiff.readers.tracker.interning import MISFIT, AttrKeys, NameKeys, SpecLines, StackLines
from opdiff.readers.tracker.recognition import (
    MOST_DIGITS,
    Recogniser,
    TextSpans,
    read_decimals,
    side_by_side,
)
from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.trace.words import gather

Chars = NDArray[np.uint8]

_OPEN, _CLOSE, _PERCENT = b"()%"
_PARENTHESES = np.array([_OPEN, _CLOSE, _OPEN, _CLOSE], np.uint8)


_MARK = np.frombuffer(TASK_MARK + bytes(16 - len(TASK_MARK)), "<u8")
_MARK_MASK = np.frombuffer(b"\xff" * len(TASK_MARK) + bytes(16 - len(TASK_MARK)), "<u8")
_NEXT_ID = np.uint64(int.from_bytes(b", %", "little"))
_ONE_BYTE, _THREE_BYTES = np.uint64(0xFF), np.uint64(0xFFFFFF)


class TextTables:
    """The distinct names, attributes and lines of one file, and how to recognise them in place."""

    def __init__(self) -> None:
        self.names = NameKeys()
        self.attrs = AttrKeys()
        self.specs = SpecLines()
        self.stacks = StackLines()
        self.name_recogniser = Recogniser(self.names, b"")
        self.attrs_recogniser = Recogniser(self.attrs, b"\n")
        self.spec_recogniser = Recogniser(self.specs, b"\n")
        self.stack_recogniser = Recogniser(self.stacks, b"\n")


class Records(NamedTuple):
    """The facts of some records, a number a record; memory ids one after the other."""

    name: Ints
    attrs: Ints
    specs: Ints
    stack: Ints
    task: Longs
    memory: Longs


def read_plain(
    block: TrackerBlock, place: int, most: int, tables: TextTables, *, final: bool
) -> tuple[Records, bool]:
    """The records from a place on, at most so many, up to the first that is not plain.

    A record is plain if its three lines say all of it, its name holds no parentheses and only its
    ids have a ``%``. The last of them is left out: its stack may go on in the next line, unless
    the block is the *final* one and ends with it. Also says whether all were plain.
    """
    offered = count = min(most, (len(block) - place) // 3)
    last = place + 3 * count
    stack = tables.stack_recogniser.recognise(_lines(block, place + 2, last))
    specs = tables.spec_recogniser.recognise(_lines(block, place + 1, last))
    count = _first((specs == MISFIT) | (stack == MISFIT), count)
    head = _Headers(_lines(block, place, place + 3 * count), specs[:count], tables)
    count = _first(head.misfits(), len(head.name))
    plain = count == offered
    if count and not (final and place + 3 * count == len(block)):
        count -= 1
    ids = int(head.counts[:count].sum())
    found = Records(
        name=head.name[:count],
        attrs=head.attrs[:count],
        specs=specs[:count],
        stack=stack[:count],
        task=head.task[:count],
        memory=head.memory[:ids],
    )
    return found, plain


def _lines(block: TrackerBlock, first: int, last: int) -> TextSpans:
    """Every third line."""
    return TextSpans(block.text, block.starts[first:last:3], block.ends[first:last:3])


def _first(misfits: Flags, count: int) -> int:
    """The place of the first misfit, *count* if there is none."""
    place = int(misfits.argmax()) if len(misfits) else 0
    return place if len(misfits) and misfits[place] else count


def _split_after(places: Longs, border: Longs, count: Longs) -> Flags:
    """Whether just so many of the ascending places lie before each border."""
    around = np.concatenate(([-1], places, [np.iinfo(np.int64).max]))
    there = np.minimum(count, len(places))
    fits: Flags = (around[there] < border) & (border < around[there + 1])
    fits &= there == count
    return fits


class _Headers:
    """First lines taken apart side by side, up to the first with other parentheses."""

    def __init__(self, lines: TextSpans, specs: Ints, tables: TextTables) -> None:
        text, self._line_start, self._line_end = side_by_side(lines)
        self._text = text
        self._chars: Chars = np.frombuffer(text, np.uint8)
        count = self._place_parentheses(len(lines.start))
        outputs, counts = tables.specs.sizes()
        self._outputs = outputs[specs[:count]]
        self.counts: Longs = counts[specs[:count]]
        names = TextSpans(text, self._close, self._open + 1)
        self.name = tables.name_recogniser.recognise(names)
        self._percent = MARGIN + np.flatnonzero(self._chars[MARGIN : self._size] == _PERCENT)
        task = self._end + len(TASK_MARK)
        numbers, self._digits = read_decimals(text, np.concatenate((self._percent + 1, task)))
        self.memory: Longs = numbers[: len(self._percent)]
        self.task: Longs = numbers[len(self._percent) :]
        attrs = np.minimum(task + self._digits[len(self._percent) :], self._line_end)
        self.attrs = tables.attrs_recogniser.recognise(TextSpans(text, attrs, self._line_end))

    def _place_parentheses(self, count: int) -> int:
        """Find the first four parentheses of every header; returns how many headers have them."""
        chars = self._chars
        found = np.flatnonzero((chars | 1) == _CLOSE)
        fours = self._fours(found, count)
        count = len(fours)
        count = _first((chars[fours] != _PARENTHESES).any(axis=1), count)
        self._start, self._close, self._open, self._end = np.ascontiguousarray(fours[:count].T)
        self._line_start, self._line_end = self._line_start[:count], self._line_end[:count]
        self._size = int(self._line_end[-1]) if count else MARGIN
        return count

    def _fours(self, found: Longs, count: int) -> Longs:
        """The first four of these places in each line, up to the first line that has fewer.

        Attributes may hold more of them: the arguments that the recorder of PyTorch writes.
        """
        plain = _first(~_split_after(found, self._line_end, 4 * np.arange(1, count + 1)), count)
        if plain == count:
            return found[: 4 * count].reshape(-1, 4)
        behind = np.searchsorted(found, self._line_end)
        first = np.concatenate(([0], behind[:-1]))
        count = _first(behind - first < 4, count)
        fours: Longs = found[first[:count, None] + np.arange(4)]
        return fours

    def misfits(self) -> Flags:
        """Which headers do not fit the grammar, or not their second line."""
        chars = self._chars
        bad: Flags = (self.name == MISFIT) | (self.attrs == MISFIT)
        bad |= self._start != self._line_start
        bad |= ((gather(self._text, 16, self._end) & _MARK_MASK) != _MARK).any(axis=1)
        for first in (chars[self._start + 1], chars[self._open + 1]):
            bad |= (first != _PERCENT) & (first != _CLOSE)
        digits = self._digits[len(self._percent) :]
        bad |= (digits == 0) | (digits > MOST_DIGITS)
        bad |= self._miscounted()
        bad_id = self._bad_ids()
        if bad_id.any():
            owner = np.searchsorted(self._line_end, self._percent[bad_id])
            bad[owner] = True
        return bad

    def _bad_ids(self) -> Flags:
        """Which ``%`` are no id: digits follow it, and then the next one or the list's end."""
        digits = self._digits[: len(self._percent)]
        after = gather(self._text, 8, self._percent + 1 + digits)[:, 0]
        bad: Flags = (after & _THREE_BYTES) != _NEXT_ID
        bad &= (after & _ONE_BYTE) != _CLOSE
        bad |= (digits == 0) | (digits > MOST_DIGITS)
        return bad

    def _miscounted(self) -> Flags:
        """Where the ids of the first line are not as many as the descriptions of the second.

        What follows such a header counts as miscounted, too: only the first one matters. A ``%``
        in a name is none of the ids: the careful way knows what to do with it.
        """
        inputs_end = np.cumsum(self.counts)
        outputs_end = inputs_end - self.counts + self._outputs
        fits = _split_after(self._percent, self._close, outputs_end)
        fits &= _split_after(self._percent, self._open, outputs_end)
        fits &= _split_after(self._percent, self._end, inputs_end)
        return ~fits
