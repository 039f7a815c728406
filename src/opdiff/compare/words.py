"""Words of 64 bits that stand for whole sequences of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from opdiff.trace import Operands
from opdiff.trace.columns import Flags, Longs

Words = NDArray[np.uint64]

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


def row_sums(start: Longs, words: Words) -> Words:
    """The sum of each row's words; order counts where the words themselves hold the place."""
    total = np.concatenate((np.zeros(1, np.uint64), np.cumsum(words, dtype=np.uint64)))
    return total[start[1:]] - total[start[:-1]]
