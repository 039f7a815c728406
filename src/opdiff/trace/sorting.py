"""Sorting numbers quickly: values are sorted several at once by the processor, places are not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Flags, Ints, Longs, marked, starts_of

_Number = TypeVar("_Number", bound=np.generic)
_BITS = 63
_SPARSE = 8
"""Numbers that reach so many times further than there are of them are looked up by searching."""


def stable_order(numbers: NDArray[np.integer[Any]]) -> Longs:
    """The places of the numbers in ascending order, equal ones as they stand.

    Where a number and its place fit into one word, the words are sorted.
    """
    count = len(numbers)
    if (numbers[1:] >= numbers[:-1]).all():
        return np.arange(count)
    bits = count.bit_length()
    if int(numbers.min()) < 0 or int(numbers.max()).bit_length() + bits > _BITS:
        return np.argsort(numbers, kind="stable")
    words = (numbers.astype(np.int64) << bits) + np.arange(count)
    words.sort()
    words &= (1 << bits) - 1
    return words


def by_key(keys: NDArray[np.integer[Any]], count: int) -> tuple[Longs, Longs]:
    """The places of each of so many keys, ascending: where those of each begin, and all of them."""
    return starts_of(np.bincount(keys, minlength=count)), stable_order(keys)


def followed(pointers: NDArray[np.int64]) -> Longs:
    """Where the way along pointers ends from each place: it halves with every step."""
    while not np.array_equal(further := pointers[pointers], pointers):
        pointers = further
    return pointers


def fresh(values: NDArray[Any]) -> Flags:
    """Which values are others than the one before."""
    found: Flags = np.append(True, values[1:] != values[:-1])[: len(values)]
    return found


def first_equal(numbers: NDArray[np.integer[Any]]) -> Longs:
    """Of each number, the place of the first that is equal to it."""
    found = np.zeros(len(numbers), np.int64)
    if len(numbers):
        order = np.argsort(numbers)  # equal ones in any order: the least place is looked for
        ordered = numbers[order]
        first = fresh(ordered)
        least = np.minimum.reduceat(order, np.flatnonzero(first))
        found[order] = least[np.cumsum(first) - 1]
    return found


def lots(keys: NDArray[np.integer[Any]]) -> list[Longs]:
    """The places of equal keys together, ascending within each lot; the lots by their keys."""
    order = stable_order(keys)
    ordered = keys[order]
    bounds = [*np.flatnonzero(fresh(ordered)).tolist(), len(order)]
    return [order[first:last] for first, last in pairwise(bounds)]


def owners_and_places(counts: NDArray[np.integer[Any]]) -> tuple[Ints, Longs]:
    """Where each of several has so many: of all these in a row whose it is, and its place there."""
    owner = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


def distinct(values: NDArray[_Number]) -> NDArray[_Number]:
    """The values without repeats, ascending: sorted, which is faster than ``np.unique`` hashes."""
    ordered = np.sort(values)
    found: NDArray[_Number] = ordered[fresh(ordered)]
    return found


def among(values: NDArray[Any], others: Sequence[int] | NDArray[Any]) -> Flags:
    """Of each value, whether it is one of the others; ``np.isin`` imports masked arrays for it."""
    others = np.asarray(others)
    if not len(others) or not len(values):
        return np.zeros(len(values), np.bool_)
    words = values.dtype.kind == others.dtype.kind == "u"
    number = np.uint64 if words else np.int64
    values, others = values.astype(number, copy=False), others.astype(number, copy=False)
    low, high = others.min(), others.max()
    if int(high) - int(low) < _SPARSE * (len(values) + len(others)):
        present = marked(int(high) - int(low) + 1, others - low)
        found: Flags = (
            present[np.clip(values, low, high) - low] & (values >= low) & (values <= high)
        )
        return found
    ordered = np.sort(others)
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    equal: Flags = ordered[place] == values
    return equal


def common(values: NDArray[_Number], others: NDArray[_Number]) -> NDArray[_Number]:
    """The values that are among the others, too, each once, ascending."""
    found: NDArray[_Number] = np.intersect1d(distinct(values), distinct(others), assume_unique=True)
    return found


def without(values: NDArray[_Number], others: Sequence[int] | NDArray[Any]) -> NDArray[_Number]:
    """The values that are not among the others, each once, ascending."""
    return np.setdiff1d(distinct(values), np.asarray(others), assume_unique=True)
