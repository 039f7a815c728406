"""Views and copies through which an op reads other elements of the same value."""

from __future__ import annotations

import pytest

from opdiff.compare import Comparison, Kind, Request, compare

MADE = "10[2 3] = aten::mm(1, 2) args=(_, _)"
READ = "30 = aten::exp({}) args=(_)"


def suspects(comparison: Comparison) -> set[tuple[Kind, tuple[int, ...], tuple[int, ...]]]:
    return {
        (each.kind, each.left_rows, each.right_rows)
        for each in comparison.divergences
        if not each.harmless
    }


EACH_TWICE = (
    "10[2 1 3]/3 3 1 = aten::unsqueeze(10[2 3]) args=(_, 1)",
    "10[2 2 3]/3 0 1 = aten::expand(10[2 1 3]/3 3 1) args=(_, [2, 2, 3])",
    "11[2 2 3] = aten::clone(10[2 2 3]/3 0 1) args=(_)",
    "11[4 3] = aten::view(11[2 2 3]) args=(_, [4, 3])",
)
ALL_TWICE = ("11[4 3] = aten::repeat(10[2 3]) args=(_, [2, 1])",)
ALL_TWICE_BY_VIEWS = (
    "10[1 2 3]/6 3 1 = aten::unsqueeze(10[2 3]) args=(_, 0)",
    "10[2 2 3]/0 3 1 = aten::expand(10[1 2 3]/6 3 1) args=(_, [2, 2, 3])",
    "11[2 2 3] = aten::clone(10[2 2 3]/0 3 1) args=(_)",
    "11[4 3] = aten::view(11[2 2 3]) args=(_, [4, 3])",
)


def test_each_row_twice_is_not_all_rows_twice(trace_of) -> None:
    """Heads repeated in another order: every op that computes is the same."""
    end = READ.format("11[4 3]")
    left, right = trace_of(MADE, *EACH_TWICE, end), trace_of(MADE, *ALL_TWICE, end)
    assert suspects(compare(left, right, Request())) & {
        (Kind.ONLY_LEFT, (2,), ()),
        (Kind.ONLY_RIGHT, (), (1,)),
        (Kind.OP_TYPE, (2,), (1,)),
    }


def test_the_same_elements_by_other_views_are_no_difference(trace_of) -> None:
    end = READ.format("11[4 3]")
    left, right = trace_of(MADE, *ALL_TWICE_BY_VIEWS, end), trace_of(MADE, *ALL_TWICE, end)
    assert suspects(compare(left, right, Request())) == set()


@pytest.mark.parametrize(("first", "blamed"), [(0, False), (1, True)])
def test_the_view_that_takes_another_part_is_to_blame(trace_of, first: int, blamed: bool) -> None:
    """The graph reads again the slice that it has, where eager code makes a second one."""
    start = "10[2 3]/4 1 = aten::slice(10[2 4]) args=(_, 1, 0, 3)"
    early = "20[2 3] = aten::tanh(10[2 3]/4 1) args=(_)"
    copied = "12[2 3] = aten::clone(10[2 3]/4 1+{}) args=(_)"
    made, end = MADE.replace("[2 3]", "[2 4]"), READ.format("12[2 3]")
    again = f"10[2 3]/4 1+{first} = aten::slice(10[2 4]) args=(_, 1, {first}, {first + 3})"
    left = trace_of(made, start, early, again, copied.format(first), end)
    right = trace_of(made, start, early, copied.format(0), end)
    found = suspects(compare(left, right, Request()))
    assert ((Kind.ONLY_LEFT, (3,), ()) in found) == blamed
    assert bool(found) == blamed


GROUPED = "5[2 3 4] = MatMul(1, 2)"
ONE_BY_ONE = (
    "5[2 1 3 4] = ExpandDims(5[2 3 4])",
    "6[2 2 3 4] = Tile(5[2 1 3 4])",
    "6[4 3 4] = Reshape(6[2 2 3 4])",
)
EXPONENT = "7[4 3 4] = Exp(6[4 3 4])"


@pytest.mark.parametrize(
    ("spread", "harmless"),
    [
        (("6[4 3 4] = Tile(5[2 3 4])",), False),
        (("6[2 2 3 4] = BroadcastTo(5[2 1 3 4])", "6[4 3 4] = Reshape(6[2 2 3 4])"), True),
        (("6[2 2 3 4] = Tile(5[1 2 3 4])", "6[4 3 4] = Reshape(6[2 2 3 4])"), False),
        (("6[2 2 1 3 4] = Tile(5[2 1 1 3 4])", "6[4 3 4] = Reshape(6[2 2 1 3 4])"), True),
    ],
    ids=["all at once", "another name", "another axis", "one axis more"],
)
def test_what_is_spread_out_otherwise_is_told_by_its_shapes(trace_of, spread, harmless) -> None:
    """No arguments and no strides are printed."""
    left, right = trace_of(GROUPED, *ONE_BY_ONE, EXPONENT), trace_of(GROUPED, *spread, EXPONENT)
    for pair in ((left, right), (right, left)):
        found = compare(*pair, Request()).divergences
        assert all(each.harmless for each in found) == harmless
