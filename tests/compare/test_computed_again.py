"""What is computed once more is the same value: twice on one side, once on the other."""

from __future__ import annotations

import pytest

from opdiff.compare import Comparison, Kind, Request, compare

NOTE = "args=(_)"
BACKWARD = "90 = aten::threshold_backward(80, 81)"


def suspects(comparison: Comparison) -> list[str]:
    return [str(each.sentence) for each in comparison.divergences if not each.harmless]


def test_the_forward_computes_twice_what_a_compiler_computes_once(trace_of) -> None:
    left = trace_of(
        "10 = aten::mm(1, 2)",
        f"11 = aten::exp(10[4 4]/4 1+0) {NOTE}",
        "12 = aten::mul(11, 3)",
        f"13 = aten::exp(10[4 4]/4 1+0) {NOTE}",
        "14 = aten::add(12, 13)",
        BACKWARD,
    )
    right = trace_of(
        "10 = aten::mm(1, 2)",
        f"11 = aten::exp(10[4 4]/4 1+0) {NOTE}",
        "12 = aten::mul(11, 3)",
        "14 = aten::add(12, 11)",
        BACKWARD,
    )
    comparison = compare(left, right, Request())
    assert [each.kind for each in comparison.divergences] == [Kind.ONLY_LEFT]
    assert suspects(comparison) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("aten::pow(10[4 4]/4 1+0) args=(_, 2)", "aten::pow(10[4 4]/4 1+0) args=(_, 3)"),
        ("aten::exp(10[2 4]/4 1+0) args=(_)", "aten::exp(10[2 4]/4 1+8) args=(_)"),
        ("aten::exp(10) args=(_)", "aten::exp(10) args=(_)"),
        ("aten::exp(10[4 4]/4 1+0)", "aten::exp(10[4 4]/4 1+0)"),
    ],
    ids=["another number", "another part", "parts untold", "numbers untold"],
)
def test_what_may_be_another_value_is_not_the_same(trace_of, first: str, second: str) -> None:
    start, end = "10 = aten::mm(1, 2)", ("12 = aten::mul(11, 3)", "14 = aten::add(12, 13)")
    left = trace_of(start, f"11 = {first}", end[0], f"13 = {second}", end[1], BACKWARD)
    right = trace_of(start, f"11 = {first}", end[0], "14 = aten::add(12, 11)", BACKWARD)
    assert suspects(compare(left, right, Request()))


@pytest.mark.parametrize(("job", "same"), [("Exp", True), ("Mul", False)])
def test_a_number_that_is_not_printed_may_be_another_in_the_backward(
    trace_of, job: str, same: bool
) -> None:
    start, end = ("5 = MatMul(1, 2)", "6 = TanhGrad(5, 5)"), "9 = MatMul(7, 8)"
    left = trace_of(*start, f"7 = {job}(6)", f"8 = {job}(6)", end)
    right = trace_of(*start, f"7 = {job}(6)", "9 = MatMul(7, 7)")
    assert bool(suspects(compare(left, right, Request()))) != same


def test_what_is_written_over_later_was_a_value_before(trace_of) -> None:
    """Both halves of a gradient of ``minimum`` begin alike; each is then written over."""
    left = trace_of(
        "80 = aten::mm(1, 2)",
        BACKWARD,
        "20 = aten::where(3, 90, 80)",
        "20 = aten::masked_fill_(20, 4)",
        "21 = aten::where(3, 90, 80)",
        "21 = aten::masked_fill_(21, 5)",
        "22 = aten::mm(20, 21)",
    )
    right = trace_of(
        "80 = aten::mm(1, 2)",
        BACKWARD,
        "20 = aten::where(3, 90, 80)",
        "21 = aten::masked_fill(20, 4)",
        "23 = aten::masked_fill(20, 5)",
        "22 = aten::mm(21, 23)",
    )
    assert suspects(compare(left, right, Request())) == []


