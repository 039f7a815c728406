"""Sorting by value gives what NumPy gives by place."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opdiff.trace.sorting import among, common, distinct, first_equal, stable_order, without

_small = st.lists(st.integers(-3, 9), max_size=30)
_large = st.lists(st.integers(-(2**62), 2**62), max_size=12)
_numbers = st.one_of(_small, _large).map(lambda some: np.array(some, np.int64))


@given(_numbers)
def test_equal_numbers_stay_as_they_stand(numbers: np.ndarray) -> None:
    order = np.argsort(numbers, kind="stable")
    assert stable_order(numbers).tolist() == order.tolist()
    first = [numbers.tolist().index(number) for number in numbers.tolist()]
    assert first_equal(numbers).tolist() == first


@given(_numbers, _numbers)
def test_sets_are_those_of_numpy(one: np.ndarray, other: np.ndarray) -> None:
    assert distinct(one).tolist() == np.unique(one).tolist()
    assert common(one, other).tolist() == np.intersect1d(one, other).tolist()
    assert without(one, other).tolist() == np.setdiff1d(one, other).tolist()
    assert among(one, other).tolist() == np.isin(one, other).tolist()
    assert among(one, other.tolist()).tolist() == np.isin(one, other).tolist()


@pytest.mark.parametrize("far", [0, 1 << 40, (1 << 64) - 9])
def test_words_of_64_bits_are_looked_up(far: int) -> None:
    words, others = np.arange(8, dtype=np.uint64) + np.uint64(far), np.array([far + 3], np.uint64)
    assert among(words, others).tolist() == [place == 3 for place in range(8)]


def test_small_types_do_not_overflow() -> None:
    bytes_ = np.array([-128, 0, 127], np.int8)
    assert among(bytes_, bytes_).all()
    assert among(np.array([0, 255], np.uint8), [-1, 255, 300]).tolist() == [False, True]
