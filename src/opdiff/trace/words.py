"""Words of 64 bits: eight bytes of a text at once, or what stands for a sequence of numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Flags, Longs, Operands

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
    total = np.zeros(len(words) + 1, np.uint64)
    np.cumsum(words, dtype=np.uint64, out=total[1:])
    found: Words = total[start[1:]]
    found -= total[start[:-1]]
    return found


# Texts


def gather(text: bytes | bytearray, size: int, places: Longs) -> Words:
    """So many bytes of a text from each place on, a row a place."""
    if not len(places):  # the text may be shorter than one window then
        return np.zeros((0, size // 8), np.uint64)
    windows = np.ndarray((len(text) - size + 1,), f"V{size}", text, 0, (1,))
    words: Words = windows[places].view("<u8").reshape(len(places), size // 8)
    return words


@lru_cache
def own_bytes(size: int) -> Words:
    """Which bytes are those of a text that is shorter than so many, a row for each length."""
    own = np.arange(size) < np.arange(size + 1)[:, None]
    masks: Words = np.where(own, 255, 0).astype(np.uint8).view("<u8")
    return masks


def weights(count: int, seed: int = 0) -> Words:
    """Odd numbers as if by chance: in a sum of words so weighed no difference in a word is lost."""
    odd = mixed(np.arange(count, dtype=np.uint64) + np.uint64(seed << 32))
    odd |= np.uint64(1)
    return odd
