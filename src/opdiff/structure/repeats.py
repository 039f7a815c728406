"""The same ops again and again: layers, micro-batches, steps, found from the sequence itself.

Tandem repeats with errors, found by landmarks: fingerprints that occur equally often, *m* times,
and take turns, cut the sequence into *m* instances. Ops that only one instance has do not disturb
that, where an exact tandem repeat (Main and Lorentz) would end. Counting and one sort: nothing
grows faster than that. Fingerprints are equal where two ops do the same, whatever memory they work
on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from opdiff.structure.numbering import numbered
from opdiff.structure.paths import Paths
from opdiff.trace import Trace
from opdiff.trace.columns import Ints, Longs, Operands
from opdiff.trace.sorting import fresh
from opdiff.trace.words import Words, mixed, operand_words, row_sums

Crossing = Callable[[], Longs]

_MOST_TRIALS = 10
_LEAST_ROWS = 4
_LEAST_LANDMARKS = 2
_ALIKE = 0.6
_COVERED = 0.05
ENOUGH = 0.8
"""So much of a sequence explained needs no better explanation."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """Instances of one block in a sequence: places ``start[k]`` up to, without, ``end[k]``."""

    start: Longs
    end: Longs
    landmarks: Longs
    """Places that cut the sequence, ascending."""
    alike: int
    """How many places hold what most instances have."""

    def __len__(self) -> int:
        return len(self.start)

    def instance_of(self, length: int) -> Ints:
        """Of each place of a sequence, the instance it is in, or -1."""
        step = np.zeros(length + 1, np.int64)
        np.add.at(step, self.start, np.arange(len(self)) + 1)
        np.subtract.at(step, self.end, np.arange(len(self)) + 1)
        return (np.cumsum(step)[:length] - 1).astype(np.int32)


def find_repeats(words: Ints, crossing: Crossing | None = None) -> Repeats | None:
    """The block that covers most of a sequence of fingerprints, or None where nothing repeats.

    *crossing* says of each place how many values lead over the border before it: of all the ways to
    cut a cycle, the one that cuts fewest is taken.
    """
    if len(words) < 2 * _LEAST_ROWS:
        return None
    _, dense = numbered(words)
    count = np.bincount(dense)[dense]
    covered = np.bincount(count)
    covered[:2] = 0
    best: Repeats | None = None
    often = np.arange(len(covered))
    covered[covered < np.maximum(_LEAST_LANDMARKS * often, _COVERED * len(words))] = 0
    for times in np.argsort(-covered, kind="stable")[:_MOST_TRIALS].tolist():
        if not covered[times]:
            break
        found = _cut(dense, np.flatnonzero(count == times), times, crossing)
        if found is not None and (best is None or found.alike > best.alike):
            best = found
            if best.alike >= ENOUGH * len(words):
                break
    return best


def _cut(words: Longs, places: Longs, times: int, crossing: Crossing | None) -> Repeats | None:
    """The instances that words which occur so many times cut, if these are alike."""
    order = np.argsort(words[places], kind="stable")
    turns = places[order].reshape(-1, times)
    turns = turns[np.argsort(turns[:, 0], kind="stable")]
    turns = _taking_turns(turns)
    if len(turns) < _LEAST_LANDMARKS:
        return None
    first, last = turns.min(axis=0), turns.max(axis=0)
    first = _start(words, first, last, crossing)
    alike = _alike(words, first)
    end = _ends(first, last, alike)
    before = np.concatenate(([0], np.cumsum(alike)))
    size, shared = end - first, int((before[end] - before[first]).sum())
    extent = int(end[-1] - first[0])
    if np.median(size) < _LEAST_ROWS or shared < _ALIKE * extent:
        return None
    return Repeats(first, end, np.sort(turns, axis=None), shared)


def _taking_turns(turns: Longs) -> Longs:
    """The landmarks that lie between two neighbours of the same one, over and over."""
    best = turns[:0]
    for at in sorted({0, len(turns) // 4, len(turns) // 2, 3 * len(turns) // 4}):
        anchor = turns[at]
        after = (turns >= anchor).all(axis=1) & (turns[:, :-1] < anchor[1:]).all(axis=1)
        before = (turns < anchor).all(axis=1) & (turns[:, 1:] > anchor[:-1]).all(axis=1)
        kept = turns[after | before]
        kept = kept[(kept[:, :-1] < kept[0][1:]).all(axis=1)]
        if len(kept) > len(best):
            best = kept
    return best


def _start(words: Longs, first: Longs, last: Longs, crossing: Crossing | None) -> Longs:
    """The first place of each instance: before its first landmark, where all agree before it.

    Within that reach the border that fewest values cross wins, the earliest of them.
    """
    room = min(int(first[0]), int((first[1:] - last[:-1]).min()) - 1)
    back = 0
    while back < room and (words[first - back - 1] == words[first[0] - back - 1]).all():
        back += 1
    if not back:
        return first
    if crossing is None:
        return first - back
    crossed = crossing()
    cost = [int(crossed[first[1:] - step].sum()) for step in range(back, -1, -1)]
    return first - (back - int(np.argmin(cost)))


def _alike(words: Longs, first: Longs) -> NDArray[np.bool_]:
    """Of each place, whether most instances have its word."""
    instance = np.searchsorted(first, np.arange(len(words)), side="right")
    inside = instance > 0
    pairs = np.sort(words[inside] * (len(first) + 1) + instance[inside])
    pairs = pairs[fresh(pairs)]
    spread = np.bincount(pairs // (len(first) + 1), minlength=int(words.max()) + 1)
    most = len(first) - len(first) // 4
    return np.asarray(inside & (spread >= most)[words])


def _ends(first: Longs, last: Longs, alike: NDArray[np.bool_]) -> Longs:
    """The place behind each instance: the next one's start, or what no other instance has."""
    gap = first[1:] - last[:-1]
    usual = int(np.median(gap)) if len(gap) else 1
    limit = np.append(first[1:], len(alike))
    odd = np.flatnonzero(np.append(~alike, True))
    stop = odd[np.searchsorted(odd, last + 1)]
    tail = np.minimum(np.minimum(stop, last + usual), limit)
    # An op that only one instance has may stand within its tail, but not behind it.
    shared = np.flatnonzero(alike)
    whole = shared[np.searchsorted(shared, limit) - 1] + 1
    near = np.append(gap <= usual + usual // 2 + _LEAST_ROWS, False)
    return np.maximum(np.where(near, whole, tail), last + 1)


class WordChoices:
    """Several ways to tell ops apart, the most telling first; numbers, a value a row.

    Where the op was called and what it looks like; what it looks like, as in the code of compiled
    graphs every op has a line of its own; its type and place, for networks whose blocks grow
    narrower; its type alone.
    """

    def __init__(self, trace: Trace, paths: Paths) -> None:
        self._trace, self._paths = trace, paths

    def __iter__(self) -> Iterator[Ints]:
        yield self._placed_looks
        yield self.looks
        yield self._placed_types
        yield self._trace.type

    @cached_property
    def looks(self) -> Ints:
        """Type, dtypes and shapes."""
        return _numbered(self._look)

    @cached_property
    def _placed_looks(self) -> Ints:
        return _numbered(self._look + self._place)

    @cached_property
    def _placed_types(self) -> Ints:
        return _numbered(mixed(self._trace.type) + self._place)

    @cached_property
    def _look(self) -> Words:
        trace = self._trace
        operands = _operand_words(trace.outputs, 1) + _operand_words(trace.inputs, 2)
        return mixed(trace.type) + operands

    @cached_property
    def _place(self) -> Words:
        paths = self._paths
        return mixed((paths.of_row.astype(np.int64) << 32) + paths.line)


def _numbered(words: Words) -> Ints:
    return np.unique(words, return_inverse=True)[1].astype(np.int32)


def _operand_words(operands: Operands, salt: int) -> Words:
    """One number for the specs of each row's operands, in their order."""
    every = np.ones(len(operands.spec), np.bool_)
    return row_sums(operands.start, operand_words(operands, every, operands.spec, salt))
