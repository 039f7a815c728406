"""The rows of a sidecar, some thousand at once; each distinct content is taken apart once.

Most rows end alike, as one op reads what another one wrote. A row's end is everything from
``count`` on.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Ints, Longs
from opdiff.values.blocks import Block
from opdiff.values.decimals import MARGIN, numbers, whole_numbers
from opdiff.values.measures import (
    UNKNOWN,
    Flags,
    Floats,
    Hashes,
    Measure,
    Measures,
    MeasuresBuilder,
    digest_number,
)
from opdiff.values.print_table import PrintTable

COLUMNS = b"op,side,operand,count,nonfinite,min,max,mean,norm,hash,sketch"
_COMMAS = COLUMNS.count(b",") - 3
"""Those from ``count`` on."""
_STATS = 4
_HEAD = 32
"""Within so many bytes a plain row has its first three commas."""
_SIDES = {"in": False, "out": True}
_LONGEST_COUNT = 18
_WIDEST = 1 << 10
_COMMA, _BLANK, _SMALL_I, _SMALL_O = b", io"

_Words = NDArray[np.uint64]
_Chars = NDArray[np.uint8]


class Heads(NamedTuple):
    """What stands at the beginning of some rows, and the number of each one's content."""

    op: Longs
    is_output: Flags
    operand: Longs
    content: Ints


@dataclass(frozen=True, slots=True)
class _Contents:
    """Some distinct contents."""

    counts: Longs
    """Two columns: ``count`` and ``nonfinite``."""
    stats: Floats
    """Four columns: ``min``, ``max``, ``mean``, ``norm``."""
    digest: Hashes
    has_digest: Flags
    sketch: Floats


class Rows:
    """Reads blocks of plain rows and keeps their contents."""

    def __init__(self, sums: int) -> None:
        self._sums = sums
        """How many numbers a sketch has; 0 if the file has none."""
        self._known = PrintTable()
        self._contents: list[_Contents] = []
        self._count = 0

    def measures(self, sketch_kind: str, digest_kind: str) -> Measures:
        """All contents that were read."""
        none = _Contents(
            np.zeros((0, 2), np.int64),
            np.zeros((0, 4)),
            np.zeros(0, np.uint64),
            np.zeros(0, np.bool_),
            np.zeros((0, self._sums)),
        )
        parts = [none, *self._contents]
        count, nonfinite = np.concatenate([part.counts for part in parts]).T.copy()
        stats = np.concatenate([part.stats for part in parts]).T.copy()
        minimum, maximum, mean, norm = stats
        return Measures(
            count=count,
            nonfinite=nonfinite,
            minimum=minimum,
            maximum=maximum,
            mean=mean,
            norm=norm,
            digest=np.concatenate([part.digest for part in parts]),
            has_digest=np.concatenate([part.has_digest for part in parts]),
            sketch=np.concatenate([part.sketch for part in parts]),
            sketch_kind=sketch_kind,
            digest_kind=digest_kind,
        )

    def read(self, block: Block) -> Heads | None:
        """The rows of a block; None if one of them is not plain, so that they go one by one."""
        comma = _first_commas(block)
        if comma is None:
            return None
        op, plain = whole_numbers(block.text, block.start, comma[:, 0])
        operand, plain_operand = whole_numbers(block.text, comma[:, 1] + 1, comma[:, 2])
        chars = np.frombuffer(block.text, np.uint8)
        is_output, known_side = _sides(chars, comma)
        if not (plain & plain_operand & known_side).all():
            return None
        content = self._recognise(block, comma[:, 2] + 1)
        return None if content is None else Heads(op, is_output, operand, content)

    def keep(self, measure: Measure) -> int:
        """Keep the content of a row that was read by itself; its number."""
        builder = MeasuresBuilder(sums=self._sums)
        builder.add(measure)
        one = builder.build()
        self._contents.append(
            _Contents(
                np.stack((one.count, one.nonfinite), axis=1),
                np.stack((one.minimum, one.maximum, one.mean, one.norm), axis=1),
                one.digest,
                one.has_digest,
                one.sketch,
            )
        )
        self._count += 1
        return self._count - 1

    def _recognise(self, block: Block, start: Longs) -> Ints | None:
        """The number of the content of each row, from *start* on; new ones are read and kept."""
        length = block.end - start
        words = _words(block.text, start, length)
        if words is None:
            return None
        prints: _Words = words @ _WEIGHTS[: words.shape[1]]
        prints += length.astype(np.uint64) * _WEIGHTS[-1]
        distinct, first, place = np.unique(prints, return_index=True, return_inverse=True)
        found = self._known.find(distinct)
        fresh = np.flatnonzero(found == UNKNOWN)
        if len(fresh):
            fresh = fresh[np.argsort(first[fresh])]
            rows = first[fresh]
            contents = _read_contents(words[rows], length[rows], self._sums)
            if contents is None:
                return None
            numbers = np.arange(self._count, self._count + len(fresh), dtype=np.int32)
            self._known.add(distinct[fresh], numbers)
            found[fresh] = numbers
            self._contents.append(contents)
            self._count += len(fresh)
        return found[place.reshape(-1)]


