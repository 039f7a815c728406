"""The forward of one step: its passes (micro-batches), and the layers of each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from opdiff.structure.repeats import ENOUGH, Crossing, Repeats, find_repeats
from opdiff.trace import Trace
from opdiff.trace.columns import Ints, Longs
from opdiff.trace.sorting import distinct

LAYER, REPEAT, PASS = "layer", "repeat", "pass"
_OWN = 0.75
_CHAINED = 0.5
_NEARLY = 0.9
_LEAST_ROWS = 16
_LEAST_SHARE = 0.05
_MOST_LISTS = 6
_MOST_OF_THE_REST = 0.5
_AHEAD = 0.25
_NEXT_TO_NOTHING = 200
"""Of so many operands one tells nothing."""


@dataclass(frozen=True, slots=True)
class LayerBlock:
    """Instances of one block: rows ``first[k]`` to ``last[k]``, both included."""

    what: str
    first: Longs
    last: Longs
    marks: Longs
    """Rows that every instance has."""

    def __len__(self) -> int:
        return len(self.first)


class Forward(NamedTuple):
    """What the forward of a step is made of."""

    passes: Longs
    """The first row of each pass; empty where there is but one."""
    lists: tuple[LayerBlock, ...]
    """Lists of layers; where there are several passes, those of all passes in a row."""


class ForwardReader:
    """Finds passes and layers in rows of a forward."""

    def __init__(self, trace: Trace, choices: Iterable[Ints], crossing: Crossing | None) -> None:
        self._trace = trace
        self._choices = choices
        self._crossing = crossing

    def read(self, rows: Longs) -> Forward:
        """Passes and lists of layers among these rows, which ascend."""
        if len(rows) < _LEAST_ROWS:
            return Forward(rows[:0], ())
        found = self._best(rows)
        if found is None:
            return Forward(rows[:0], ())
        block, repeats, words = found
        if block.what == PASS:
            borders = np.searchsorted(rows, np.append(block.first, rows[-1] + 1))
            inner = [
                self._lists(rows[low:high])
                for low, high in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)
            ]
            return Forward(block.first, tuple(_joined(inner)))
        passes = self._around(rows, repeats, words)
        if len(passes):
            return Forward(passes, (replace(block, what=self._within(rows, passes, block)),))
        return Forward(rows[:0], tuple(self._lists(rows, block)))

    def _lists(self, rows: Longs, block: LayerBlock | None = None) -> list[LayerBlock]:
        """One list of layers after the other: what one leaves may hold another."""
        if block is None:
            found = self._best(rows)
            if found is None or found[0].what == PASS:
                return []
            block = found[0]
        lists = [block]
        least = max(_LEAST_ROWS, _LEAST_SHARE * len(rows))
        waiting = _left_over(rows, block)
        while waiting and len(lists) < _MOST_LISTS:
            rest = waiting.pop()
            if len(rest) < least:
                continue
            found = self._best(rest)
            if found is None or found[0].what != LAYER:
                continue
            if found[1].alike < _MOST_OF_THE_REST * len(rest):
                continue
            lists.append(found[0])
            waiting += _left_over(rest, found[0])
        return sorted(lists, key=lambda each: int(each.first[0]))

    def _best(self, rows: Longs) -> tuple[LayerBlock, Repeats, Ints] | None:
        """What covers most by some choice of words; the more telling words win where near."""
        whole = self._crossing
        crossing = None if whole is None else lambda: whole()[rows]
        best: tuple[Repeats, Ints] | None = None
        for words in self._choices:
            found = find_repeats(words[rows], crossing)
            if found is not None and (best is None or found.alike * _NEARLY > best[0].alike):
                best = found, words
                if found.alike >= ENOUGH * len(rows):
                    break
        if best is None:
            return None
        repeats, words = best
        first, last = rows[repeats.start], rows[repeats.end - 1]
        what = self._what(rows, first, last)
        if what == PASS and not _whole(repeats.start, len(rows)):
            what = REPEAT
        return LayerBlock(what, first, last, rows[repeats.landmarks]), repeats, words

    def _around(self, rows: Longs, repeats: Repeats, words: Ints) -> Longs:
        """The first rows of passes, each of which runs all layers: layers seen as one word each."""
        instance = repeats.instance_of(len(rows))
        kept = np.ones(len(rows), np.bool_)
        kept[1:] = (instance[1:] < 0) | (instance[1:] != instance[:-1])
        places = np.flatnonzero(kept)
        symbols = np.where(instance[places] >= 0, -1, words[rows[places]])
        found = find_repeats(symbols.astype(np.int32))
        if found is None:
            return rows[:0]
        first = rows[places[found.start]]
        layers = np.diff(np.searchsorted(rows[repeats.start], np.append(first, rows[-1] + 1)))
        if (layers == 0).any() or not _whole(places[found.start], len(rows)):
            return rows[:0]
        last = np.append(first[1:] - 1, rows[-1])
        return first if self._what(rows, first, last) == PASS else rows[:0]

    def _within(self, rows: Longs, passes: Longs, block: LayerBlock) -> str:
        """What a block is within one pass: between passes, layers share all their parameters."""
        inside = int(np.searchsorted(block.first, passes[1]))
        if inside < 2:
            return block.what
        first, last = block.first[:inside], block.last[:inside]
        return self._what(rows[rows < passes[1]], first, last)

    def _what(self, rows: Longs, first: Longs, last: Longs) -> str:
        """Layers have parameters of their own; passes share theirs and hand on nothing."""
        trace, (low, high) = self._trace, (int(rows[0]), int(rows[-1]))
        # Only these rows: a backward in between hands gradients on, whatever the forwards do.
        inside = np.full(high - low + 1, -1, np.int64)
        number = np.searchsorted(first, rows, side="right") - 1
        within = (number >= 0) & (rows <= last[np.maximum(number, 0)])
        inside[rows[within] - low] = number[within]
        flat = slice(trace.inputs.start[low], trace.inputs.start[high + 1])
        source = trace.values.source[flat].astype(np.int64)
        reader = inside[trace.values.reader_row[flat] - low]
        if not len(source):
            return LAYER
        made = (source >= low) & (source <= high)
        writer = np.where(made, inside[np.where(made, source - low, 0)], -1)
        times = len(first)
        read = reader >= 0
        handed = np.bincount(reader[read & (writer >= 0) & (writer == reader - 1)], minlength=times)
        # A loss that micro-batches add up is handed on, too, and is next to nothing of them.
        largest = np.bincount(reader[read], minlength=times).max()
        passed = np.flatnonzero(handed * _NEXT_TO_NOTHING > largest)
        pairs = distinct(source[read & (writer < 0)] * times + reader[read & (writer < 0)])
        value, by = np.divmod(pairs, times)
        _, where, readers = np.unique(value, return_index=True, return_counts=True)
        owners = distinct(by[where[readers == 1]])
        if len(owners) >= _OWN * times:
            # The input of a net is read by its first pass only: passes differ in that, too.
            shared = len(value) - int((readers == 1).sum()) > 2 * int((readers == 1).sum())
            if not (shared and len(passed) < _CHAINED * (times - 1)):
                return LAYER
        return REPEAT if len(passed) >= _CHAINED * (times - 1) else PASS


def _whole(start: Longs, rows: int) -> bool:
    """Whether passes that start here make up a whole forward, and none is much shorter.

    A critic that looks at two pictures runs twice as well, but within a forward.
    """
    size = np.diff(np.append(start, rows))
    return bool(start[0] <= _AHEAD * rows and 2 * size.min() >= size.max())


def _left_over(rows: Longs, block: LayerBlock) -> list[Longs]:
    """The rows before and behind a list of layers."""
    return [rows[rows < block.first[0]], rows[rows > block.last[-1]]]


def _joined(lists: list[list[LayerBlock]]) -> list[LayerBlock]:
    """Lists of one pass after the other put together, list by list."""
    return [
        LayerBlock(
            same[0].what,
            np.concatenate([each.first for each in same]),
            np.concatenate([each.last for each in same]),
            np.concatenate([each.marks for each in same]),
        )
        for same in zip(*lists, strict=False)
    ]
