"""Blocks are counted as by looking at every place."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from opdiff.compare.judging.repeats_of_blocks import RepeatsOfBlocks
from opdiff.trace.words import mixed

LETTERS = st.lists(st.integers(0, 1), min_size=12, max_size=60)


def by_looking(words: list[int], first: int, size: int) -> int:
    block, count, place = words[first : first + size], 0, 0
    while place + size <= len(words):
        same = words[place : place + size] == block
        count, place = count + same, place + (size if same else 1)
    return count


@given(LETTERS, st.integers(0, 40), st.integers(6, 20))
def test_a_block_is_counted_wherever_it_runs(words: list[int], first: int, size: int) -> None:
    rows = np.arange(0, 3 * len(words), 3, dtype=np.int32)
    counts = RepeatsOfBlocks(rows, mixed(np.array(words)))
    first %= len(words) - 5
    size = min(size, len(words) - first)
    block = rows[first : first + size].tolist()
    expected = by_looking(words, first, size)
    assert counts.count(block) == expected
    assert counts.count(block) == expected  # known by now


def test_what_does_not_run_in_a_row_is_no_block() -> None:
    rows = np.arange(20, dtype=np.int32)
    counts = RepeatsOfBlocks(rows, mixed(np.zeros(20, np.int64)))
    assert counts.count([0, 1, 2, 4, 5, 6]) == 1
    assert counts.count([0, 1, 2]) == 1
    assert counts.count([0, 1, 2, 3, 4, 5]) == 3
