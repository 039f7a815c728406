"""What compiled graphs do otherwise: hidden copies, constants folded, another schedule."""

from __future__ import annotations

import pytest

from opdiff.compare import Direction, Kind, Request, Rules, compare, comparing
from opdiff.compare.judging import harm
from opdiff.compare.names.table import table_for
from opdiff.compare.names.vocabulary import vocabulary
from opdiff.compare.pairing import steps as pairing
from opdiff.compare.pairing.congruence import Congruence
from opdiff.structure import phase_marks

MADE = "10[4 12] = MatMul(1, 2)"
SPLIT = "10[4 4]/12 1, 10[4 4]/12 1+4, 10[4 4]/12 1+8 = SplitTensorView(10[4 12])"


def kinds(comparison) -> set[Kind]:
    return {divergence.kind for divergence in comparison.divergences}


def suspects(comparison) -> list[Kind]:
    return [each.kind for each in comparison.divergences if not each.harmless]


def read_eagerly(*, first: int, second: int) -> list[str]:
    """Two parts of a split, each copied before it is read; in this order."""
    parts = (f"10[4 4]/12 1+{first}", f"10[4 4]/12 1+{second}")
    return [
        MADE,
        SPLIT,
        f"20 = Contiguous({parts[0]})",
        "21 = Exp(20)",
        f"22 = Contiguous({parts[1]})",
        "23 = Tanh(22)",
        "24 = Mul(21, 23)",
    ]


COMPILED = [MADE, SPLIT, "Contiguous()", "31 = Exp(30)", "Contiguous()", "33 = Tanh(32)"]


def test_a_copy_without_operands_has_copied_what_the_other_side_reads(trace_of) -> None:
    right = trace_of(*COMPILED, "34 = Mul(31, 33)")
    comparison = compare(trace_of(*read_eagerly(first=0, second=4)), right, Request())
    assert comparison.right.partner.tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert Kind.DATAFLOW not in kinds(comparison)


def test_another_value_than_any_that_was_viewed_is_no_copy(trace_of) -> None:
    other = "40 = Exp(30:F16)", "41 = Mul(40, 10[4 4]/12 1)"
    left = trace_of(MADE, SPLIT, "20 = Contiguous(10[4 4]/12 1)", "21 = Exp(20)", "22 = Sum(21)")
    right = trace_of(MADE, SPLIT, "Contiguous()", *other, "42 = Sum(41)")
    assert suspects(compare(left, right, Request()))


def test_the_only_view_right_before_its_copy_is_certain(trace_of) -> None:
    trace = trace_of(MADE, "10[4 4]/12 1+8 = Slice(10[4 12])", "Contiguous()", "31 = Exp(30)")
    (copy,) = trace.hidden_copies.values()
    assert copy.reader == 3
    assert copy.sources == (10,)


def test_nothing_is_hidden_where_all_is_printed(trace_of) -> None:
    assert not trace_of(*read_eagerly(first=0, second=4)).hidden_copies


