"""Results that both runs have though their ops are no pairs: what a compiler takes apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from recorded_runs import Array, Run, Tensor

from opdiff.compare import Comparison, Kind, Request, compare
from opdiff.readers import open_trace
from opdiff.session.value_choice import ValueChoice
from opdiff.values.floors import Floors
from opdiff.values.pairing import ValuedTrace
from opdiff.values.sources import open_values
from opdiff.values.witnesses import witnesses

LAYERS = 3


def silu(x: Array) -> Array:
    return x / (1 + np.exp(-x))


def run_of(*, compiled: bool = False, wrong: str = "") -> Run:
    """Products, SiLU and additions; a compiler takes SiLU and a range apart."""
    run = Run(noise=1e-7 if compiled else 0.0, seed=int(compiled))
    made = np.random.default_rng(5)
    x = run.outside(made.normal(size=(8, 16)))
    positions = _range(run, compiled=compiled)
    for layer in range(LAYERS):
        here = wrong if layer == 1 else ""
        weights = [run.outside(made.normal(size=(16, 16)) / 4) for _ in range(2)]
        u, gate = (run.op("aten::mm", [x, weight], lambda a, b: a @ b) for weight in weights)
        passed = _silu(run, gate, compiled=compiled, wrong=here)
        if here == "clamp":
            passed = run.op("aten::clamp_max", [passed], lambda a: np.minimum(a, 0.5), "_, 0.5")
        read = gate if here == "wiring" else passed
        mixed = run.op("aten::mul", [u, read], lambda a, b: a * b)
        x = run.op("aten::add", [x, mixed], lambda a, b: a + b)
        x = run.op("aten::mul", [x, positions], lambda a, b: a * b / 16)
    return run


def _range(run: Run, *, compiled: bool) -> Tensor:
    if not compiled:
        return run.op("aten::arange", [], lambda: np.arange(1.0, 17.0), "1, 17")
    counted = run.op("prims::iota", [], lambda: np.arange(16.0), "16")
    return run.op("aten::add", [counted], lambda a: a + 1, "_, 1")


def _silu(run: Run, x: Tensor, *, compiled: bool, wrong: str) -> Tensor:
    if not compiled:
        return run.op("aten::silu", [x], silu)
    negative = run.op("aten::neg", [x], lambda a: -a)
    power = run.op("aten::exp", [negative], np.exp)
    below = run.op("aten::add", [power], lambda a: a + 1, "_, 1")
    factor = 1.1 if wrong == "kernel" else 1.0
    return run.op("aten::div", [x, below], lambda a, b: factor * a / b)


def compared(folder: Path, wrong: str) -> Comparison:
    left = open_trace(run_of().write(folder, "left"))
    right = open_trace(run_of(compiled=True, wrong=wrong).write(folder, "right"))
    return compare(left, right, Request(), held=ValueChoice().held(left, right))


def first_names(comparison: Comparison) -> set[str]:
    """The ops of the group that is read first."""
    first = comparison.groups[0]
    sides = (comparison.left.trace, comparison.right.trace)
    return {
        trace.type_name(row)
        for number in first.members
        for trace, rows in zip(
            sides,
            (comparison.divergences[number].left_rows, comparison.divergences[number].right_rows),
            strict=True,
        )
        for row in rows
    }


def test_what_is_only_taken_apart_is_no_cause(tmp_path: Path) -> None:
    comparison = compared(tmp_path, "")
    told = comparison.values
    assert told is not None
    assert told.roots() == []
    assert told.differ == 0
    assert all(each.harmless or each.neutral for each in comparison.divergences)


@pytest.mark.parametrize(
    ("wrong", "cause", "first"),
    [
        ("wiring", "wiring", {"aten::mul"}),
        ("clamp", "structure", {"aten::clamp_max"}),
        ("kernel", "structure", {"aten::silu", "aten::neg", "aten::exp", "aten::add", "aten::div"}),
    ],
)
def test_the_cause_beside_what_is_taken_apart(
    tmp_path: Path, wrong: str, cause: str, first: set[str]
) -> None:
    comparison = compared(tmp_path, wrong)
    told = comparison.values
    assert told is not None
    [root] = told.roots()
    assert told.cause(root) == cause
    assert first_names(comparison) == first
    line = comparison.left.trace.line_of(told.rows(root)[0])
    assert comparison.left.trace.type_name(told.rows(root)[0]) == "aten::mul", line


@pytest.mark.parametrize(
    ("wrong", "neutral"), [("wiring", [True, True, None]), ("kernel", [True, False, None])]
)
def test_fused_ops_are_judged_by_their_result(
    tmp_path: Path, wrong: str, neutral: list[bool | None]
) -> None:
    """Layer by layer; behind a cause nobody can tell."""
    fused = [each for each in compared(tmp_path, wrong).divergences if each.kind is Kind.FUSED]
    assert [each.neutral for each in sorted(fused, key=lambda each: each.left_rows)] == neutral


def sides(folder: Path, left: list[Array], right: list[Array]) -> tuple[ValuedTrace, ValuedTrace]:
    """Two runs of ops with these results."""
    found = []
    for name, arrays in (("left", left), ("right", right)):
        run = Run()
        for array in arrays:
            run.op("aten::op", [], lambda a=array: a)
        trace = open_trace(run.write(folder, name))
        values = open_values(trace)
        assert values is not None
        found.append(ValuedTrace(trace, values))
    return found[0], found[1]


def rows_of(one: ValuedTrace) -> Any:
    return np.arange(len(one.trace), dtype=np.int32)


def test_each_row_is_in_one_pair_and_the_rest_has_the_same_result(tmp_path: Path) -> None:
    made = np.random.default_rng(3)
    a, b, c = (made.normal(size=20).astype(np.float32) for _ in range(3))
    left, right = sides(tmp_path, [a, a, b], [c, a, b * np.float32(1 + 1e-7), a, b])
    found = witnesses(left, right, (rows_of(left), rows_of(right)), Floors())
    assert (found.left_row.tolist(), found.right_row.tolist()) == ([0, 2], [1, 2])
    (more, pairs), (others, other_pairs) = found.further
    assert (more.tolist(), pairs.tolist()) == ([1], [0])
    assert sorted(zip(others.tolist(), other_pairs.tolist(), strict=True)) == [(3, 0), (4, 1)]


def test_the_nearest_of_very_many_are_looked_at(tmp_path: Path) -> None:
    """Most of them have almost the same norm: equal signs in another order."""
    made = np.random.default_rng(4)
    many = [made.choice([-1.0, 1.0], 64) * (1 + 1e-3 * number) for number in range(200)]
    left, right = sides(tmp_path, many, many[::-1])
    found = witnesses(left, right, (rows_of(left), rows_of(right)), Floors())
    assert found.left_row.tolist() == list(range(200))
    assert found.right_row.tolist() == list(range(200))[::-1]


def test_what_is_masked_bears_no_witness(tmp_path: Path) -> None:
    """Beside -1e9 all else looks alike."""
    made = np.random.default_rng(6)
    a, b = made.normal(size=64), made.normal(size=64)
    a[::3] = b[::3] = -1e9
    left, right = sides(tmp_path, [a, np.full(8, -1e9)], [b, np.full(8, -1e9)])
    found = witnesses(left, right, (rows_of(left), rows_of(right)), Floors())
    assert found.left_row.tolist() == [1], "what is the very same is"


def test_beside_a_small_mask_noise_shows(tmp_path: Path) -> None:
    """-1e4 leaves digits enough to tell noise of the other numbers from other numbers."""
    made = np.random.default_rng(6)
    a = made.normal(size=64)
    near = a * (1 + 1e-7 * made.normal(size=64))
    other = a * (1 + 1e-3 * made.normal(size=64))
    a[::3] = near[::3] = other[::3] = -1e4
    for second, expected in ((near, [0]), (other, [])):
        left, right = sides(tmp_path, [a], [second])
        found = witnesses(left, right, (rows_of(left), rows_of(right)), Floors())
        assert found.left_row.tolist() == expected


def test_nothing_is_like_nothing(tmp_path: Path) -> None:
    """Zeros are everywhere, other sizes are others; and there may be no rows at all."""
    left, right = sides(tmp_path, [np.zeros(8), np.ones(8)], [np.zeros(8), np.ones(4)])
    none = np.zeros(0, np.int32)
    for rows in ((rows_of(left), rows_of(right)), (none, rows_of(right)), (none, none)):
        assert not len(witnesses(left, right, rows, Floors()).left_row)


@pytest.mark.parametrize(("error", "is_cause"), [(2e-5, False), (0.3, True)])
def test_a_sum_that_a_compiler_takes_out_cancels_as_others_do(
    tmp_path: Path, error: float, is_cause: bool
) -> None:
    """Numbers of size 1 add up to a thousandth: noise is a thousand times larger there."""
    made = np.random.default_rng(8)
    x = made.normal(size=(64, 16)).astype(np.float32)
    x -= x.mean(0) - 1e-3 * made.normal(size=16)
    paths = []
    for name in ("left", "right"):
        run = Run()
        read = run.op("aten::mul", [run.outside(x)], lambda a: a)
        if name == "left":
            total = run.op("aten::norm_backward", [read], lambda a: a.sum(0))
        else:
            parts = run.op("aten::neg", [read], lambda a: -a)
            total = run.op("aten::sum", [parts], lambda a: -a.sum(0) * (1 + error))
        run.op("aten::sin", [total], lambda a: a)
        paths.append(run.write(tmp_path, name))
    left, right = map(open_trace, paths)
    told = compare(left, right, Request(), held=ValueChoice().held(left, right)).values
    assert told is not None
    assert bool(told.roots()) == is_cause
