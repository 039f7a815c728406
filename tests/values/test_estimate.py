"""Errors of contents that nobody kept, against those of the very tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from opdiff.values.estimate import Estimate, errors, figures
from opdiff.values.measures import Measure, Measures
from opdiff.values.sketch import KIND, ROW, SUMS, measure, signs

Array = NDArray[np.float64]
NAN, INF = float("nan"), float("inf")


def built(contents: Sequence[Measure], kind: str = KIND) -> Measures:
    """Columns of these contents."""
    return Measures.of(contents, kind, "blake2b")


def error(left: Measure, right: Measure, **options: bool) -> tuple[float, str]:
    """The error of one pair, and what tells it."""
    here = np.zeros(1, np.int32)
    found = errors(built([left]), here, built([right]), here, **options)
    mirrored = errors(built([right]), here, built([left]), here, **options)
    np.testing.assert_equal(found.error, mirrored.error)
    return float(found.error[0]), Estimate(int(found.estimate[0])).word


def of(left: object, right: object, dtype: str = "float32") -> tuple[float, str]:
    """The error of two small arrays by their sketches."""
    return error(measure(np.array(left, dtype)), measure(np.array(right, dtype)))


def ratios(pairs: Sequence[tuple[Array, Array]]) -> Array:
    """Estimate through truth."""
    left, right = (built([measure(pair[side]) for pair in pairs]) for side in (0, 1))
    index = np.arange(len(pairs), dtype=np.int32)
    found = errors(left, index, right, index)
    assert set(found.estimate.tolist()) == {Estimate.SKETCH}
    truth = [
        np.linalg.norm(a.astype("f8") - b) / max(np.linalg.norm(a), np.linalg.norm(b))
        for a, b in pairs
    ]
    return found.error / np.array(truth)


def test_estimates_of_random_tensors() -> None:
    rng = np.random.default_rng(3)
    pairs = []
    for _ in range(600):
        size = int(rng.choice([40, 500, 4000, 9000, 60_000]))
        left = rng.standard_normal(size).astype(np.float32)
        noise = 10.0 ** rng.uniform(-5, 0) * rng.standard_normal(size)
        pairs.append((left, (left + noise).astype(np.float32)))
    low, median, high = np.quantile(ratios(pairs), [0.01, 0.5, 0.99])
    assert low > 0.5
    assert 0.95 < median < 1.05
    assert high < 1.5


def bias(x: Array, rng: np.random.Generator) -> Array:
    return x + 0.1 * rng.standard_normal(x.shape[-1])


def offset(x: Array, rng: np.random.Generator) -> Array:
    return x + 0.1


def scale(x: Array, rng: np.random.Generator) -> Array:
    return x * 1.01


def one_element(x: Array, rng: np.random.Generator) -> Array:
    x = x.copy()
    x.flat[int(rng.integers(x.size))] += 3.0
    return x


def one_row(x: Array, rng: np.random.Generator) -> Array:
    x = x.copy()
    x[int(rng.integers(len(x)))] *= -1.0
    return x


def rows_exchanged(x: Array, rng: np.random.Generator) -> Array:
    return x[::-1].copy()


def one_column(x: Array, rng: np.random.Generator) -> Array:
    x = x.copy()
    x[:, int(rng.integers(x.shape[1]))] = 0.0
    return x


def by_place(x: Array, rng: np.random.Generator) -> Array:
    return x + 0.1 * np.linspace(0, 1, len(x))[:, None]


@pytest.mark.parametrize(
    ("wrong", "least"),
    [
        (bias, 0.35),
        (offset, 0.5),
        (scale, 0.5),
        (one_element, 0.99),
        (one_row, 0.5),
        (rows_exchanged, 0.5),
        (one_column, 0.35),
        # What grows with the place in the tensor is the worst case: signs repeat from row to row.
        (by_place, 0.1),
    ],
)
def test_estimates_of_errors_with_a_pattern(
    wrong: Callable[[Array, np.random.Generator], Array], least: float
) -> None:
    """Widths of networks are powers of two: the same error in every row must not vanish."""
    rng = np.random.default_rng(5)
    pairs = []
    for rows in (2, 8, 64, 300):
        for width in (16, 64, 768, 1024, 4096):
            for _ in range(3):
                left = rng.standard_normal((rows, width)).astype(np.float32)
                pairs.append((left, wrong(left, rng).astype(np.float32)))
    low, median, high = np.quantile(ratios(pairs), [0.02, 0.5, 0.98])
    assert low > least
    assert 0.8 < median < 1.3
    assert high < 2.2


def test_signs_are_as_even_as_chance() -> None:
    elements, sums, rows = signs()
    assert set(elements.tolist()) == set(rows.tolist()) == {-1.0, 1.0}
    assert np.array_equal(np.sort(sums.reshape(-1, SUMS), axis=1)[0], np.arange(SUMS))
    assert np.bincount(sums).tolist() == [ROW // SUMS] * SUMS
    assert rows[0] == 1.0
    assert abs(elements.sum()) < 3 * ROW**0.5
    totals = np.abs(np.cumsum(rows)) / np.sqrt(np.arange(1, len(rows) + 1))
    assert totals.min() > 0.5
    assert totals.max() < 1.5


def test_equal_contents_are_not_apart() -> None:
    for content in ([1.0, 2.0], [], [0.0, 0.0], [-INF, 1.0], [NAN, NAN]):
        assert of(content, content) == (0.0, "sketch")


def test_sizes_and_what_is_not_finite() -> None:
    assert of([1.0, 2.0], [1.0, 2.0, 0.0])[0] == 1.0
    assert of([], [0.0])[0] == 1.0
    assert of([1.0, INF], [1.0, 2.0])[0] == 1.0
    # A mask of -inf counts as 0 on both sides: the rest tells.
    masked = of([1.0, -INF, 2.0, 3.0], [1.0, -INF, 2.0, 3.3])
    assert 0.03 < masked[0] < 0.2
    # The shape may differ where the elements are as many.
    assert of([[1.0, 2.0]], [[1.0], [2.0]]) == (0.0, "sketch")


def test_small_and_large_numbers() -> None:
    assert of([1e-30, 2e-30], [1e-30, 2e-30])[0] == 0.0
    assert of([1e-30, 2e-30], [1e-30, 4e-30])[0] == pytest.approx(2 / 17**0.5)
    assert of([0.0, 0.0], [0.0, 1e-38])[0] == pytest.approx(1.0)
    assert of([1e200, 2e200], [1e200, 4e200], "float64")[0] == pytest.approx(2 / 17**0.5)
    assert of([1.0, 1.0], [1.0, 1.0 + 1e-13], "float64")[0] == pytest.approx(7e-14, rel=0.1)


def test_whole_numbers_and_flags() -> None:
    assert of([1, 2, 3], [1, 2, 3], "int64") == (0.0, "sketch")
    assert of([2**40, 5], [2**40 + 1, 5], "int64")[0] > 0.0
    assert of([True, False], [True, True], "bool")[0] > 0.3


def test_statistics_are_relative_to_the_largest_element() -> None:
    left = Measure(count=10_000, minimum=-2.0, maximum=4.0, mean=1e-9, norm=100.0)
    same_but_mean = Measure(count=10_000, minimum=-2.0, maximum=4.0, mean=-1e-9, norm=100.0)
    assert error(left, same_but_mean) == (pytest.approx(5e-10), "stats")
    lower = Measure(count=10_000, minimum=-2.4, maximum=4.0, mean=1e-9, norm=100.0)
    assert error(left, lower) == (pytest.approx(0.1), "stats")
    longer = Measure(count=10_000, minimum=-2.0, maximum=4.0, mean=1e-9, norm=108.0)
    assert error(left, longer) == (pytest.approx(0.02), "stats")
    assert error(Measure(norm=2.0), Measure(norm=3.0)) == (pytest.approx(1 / 3), "stats")
    assert error(Measure(minimum=0.0, maximum=0.0), Measure(minimum=0.0, maximum=0.0))[0] == 0.0
    assert error(Measure(minimum=0.0, maximum=INF), Measure(minimum=0.0, maximum=INF))[0] == 0.0
    assert error(Measure(minimum=0.0, maximum=INF), Measure(minimum=0.0, maximum=5.0))[0] == 1.0
    assert error(Measure(mean=5.0), Measure(norm=5.0)) == (pytest.approx(NAN, nan_ok=True), "")


def test_hashes_tell_where_nothing_else_does() -> None:
    assert error(Measure(digest="ab"), Measure(digest="ab")) == (0.0, "hash")
    assert error(Measure(digest="ab"), Measure(digest="ac")) == (1.0, "hash")
    left = Measure(count=4, norm=1.0, minimum=0.0, maximum=1.0, digest="ab")
    right = Measure(count=4, norm=1.0000001, minimum=0.0, maximum=1.0, digest="ac")
    assert error(left, right)[1] == "stats"
    assert error(left, right, bitwise=True) == (1.0, "hash")
    assert error(left, left, bitwise=True) == (0.0, "hash")
    assert np.isnan(error(Measure(norm=1.0), Measure(norm=2.0), bitwise=True)[0])


def test_sketches_of_other_signs_are_not_compared() -> None:
    here = np.zeros(1, np.int32)
    content = measure(np.arange(5.0))
    found = errors(built([content]), here, built([content], "count16 seed=2"), here)
    assert Estimate(int(found.estimate[0])) is Estimate.STATS
    assert found.error[0] == 0.0


def test_many_pairs_at_once_and_contents_that_are_not_known() -> None:
    rng = np.random.default_rng(0)
    contents = [measure(rng.standard_normal(50)) for _ in range(20)]
    left, right = built(contents), built(contents[::-1])
    mine = rng.integers(-1, 20, 150_000).astype(np.int32)
    its = rng.integers(-1, 20, 150_000).astype(np.int32)
    found = errors(left, mine, right, its)
    unknown = (mine < 0) | (its < 0)
    assert np.array_equal(np.isnan(found.error), unknown)
    assert set(found.estimate[unknown].tolist()) == {Estimate.NONE}
    equal = ~unknown & (mine == 19 - its)
    assert equal.any()
    assert not found.error[equal].any()
    assert (found.error[~unknown & ~equal] > 0.1).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble", "int64", "bool"])
def test_figures_of_what_numbers_cannot_hold_warn_nobody(dtype: str) -> None:
    """Warnings are errors here, and on a terminal a line among those of the report."""
    bits = np.random.default_rng(3).integers(0, 256, 16 * 64, np.uint8).tobytes()
    one, other = (np.frombuffer(part, dtype) for part in (bits, bits[::-1]))
    found = figures(one, other)
    assert found is not None
    assert found.error >= 0.0