def test_constants_that_are_folded_into_an_op_change_nothing(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = trace_of("5 = Abs(1)", "6 = OnesLike(5)", "7 = MaskedFill(6, 5)", "8 = Sum(7)")
    right = trace_of("5 = Abs(1)", "7 = MaskedFill(5)", "8 = Sum(7)")
    assert not suspects(compare(left, right, Request()))
    monkeypatch.setattr(harm, "_lacks_constants", lambda *_: False)
    assert suspects(compare(left, right, Request())) == [Kind.OPERANDS]


def test_an_operand_that_depends_on_a_tensor_is_missed(trace_of) -> None:
    left = trace_of("5 = Abs(1)", "6 = Exp(5)", "7 = MaskedFill(6, 5)", "8 = Sum(7)", "9 = Neg(6)")
    right = trace_of("5 = Abs(1)", "6 = Exp(5)", "7 = MaskedFill(5)", "8 = Sum(7)", "9 = Neg(6)")
    assert Kind.OPERANDS in suspects(compare(left, right, Request()))


def test_constants_that_are_computed_beforehand_change_nothing(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    constants = ("2 = Arange()", "3 = Neg(2)", "4 = Exp(3)")
    left = trace_of(*constants, "5 = Mul(1, 4)", "6 = Sum(5)")
    right = trace_of("5 = Mul(1, 9)", "6 = Sum(5)")
    assert {each.harmless for each in compare(left, right, Request()).divergences} == {True}
    monkeypatch.setattr(harm, "_folded_away", lambda _side, _matching, _which, rows: rows < 0)
    assert suspects(compare(left, right, Request()))


def test_a_value_in_the_place_of_a_constant_is_told(trace_of) -> None:
    made = ("5 = aten::mm(1, 2)",)
    left = trace_of(*made, "6 = aten::full()", "7 = aten::mul(5, 6)", "8 = aten::sum(7)")
    right = trace_of(*made, "7 = aten::mul(5, 5)", "8 = aten::sum(7)")
    for one, other in ((left, right), (right, left)):
        assert suspects(compare(one, other, Request())) == [Kind.DATAFLOW]


def test_a_graph_may_run_ahead_for_what_comes_after_the_anchor(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = trace_of("5 = Abs(1)", "6 = Sum(5)", "7 = Square(5)", "8 = TanhGrad(7, 6)")
    right = trace_of("5 = Abs(1)", "7 = Square(5)", "6 = Sum(5)", "8 = TanhGrad(7, 6)")
    request = Request(Direction.UP, 1, 2)
    assert suspects(compare(left, right, request)) == [Kind.ONLY_RIGHT]
    monkeypatch.setattr(harm, "names_gradients", lambda _: True)
    assert not suspects(compare(left, right, request))


def test_what_the_anchor_depends_on_is_never_for_later(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harm, "names_gradients", lambda _: True)
    left = trace_of("5 = Abs(1)", "6 = Sum(5)", "8 = TanhGrad(5, 6)")
    right = trace_of("5 = Abs(1)", "7 = Square(5)", "6 = Sum(7)", "8 = TanhGrad(7, 6)")
    assert Kind.ONLY_RIGHT in suspects(compare(left, right, Request(Direction.UP, 1, 2)))


ONE_BY_ONE = (
    "11 = Exp(1)", "12 = Tanh(1)", "13 = Abs(1)", "14 = Sin(1)",
    "15 = Add(11, 12)", "16 = Add(15, 13)", "17 = Add(16, 14)", "18 = Sum(17)",
)  # fmt: skip
AT_ONCE = (*ONE_BY_ONE[:4], "17 = AddN(11, 12, 13, 14)", "18 = Sum(17)")


def test_terms_added_one_by_one_or_at_once_are_the_same_sum(trace_of) -> None:
    for left, right in ((ONE_BY_ONE, AT_ONCE), (AT_ONCE, ONE_BY_ONE)):
        comparison = compare(trace_of(*left), trace_of(*right), Request())
        assert kinds(comparison) == {Kind.FUSED}


def test_a_term_less_is_another_sum(trace_of) -> None:
    less = (*ONE_BY_ONE[:4], "17 = AddN(11, 12, 13)", "18 = Sum(17)")
    assert suspects(compare(trace_of(*ONE_BY_ONE), trace_of(*less), Request()))


@pytest.mark.parametrize("single", ["20[16] = Reshape(14)", "20 = Copy(14)"])
def test_a_sum_of_one_term_is_no_part_of_another_sum(
    trace_of, monkeypatch: pytest.MonkeyPatch, single: str
) -> None:
    """A graph hands a gradient on by it, between the same two pairs as eager code adds two up."""
    shape = "[16]" if "Reshape" in single else ""
    handed = (single, f"21{shape} = AddN(20{shape})")
    ends = (f"30 = Cos(21{shape})", "19 = Exp(18)", "31 = Mul(19, 30)")
    left = (*ONE_BY_ONE[:4], single, *ONE_BY_ONE[4:], f"30 = Cos(20{shape})", *ends[1:])
    right = trace_of(*AT_ONCE[:4], *handed, *AT_ONCE[4:], *ends)
    assert not suspects(compare(trace_of(*left), right, Request()))
    monkeypatch.setattr(pairing, "_sums_of_others", lambda *_: False)
    assert suspects(compare(trace_of(*left), right, Request()))


STEP = ("5 = Abs(1)", "6 = Sum(5)", "7 = SumGrad(6)")
"""A forward and the first op of a backward."""


def test_ops_that_do_not_print_what_they_read_are_not_the_same_once_more(trace_of) -> None:
    ops = (
        "2 = Muls()",
        "3 = Muls()",
        *STEP,
        "8 = MulGrad(7, 2)",
        "9 = MulGrad(7, 3)",
        "10 = Sub(8, 9)",
    )
    right = (*ops[:-3], ops[-2], ops[-3], ops[-1])
    comparison = compare(trace_of(*ops), trace_of(*right), Request())
    assert not suspects(comparison)
    crossed = (*ops[:-1], "10 = Sub(9, 8)")
    assert Kind.DATAFLOW in kinds(compare(trace_of(*ops), trace_of(*crossed), Request()))


def test_a_block_is_read_like_the_ops_it_stands_for(trace_of) -> None:
    left = trace_of("4 = Abs(1)", "5 = aten::relu(2)", "6 = aten::_softmax(5)", "7 = Mul(6, 4)")
    softmax = (
        "11 = aten::amax(5)", "12 = aten::sub(5, 11)", "13 = aten::exp(12)",
        "14 = aten::sum(13)", "15 = aten::div(13, 14)",
    )  # fmt: skip
    right = trace_of("4 = Abs(1)", "5 = aten::relu(2)", *softmax, "16 = Mul(4, 4)")
    assert Kind.DATAFLOW in kinds(compare(left, right, Request()))


def test_an_exchange_never_costs_more_than_it_saves(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three branches in turn: the ring is closed, and nobody is left without a partner."""
    head = ("4 = Abs(1)", "5 = Sin(1)", "6 = Cos(1)")
    branch = [(f"{n}1 = Exp({n})", f"{n}2 = Mul({n}1, {n})") for n in (4, 5, 6)]
    tail = ("80 = Sub(42, 52)", "81 = Sub(80, 62)")
    left = trace_of(*head, *branch[0], *branch[1], *branch[2], *tail)
    right = trace_of(*head, *branch[1], *branch[2], *branch[0], *tail)
    comparison = compare(left, right, Request())
    assert kinds(comparison) == {Kind.MOVED}
    assert comparison.matched == len(left)
    monkeypatch.setattr(Congruence, "settle", lambda _: False)
    assert kinds(compare(left, right, Request())) != {Kind.MOVED}


def test_the_anchors_keep_apart_what_ran_in_another_order(trace_of) -> None:
    made = ("4 = Abs(1)", "5 = Sin(1)", "6 = Cos(1)", "7 = Tan(1)")
    left = trace_of(*made, "6 = AddInplace_(6, 4)", "7 = AddInplace_(7, 5)")
    right = trace_of(*made, "7 = AddInplace_(7, 5)", "6 = AddInplace_(6, 4)")
    assert not suspects(compare(left, right, Request(Direction.UP, 5, 5)))
    other = trace_of(*made, "7 = AddInplace_(7, 4)", "6 = AddInplace_(6, 4)")
    assert suspects(compare(left, other, Request(Direction.UP, 5, 5)))


def test_zeros_that_are_added_change_nothing(trace_of) -> None:
    left = trace_of("5 = aten::mm(1, 2)", "6 = aten::relu(5)")
    right = trace_of(
        "4 = aten::zeros()", "5 = aten::mm(1, 2)", "7 = aten::add(4, 5)", "6 = aten::relu(7)"
    )
    assert not suspects(compare(left, right, Request()))
    elsewhere = trace_of("5 = aten::mm(1, 2)", "6 = aten::relu(9)")
    assert suspects(compare(elsewhere, right, Request()))
    ones = trace_of(
        "4 = aten::ones()", "5 = aten::mm(1, 2)", "7 = aten::add(4, 5)", "6 = aten::relu(7)"
    )
    assert suspects(compare(left, ones, Request()))


FORWARD = (
    "5 = aten::mm(1, 2)",
    "6 = aten::zeros()",
    "6 = aten::scatter_(6, 5)",
    "7 = aten::mul(6, 5)",
)
AGAIN = ("15 = aten::mm(1, 2)", "16 = aten::zeros()", "16 = aten::scatter_(16, 15)")


def test_what_is_written_into_fresh_memory_again_is_the_same(trace_of) -> None:
    ends = ("8 = aten::sum(7)", "9 = aten::relu_backward(8, 7)")
    left = trace_of(*FORWARD, *ends, "20 = aten::mul_backward(9, 6)")
    right = trace_of(*FORWARD, *ends, *AGAIN, "20 = aten::mul_backward(9, 16)")
    assert not suspects(compare(left, right, Request()))
    other = (*AGAIN[:2], "16 = aten::scatter_(16, 9)")
    right = trace_of(*FORWARD, *ends, *other, "20 = aten::mul_backward(9, 16)")
    assert suspects(compare(left, right, Request()))


def test_the_counterpart_of_an_anchor_is_no_loss_by_itself(trace_of) -> None:
    made = ("4 = aten::mm(1, 2)", "5 = aten::sin(1)")
    left = trace_of(*made, "6 = aten::nll_loss(4, 5)", "7 = aten::mul(5)", "8 = aten::add(6, 7)")
    right = trace_of(*made, "6 = aten::nll_loss(4, 5)")
    comparison = compare(left, right, Request(Direction.UP, 4, 2))
    harmless = {each.left_rows: each.harmless for each in comparison.divergences}
    assert harmless[(2,)]
    assert not harmless[(3,)]


def test_a_detach_explains_the_gradient_of_what_is_read_beside_it(trace_of) -> None:
    forward = (
        "4 = aten::relu(1)",
        "5 = aten::mm(4, 2)",
        "6 = aten::mm(4, 3)",
        "7 = aten::mul(5, 6)",
    )
    detached = (
        forward[0],
        forward[1],
        "4 = aten::detach(4)",
        *forward[2:],
    )
    backward = (
        "10 = aten::mul_backward(7, 5)",
        "11 = aten::mul_backward(7, 6)",
        "12 = aten::mm(11, 2)",
        "13 = aten::mm(10, 3)",
        "14 = aten::add(12, 13)",
        "15 = aten::relu_backward(14, 4)",
    )
    cut = (*backward[:3], "15 = aten::relu_backward(12, 4)")
    comparison = compare(trace_of(*forward, *backward), trace_of(*detached, *cut), Request())
    first = comparison.groups[0]
    assert not first.harmless
    stop = comparison.divergences[first.members[0]]
    assert stop.right_rows == (2,)
    assert stop.caused_by is None, "what is lost follows from it, and it from nothing"
    for each in comparison.divergences:
        while each.caused_by is not None:
            each = comparison.divergences[each.caused_by]
        assert each == stop


def test_lists_are_taken_apart_by_what_single_ops_take(trace_of) -> None:
    """Of two lists of two tensors, not one of four; and a number for all is no member of a list."""
    singles = [
        line
        for n in (1, 2)
        for line in (
            f"{n}0[{n}] = aten::add_({n}0[{n}], {n}1[{n}])",
            f"{n}5[{n}] = aten::add_({n}5[{n}], {n}0[{n}])",
            f"{n}7[] = aten::add_({n}7[])",
        )
    ]
    lists = (
        "aten::_foreach_add_(10[1], 20[2], 11[1], 21[2])",
        "aten::_foreach_add_(15[1], 25[2], 10[1], 20[2])",
        "30[] = aten::lift_fresh(30[])",
        "aten::_foreach_add_(17[], 27[], 30[])",
    )
    comparison = compare(
        trace_of("1 = aten::mm(2, 3)", *singles), trace_of("1 = aten::mm(2, 3)", *lists), Request()
    )
    blocks = [each.left_rows for each in comparison.divergences if each.kind is Kind.FUSED]
    assert sorted(blocks) == [(1, 4), (2, 5), (3, 6)]
    assert not suspects(comparison)


def test_a_comparison_shows_the_traces_it_was_given(trace_of) -> None:
    left, right = (
        trace_of(*read_eagerly(first=0, second=4)),
        trace_of(*COMPILED, "34 = Mul(31, 33)"),
    )
    comparison = compare(left, right, Request())
    assert comparison.left.trace is left
    assert comparison.right.trace is right


def test_dead_code_that_a_compiler_leaves_out(trace_of, records) -> None:
    """Nobody reads it, and the backward that would has run; unlike what the last phase leaves."""
    forward = ("4 = aten::relu(1)", "5 = aten::mm(4, 2)")
    unread = ("6 = aten::mm(4, 3)", "7 = aten::add(6, 1)")
    backward = ("10 = aten::mm(5, 2)", "15 = aten::relu_backward(10, 4)")
    last = "16 = aten::sin(15)"
    left, right = trace_of(*forward, *unread, *backward, last), trace_of(*forward, *backward)
    harmless = {
        each.left_rows: each.harmless for each in compare(left, right, Request()).divergences
    }
    assert harmless == {(2,): True, (3,): True, (6,): False}
    # What is written in place stays when the run is over.
    written = ("6 = aten::mm(4, 3)", "9 = aten::add_(9, 6)")
    left = trace_of(*forward, *written, *backward)
    harmless = {
        each.left_rows: each.harmless for each in compare(left, right, Request()).divergences
    }
    assert harmless == {(2,): False, (3,): False}


@pytest.mark.parametrize(
    ("spread", "harmless"),
    [
        ("5[2 8 4] = BroadcastTo(4[8 4])", True),
        ("5[2 8 4] = Reshape(6[16 4])", False),
        ("4[8 4] = Neg(4[8 4])|5[2 8 4] = BroadcastTo(4[8 4])", False),
    ],
    ids=["spread", "another value", "changed before"],
)
def test_a_graph_spreads_weights_over_the_batch_beforehand(
    trace_of, spread: str, harmless: bool
) -> None:
    start = ("3[2 5 8] = Dense(1, 2)", "6[16 4] = Dense(1, 7)", "8[8 4] = Tanh(4[8 4])")
    left = trace_of(*start, "9[2 5 4] = MatMul(3[2 5 8], 4[8 4])")
    right = trace_of(*start, *spread.split("|"), "9[2 5 4] = BatchMatMul(3[2 5 8], 5[2 8 4])")
    comparison = compare(left, right, Request())
    assert all(each.harmless for each in comparison.divergences) == harmless


def test_a_graph_sets_a_state_early_for_what_comes_later(trace_of) -> None:
    """The power of a beta, which the optimizer reads; upward from the loss it has no part."""
    late = ("40 = Gradients/ReluGrad(30, 1)", "7 = Adam(7, 20, 40)")
    left = trace_of("30 = Neg(1)", *late)
    early = ("20[] = Mul(21[], 22[])", "21[] = Assign(21[], 20[])")
    right = trace_of(*early, "30 = Neg(1)", *late)
    assert suspects(compare(left, right, Request(Direction.UP, 0, 2))) == []
    assert suspects(compare(left, right, Request()))


def test_what_reads_an_inserted_op_may_lack_constants_too(trace_of) -> None:
    """The op is the difference; that a graph folds the axes of its reader is none."""
    left = trace_of("3 = Dense(1, 2)", "4 = ReduceMean(3, 90:Int64[1])", "5 = Neg(4)")
    right = trace_of("3 = Dense(1, 2)", "6 = Abs(3)", "4 = ReduceMean(6)", "5 = Neg(4)")
    assert suspects(compare(left, right, Request())) == [Kind.ONLY_RIGHT]


def test_no_op_of_the_forward_does_the_work_of_one_of_the_backward(trace_of) -> None:
    """A power may be a product, but the scale that is missing is none of the gradient's powers."""
    late = ("40 = Gradients/ReluGrad(30, 1)", "42 = Gradients/Mul(40, 41)")
    left = trace_of(
        "3 = Gather(1, 2)",
        "4 = Muls(3)",
        "5 = Square(4)",
        "30 = Neg(5)",
        late[0],
        "42 = Mul(40, 4)",
    )
    right = trace_of(
        "3 = Gather(1, 2)",
        "5 = Square(3)",
        "30 = Neg(5)",
        late[0],
        "41 = Gradients/Pow(3)",
        late[1],
    )
    comparison = compare(left, right, Request())
    assert Kind.FUSED not in kinds(comparison)
    assert comparison.groups[0].kind is Kind.ONLY_LEFT


def test_what_a_kernel_says_that_it_fuses_is_its_work_wherever_it_ran(trace_of) -> None:
    """Its name does not tell that the backward has begun."""
    start, end = "3 = MaxPool(2)", ("9 = Gradients/BiasAddGrad(8)", "10 = Gradients/ReluGrad(8, 3)")
    left = trace_of(start, "7 = Gradients/MaxPoolGrad(3, 2)", "8 = Gradients/ReluGrad(7, 2)", *end)
    right = trace_of(start, "8 = CustomFused(3, 2)", *end)
    comparison = compare(left, right, Request())
    assert [each.kind for each in comparison.divergences] == [Kind.FUSED]


def test_what_makes_the_substitute_of_an_op_is_part_of_it(trace_of) -> None:
    """Another activation: a graph has run most of it before the op in the place of the first."""
    start, end = ("3 = Dense(1, 2)", "4 = Tanh(3)"), ("9 = MatMul(8, 3)", "10 = Neg(9)")
    left = trace_of(*start, "8 = SiLU(4)", *end)
    right = trace_of(*start, "5 = Div(4)", "6 = Erf(5)", "7 = Add(6)", "8 = Mul(4, 7)", *end)
    comparison = compare(left, right, Request())
    assert comparison.divergences[comparison.groups[0].members[0]].left_rows == (2,)


def test_like_ops_that_are_read_in_the_same_place_are_one_statement(trace_of) -> None:
    """Eager code makes the mask in both layers; the graph made it once, and another one."""
    start = ("3 = Dense(1, 2)", "5 = Tanh(1)", "6 = Exp(1)")
    ends = ("8 = Select(7, 3)", "9 = MatMul(8, 3)", "11 = Select(10, 9)", "12 = Neg(11)")
    left = trace_of(*start, "7 = Greater(5)", *ends[:2], "10 = Greater(5)", *ends[2:])
    right = trace_of(*start, "10 = Greater(6)", "7 = Greater(5)", *ends)
    comparison = compare(left, right, Request())
    assert sum(not group.harmless for group in comparison.groups) == 1


@pytest.mark.parametrize("nothing", ["(_, [])", "(_, None)"])
def test_a_sum_over_no_dimension_in_particular_is_one_over_all(trace_of, nothing: str) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11[] = aten::sum(10) args=(_)")
    right = trace_of("10 = aten::mm(1, 2)", f"11[] = aten::sum(10) args={nothing}")
    assert kinds(compare(left, right, Request())) == set()


def test_a_decomposition_that_adds_at_an_index_is_known(trace_of) -> None:
    zeros = "10 = aten::new_zeros(1) args=(_, [4, 4])"
    left = trace_of(zeros, "11 = aten::index_add(10, 2, 3)", "12 = aten::exp(11)")
    right = trace_of(
        "10 = aten::full() args=([4, 4], 0)", "11 = aten::index_put(10, 2, 3)", "12 = aten::exp(11)"
    )
    assert suspects(compare(left, right, Request())) == []


def test_the_gates_of_a_cell_that_are_written_in_place(trace_of) -> None:
    """Eager cells split what they computed, and write over the parts; a graph makes values anew."""
    parts = "10[4 4]/8 1", "10[4 4]/8 1+4"
    left = trace_of(
        "10[4 8] = aten::mm(1, 2)",
        f"{parts[0]}, {parts[1]} = aten::unsafe_split(10[4 8])",
        f"{parts[0]} = aten::sigmoid_({parts[0]})",
        f"{parts[1]} = aten::tanh_({parts[1]})",
        f"12 = aten::mul({parts[0]}, {parts[1]})",
    )
    right = trace_of(
        "10[4 8] = aten::mm(1, 2)",
        f"{parts[0]}, {parts[1]} = aten::split(10[4 8])",
        f"20 = aten::sigmoid({parts[0]})",
        f"21 = aten::tanh({parts[1]})",
        "12 = aten::mul(20, 21)",
    )
    assert suspects(compare(left, right, Request())) == []


def test_the_last_gradients_are_handed_out_in_any_order(trace_of) -> None:
    """The last ops of two backwards need not be each other's."""
    start = "20 = aten::exp(1)", "21 = aten::tanh(20)", "22 = aten::sum(21)"
    left = trace_of(*start, "20 = aten::detach(20)")
    right = trace_of(*start, "21 = aten::detach(21)")
    assert suspects(compare(left, right, Request(Direction.UP, 3, 3))) == []


def test_a_graph_makes_again_what_only_its_backward_reads(trace_of) -> None:
    """Masks of the gradient: their scope is none of the backward's, their readers' are."""
    start, end = "10 = MatMul(1, 2)", "25 = Select(24, 22, 3)"
    left = trace_of(
        start,
        "40 = ReluGrad(10, 1)",
        "20 = GreaterEqual(7)",
        "21 = LogicalAnd(20)",
        "22 = Select(21, 40, 3)",
        "23 = GreaterEqual(7)",
        "24 = LogicalAnd(23)",
        end,
    )
    right = trace_of(
        start,
        "20 = Expand/GreaterEqual(7)",
        "21 = Gradients/LogicalAnd(20)",
        "23 = Expand/GreaterEqual(7)",
        "24 = Gradients/LogicalAnd(23)",
        "40 = Gradients/ReluGrad(10, 1)",
        "22 = Gradients/Select(24, 40, 3)",
        "25 = Gradients/Select(24, 22, 3)",
    )
    assert suspects(compare(left, right, Request())) == []


def test_what_feeds_a_substitute_is_part_of_it_though_the_backward_reads_it(trace_of) -> None:
    start, end = "10 = MatMul(1, 2)", ("12 = MatMul(11, 3)", "13 = Log(12)")
    late = "40 = Gradients/LogGrad(13)"
    left = trace_of(start, "11 = Tanh(10)", *end, late, "41 = Gradients/TanhGrad(11, 40)")
    right = trace_of(
        start,
        "20 = Sigmoid(10)",
        "11 = Mul(10, 20)",
        *end,
        late,
        "21 = Expand/Sigmoid(10)",
        "41 = Gradients/SigmoidGrad(21, 40)",
    )
    comparison = compare(left, right, Request())
    assert comparison.groups[0].kind is Kind.OP_TYPE
    assert comparison.divergences[comparison.groups[0].members[0]].left_rows == (1,)


def test_the_counterpart_of_an_anchor_may_read_what_several_ops_made(trace_of) -> None:
    """The last gradients are added up in another order, and a graph computes them by many ops."""
    start = ("30 = aten::zero_(30)", "40 = aten::zero_(40)", "5 = aten::mm(1, 2)")
    left = trace_of(
        *start,
        "6, 7 = aten::native_layer_norm_backward(5, 5, 8, 9)",
        "30 = aten::add_(30, 7)",
        "10 = aten::exp(5)",
        "40 = aten::add_(40, 10)",
    )
    block = ("16 = aten::mul(5, 5)", "17 = aten::mul(5, 8)", "18 = aten::mul(17, 9)")
    right = trace_of(
        *start, *block, "10 = aten::exp(5)", "40 = aten::add_(40, 10)", "30 = aten::add_(30, 18)"
    )
    request = Request(
        Direction.UP, 6, 8, equivalent_here=(((3,), (3, 4, 5)),), rules=Request().rules
    )
    assert suspects(compare(left, right, request)) == []


JOINED = "11[4 8] = aten::cat(10, 10)"
SPREAD = (
    "10[4 1 4]/4 4 1 = aten::unsqueeze(10)",
    "10[4 2 4]/4 0 1 = aten::expand(10[4 1 4]/4 4 1)",
    "11[4 2 4] = aten::clone(10[4 2 4]/4 0 1)",
    "11[4 8] = aten::view(11[4 2 4])",
)


def test_what_is_joined_with_itself_is_spread_out(trace_of) -> None:
    start, end = "10 = aten::mm(1, 2)", ("12[4 8] = aten::cos(11[4 8])", "13 = aten::mm(12, 3)")
    left, right = trace_of(start, JOINED, *end), trace_of(start, *SPREAD, *end)
    assert suspects(compare(left, right, Request())) == []
    other = "9 = aten::exp(10)"
    left = trace_of(start, other, "11[4 8] = aten::cat(10, 9)", *end)
    right = trace_of(start, other, *SPREAD, *end)
    assert suspects(compare(left, right, Request()))


@pytest.mark.parametrize(("axis", "quiet"), [(1, True), (4, False)])
def test_a_product_over_an_axis_of_one_is_one_of_numbers(trace_of, axis: int, quiet: bool) -> None:
    read = f"1[2 4 {axis}], 2[2 {axis} 4]"
    end = "4[2 4 4] = aten::cos(3[2 4 4])"
    left = trace_of(f"3[2 4 4] = aten::bmm({read})", end)
    right = trace_of(f"3[2 4 4] = aten::mul({read})", end)
    assert (suspects(compare(left, right, Request())) == []) is quiet


def test_what_an_anchor_is_told_is_no_matter_of_the_order(trace_of) -> None:
    """Anchors that are each other's counterparts differ in what they differ in."""
    start = ("5 = aten::mm(1, 2)", "6 = aten::_log_softmax(5)")
    left, right = (
        trace_of(*start, f"7[] = aten::nll_loss_forward(6, 3) args={told}")
        for told in ("(_, _, None, 1)", "(_, _, None, 2)")
    )
    assert suspects(compare(left, right, Request(Direction.UP, 2, 2))) == [Kind.ATTRS]


def test_a_detach_amid_those_of_a_compiler_is_told_by_what_reads_it(trace_of) -> None:
    """A compiler stops the gradients of all parameters, and of what it keeps for the backward."""
    weights = range(40, 46)
    kept = [f"{weight} = aten::detach({weight})" for weight in weights]
    layers = [f"{weight + 10} = aten::mm({weight + 9}, {weight})" for weight in weights]
    gate = ("30 = aten::mm(56, 3)", "31 = aten::silu(30)", "32 = aten::mul(31, 56)")
    start = "49 = aten::mm(1, 2)", *layers, "56 = aten::relu(55)"
    saved = [f"{weight + 10} = aten::detach({weight + 10})" for weight in weights]
    ends = ("33 = aten::nll_loss(32)", "60 = aten::nll_loss_backward(33)")
    lost = ("61 = aten::mul(60, 56)", "62 = aten::silu_backward(61, 30)", "63 = aten::mm(62, 56)")
    rest = ("64 = aten::mul(60, 31)", "65 = aten::mm_backward(64, 55)")
    left = trace_of(*start, *gate, *ends, *lost, *rest)
    stopped = (*gate[:2], "31 = aten::detach(31)", gate[2])
    right = trace_of(*kept, *start, *stopped, ends[0], *saved, ends[1], *rest)
    comparison = compare(left, right, Request())
    first = comparison.divergences[comparison.groups[0].members[0]]
    assert right.line_of(first.right_rows[0]) == right.line_of(len(kept) + len(start) + 2)


def test_names_of_eager_code_around_a_graph_are_none_of_the_graph(trace_of) -> None:
    left = trace_of("2 = Muls(1)", "5 = Exp(2)", "6 = Muls(5)", "7 = Mul(6, 5)")
    around = ("2 = Muls(1)", "5 = Default/Exp-op0(2)")
    right = trace_of(*around, "6 = Default/Mul-op1(5)", "7 = Default/Mul-op2(6, 5)")
    eager = trace_of("2 = Muls(1)", "5 = Exp(2)", "6 = Mul(5)", "7 = Mul(6, 5)")
    for other, one_family in ((right, True), (eager, False)):
        for pair in ((left, other), (other, left)):
            words = vocabulary(*pair, table_for(Rules()))
            family = dict(zip(words.types, words.family.tolist(), strict=True))
            assert (family["Muls"] == family["Mul"]) == one_family


def test_terms_that_are_viewed_are_the_sum_that_is_viewed(trace_of) -> None:
    terms = ("2 = Exp(1)", "3 = Tanh(1)", "4 = Abs(1)")
    views = [f"{number}[16] = Reshape({number})" for number in (4, 2, 3)]
    left = trace_of(*terms, *views, "5[16] = Add(4[16], 2[16])", "6[16] = Add(5[16], 3[16])")
    right = trace_of(*terms, "6 = AddN(2, 3, 4)", "6[16] = Reshape(6)")
    for pair in ((left, right), (right, left)):
        assert not suspects(compare(*pair, Request()))


def test_what_a_graph_makes_early_for_the_backward_is_read_after_the_forward(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = trace_of("5 = Abs(1)", "6 = Exp(5)", "7 = Sum(6)", "8 = TanhGrad(7, 5)", "9 = Neg(8)")
    early = ("5 = Default/Abs-op0(1)", "20 = Expand/_M/Square-op1(5)", "21 = Expand/_M/Cos-op2(20)")
    forward = ("6 = Default/Sin-op3(5)", "7 = Default/Sum-op4(6)")
    backward = ("8 = Gradients/Default/Grad_S/TanhGrad-op5(7, 21)",)
    right = trace_of(*early, *forward, *backward, "9 = Gradients/Default/Grad_S/Neg-op6(8)")
    for pair in ((left, right), (right, left)):
        assert compare(*pair, Request()).groups[0].kind is Kind.OP_TYPE
    monkeypatch.setattr(comparing, "told_phases", lambda sides, _: [each.phase for each in sides])
    assert compare(left, right, Request()).groups[0].kind is Kind.ONLY_RIGHT


def test_a_transposed_convolution_of_the_forward_is_no_gradient(trace_of) -> None:
    forward = ("2 = Default/Conv2DBackpropInput-op0(1)", "3 = Default/Exp-op1(2)")
    backward = "4 = Gradients/Default/Grad_Exp/Mul-op2(3)"
    assert phase_marks(trace_of(*forward, backward)).tolist() == [0, 0, 1]
    assert phase_marks(trace_of("1 = Exp(0)", *forward)).tolist() == [0, 1, 1]


def test_what_nobody_reads_is_dead_before_an_anchor_too(trace_of) -> None:
    start, dead, end = "5 = aten::mm(1, 2)", "9 = aten::embedding(3, 4)", "6 = aten::nll_loss(5)"
    behind = "7 = aten::nll_loss_backward(6)"
    left, right = trace_of(start, dead, end, behind), trace_of(start, end, behind)
    assert suspects(compare(left, right, Request(Direction.UP, 2, 1))) == []
    left, right = trace_of(start, dead, end), trace_of(start, end)
    assert suspects(compare(left, right, Request(Direction.UP, 2, 1))) == [Kind.ONLY_LEFT]


def test_another_weight_is_told_where_it_is_computed_with(trace_of) -> None:
    """Not at the view of it, of which nobody can tell what it is for."""
    layers = "5 = aten::exp(1)", "9 = aten::mul(5, 10)", "10 = aten::t(10)", "6 = aten::mm(5, 10)"
    left = trace_of(*layers)
    right = trace_of(*layers[:2], "20 = aten::t(20)", "6 = aten::mm(5, 20)")
    comparison = compare(left, right, Request())
    found = [(each.kind, each.left_rows) for each in comparison.divergences if not each.harmless]
    assert found == [(Kind.DATAFLOW, (3,))]


def test_what_the_backward_repeats_tells_no_more_of_a_weight(trace_of) -> None:
    """Of a weight that is read twice the first reader tells which it is: the second has another."""
    tied, untied = (
        trace_of(
            "5 = aten::embedding(10, 3:Int64[4])",
            "6 = aten::exp(5)",
            f"7 = aten::mm(6, {head})",
            "8 = aten::nll_loss(7)",
            "11 = aten::nll_loss_backward(8, 7)",
            f"12 = aten::mm(11, {head})",
            "13 = aten::mul(12, 6)",
        )
        for head in (10, 20)
    )
    comparison = compare(tied, untied, Request())
    first = comparison.divergences[comparison.groups[0].members[0]]
    assert (first.kind, first.left_rows) == (Kind.DATAFLOW, (2,))


def test_a_part_of_the_forward_is_no_other_part_in_the_backward(trace_of) -> None:
    """Both read the same value, but each takes another part of it."""
    start = ("5 = aten::exp(1)", "6 = aten::mm(1, 2)")
    here = "5[4]/1+{0} = aten::select(5) args=(_, 0, {0})"
    end = ("8[4] = aten::cos(6)", "9 = aten::nll_loss(8)", "11 = aten::nll_loss_backward(9)")
    chain = [f"{at} = aten::relu_backward({at - 1})" for at in range(12, 28)]
    left = trace_of(*start, here.format(1), "7[4] = aten::mul(5[4]/1+1, 6)", *end, *chain)
    again = (*chain[:8], here.format(2), "30[4] = aten::mul(5[4]/1+2, 19)", *chain[8:])
    right = trace_of(*start, *end, *again)
    assert Kind.ATTRS not in suspects(compare(left, right, Request()))


def test_anchors_that_hand_on_what_several_ops_make_do_not_differ(trace_of) -> None:
    """The last gradient handed out is another one, and a graph computes it by many ops."""
    start = ("5 = aten::mm(1, 2)", "6 = aten::exp(5)")
    one = "7 = aten::gelu(5)"
    many = ("17 = aten::mul(5, 5)", "18 = aten::mul(17, 5)", "7 = aten::mul(18, 17)")
    left = trace_of(*start, one, "6 = aten::detach(6)")
    right = trace_of(*start, *many, "7 = aten::detach(7)")
    request = Request(Direction.UP, 3, 5, equivalent_here=(((2,), (2, 3, 4)),))
    assert suspects(compare(left, right, request)) == []


def test_dead_code_may_be_copied_on_its_way(trace_of) -> None:
    start = ("5 = Abs(1)", "6 = Sum(5)", "7 = SumGrad(6)")
    dead = ("20 = Mul(7, 5)", "21 = Contiguous(20[4 4]/4 1+0)", "22 = Div(21, 5)")
    step = "9 = Momentum(9, 7)"
    left, right = trace_of(*start, *dead, step), trace_of(*start, step)
    for pair in ((left, right), (right, left)):
        assert not suspects(compare(*pair, Request()))
    upward = Request(Direction.UP, 5, 2)
    alive = (*start, *dead, "10 = Momentum(10, 22)", step)
    assert suspects(compare(trace_of(*alive), right, upward))


def test_a_detach_explains_a_sum_of_gradients_that_lost_a_term(trace_of) -> None:
    """The sum itself reads gradients alone: what is read along with it tells of what it is one."""
    start = ("4 = aten::mm(1[4 8], 2)", "5 = aten::exp(4)")
    ends = ("7 = aten::add(4, 3)", "8 = aten::mul(7, 5)", "9 = aten::nll_loss(8)")
    late = ("10 = aten::nll_loss_backward(9)", "11 = aten::exp_backward(10, 5)")
    left = trace_of(*start, *ends, *late, "12 = aten::add(11, 10)", "13 = aten::mm(12, 1[4 8])")
    right = trace_of(*start, "4 = aten::detach(4)", *ends, *late, "13 = aten::mm(11, 1[4 8])")
    comparison = compare(left, right, Request())
    first = comparison.divergences[comparison.groups[0].members[0]]
    assert first.right_rows == (2,)


@pytest.mark.parametrize(
    ("read", "harmless"),
    [("5[1 6], 6[6 1]", True), ("7[6 1], 8[1 6]", False)],
    ids=["as before", "the other way round"],
)
def test_a_row_that_is_subtracted_is_no_column(trace_of, read: str, harmless: bool) -> None:
    """As many elements, and the same: but spread along the other axis."""
    views = ("5[1 6] = aten::view(4[6])", "6[6 1] = aten::view(4[6])")
    turned = ("7[6 1] = aten::view(4[6])", "8[1 6] = aten::view(4[6])")
    start, end = "4[6] = aten::exp(1[6])", "10[6 6] = aten::cos(9[6 6])"
    left = trace_of(start, *views, "9[6 6] = aten::sub(5[1 6], 6[6 1])", end)
    right = trace_of(start, *(views if harmless else turned), f"9[6 6] = aten::sub({read})", end)
    found = compare(left, right, Request()).groups
    assert all(group.harmless for group in found) is harmless


def test_elements_in_their_order_of_transposed_axes_are_in_another_order(trace_of) -> None:
    start, end = "4[2 3 4] = Conv2D(1, 2)", "7 = Exp(6[2 12])"
    left = trace_of(start, "5[2 4 3] = TransposeView(4[2 3 4])", "6[2 12] = Reshape(5[2 4 3])", end)
    right = trace_of(start, "6[2 12] = Reshape(4[2 3 4])", end)
    assert suspects(compare(left, right, Request()))


def test_a_graph_prints_no_result_of_what_it_writes_in_place(trace_of) -> None:
    start = "5 = Mul(1, 2)"
    left = trace_of(start, "3 = Assign(3, 5)", "6 = Exp(5)")
    right = trace_of(start, "Assign(3, 5)", "6 = Exp(5)")
    for pair in ((left, right), (right, left)):
        assert suspects(compare(*pair, Request())) == []


def test_shapes_are_compared_where_no_result_is_printed(trace_of) -> None:
    left, right = trace_of("Mul(1[2 3])"), trace_of("Mul(1[3 2])")
    assert len(compare(left, right, Request()).divergences) == 1


def test_a_product_of_matrices_spreads_nothing(trace_of) -> None:
    """One takes the bias first and its weights turned, the other the bias last: one job."""
    made, read = "4[4 64]", ("1[64]", "2[4 16]", "3[16 64]")
    left = trace_of("2[4 16] = aten::relu(5[4 16])", f"{made} = aten::addmm({', '.join(read)})")
    right = trace_of(
        "2[4 16] = aten::relu(5[4 16])", f"{made} = aten::linear(2[4 16], 3[64 16], 1[64])"
    )
    assert suspects(compare(left, right, Request())) == []


def test_a_product_of_matrices_that_lost_its_bias_is_another_one(trace_of) -> None:
    """The two names are known for one job, which is not to say that they read the same."""
    start = "2[4 16] = aten::relu(5[4 16])"
    left = trace_of(start, "4[4 64] = aten::addmm(1[64], 2[4 16], 3[16 64])")
    right = trace_of(start, "4[4 64] = aten::mm(2[4 16], 3[16 64])")
    assert suspects(compare(left, right, Request())) == [Kind.OPERANDS]


def test_a_part_of_one_of_several_results_is_no_other_result(trace_of) -> None:
    """A norm hands out statistics too; where it is written out its only result has parts."""
    parts = [
        line
        for at in (0, 1)
        for line in (
            f"5[2 8]/16 1+{at * 8} = aten::select(5[2 2 8])",
            f"{at + 30}[2 8] = aten::exp(5[2 8]/16 1+{at * 8})",
        )
    ]
    left = trace_of("5[2 2 8], 6[2 2 1], 7[2 2 1] = aten::native_layer_norm(4[2 2 8])", *parts)
    norm = (
        "6[2 2 1], 8[2 2 1] = aten::var_mean(4[2 2 8])", "9[2 2 1] = aten::add(6[2 2 1])",
        "10[2 2 1] = aten::rsqrt(9[2 2 1])", "11[2 2 8] = aten::sub(4[2 2 8], 8[2 2 1])",
        "5[2 2 8] = aten::mul(11[2 2 8], 10[2 2 1])",
    )  # fmt: skip
    assert suspects(compare(left, trace_of(*norm, *parts), Request())) == []


def test_a_pool_keeps_what_indices_it_likes(trace_of) -> None:
    """Offsets in each window on one side, and of all on the other; the gradient takes either."""
    start, end = "4[2 8] = aten::relu(3[2 8])", "9[2 8] = aten::exp(8[2 8])"
    left = trace_of(
        start,
        "5[2 4], 6:Int64[2 4] = aten::max_pool2d_with_indices(4[2 8])",
        "8[2 8] = aten::max_pool2d_with_indices_backward(5[2 4], 4[2 8], 6:Int64[2 4])",
        end,
    )
    right = trace_of(
        start,
        "5[2 4], 6:Int8[2 4] = prims::_low_memory_max_pool_with_offsets(4[2 8])",
        "7:Int64[2 4] = prims::_low_memory_max_pool_offsets_to_indices(6:Int8[2 4])",
        "10[2 8] = aten::full()",
        "8[2 8] = aten::scatter_add(10[2 8], 7:Int64[2 4], 5[2 4])",
        end,
    )
    assert suspects(compare(left, right, Request())) == []


def test_gradients_may_be_handed_out_in_any_order_behind_the_anchor(trace_of) -> None:
    """What nobody reads up to the anchor has no part in it."""
    start = ("5 = aten::exp(1)", "6, 7 = aten::native_layer_norm_backward(5, 2)")
    end = ("8 = aten::exp(5)", "9 = aten::add_(6, 3)", "10 = aten::add_(7, 3)")
    left = trace_of(*start, "6 = aten::detach(6)", "7 = aten::detach(7)", *end)
    right = trace_of(*start, "7 = aten::detach(7)", "6 = aten::detach(6)", *end)
    assert suspects(compare(left, right, Request(Direction.UP, 4, 4))) == []


def test_of_two_detaches_each_explains_its_own_gradients(trace_of) -> None:
    """The backward saves what was detached by such an op, too, which is not its counterpart."""
    norm = ("{0}5 = aten::pow({0}4)", "{0}6 = aten::mean({0}5)", "{0}7 = aten::rsqrt({0}6)")
    stop, scaled = "{0}7 = aten::detach({0}7)", "{0}8 = aten::mul({0}4, {0}7)"
    gradient = "{0}31 = aten::mul({1}, {0}7)"
    whole = (
        gradient, "{0}32 = aten::mul({1}, {0}4)", "{0}33 = aten::sum({0}32)",
        "{0}7 = Gradients/aten::detach({0}7)",
        "{0}34 = Gradients/aten::pow({0}7)", "{0}35 = aten::mul({0}33, {0}34)",
        "{0}36 = aten::mul({0}4, {0}35)", "{0}37 = aten::add({0}31, {0}36)",
    )  # fmt: skip
    traces = []
    for forward, backward, made in (
        ((*norm, scaled), whole, 37),
        ((*norm, stop, scaled), (gradient,), 31),
    ):
        traces.append(
            trace_of(
                "14 = aten::mm(1, 2)", *(line.format(1) for line in forward),
                "24 = aten::mm(18, 3)", *(line.format(2) for line in forward),
                "40 = aten::nll_loss(28)", "41 = aten::nll_loss_backward(40)",
                *(line.format(2, 41) for line in backward), f"42 = aten::mm(2{made}, 3)",
                *(line.format(1, 42) for line in backward), f"43 = aten::mm(1{made}, 2)",
            )
        )  # fmt: skip
    found = compare(*traces, Request())
    first = found.groups[0]
    assert "gradients end here" in str(first.title)
    assert first.count == 2
    assert all(group.harmless or not group.root for group in found.groups[1:])


def test_what_only_gives_its_shape_is_dead(trace_of) -> None:
    start, dead = "5 = aten::mm(1, 2)", "6 = aten::mul(5, 3)"
    end = ("7 = aten::zeros_like({})", "8 = aten::add(5, 7)", "9 = aten::relu_backward(8, 5)")
    behind = "10 = aten::mul_(10, 9)"
    left = trace_of(start, dead, *(line.format(6) for line in end), BEHIND, behind)
    right = trace_of(start, *(line.format(5) for line in end), BEHIND, behind)
    for pair in ((left, right), (right, left)):
        assert suspects(compare(*pair, Request())) == []


BEHIND = "profiler::_record_function_enter_new() name=Optimizer.step"


@pytest.mark.parametrize("made", ["BFloat16", "Float32"])
def test_an_expansion_in_half_precision_is_rounded_at_its_end(trace_of, made: str) -> None:
    """Not if the op does not round by itself, but computes in single precision as well."""
    start = "10:BFloat16 = aten::mm(1:BFloat16, 2:BFloat16)"
    end = "30:Float32 = aten::exp(20:{0})", "31:Float32 = aten::sum(30:Float32)"
    left = trace_of(
        start, f"20:{made} = aten::silu(10:BFloat16)", *(line.format(made) for line in end)
    )
    right = trace_of(
        start,
        "11:Float32 = aten::_to_copy(10:BFloat16)",
        "12:Float32 = aten::sigmoid(11:Float32)",
        "13:Float32 = aten::mul(11:Float32, 12:Float32)",
        "20:BFloat16 = aten::_to_copy(13:Float32)",
        *(line.format("BFloat16") for line in end),
    )
    for pair in ((left, right), (right, left)):
        assert bool(suspects(compare(*pair, Request()))) is (made == "Float32")


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("second", [15, 16])
def test_a_view_that_is_left_behind_has_no_place(trace_of, second: int, turned: bool) -> None:
    """Two are paired that hand on different values: what computes with these tells of itself."""
    start = ("16 = aten::relu(1)", "10 = aten::mm(16, 2)")
    left = trace_of(
        *start,
        "15 = aten::_log_softmax(10)",
        "15 = aten::detach(15)",
        "17 = aten::nll_loss(15)",
        "18 = aten::sigmoid_backward(17, 16)",
    )
    right = trace_of(
        *start,
        *LOG_SOFTMAX,
        f"{second} = aten::detach({second})".replace("15", "25"),
        f"17 = aten::nll_loss({25 if second == 15 else 16})".replace("16", "25"),
        "18 = aten::sigmoid_backward(17, 16)",
    )
    comparison = compare(*((right, left) if turned else (left, right)), Request())
    assert suspects(comparison) == []


LOG_SOFTMAX = (
    "21 = aten::amax(10)", "22 = aten::sub(10, 21)", "23 = aten::exp(22)", "24 = aten::sum(23)",
    "26 = aten::log(24)", "25 = aten::sub(22, 26)",
)  # fmt: skip


def test_a_loss_gives_its_gradient_the_shape_and_is_not_dead(trace_of) -> None:
    start, end = "5 = aten::nll_loss(1, 2)", "7 = aten::nll_loss_backward(6, 5)"
    left = trace_of(start, "8 = aten::mul(5) args=(_, 0.5)", "6 = aten::ones_like(8)", end, BEHIND)
    right = trace_of(start, "6 = aten::ones_like(5)", end, BEHIND)
    for pair in ((left, right), (right, left)):
        assert suspects(compare(*pair, Request()))


def test_an_index_is_no_shift(trace_of) -> None:
    """It may put elements in any order: by names alone the two are not known for one job."""
    start, end = "3[6 8] = aten::exp(1[6 8])", "9[6 8] = aten::sin(5[6 8])"
    left = trace_of(start, "5[6 8] = aten::roll(3[6 8])", end)
    right = trace_of(start, "5[6 8] = aten::index(3[6 8], 7:Int64[6])", end)
    assert suspects(compare(left, right, Request()))


def test_a_weight_in_the_place_of_another_is_seen_where_a_graph_flattens(trace_of) -> None:
    """Names of one job on other shapes of the same elements: what they read tells all the same."""
    start = ("2[2 7 4] = Exp(1[2 7 4])", "5[9 4] = Square(7[9 4])", "6[9 4] = Neg(7[9 4])")
    left = trace_of(*start, "3[2 7 9] = Dense(2[2 7 4], 5[9 4])", "4[2 7 9] = Sin(3[2 7 9])")
    for weight, verdict in ((5, []), (6, [Kind.DATAFLOW])):
        right = trace_of(
            *start,
            "2[14 4] = Reshape(2[2 7 4])",
            f"3[14 9] = MatMul(2[14 4], {weight}[9 4])",
            "3[2 7 9] = Reshape(3[14 9])",
            "4[2 7 9] = Sin(3[2 7 9])",
        )
        assert suspects(compare(left, right, Request())) == verdict
        assert suspects(compare(right, left, Request())) == verdict
