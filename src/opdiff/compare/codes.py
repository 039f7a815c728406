"""Ops of two traces as comparable integers, at several strictnesses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opdiff.trace import Operands, TensorSpec, Trace

Words = NDArray[np.uint64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int32]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def mixed(values: NDArray[np.integer]) -> Words:
    """Well-spread 64-bit words, one a value: sums of them tell different sequences apart."""
    word = values.astype(np.uint64) * _STEP + _STEP
    word = (word ^ (word >> np.uint64(30))) * _MIX_1
    word = (word ^ (word >> np.uint64(27))) * _MIX_2
    return word ^ (word >> np.uint64(31))


@dataclass(frozen=True)
class Vocabulary:
    """Numbers shared by both traces for what they have in common: types, specs, attributes."""

    types: tuple[str, ...]
    specs: tuple[TensorSpec, ...]
    dense: Ints
    """Of each spec, the number of its dtype and shape."""
    type_of: tuple[Ints, Ints]
    """Per side: the shared number of each of the trace's own types."""
    spec_of: tuple[Ints, Ints]


def vocabulary(left: Trace, right: Trace) -> Vocabulary:
    """One numbering for both traces; sorted, so that it does not depend on which is left."""
    types = _numbers((*left.types, *right.types))
    specs = _numbers((*left.tables.specs, *right.tables.specs), key=_spec_key)
    dense = _numbers([(spec.dtype, spec.shape) for spec in specs])
    return Vocabulary(
        tuple(types),
        tuple(specs),
        np.array([dense[spec.dtype, spec.shape] for spec in specs], np.int32),
        (_lookup(types, left.types), _lookup(types, right.types)),
        (_lookup(specs, left.tables.specs), _lookup(specs, right.tables.specs)),
    )


def _spec_key(spec: TensorSpec) -> tuple[object, ...]:
    return (spec.dtype, spec.shape, spec.strides or (), spec.is_view, spec.offset or 0)


def _numbers(values, key=None):  # type: ignore[no-untyped-def]
    return {value: number for number, value in enumerate(sorted(set(values), key=key))}


def _lookup(numbers, values: Iterable[object]) -> Ints:  # type: ignore[no-untyped-def]
    return np.array([numbers[value] for value in values], np.int32)


def operand_sums(operands: Operands, kept: Flags, number: Ints, salt: int) -> Words:
    """Of each row, a word for the sequence of its kept operands under a numbering of specs."""
    count = np.concatenate(([0], np.cumsum(kept)))
    place = (count[:-1] - np.repeat(count[operands.start[:-1]], operands.counts())).astype(np.int64)
    value = number[operands.spec].astype(np.int64) if len(operands.spec) else operands.memory
    word = mixed(value + (place << 32) + (np.int64(salt) << 52))
    word[~kept] = 0
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(word, dtype=np.uint64)))
    return total[operands.start[1:]] - total[operands.start[:-1]]