def _first_commas(block: Block) -> Longs | None:
    """Where the first three commas of each row are; None if one has not as many near its start."""
    windows = np.ndarray((len(block.text) - _HEAD + 1,), f"V{_HEAD}", block.text, 0, (1,))
    is_comma = windows[block.start].view(np.uint8).reshape(-1, _HEAD) == _COMMA
    comma = np.empty((len(block), 3), np.int64)
    every = np.arange(len(block))
    for place in range(3):
        comma[:, place] = is_comma.argmax(axis=1)
        if not is_comma[every, comma[:, place]].all():
            return None
        is_comma[every, comma[:, place]] = False
    comma += block.start[:, None]
    return comma if (comma[:, 2] < block.end).all() else None


def _sides(chars: _Chars, comma: Longs) -> tuple[Flags, Flags]:
    """Which rows are of outputs, and which say so plainly."""
    length = comma[:, 1] - comma[:, 0] - 1
    first, second, third = (chars[comma[:, 0] + place] for place in (1, 2, 3))
    is_input = (length == 2) & (first == _SMALL_I) & (second == ord("n"))
    is_output = (length == 3) & (first == _SMALL_O) & (second == ord("u")) & (third == ord("t"))
    return is_output, is_input | is_output


def _weights(count: int) -> _Words:
    """Odd numbers, so that no difference in a word is lost."""
    odd: _Words = np.random.default_rng(1).integers(1, 1 << 63, count, np.uint64)
    odd *= np.uint64(2)
    odd += np.uint64(1)
    return odd


_WEIGHTS = _weights(_WIDEST // 8 + 1)


def _words(text: bytes, start: Longs, length: Longs) -> _Words | None:
    """The bytes of some texts, eight a word, a row a text, 0 behind its end; None if too long."""
    size = (int(length.max()) + 7) & ~7
    if size > _WIDEST:
        return None
    windows = np.ndarray((len(text) - size + 1,), f"V{size}", text, 0, (1,))
    words: _Words = windows[start].view("<u8").reshape(len(start), size // 8)
    own = np.where(np.arange(size) < np.arange(size + 1)[:, None], 255, 0).astype(np.uint8)
    words &= own.view("<u8").take(length, axis=0)
    return words


def _read_contents(words: _Words, length: Longs, sums: int) -> _Contents | None:
    """The contents in some rows of bytes; None if one is not plain."""
    rows, size = len(words), words.shape[1] * 8
    # Numbers are looked at from their ends: something must stand before the first.
    text = bytes(MARGIN) + words.tobytes()
    chars = np.frombuffer(text, np.uint8)
    start = MARGIN + size * np.arange(rows)
    end = start + length
    commas = np.flatnonzero(chars == _COMMA)
    if len(commas) != _COMMAS * rows:
        return None
    comma: Longs = np.concatenate((start[:, None] - 1, commas.reshape(-1, _COMMAS)), axis=1)
    if (comma[:, 1] < start).any() or (comma[:, -1] > end).any():
        return None
    starts, ends = comma[:, :-1] + 1, comma[:, 1:]
    counts = np.full((rows, 2), UNKNOWN, np.int64)
    there = ends[:, :2] > starts[:, :2]
    counts[there], plain = whole_numbers(text, starts[:, :2][there], ends[:, :2][there])
    if not plain.all():
        return None
    stats = np.full((rows, _STATS), np.nan)
    starts_of, ends_of = starts[:, 2 : 2 + _STATS], ends[:, 2 : 2 + _STATS]
    there = ends_of > starts_of
    stats[there], good = numbers(text, starts_of[there], ends_of[there])
    sketch = _read_sketches(text, chars, comma[:, -1] + 1, end, sums)
    if sketch is None or not good.all():
        return None
    digest = np.zeros(rows, np.uint64)
    has_digest: Flags = comma[:, -1] > comma[:, -2] + 1
    for row in np.flatnonzero(has_digest).tolist():
        printed = text[comma[row, -2] + 1 : comma[row, -1]]
        digest[row] = digest_number(printed.decode("utf-8", "replace"))
    return _Contents(counts, stats, digest, has_digest, sketch)


def _read_sketches(
    text: bytes, chars: _Chars, start: Longs, end: Longs, sums: int
) -> Floats | None:
    """A line of sums a row, NaN where there is none; None if one has not as many as all."""
    sketch = np.full((len(end), sums), np.nan)
    blanks = np.flatnonzero(chars == _BLANK)
    there = np.flatnonzero(end > start)
    if not len(there):
        return sketch if not len(blanks) else None
    start, end = start[there], end[there]
    if not sums or len(blanks) != len(there) * (sums - 1):
        return None
    between = blanks.reshape(len(there), sums - 1)
    if sums > 1 and ((between[:, 0] < start).any() or (between[:, -1] >= end).any()):
        return None
    starts = np.concatenate((start[:, None], between + 1), axis=1)
    ends = np.concatenate((between, end[:, None]), axis=1)
    if (starts == ends).any():
        return None
    found, good = numbers(text, starts.ravel(), ends.ravel())
    if not good.all():
        return None
    sketch[there] = found.reshape(-1, sums)
    return sketch


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
