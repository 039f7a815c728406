"""Names of one job that are told to do another work."""

from __future__ import annotations

import pytest

from opdiff.compare import Kind, Request, compare

FILLED = "9[] = aten::scalar_tensor() args=({}, dtype=float32)"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("clamp(10) args=(_, 0.1)", "clamp_min(10) args=(_, 0.1)", True),
        ("clamp(10) args=(_, None, 0.1)", "clamp_max(10) args=(_, 0.1)", True),
        ("clamp(10) args=(_, 0.1)", "clamp_min(10) args=(_, 0.4)", False),
        ("clamp(10) args=(_, 0.1)", "clamp_max(10) args=(_, 0.1)", False),
        ("clamp(10) args=(_, 0.1, 0.4)", "clamp_min(10) args=(_, 0.1)", False),
        ("clamp(10, 4) args=(_, _)", "clamp_min(10, 4) args=(_, _)", True),
        ("clamp(10, 4) args=(_, None, _)", "clamp_min(10, 4) args=(_, _)", False),
        (
            "index_add(10, 4:Int64, 5) args=(_, 0, _, _)",
            "index_put(10, 4:Int64, 5) args=(_, [_], _, True)", True,
        ),
        (
            "index_add(10, 4:Int64, 5) args=(_, 0, _, _)",
            "index_put(10, 4:Int64, 5) args=(_, [_], _)", False,
        ),
        (
            "index_copy(10, 4:Int64, 5) args=(_, 0, _, _)",
            "index_put(10, 4:Int64, 5) args=(_, [_], _, True)", False,
        ),
        (
            "index_add(10, 4:Int64, 5) args=(_, 0, _, _)",
            "index_copy(10, 4:Int64, 5) args=(_, 0, _, _)", False,
        ),
        (
            "index_copy(10, 4:Int64, 5) args=(_, -1, _, _)",
            "index_put(10, 4:Int64, 5) args=(_, [None, _], _)", True,
        ),
        (
            "index_copy(10, 4:Int64, 5) args=(_, 0, _, _)",
            "index_put(10, 4:Int64, 5) args=(_, [None, _], _)", False,
        ),
        (
            "max_pool2d_with_indices(10) args=(_, [2, 2])",
            "_low_memory_max_pool_with_offsets(10) args=(_, [2, 2], [2, 2])", True,
        ),
        (
            "max_pool2d_with_indices(10) args=(_, [2, 2])",
            "_low_memory_max_pool_with_offsets(10) args=(_, [3, 3], [2, 2])", False,
        ),
        ("clamp(10) args=(_, min=0.4)", "clamp_min(10) args=(_, 0.4)", True),
        ("flip(10) args=(_, dims=[1])", "rev(10) args=(_, [1])", True),
        ("flip(10) args=(_, [-1])", "rev(10) args=(_, [1])", True),
        ("flip(10) args=(_, [1])", "rev(10) args=(_, [0])", False),
        ("add_(10) args=(_, 1e-05)", "add(10) args=(_, 1e-05)", True),
        ("add_(10) args=(_, 1e-05)", "add(10) args=(_, 0.01)", False),
    ],
)  # fmt: skip
def test_what_two_names_are_told_tells_whether_they_do_one_work(
    trace_of, one: str, other: str, same: bool, turned: bool
) -> None:
    """Each was known for the job of the other, whatever its arguments were."""
    left, right = (
        trace_of("10 = aten::mm(1, 2)", f"11 = aten::{call}", "12 = aten::mm(11, 3)")
        for call in ((other, one) if turned else (one, other))
    )
    found = compare(left, right, Request())
    assert all(group.harmless for group in found.groups) is same


