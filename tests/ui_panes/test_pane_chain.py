from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.ui.panes.alignment import uncrossed


def longest_increasing(values: list[int]) -> int:
    """By trying every row as the last: slow and plain."""
    best: list[int] = []
    for index, value in enumerate(values):
        best.append(1 + max((best[i] for i in range(index) if values[i] < value), default=0))
    return max(best, default=0)


@settings(max_examples=100, deadline=None)
@given(st.permutations(range(12)))
def test_as_many_pairs_as_can_stand_uncrossed(order: list[int]) -> None:
    right = np.array(order, np.int32)
    kept = right[uncrossed(right)]
    assert np.all(np.diff(kept) > 0)
    assert len(kept) == longest_increasing(order)


def test_a_single_far_moved_op_costs_no_other_pair() -> None:
    right = np.array([9, 0, 1, 2, 3, 4, 5, 6, 7, 8], np.int32)
    assert uncrossed(right).tolist() == [False] + [True] * 9


def test_no_pairs() -> None:
    assert uncrossed(np.zeros(0, np.int32)).tolist() == []
