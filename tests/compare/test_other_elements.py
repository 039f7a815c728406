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


GELU = (
    "20[3 3] = aten::mul({read}) args=(_, 0.5)",
    "21[3 3] = aten::mul({read}) args=(_, 0.7)",
    "22[3 3] = aten::erf(21[3 3]) args=(_)",
    "23[3 3] = aten::add(22[3 3]) args=(_, 1)",
    "30[3 3] = aten::mul(20[3 3], 23[3 3]) args=(_, _)",
)
TURNED = "10[3 3]/1 3 = aten::t(10[3 3]) args=(_)"


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(
    ("views", "read", "same"),
    [
        ((), "10[3 3]", True),
        ((TURNED,), "10[3 3]/1 3", False),
        ((TURNED, "11[3 3] = aten::clone(10[3 3]/1 3) args=(_)"), "11[3 3]", False),
        ((TURNED, "10[3 3] = aten::t(10[3 3]/1 3) args=(_)"), "10[3 3]", True),
    ],
)
def test_an_expansion_that_reads_other_elements_is_no_other_way_to_do_it(
    trace_of, views, read: str, same: bool, swapped: bool
) -> None:
    """What is turned before an op is left out by nobody who looks at values only."""
    start, end = "10[3 3] = aten::mm(1, 2) args=(_, _)", "31[3 3] = aten::tanh(30[3 3]) args=(_)"
    one = trace_of(start, "30[3 3] = aten::gelu(10[3 3]) args=(_)", end)
    many = trace_of(start, *views, *(line.format(read=read) for line in GELU), end)
    found = compare(*((many, one) if swapped else (one, many)), Request())
    assert any(each.kind is Kind.FUSED for each in found.divergences)
    assert (suspects(found) == set()) is same


NORM_GRADIENT = (
    "50 = aten::sub(5, 6)", "51 = aten::mul(50, 7)", "52 = aten::mul(40, {weight})",
    "53 = aten::mul(52)", "54 = aten::sum(52)", "55 = aten::mul(52, 51)", "56 = aten::sum(55)",
    "57 = aten::mul(51, 56)", "58 = aten::sub(53, 54)", "59 = aten::sub(58, 57)",
    "60 = aten::div(7)", "41 = aten::mul(60, 59)", "61 = aten::mul(40, 51)",
    "42 = aten::sum(61)", "43 = aten::sum(40)",
)  # fmt: skip


def test_an_argument_that_an_expansion_leaves_out_is_no_other_element(trace_of) -> None:
    """The gradient of a norm is given weights and bias, here parts of one, and needs the former."""
    weight, bias = "9[4 4]/4 1+0", "9[4 4]/4 1+16"
    parts = (
        f"{weight} = aten::slice(9[8 4]) args=(_, 0, 0, 4)",
        f"{bias} = aten::slice(9[8 4]) args=(_, 0, 4, 8)",
    )
    start = ("9[8 4] = aten::exp(4[8 4]) args=(_)", *parts, "40 = aten::cos(3) args=(_)")
    one = f"41, 42, 43 = aten::native_layer_norm_backward(40, 5, 6, 7, {weight}, {bias}) args=(_)"
    many = (f"{line.format(weight=weight)} args=(_)" for line in NORM_GRADIENT)
    left = trace_of(*start, one, "44 = aten::log(41) args=(_)")
    right = trace_of(*start, parts[0], *many, "44 = aten::log(41) args=(_)")
    found = compare(left, right, Request())
    assert any(each.kind is Kind.FUSED for each in found.divergences)
    assert suspects(found) == set()


MASK = "8:Bool[3 3]"
TURNED_MASK = "8:Bool[3 3]/1 3"