def test_what_is_copied_over_a_state_is_another_value(trace_of) -> None:
    """The state is read before and after it is written: its readers compute two values."""
    step = ("80 = aten::mm(1, 2)", BACKWARD, "20 = aten::mul(7, 90)", "21 = aten::mm(20, 90)")
    update = "7 = aten::copy_(7, 21)"
    left = trace_of(*step, update, "22 = aten::mul(7, 90)", "23 = aten::mm(22, 20)")
    right = trace_of(*step, update, "23 = aten::mm(20, 20)")
    assert suspects(compare(left, right, Request()))


def test_a_value_computed_three_times_is_one(trace_of) -> None:
    """The backward computes ``1 - y`` twice, from a ``y`` that it computes again itself.

    Once for what reads it, once for the gradient of the sigmoid, which is known by its expansion.
    """
    start = ("10 = aten::mm(1, 2)", "10 = aten::view(10[4 4]/4 1+0)")
    late = tuple(f"9{n} = aten::threshold_backward(8{n}, 81)" for n in range(1, 10))
    forward = (
        f"11 = aten::sigmoid(10) {NOTE}",
        f"12 = aten::sub(11) {NOTE}",
        "13 = aten::mul(12, 3)",
    )
    left = trace_of(
        *start, *forward, *late, "22 = aten::mul(91, 12)", "25 = aten::sigmoid_backward(22, 11)"
    )
    right = trace_of(
        *start,
        *forward,
        *late,
        f"20 = aten::sigmoid(10) {NOTE}",
        f"21 = aten::sub(20) {NOTE}",
        "22 = aten::mul(91, 21)",
        f"23 = aten::sub(20) {NOTE}",
        "24 = aten::mul(20, 23)",
        "25 = aten::mul(22, 24)",
    )
    comparison = compare(left, right, Request())
    assert Kind.FUSED in {each.kind for each in comparison.divergences}
    assert suspects(comparison) == []


def test_no_gradient_is_lost_where_only_a_view_is(trace_of) -> None:
    """A compiler leaves out what stops gradients; its backward views what it reads."""
    late = tuple(f"9{n} = aten::threshold_backward(8{n}, 81)" for n in range(1, 10))
    forward = ("11 = aten::mul(10, 3)", "12 = aten::mm(11, 4)")
    left = trace_of(
        "10 = aten::mm(1, 2)", "10 = aten::detach(10)", *forward, *late, "50 = aten::mm(91, 10)"
    )
    right = trace_of(
        "10 = aten::mm(1, 2)", *forward, *late, "10 = aten::view(10)", "50 = aten::mm(91, 10)"
    )
    assert suspects(compare(left, right, Request())) == []


def test_what_is_computed_later_was_not_read_before(trace_of) -> None:
    """One of two like ops is missing: the reader of the first reads what it was made from."""
    between = ("20 = aten::mm(1, 5)", "21 = aten::mm(20, 6)")
    value = "aten::exp(7[4 4]/4 1+0) args=(_)"
    first = (f"10 = {value}", "10 = aten::detach(10)", "11 = aten::mul(10, 3)")
    end = (f"12 = {value}", "22 = aten::mul(12, 21)", BACKWARD)
    left = trace_of(*first, *between, *end)
    right = trace_of("11 = aten::mul(7, 3)", *between, *end)
    said = suspects(compare(left, right, Request()))
    assert any(line.startswith("input 0 of aten::mul comes from aten::exp") for line in said)


CENTRED = "10 = Dense(1, 2)"
GRADIENT = "90 = ReluGrad(80, 81)"


def test_what_is_made_of_copies_of_one_view_is_one(trace_of) -> None:
    """Eager code copies a view for each of its readers: the first of them is read by another op."""
    view = "Contiguous(10[4 4]/4 1+0)"
    left = trace_of(
        CENTRED,
        f"11 = {view}",
        "12 = ReduceMean(11)",
        f"13 = {view}",
        "14 = SubExt(13, 12)",
        "15 = Square(14)",
        f"16 = {view}",
        "17 = SubExt(16, 12)",
        "18 = Div(17, 15)",
        GRADIENT,
    )
    right = trace_of(
        CENTRED,
        "12 = ReduceMean(10)",
        "14 = SubExt(10, 12)",
        "15 = Square(14)",
        "18 = Div(14, 15)",
        GRADIENT,
    )
    assert suspects(compare(left, right, Request())) == []


