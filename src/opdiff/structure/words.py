"""Fingerprints of ops: equal where two ops do the same, whatever memory they work on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from opdiff.structure.paths import Paths
from opdiff.trace import Trace
from opdiff.trace.columns import Ints, Operands

Words = NDArray[np.uint64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_ONE = np.uint64(1)


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
        return _numbered(_mixed(self._trace.type.astype(np.uint64) + _ONE) + self._place)

    @cached_property
    def _look(self) -> Words:
        trace = self._trace
        look = _mixed(trace.type.astype(np.uint64) + _ONE)
        look += _operand_words(trace.outputs) + _operand_words(trace.inputs) * _FACTOR
        return look

    @cached_property
    def _place(self) -> Words:
        paths = self._paths
        return _mixed(paths.of_row.astype(np.uint64) * _FACTOR + paths.line.astype(np.uint64))


def _numbered(words: Words) -> Ints:
    return np.unique(words, return_inverse=True)[1].astype(np.int32)


def _operand_words(operands: Operands) -> Words:
    """One number for the specs of each row's operands, in their order."""
    if not len(operands.spec):
        return np.zeros(len(operands.start) - 1, np.uint64)
    place = np.arange(len(operands.spec)) - operands.start[operands.rows()]
    words = _mixed(operands.spec.astype(np.uint64) * np.uint64(131) + place.astype(np.uint64))
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(words, dtype=np.uint64)))
    sums: Words = total[operands.start[1:]] - total[operands.start[:-1]]
    return sums


def _mixed(words: Words) -> Words:
    """Numbers spread over all bits (a finaliser as hash functions use it)."""
    words = words * _FACTOR
    words = (words ^ (words >> _SHIFT)) * _FACTOR
    mixed: Words = words ^ (words >> _SHIFT)
    return mixed