@pytest.mark.parametrize(("read", "same"), [(MASK, True), (TURNED_MASK, False)])
def test_an_op_and_the_one_that_does_its_work_read_the_same_elements(
    trace_of, read: str, same: bool
) -> None:
    """A mask that is turned fills in other places, whatever the name of what fills them in."""
    start = ("10[3 3] = aten::mm(1, 2) args=(_, _)", f"{MASK} = aten::gt(10[3 3]) args=(_, 0)")
    turning = () if same else (f"{TURNED_MASK} = aten::t({MASK}) args=(_)",)
    end = "12[3 3] = aten::tanh(11[3 3]) args=(_)"
    filled = f"11[3 3] = aten::masked_fill(10[3 3], {MASK}) args=(_, _, -1e4)"
    chosen = f"11[3 3] = aten::where({read}, 9[], 10[3 3]) args=(_, _, _)"
    number = "9[] = aten::scalar_tensor() args=(-1e4, dtype=float32)"
    found = compare(
        trace_of(*start, filled, end), trace_of(*start, *turning, number, chosen, end), Request()
    )
    assert (suspects(found) == set()) is same


@pytest.mark.parametrize("turned", [False, True])
def test_a_view_that_both_sides_make_is_to_blame_where_one_reads_it(trace_of, turned: bool) -> None:
    """The backward turns what it multiplies with; an op that reads that reads other elements."""
    product, turning = "10[3 3] = aten::mm(1, 2) args=(_, _)", TURNED
    read = "10[3 3]/1 3" if turned else "10[3 3]"
    loss = "11[3 3] = aten::gelu({}) args=(_)"
    end = "12[3 3] = aten::mm(10[3 3]/1 3, 11[3 3]) args=(_, _)"
    left = trace_of(product, loss.format("10[3 3]"), turning, end)
    many = (line.format(read=read).replace("30[3 3] =", "11[3 3] =") for line in GELU)
    right = trace_of(
        product, turning.replace("::t(", "::permute(").replace("(_)", "(_, [1, 0])"), *many, end
    )
    assert (suspects(compare(left, right, Request())) == set()) is not turned


@pytest.mark.parametrize(("read", "same"), [("30[3 3]", True), ("30[3 3]/1 3", False)])
def test_what_an_expansion_makes_is_one_value_with_what_its_op_makes(
    trace_of, read: str, same: bool
) -> None:
    """What is made by one op or by several, and turned before it is read, is read elsewhere."""
    start = "10[3 3] = aten::mm(1, 2) args=(_, _)"
    turning = () if same else ("30[3 3]/1 3 = aten::t(30[3 3]) args=(_)",)
    end = "31[3 3] = aten::mm({}, 3[3 3]) args=(_, _)"
    left = trace_of(start, "30[3 3] = aten::gelu(10[3 3]) args=(_)", end.format("30[3 3]"))
    many = (line.format(read="10[3 3]") for line in GELU)
    found = compare(left, trace_of(start, *many, *turning, end.format(read)), Request())
    assert any(each.kind is Kind.FUSED for each in found.divergences)
    assert (suspects(found) == set()) is same


@pytest.mark.parametrize("rounded", [10, 11])
def test_what_is_rounded_tells_itself(trace_of, rounded: int) -> None:
    """Of two factors one is rounded: which one is hidden by the conversions, which hand it on."""
    factors = ("20", "11") if rounded == 10 else ("10", "20")

    def step(taken: int, first: str, second: str):
        return trace_of(
            "10 = aten::mm(1, 2)",
            "11 = aten::mm(10, 3)",
            f"19:BFloat16 = aten::_to_copy({taken}) args=(_, dtype=bfloat16)",
            "20 = aten::_to_copy(19:BFloat16) args=(_, dtype=float32)",
            f"21 = aten::mul({first}, {second}) args=(_, _)",
        )

    found = compare(step(10, "20", "11"), step(rounded, *factors), Request())
    assert (suspects(found) == set()) is (rounded == 10)


@pytest.mark.parametrize("view", ["_conj", "_neg_view"])
def test_a_view_of_other_numbers_is_no_other_view(trace_of, view: str) -> None:
    """The memory is the same, what is read there is its conjugate, or its negative."""
    start, end = "10 = aten::mm(1, 2) args=(_, _)", "12 = aten::mul(10, 3) args=(_, _)"
    mirrored = f"10 = aten::{view}(10) args=(_)"
    found = compare(trace_of(start, end), trace_of(start, mirrored, end), Request())
    assert suspects(found)