@pytest.mark.parametrize("copies", [False, True])
def test_what_reads_another_result_of_an_op_is_another_value(trace_of, copies: bool) -> None:
    start = (GRADIENT, "20[8], 21[8] = BatchNormGrad(90, 3)")
    one, two = ("22", "23") if copies else ("20", "21")
    made = ("22 = Contiguous(20[8])", "23 = Contiguous(21[8])") if copies else ()
    first, end = f"24 = Square({one}[8])", "26 = Add(24, 25)"
    left = trace_of(*start, *made, first, f"25 = Square({two}[8])", end)
    right = trace_of(*start, *made[:1], first, "26 = Add(24, 24)")
    assert suspects(compare(left, right, Request()))


def test_parts_that_are_viewed_before_they_are_read_may_be_two_values(trace_of) -> None:
    """Copies that print no operands have copied the halves: which of them, no reader tells."""
    parts = "10[2 4]/4 1, 10[2 4]/4 1+8 = SplitTensorView(10)"
    half, other = (
        (
            "Contiguous()",
            f"{made + 1}[8] = Reshape({made}[2 4])",
            f"{made + 2} = Mul({made + 1}[8], 3)",
        )
        for made in (20, 30)
    )
    start, end = (GRADIENT, "10 = MatMul(90, 2)", parts), "40 = Add(22, 32)"
    left = trace_of(*start, *half, *other, end)
    for reads in ("22, 22", "32, 32"):
        right = trace_of(*start, *half, *other, f"40 = Add({reads})")
        assert suspects(compare(left, right, Request()))


def test_a_compiler_folds_what_goes_into_a_last_constant(trace_of) -> None:
    """Half of the gradient of a mean depends on no tensor: only the division is left to run."""
    end = ("14 = Tile(13)", "15 = Mul(14, 3)")
    left = trace_of("1 = Dense(2, 3)", "11 = Ones()", "12 = Neg(11)", "13 = RealDiv(12)", *end)
    right = trace_of("1 = Dense(2, 3)", "13 = RealDiv()", *end)
    assert suspects(compare(left, right, Request())) == []
    right = trace_of("1 = Dense(2, 3)", "13 = RealDiv(1)", *end)
    assert suspects(compare(left, right, Request()))


@pytest.mark.parametrize(("second", "same"), [("62", True), ("63", False)])
def test_constants_tell_which_part_a_graph_takes(trace_of, second: str, same: bool) -> None:
    """They are listed and never printed: the same ones take the same part."""

    def part(made: int, end: str) -> str:
        return f"{made}[2 2] = StridedSlice-op{made}(10[4 2], 61:I64[], {end}:I64[])"

    start = (GRADIENT, "10[4 2] = ReluGrad(90, 2)")
    one, two = (f"{made}[2 2] = Mul({made - 1}[2 2], 3[2 2])" for made in (12, 14))
    left = trace_of(*start, part(11, "62"), one, part(13, second), two, "15 = Add(12, 14)")
    right = trace_of(*start, part(11, "62"), one, "15 = Add(12, 12)")
    assert (not suspects(compare(left, right, Request()))) == same


def test_an_op_of_the_backward_stands_in_for_no_constant_of_the_forward(trace_of) -> None:
    zeros, end = "11 = aten::new_zeros(10)", "12 = aten::exp(10)"
    left = trace_of("10 = aten::mm(1, 2)", zeros, end, BACKWARD)
    right = trace_of("10 = aten::mm(1, 2)", end, BACKWARD, "91 = aten::mul(10, 90)")
    comparison = compare(left, right, Request())
    assert Kind.OP_TYPE not in [each.kind for each in comparison.divergences]


def test_two_products_with_numbers_that_are_not_printed_are_two_values(trace_of) -> None:
    """In the backward, too: a graph may run the one that feeds the mean first."""
    start = ("5 = aten::mm(1, 2)", "6 = aten::threshold_backward(5, 3)")
    ends = ("20 = Tile(10)", "21 = Exp(20)", "22 = Sin(11)", "23 = Add(21, 22)")
    left = trace_of(*start, "10 = Muls(6)", "11 = Muls(6)", *ends)
    right = trace_of(*start, "11 = Muls(6)", "10 = Muls(6)", *ends)
    comparison = compare(left, right, Request())
    assert suspects(comparison) == []
    assert comparison.left.partner.tolist()[2:4] == [3, 2]


