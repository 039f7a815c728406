"""Rolls that compilers write as an index of elements, proven from what the index is computed of.

``roll(x, s)`` along an axis of *n* takes the elements at ``(0 … n-1) + (n - s) mod n``. An index
that is computed so from a range is a rotation whatever it is called; of one that is handed in
nobody knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import prod
from typing import NamedTuple

from opdiff.compare.names.argument_texts import ARGUMENTS, arguments, named_argument
from opdiff.compare.names.spelling import canonical
from opdiff.compare.sides.prepared import Prepared

ROLL = "roll"
_RANGES = ("iota", "arange")


class Rotation(NamedTuple):
    """Which axes of what shape are turned, each by how many elements."""

    shape: tuple[int, ...]
    by: frozenset[tuple[int, int]]


def rotation_by_index(side: Prepared, rows: Iterable[int]) -> Rotation | None:
    """What ops that take elements by an index turn, one after the other; None if not proven."""
    shape: tuple[int, ...] | None = None
    turned: list[tuple[int, int]] = []
    for row in rows:
        here, axis = side.shape_read(row), _axis(side, row)
        if axis is None or axis not in range(len(here)) or shape not in (None, here):
            return None
        by = _turned_by(side, side.value[side.places_in(row)[1]], here[axis])
        if by is None:
            return None
        shape = here
        turned.append((axis, by))
    return None if shape is None else _rotation(shape, turned)


def rotation_told(side: Prepared, row: int) -> Rotation | None:
    """What a roll is told to turn; without axes all elements in a row."""
    shape, words = side.shape_read(row), arguments(_told(side, row))[1:]
    try:
        numbers = [int(word) for word in words]
    except ValueError:
        return None
    if len(numbers) == 1:
        return _rotation((prod(shape),), [(0, numbers[0])])
    half = len(numbers) // 2
    if not half or 2 * half != len(numbers):
        return None
    axes = [axis % len(shape) for axis in numbers[half:]] if shape else []
    return _rotation(shape, zip(axes, numbers[:half], strict=True)) if axes else None


def _rotation(shape: tuple[int, ...], turned: Iterable[tuple[int, int]]) -> Rotation:
    total: Counter[int] = Counter()
    for axis, by in turned:
        total[axis] += by
    by_axis = ((axis, by % shape[axis]) for axis, by in total.items() if shape[axis])
    return Rotation(shape, frozenset(each for each in by_axis if each[1]))


def _axis(side: Prepared, row: int) -> int | None:
    """Along which axis an op takes elements, if by one index."""
    words = arguments(_told(side, row))[1:]
    if len(side.places_in(row)) != 2 or words.count("_") != 1:
        return None
    if canonical(side.trace.type_name(row)) == "index":
        place = words.index("_")
        return place if set(words) <= {"_", "None"} else None
    return int(words[0]) % max(len(side.shape_read(row)), 1) if _is_whole(words[0]) else None


def _turned_by(side: Prepared, value: int, size: int) -> int | None:
    """By how many elements an index turns an axis of that size."""
    start = 0
    for name, place in (("fmod", size), ("add", None)):
        words = _call(side, value, name)
        if len(words) != 2 or not _is_whole(words[1]) or place not in (None, int(words[1])):
            return None
        start = int(words[1])
        value = side.value[side.places_in(value)[0]]
    return -start if start >= 0 and _counts_up_to(side, value, size) else None


def _call(side: Prepared, value: int, name: str) -> tuple[str, ...]:
    """The arguments of the op of that name that made a value of one other; none if it did not."""
    if value >= len(side.trace) or canonical(side.trace.type_name(value)) != name:
        return ()
    words = arguments(_told(side, value))
    one = len(side.places_in(value)) == 1 and words[:1] == ("_",)
    return words if one and named_argument(_told(side, value), "alpha") is None else ()


def _counts_up_to(side: Prepared, value: int, size: int) -> bool:
    """Whether a value is 0, 1, 2 … below a size."""
    if value >= len(side.trace) or canonical(side.trace.type_name(value)) not in _RANGES:
        return False
    told = _told(side, value)
    words = arguments(told)
    first, step = (named_argument(told, name) for name in ("start", "step"))
    whole = words in ((str(size),), ("0", str(size)), ("0", str(size), "1"))
    return whole and first in (None, "0") and step in (None, "1")


def _is_whole(word: str) -> bool:
    return word.removeprefix("-").isdecimal()


def _told(side: Prepared, row: int) -> str:
    return side.trace.op(row).attrs.get(ARGUMENTS, "")
