"""The rows of a sidecar, some thousand at once; each distinct content is taken apart once.

Most rows end alike, as one op reads what another one wrote. A row's end is everything from
``count`` on.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.trace.words import Words, gather, own_bytes, weights
from opdiff.values.blocks import LineBlock
from opdiff.values.decimals import MARGIN, numbers, whole_numbers
from opdiff.values.measures import (
    MEASURED,
    UNKNOWN,
    Measure,
    Measures,
    digest_number,
)
from opdiff.values.print_table import PrintTable
from opdiff.values.table import OperandPlaces

COLUMNS = b"op,side,operand,count,nonfinite,min,max,mean,norm,hash,sketch"
_COMMAS = COLUMNS.count(b",") - 3
"""Those from ``count`` on."""
_HASH = 6
"""The place of the hash among the columns from ``count`` on; behind it is the sketch."""
_NEAR = 16
"""In a plain row the numbers of op and operand are shorter."""
_SIDES = {"in": False, "out": True}
_LONGEST_COUNT = 18
_WIDEST = 1 << 10
_WEIGHTS = weights(_WIDEST // 8 + 1)
_COMMA, _BLANK, _POINT = b", ."
_MARK = np.uint8(0x20)
_ALIKE = np.uint8(0xF1)
"""The bits that comma, blank and point have in common, and no character of a number has."""
_IN, _OUT = (int.from_bytes(side, "little") for side in (b"in,", b"out,"))
_THREE_BYTES = 0xFFFFFF

_Chars = NDArray[np.uint8]


class Rows:
    """Reads blocks of plain rows and keeps their contents."""

    def __init__(self, sums: int) -> None:
        self._sums = sums
        """How many numbers a sketch has; 0 if the file has none."""
        self._known = PrintTable()
        self._contents = [Measures.of([], sums=sums)]
        self._count = 0

    def measures(self, sketch_kind: str, digest_kind: str) -> Measures:
        """All contents that were read."""
        return Measures.joined(self._contents, sketch_kind=sketch_kind, digest_kind=digest_kind)

    def read(self, block: LineBlock) -> OperandPlaces | None:
        """The rows of a block; None if one of them is not plain, so that they go one by one."""
        first, known = _commas(block.text, block.start)
        # Either "in," or "out," follows.
        side = np.ndarray((len(block.text) - 3,), "<u4", block.text, 0, (1,))[first + 1]
        is_output = side == _OUT
        second = first + 3 + is_output
        third, known_too = _commas(block.text, second + 1)
        op, plain = whole_numbers(block.text, block.start, first)
        operand, plain_operand = whole_numbers(block.text, second + 1, third)
        known_side = is_output | (side & _THREE_BYTES == _IN)
        fits = third < block.end
        if not (known & known_too & plain & plain_operand & known_side & fits).all():
            return None
        content = self._recognise(block, third + 1)
        return None if content is None else OperandPlaces(op, is_output, operand, content)

    def keep(self, measure: Measure) -> int:
        """Keep the content of a row that was read by itself; its number."""
        self._contents.append(Measures.of([measure], sums=self._sums))
        self._count += 1
        return self._count - 1

    def _recognise(self, block: LineBlock, start: Longs) -> Ints | None:
        """The number of the content of each row, from *start* on; new ones are read and kept."""
        length = block.end - start
        words = _words(block.text, start, length)
        if words is None:
            return None
        prints: Words = words @ _WEIGHTS[: words.shape[1]]
        prints += length.astype(np.uint64) * _WEIGHTS[-1]
        places = self._known.places(prints)
        found = self._known.numbers(places)
        unknown = np.flatnonzero(found == UNKNOWN)
        if len(unknown):
            fresh = unknown[self._known.first(places[unknown])]
            contents = _read_contents(words[fresh], length[fresh], self._sums)
            if contents is None:
                return None
            behind = self._count + len(fresh)
            self._known.put(places[fresh], np.arange(self._count, behind, dtype=np.int32))
            found[unknown] = self._known.numbers(places[unknown])
            self._contents.append(contents)
            self._count = behind
        return found


def _commas(text: bytes, start: Longs) -> tuple[Longs, Flags]:
    """The first comma behind each place; whether there is one near."""
    is_comma = gather(text, _NEAR, start).view(np.uint8) == _COMMA
    within = is_comma.argmax(axis=1)
    return start + within, is_comma[np.arange(len(start)), within]


def _words(text: bytes, start: Longs, length: Longs) -> Words | None:
    """The bytes of some texts, eight a word, a row a text, 0 behind its end; None if too long."""
    size = (int(length.max()) + 7) & ~7
    if size > _WIDEST:
        return None
    words = gather(text, size, start)
    all_own = int(length.min()) // 8
    words[:, all_own:] &= own_bytes(size)[:, all_own:].take(length, axis=0)
    return words


def _read_contents(words: Words, length: Longs, sums: int) -> Measures | None:
    """The contents in some rows of bytes; None if one is not plain."""
    rows, size = len(words), words.shape[1] * 8
    # Numbers are looked at from their ends: something must stand before the first.
    text = bytes(MARGIN) + words.tobytes()
    chars = np.frombuffer(text, np.uint8)
    start = MARGIN + size * np.arange(rows)
    marks = np.flatnonzero(chars & _ALIKE == _MARK)
    sort = chars[marks]
    is_point = sort == _POINT
    at = np.flatnonzero(~is_point)
    between = marks[at]
    if len(between) == rows * _COMMAS:
        sums_here = 0
    elif sums and len(between) == rows * (_COMMAS + sums - 1):
        sums_here = sums
    else:
        return _read_mixed(words, length, np.bincount((between - MARGIN) // size), sums)
    edges = np.concatenate(
        (start[:, None] - 1, between.reshape(rows, -1), (start + length)[:, None]), axis=1
    )
    if not _is_laid_out(sort[at].reshape(rows, -1), edges, start):
        return None
    starts, ends = edges[:, :-1] + 1, edges[:, 1:]
    there = ends > starts
    counts = np.full((rows, 2), UNKNOWN, np.int64)
    counted = there[:, :2]
    counts[counted], plain = whole_numbers(text, starts[:, :2][counted], ends[:, :2][counted])
    # All that is left but the hash, in the order of the text.
    is_number = there.copy()
    is_number[:, [0, 1, _HASH]] = False
    # Each but the first stands behind a mark; the next mark may be its point.
    point = np.append(np.where(is_point, marks, len(text)), len(text))[at + 1].reshape(rows, -1)
    cells = np.full(is_number.shape, np.nan)
    cells[is_number], good = numbers(
        text, starts[is_number], ends[is_number], point[is_number[:, 1:]]
    )
    sketched = is_number[:, _HASH + 1 :]
    if not (plain.all() and good.all() and (sketched.all() if sums_here else not sketched.any())):
        return None
    digest = np.zeros(rows, np.uint64)
    for row in np.flatnonzero(there[:, _HASH]).tolist():
        printed = text[starts[row, _HASH] : ends[row, _HASH]]
        digest[row] = digest_number(printed.decode("utf-8", "replace"))
    sketch = cells[:, _HASH + 1 :] if sums_here else np.full((rows, sums), np.nan)
    count, nonfinite = counts.T
    low, high, mean, norm = cells[:, 2:_HASH].T
    return Measures(count, nonfinite, low, high, mean, norm, digest, there[:, _HASH], sketch)


def _is_laid_out(between: _Chars, edges: Longs, start: Longs) -> bool:
    """Whether every row has its commas and blanks where they belong, and those of no other row."""
    if (edges[:, 1] < start).any() or (edges[:, -2] > edges[:, -1]).any():
        return False
    commas, blanks = between[:, :_COMMAS], between[:, _COMMAS:]
    return bool((commas == _COMMA).all() and (blanks == _BLANK).all())


def _read_mixed(words: Words, length: Longs, separators: Longs, sums: int) -> Measures | None:
    """Contents of which some have a sketch and some have none."""
    rows = len(words)
    with_sketch = np.zeros(rows, np.bool_)
    with_sketch[: len(separators)] = separators > _COMMAS
    if with_sketch.all() or not with_sketch.any():
        return None  # one of them has too many, or too few
    both = (with_sketch, ~with_sketch)
    parts = [_read_contents(words[chosen], length[chosen], sums) for chosen in both]
    if parts[0] is None or parts[1] is None:
        return None
    whole = Measures.joined([parts[0], parts[1]])
    order = np.argsort(np.concatenate([np.flatnonzero(chosen) for chosen in both]))
    return Measures(*(getattr(whole, name)[order] for name in MEASURED))


class OneByOne:
    """Reads rows that are not plain: keyed by names, with columns in another order, damaged."""

    def __init__(self, columns: Sequence[str], sums: int) -> None:
        self._columns = columns
        self._sums = sums

    def read(self, line: bytes) -> Row | None:
        """One row; None if it cannot be read."""
        try:
            fields = next(csv.reader([line.decode("utf-8", "backslashreplace")], strict=True))
            if len(fields) != len(self._columns):
                return None
            return self._row(dict(zip(self._columns, fields, strict=True)))
        except (ValueError, csv.Error, StopIteration, KeyError):
            return None

    def _row(self, fields: Mapping[str, str]) -> Row:
        sketch = tuple(map(_number, fields.get("sketch", "").split()))
        if not fields["op"] or (sketch and len(sketch) != self._sums):
            raise ValueError(fields)
        measure = Measure(
            count=_count(fields.get("count", "")),
            nonfinite=_count(fields.get("nonfinite", "")),
            minimum=_maybe(fields.get("min", "")),
            maximum=_maybe(fields.get("max", "")),
            mean=_maybe(fields.get("mean", "")),
            norm=_maybe(fields.get("norm", "")),
            digest=fields.get("hash") or None,
            sketch=sketch,
        )
        operand = _count(fields["operand"])
        if operand is None:
            raise ValueError(fields)
        return Row(fields["op"], _SIDES[fields["side"]], operand, measure)


class Row(NamedTuple):
    """One row as it stands in the file."""

    op: str
    is_output: bool
    operand: int
    measure: Measure


def _count(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST_COUNT):
        raise ValueError(text)
    return int(text)


def _maybe(text: str) -> float | None:
    return _number(text) if text else None


def _number(text: str) -> float:
    if "_" in text:  # which Python takes for a part of a number
        raise ValueError(text)
    return float(text)
