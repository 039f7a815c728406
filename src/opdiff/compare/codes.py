"""What two traces have in common as integers, and words that stand for whole sequences of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.table import Table
from opdiff.trace import Operands, TensorSpec, Trace

Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int32]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def mixed(values: NDArray[Any]) -> Words:
    """Well-spread 64-bit words, one a value: sums of them tell different sequences apart."""
    word = values.astype(np.uint64)
    word *= _STEP
    word += _STEP
    word ^= word >> np.uint64(30)
    word *= _MIX_1
    word ^= word >> np.uint64(27)
    word *= _MIX_2
    word ^= word >> np.uint64(31)
    return word


def operand_words(operands: Operands, kept: Flags, number: NDArray[Any], salt: int) -> Words:
    """A word an operand for its number and its place among the kept ones; 0 for the others."""
    count = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=count[1:])
    place = count[:-1] - np.repeat(count[operands.start[:-1]], operands.counts())
    word = mixed(number.astype(np.int64) + (place << 32) + (np.int64(salt) << 52))
    word[~kept] = 0
    return word


def row_sums(start: NDArray[np.int64], words: Words) -> Words:
    """The sum of each row's words; order counts where the words themselves hold the place."""
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(words, dtype=np.uint64)))
    return total[start[1:]] - total[start[:-1]]


@dataclass(frozen=True)
class Vocabulary:
    """Numbers shared by both traces: the same for whichever is left."""

    types: tuple[str, ...]
    family: Ints
    """Of each type, the number of those that are linked to it by the table."""
    linked: Flags
    """Of each two types, whether the table names them as counterparts."""
    specs: tuple[TensorSpec, ...]
    dense: Ints
    """Of each spec, the number of its dtype and shape."""
    type_of: tuple[Ints, Ints]
    """Per side: the shared number of each of the trace's own types."""
    spec_of: tuple[Ints, Ints]


def vocabulary(left: Trace, right: Trace, table: Table) -> Vocabulary:
    """One numbering for both traces; sorted, so that it does not depend on which is left."""
    types = _numbers(sorted({*left.types, *right.types}))
    specs = _numbers(sorted({*left.tables.specs, *right.tables.specs}, key=_spec_key))
    dense = _numbers(sorted({(spec.dtype, spec.shape) for spec in specs}))
    return Vocabulary(
        tuple(types),
        _families(tuple(types), table),
        _linked(types, table),
        tuple(specs),
        np.array([dense[spec.dtype, spec.shape] for spec in specs], np.int32),
        (_lookup(types, left.types), _lookup(types, right.types)),
        (_lookup(specs, left.tables.specs), _lookup(specs, right.tables.specs)),
    )


def _linked(numbers: Mapping[str, int], table: Table) -> Flags:
    linked = np.zeros((len(numbers), len(numbers)), np.bool_)
    for name, number in numbers.items():
        others = [numbers[other] for other in table.partners.get(name, ()) if other in numbers]
        linked[number, others] = True
    return linked


def _families(types: tuple[str, ...], table: Table) -> Ints:
    """The smallest number among the types each is linked to, directly or through others."""
    number = {name: place for place, name in enumerate(types)}
    family = list(range(len(types)))

    def root(place: int) -> int:
        while family[place] != place:
            place = family[place]
        return place

    for name, place in number.items():
        for other in table.partners.get(name, ()):
            if other in number:
                first, second = sorted((root(place), root(number[other])))
                family[second] = first
    return np.array([root(place) for place in range(len(types))], np.int32)


def _spec_key(spec: TensorSpec) -> tuple[object, ...]:
    return (spec.dtype, spec.shape, spec.is_view, spec.strides or (), spec.offset or 0)


def _numbers(values: Iterable[Any]) -> dict[Any, int]:
    return {value: number for number, value in enumerate(values)}


def _lookup(numbers: Mapping[Any, int], values: Iterable[Any]) -> Ints:
    return np.array([numbers[value] for value in values], np.int32)