@pytest.mark.parametrize(("number", "same"), [("-10000.0", True), ("-1.0", False)])
def test_a_mask_that_fills_in_another_number_is_another(trace_of, number: str, same: bool) -> None:
    start, end = (
        ("10 = aten::mm(1, 2)", "8:Bool = aten::gt(10) args=(_, 0)"),
        "12 = aten::mm(11, 3)",
    )
    filled = "11 = aten::masked_fill(10, 8:Bool) args=(_, _, -10000.0)"
    chosen = (FILLED.format(number), "11 = aten::where(8:Bool, 9[], 10) args=(_, _, _)")
    found = compare(trace_of(*start, filled, end), trace_of(*start, *chosen, end), Request())
    assert all(group.harmless for group in found.groups) is same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("zeros() args=([4, 4])", "full() args=([4, 4], 0)", True),
        ("zeros() args=([4, 4])", "full() args=([4, 4], 0.5)", False),
        ("ones_like(10) args=(_)", "full() args=([4, 4], 1, dtype=float32)", True),
        ("ones_like(10) args=(_)", "full() args=([4, 4], 2, dtype=float32)", False),
        ("fill_(9) args=(_, 1.0)", "full() args=([4, 4], 1)", True),
        ("fill_(9) args=(_, 1.0)", "full() args=([4, 4], 2)", False),
    ],
)
def test_what_is_filled_with_another_number_is_another(trace_of, one, other, same: bool) -> None:
    """Two names of constants do one job, and stand for one value only if it is one number."""
    start = ("10 = aten::mm(1, 2)", "9 = aten::empty_like(10) args=(_)")
    left, right = (
        trace_of(*start, f"{9 if 'fill_' in call else 11} = aten::{call}",
                 f"12 = aten::sub({9 if 'fill_' in call else 11}, 10) args=(_, _)")
        for call in (one, other)
    )  # fmt: skip
    assert all(group.harmless for group in compare(left, right, Request()).groups) is same


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("listed", "single", "same"),
    [
        ("add_(10, 11) args=([_, _], 1e-08)", "add_({}) args=(_, 1e-08)", True),
        ("add_(10, 11) args=([_, _], 0.1)", "add_({}) args=(_, 1e-08)", False),
        ("mul_(10, 11, 9[]) args=([_, _], _)", "mul_({}) args=(_, 0.5)", True),
        ("div_(10, 11) args=([_, _], [0.5, 0.5])", "div_({}) args=(_, 0.5)", True),
        ("div_(10, 11) args=([_, _], [0.5, 0.7])", "div_({}) args=(_, 0.5)", False),
    ],
)
def test_an_op_on_a_list_is_told_the_numbers_of_those_on_each(
    trace_of, listed: str, single: str, same: bool, turned: bool
) -> None:
    """Optimizers that update all parameters at once did so with whatever epsilon."""
    start = ("10 = aten::mm(1, 2)", "11 = aten::mm(10, 3)", "9[] = aten::exp(8[])")
    one = trace_of(*start, f"10, 11 = aten::_foreach_{listed}")
    each = trace_of(*start, *(f"{at} = aten::{single.format(at)}" for at in (10, 11)))
    found = compare(*((each, one) if turned else (one, each)), Request())
    assert any(divergence.kind is Kind.FUSED for divergence in found.divergences)
    assert all(group.harmless for group in found.groups) is same


def test_of_ops_on_lists_each_takes_those_that_are_told_its_numbers(trace_of) -> None:
    """A line of an optimizer that is told no number took the steps that are told how wide."""
    start = (
        "10 = aten::mm(1, 2)",
        "11 = aten::mm(10, 3)",
        "20 = aten::exp(1)",
        "21 = aten::exp(2)",
    )
    lines = ("add_({}) args=(_, 0.9)", "add_({}) args=(_, 1)", "add_({}) args=(_, -0.1)")
    single = trace_of(
        *start,
        *(f"{at} = aten::{line.format(at)}" for at in (10, 11) for line in lines[::-1]),
        "30 = aten::mul(10, 11)",
    )
    listed = trace_of(
        *start,
        "10, 11 = aten::_foreach_add_(10, 11) args=([_, _], 1)",
        "10, 11 = aten::_foreach_add_(10, 11) args=([_, _], 0.9)",
        "10, 11 = aten::_foreach_add_(10, 11) args=([_, _], -0.1)",
        "30 = aten::mul(10, 11)",
    )
    found = compare(single, listed, Request())
    fused = [each for each in found.divergences if each.kind is Kind.FUSED]
    assert len(fused) == len(lines)
    assert all(each.harmless for each in fused)