def test_what_both_compute_again_is_the_same_only_if_what_it_repeats_is(trace_of) -> None:
    """Each runs something of its own twice, at the same place."""
    note = "args=(_)"
    start = (
        f"10 = aten::exp(1[4 4]/4 1+0) {note}",
        f"11 = aten::exp(2[4 4]/4 1+0) {note}",
        "12 = aten::mm(10, 11)",
        "13 = aten::threshold_backward(12, 80)",
    )
    again = "20 = aten::exp({}[4 4]/4 1+0) " + note
    left = trace_of(*start, again.format(1), "21 = aten::mul(13, 20)", "22 = aten::add(21, 11)")
    right = trace_of(*start, again.format(2), "21 = aten::mul(13, 10)", "22 = aten::add(21, 20)")
    comparison = compare(left, right, Request())
    assert suspects(comparison) == []
    assert comparison.left.partner[4] == -1


def test_what_is_computed_three_times_counts_as_the_first(trace_of) -> None:
    """The last two look alike before it is known that they read what the first reads."""
    gates = ("{1} = aten::sigmoid({0}) args=(_)", "{2} = aten::sub({1}) args=(1, _)")
    start = "10 = aten::mm(1, 2[4 4]/1 4+0)"
    first = [line.format(10, 11, 12) for line in gates]
    forward = (start, *first, "13 = aten::mul(12, 3) args=(_, _)", "14 = aten::nll_loss(13)")
    backward = "20 = aten::nll_loss_backward(14, {})"
    again = [line.format(10, 21, 22) for line in gates]
    more = ("23 = aten::mul(22, 3) args=(_, _)", "24 = aten::sub(21) args=(1, _)")
    end = "25 = aten::mul(20, {})", "26 = aten::mul(25, {})", "27 = aten::exp(26)"
    left = trace_of(
        *forward, backward.format(13), *(line.format(12 + at) for at, line in enumerate(end))
    )
    ends = [line.format(at) for line, at in zip(end, (24, 23, 0), strict=True)]
    numbered = trace_of(*forward, backward.format(13), *again, *more, *ends)
    assert suspects(compare(left, numbered, Request())) == []


OF_LOGITS = "{} = aten::_log_softmax_backward_data({}, {})"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("target", "weight", "same"),
    [("4:Int64", "54[]", True), ("7:Int64", "54[]", False), ("4:Int64", "8[]", False)],
)
def test_the_gradients_of_two_losses_of_one_target_are_one(
    trace_of, target: str, weight: str, same: bool, turned: bool
) -> None:
    """They take but the shape of what went into the loss; a compiler makes them once."""
    start = (
        "40 = aten::mm(1, 2)", "41 = aten::_log_softmax(40)", "42 = aten::tanh(40)",
        "43 = aten::_log_softmax(42)",
    )  # fmt: skip
    losses = (
        "50[], 51[] = aten::nll_loss_forward(41, 4:Int64) args=(_, _, None, 1, -100)",
        f"53[], 54[] = aten::nll_loss_forward(43, {target}) args=(_, _, None, 1, -100)",
        "55[] = aten::add(50[], 53[])", "56[] = aten::ones_like(55[])",
    )  # fmt: skip
    gradient = "{} = aten::nll_loss_backward(56[], {}, {}, {}) args=(_, _, _, None, 1, -100, _)"
    first = gradient.format(60, 41, "4:Int64", "51[]")
    again = gradient.format(61, 43, target, weight)
    left = trace_of(
        *start, *losses, first, again, OF_LOGITS.format(62, 61, 43), OF_LOGITS.format(63, 60, 41)
    )
    right = trace_of(
        *start, *losses, first, OF_LOGITS.format(62, 60, 43), OF_LOGITS.format(63, 60, 41)
    )
    found = compare(*((right, left) if turned else (left, right)), Request())
    assert (suspects(found) == []) is same
