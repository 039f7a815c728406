"""Ops that make much of a little noise, by their nature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from opdiff.trace import ColumnsBuilder, Operand, Source, TensorSpec, Trace
from opdiff.values.causes import find_causes
from opdiff.values.flow import Flow
from opdiff.values.measures import Measures
from opdiff.values.pairing import ValuedTrace, compare_values
from opdiff.values.sketch import KIND, measure
from opdiff.values.table import Contents, Values

Arrays = Sequence[np.ndarray]


def side(name: str, inputs: Arrays, outputs: Arrays) -> ValuedTrace:
    """A trace of one op with these operands."""
    builder = ColumnsBuilder()
    operands = [
        Operand(number, TensorSpec("Int64" if array.dtype.kind == "i" else "Float32", array.shape))
        for number, array in enumerate([*inputs, *outputs])
    ]
    builder.add(name, operands[len(inputs) :], operands[: len(inputs)])
    contents = [measure(array.astype(np.float32)) for array in (*inputs, *outputs)]
    count = len(inputs)
    values = Values(
        "made",
        Measures.of(contents, KIND),
        Contents(np.array([0, count]), np.arange(count, dtype=np.int32)),
        Contents(
            np.array([0, len(outputs)]), np.arange(count, count + len(outputs), dtype=np.int32)
        ),
    )
    return ValuedTrace(Trace(Source("made", "made"), *builder.build()), values)


def is_cause(left: ValuedTrace, right: ValuedTrace) -> bool:
    """Whether the one op is taken for a cause."""
    row = np.zeros(1, np.int32)
    compared = compare_values(left, right, row, row)
    found = find_causes(compared.pairs, Flow.of(left.trace), Flow.of(right.trace))
    return len(found.roots()) > 0


RNG = np.random.default_rng(7)
BIG = 1000.0 + RNG.standard_normal(5000)
NOISE = 1e-7 * BIG * RNG.standard_normal(5000)


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("aten::sub", lambda x: [x, np.full(5000, 1000.0)]),
        ("aten::add_", lambda x: [x, np.full(1, -1000.0)]),
        ("Sub", lambda x: [x, np.full(5000, 1000.0)]),
    ],
)
def test_what_cancels_leaves_noise(name: str, of: object) -> None:
    assert callable(of)
    operands = of(BIG), of(BIG + NOISE)
    results = [BIG - 1000.0], [BIG + NOISE - 1000.0]
    pairs = list(zip(operands, results, strict=True))
    assert not is_cause(*(side(name, *pair) for pair in pairs))
    # The same of an op that does not add up is a cause.
    assert is_cause(*(side("aten::mul", *pair) for pair in pairs))


def test_a_wrong_difference_is_still_a_cause() -> None:
    left = side("aten::sub", [BIG, np.full(5000, 1000.0)], [BIG - 1000.0])
    wrong = side("aten::sub", [BIG + NOISE, np.full(5000, 1000.0)], [(BIG - 1000.0) * 1.1])
    assert is_cause(left, wrong)


def test_a_mean_of_nearly_nothing() -> None:
    rows = RNG.standard_normal((64, 4096))
    rows -= rows.mean(1, keepdims=True)
    rows += 1e-6
    noise = 1e-7 * rows * RNG.standard_normal(rows.shape)
    pairs = [([x], [x.mean(1)]) for x in (rows, rows + noise)]
    assert not is_cause(*(side("aten::mean", *pair) for pair in pairs))
    wrong = ([rows + noise], [rows.mean(1) + 0.01])
    assert is_cause(side("aten::mean", *pairs[0]), side("aten::mean", *wrong))


def test_sizes_that_are_not_known() -> None:
    """A source may leave the number of elements out: norms still tell what cancels."""
    left = side("aten::sub", [BIG, np.full(5000, 1000.0)], [BIG - 1000.0])
    right = side("aten::sub", [BIG + NOISE, np.full(5000, 1000.0)], [BIG + NOISE - 1000.0])
    uncounted = [
        one._replace(values=replace(one.values, measures=replace(one.values.measures, count=none)))
        for one in (left, right)
        for none in [np.full(3, -1)]
    ]
    assert not is_cause(*uncounted)


def test_signs_turn_over() -> None:
    x = RNG.standard_normal(100_000)
    turned = np.sign(x)
    turned[0] *= -1
    noisy = x * (1 + 1e-6 * RNG.standard_normal(x.shape))
    pairs = [([x], [np.sign(x)]), ([noisy], [turned])]
    assert not is_cause(*(side("aten::sgn", *pair) for pair in pairs))
    assert is_cause(*(side("aten::mul", *pair) for pair in pairs))
    wrong = ([noisy], [-np.sign(x)])
    assert is_cause(side("aten::sgn", *pairs[0]), side("aten::sgn", *wrong))


def test_a_gradient_through_its_size_turns_over() -> None:
    """As the first step of an optimizer has it: elements that are almost 0 count as much as any."""
    gradient = RNG.standard_normal(5000)
    gradient[:3] = 1e-8
    noisy = gradient * (1 + 1e-6 * RNG.standard_normal(gradient.shape))
    noisy[:3] = 0.9e-8, 1.1e-8, 1.2e-8
    pairs = [([x, np.abs(x) + 1e-8], [x / (np.abs(x) + 1e-8)]) for x in (gradient, noisy)]
    assert not is_cause(*(side("aten::div", *pair) for pair in pairs))
    assert is_cause(*(side("aten::mul", *pair) for pair in pairs))
    (given, (right,)) = pairs[1]
    assert is_cause(side("aten::div", *pairs[0]), side("aten::div", given, [-right]))
    # Divided by something else, an element that is almost 0 stays so.
    pairs = [([x, 3 * np.abs(x)], [y]) for x, y in ((gradient, gradient), (noisy, noisy * 1.01))]
    assert is_cause(*(side("aten::div", *pair) for pair in pairs))


@pytest.mark.parametrize("name", ["aten::index_put", "aten::index_add", "IndexAddExt"])
def test_what_is_scattered_cancels_too(name: str) -> None:
    """The gradients of a softmax, gathered by nodes of a graph, add up to nothing but noise."""
    left = side(name, [np.zeros(8), BIG], [1e-4 * RNG.standard_normal(8)])
    right = side(name, [np.zeros(8), BIG + NOISE], [1e-4 * RNG.standard_normal(8)])
    assert not is_cause(left, right)
    wrong = side(name, [np.zeros(8), BIG + NOISE], [100.0 * RNG.standard_normal(8)])
    assert is_cause(left, wrong)


def test_where_something_is_put_is_no_part_of_the_sum() -> None:
    numbers = RNG.standard_normal(50)
    places = np.arange(50) * 1000
    left = side("aten::index_put", [np.zeros(50), places, numbers], [numbers])
    wrong = side("aten::index_put", [np.zeros(50), places, numbers], [numbers * (1 + 3e-5)])
    assert is_cause(left, wrong)


@pytest.mark.parametrize("name", ["aten::eq", "Equal"])
def test_noise_parts_all_that_is_equal(name: str) -> None:
    """Which elements are the largest: they and the largest were worked out in two ways."""
    x = RNG.standard_normal(1000)
    other = np.where(np.arange(1000) % 2, x, 0.0)
    same, parted = (x == other).astype(float), np.zeros(1000)
    noisy = other * (1 + 1e-7 * RNG.standard_normal(1000))
    assert not is_cause(side(name, [x, other], [same]), side(name, [x, noisy], [parted]))
    assert is_cause(side(name, [x, other], [same]), side(name, [x, other], [parted]))
    assert is_cause(side("aten::mul", [x, other], [same]), side("aten::mul", [x, noisy], [parted]))


@pytest.mark.parametrize(
    ("name", "of", "x"),
    [
        ("aten::sin", np.sin, BIG),
        ("aten::cos", np.cos, BIG),
        ("Cos", np.cos, BIG),
        ("aten::exp", np.exp, BIG / 20),
        ("aten::log", np.log, 1 + 1e-3 * RNG.standard_normal(5000)),
    ],
)
def test_functions_that_do_not_keep_relative_errors(
    name: str, of: Callable[[np.ndarray], np.ndarray], x: np.ndarray
) -> None:
    """A clock of 1000 has noise as large as 1000 is; where it points is as far off."""
    near = x * (1 + 1e-6 * RNG.standard_normal(len(x)))
    pairs = [([x], [of(x)]), ([near], [of(near)])]
    assert not is_cause(*(side(name, *pair) for pair in pairs))
    assert is_cause(*(side("aten::mul", *pair) for pair in pairs))
    wrong = ([near], [of(near) * 1.1])
    assert is_cause(side(name, *pairs[0]), side(name, *wrong))


def test_large_numbers_of_a_mask_are_no_exponents() -> None:
    x = np.where(RNG.random((64, 64)) > 0.5, -1e9, RNG.standard_normal((64, 64)))
    rows = np.exp(x - x.max(1, keepdims=True))
    rows /= rows.sum(1, keepdims=True)
    left = side("aten::_softmax", [x], [rows])
    assert is_cause(left, side("aten::_softmax", [x], [rows * 1.01]))


def test_noise_decides_which_of_the_same_numbers_is_larger() -> None:
    """A ratio that is clipped is the ratio itself almost everywhere: each has noise of its own."""
    x = RNG.standard_normal(5000)
    near = [x * (1 + 1e-7 * RNG.standard_normal(5000)) for _ in range(2)]
    left = side("aten::lt", [x, x], [(x < x).astype(np.int64)])
    assert not is_cause(left, side("aten::lt", near, [(near[0] < near[1]).astype(np.int64)]))
    # Beside a single number it is none that noise could turn for all.
    zero = np.zeros(1)
    left = side("aten::lt", [x, zero], [(x < 0).astype(np.int64)])
    assert is_cause(left, side("aten::lt", [near[0], zero], [(x > 0).astype(np.int64)]))
    # Nor has noise a part in whole numbers.
    n = np.arange(64)
    left = side("aten::lt", [n, n[::-1]], [(n < n[::-1]).astype(np.int64)])
    assert is_cause(left, side("aten::lt", [n, n[::-1]], [(n > n[::-1]).astype(np.int64)]))
