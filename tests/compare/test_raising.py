"""Expansions that are found by their value graphs, and what is lowered again."""

from __future__ import annotations

from typing import Any

import pytest

from opdiff.compare import Direction, Kind, Request, Rules, compare, comparing
from opdiff.compare.names.idioms import idioms_of
from opdiff.compare.names.spelling import canonical
from opdiff.compare.names.table import idiom_lines
from opdiff.compare.pairing import raising
from opdiff.compare.pairing import steps as pairing
from opdiff.compare.pairing.congruence import Congruence
from opdiff.compare.records.attributes import attribute_changes

SOFTMAX = (
    "11 = aten::amax(10)",
    "12 = aten::sub(10, 11)",
    "13 = aten::exp(12)",
    "14 = aten::sum(13)",
    "15 = aten::div(13, 14)",
)
LOG_SOFTMAX = (
    "11 = aten::amax(10)",
    "12 = aten::sub(10, 11)",
    "13 = aten::exp(12)",
    "14 = aten::sum(13)",
    "15 = aten::log(14)",
    "16 = aten::sub(12, 15)",
)


def kinds(comparison) -> list[Kind]:
    return [divergence.kind for divergence in comparison.divergences]


def test_an_expansion_is_one_block(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_softmax(10)", "12 = aten::mm(11, 3)")
    right = trace_of("10 = aten::mm(1, 2)", *SOFTMAX, "16 = aten::mm(15, 3)")
    comparison = compare(left, right, Request())
    assert kinds(comparison) == [Kind.FUSED]
    assert comparison.divergences[0].left_rows == (1,)
    assert comparison.divergences[0].right_rows == (1, 2, 3, 4, 5)
    assert all(group.harmless for group in comparison.groups)


def test_the_mirror_image_is_the_same(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", *SOFTMAX, "16 = aten::mm(15, 3)")
    right = trace_of("10 = aten::mm(1, 2)", "11 = aten::_softmax(10)", "12 = aten::mm(11, 3)")
    comparison = compare(left, right, Request())
    assert kinds(comparison) == [Kind.FUSED]
    assert comparison.divergences[0].left_rows == (1, 2, 3, 4, 5)


def test_an_op_that_is_missing_inside_is_no_expansion(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_softmax(10)", "12 = aten::mm(11, 3)")
    without_max = ("12 = aten::exp(10)", "13 = aten::sum(12)", "15 = aten::div(12, 13)")
    right = trace_of("10 = aten::mm(1, 2)", *without_max, "16 = aten::mm(15, 3)")
    comparison = compare(left, right, Request())
    assert Kind.FUSED not in kinds(comparison)
    assert not all(group.harmless for group in comparison.groups)


def test_the_same_names_that_read_otherwise_are_no_expansion(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_softmax(10)", "12 = aten::mm(11, 3)")
    wrong = (*SOFTMAX[:4], "15 = aten::div(12, 14)")  # divides what is not yet an exponential
    right = trace_of("10 = aten::mm(1, 2)", *wrong, "16 = aten::mm(15, 3)")
    comparison = compare(left, right, Request())
    assert not all(group.harmless for group in comparison.groups)


def test_what_both_sides_wrote_out_stays_as_it_is(trace_of) -> None:
    ops = ("10 = aten::mm(1, 2)", *SOFTMAX, "16 = aten::mm(15, 3)")
    one_more = ("17 = aten::_softmax(16)", "18 = aten::mm(17, 4)")
    left, right = trace_of(*ops, *one_more), trace_of(*ops, "18 = aten::mm(16, 4)")
    comparison = compare(left, right, Request())
    assert comparison.matched == 8
    assert {row for d in comparison.divergences for row in d.left_rows} >= {7}
    assert not any(d.kind is Kind.FUSED for d in comparison.divergences)


def test_an_anchor_on_the_end_of_an_expansion_is_a_pair_and_no_difference(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_log_softmax(10)")
    right = trace_of("10 = aten::mm(1, 2)", *LOG_SOFTMAX)
    comparison = compare(left, right, Request(Direction.UP, 1, 6))
    assert kinds(comparison) == [Kind.FUSED]
    assert comparison.left.partner[1] == 6


def test_an_anchor_within_an_expansion_leaves_it_as_it_is(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_log_softmax(10)", "12 = aten::neg(11)")
    right = trace_of("10 = aten::mm(1, 2)", *LOG_SOFTMAX, "17 = aten::neg(16)")
    comparison = compare(left, right, Request(Direction.WHOLE, None, None, pins=((0, 3),)))
    assert comparison.left.partner[0] == 3


def test_without_the_package_s_rules_nothing_is_raised(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::_softmax(10)", "12 = aten::mm(11, 3)")
    right = trace_of("10 = aten::mm(1, 2)", *SOFTMAX, "16 = aten::mm(15, 3)")
    comparison = compare(left, right, Request(rules=Rules(builtin=False)))
    assert Kind.FUSED not in kinds(comparison)


@pytest.mark.parametrize("line", idiom_lines()[::17])
def test_a_line_reads_only_what_stands_before_it(line: str) -> None:
    head, *parts = line.partition(" -> ")[0].split(" | ")
    known = int(head.split(" ")[1])
    for part in parts:
        assert all(int(at) < known for at in part.split(" ")[1:])
        known += 1
    results = [at for at in line.partition(" -> ")[2].split(" ") if at != "-"]
    assert results
    assert all(int(at) < known for at in results)


def test_views_and_constants_are_left_out_of_an_idiom() -> None:
    for idiom in idioms_of("nlllossforward"):
        assert {node.name for node in idiom.nodes} <= {
            *("ne", "where", "gather", "neg", "sum", "div", "mul"),
        }
        assert all(0 <= at < idiom.arguments + len(idiom.nodes) for at in idiom.results)


def test_a_value_that_everybody_reads_costs_each_reader_the_same(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    honest = Congruence._verdicts

    def counted(self: Congruence, *what: Any) -> list[bool | None]:
        nonlocal asked
        asked += 1
        return honest(self, *what)

    monkeypatch.setattr(Congruence, "_verdicts", counted)
    counts = []
    for size in (400, 1600):
        left, right = ["1 = aten::full()"], ["1 = aten::full()"]
        for a in range(10, 10 * size, 10):
            left += [f"{a} = aten::where(2, 3, 1)", f"{a + 1} = aten::_softmax({a})"]
            right += [
                f"{a} = aten::where(2, 3, 1)",
                f"{a + 2} = aten::amax({a})",
                f"{a + 3} = aten::sub({a}, {a + 2})",
                f"{a + 4} = aten::exp({a + 3})",
                f"{a + 5} = aten::sum({a + 4})",
                f"{a + 6} = aten::div({a + 4}, {a + 5})",
                f"{a + 7} = aten::where(2, {a + 6}, 1)",
            ]
        asked = 0
        compare(trace_of(*left), trace_of(*right), Request())
        counts.append(asked)
    assert counts[1] < 8 * counts[0]


def test_an_argument_that_is_not_given_may_be_said_or_not() -> None:
    said, unsaid = {"args": "(_, 0.0, attn_mask=None)"}, {"args": "(_, 0.0)"}
    assert attribute_changes(said, unsaid, across=False) == ()
    other = {"args": "(_, 0.5)"}
    assert attribute_changes(said, other, across=False) == (("args", "(_, 0.0)", "(_, 0.5)"),)


def test_an_op_expanded_in_one_place_only_is_found(trace_of) -> None:
    """Where a part of a run is compiled, most of its ops are on both sides."""
    others = tuple(f"{20 + n} = aten::_softmax({n})" for n in range(1, 6))
    left = trace_of(
        "10 = aten::mm(1, 2)", "11 = aten::_softmax(10)", "12 = aten::mm(11, 3)", *others
    )
    right = trace_of("10 = aten::mm(1, 2)", *SOFTMAX, "16 = aten::mm(15, 3)", *others)
    assert kinds(compare(left, right, Request())) == [Kind.FUSED]


def test_an_argument_that_is_a_constant_stays_outside(trace_of) -> None:
    """The gradient of a loss begins as a constant: it is no part of what reads it."""
    left = trace_of(
        "10 = aten::ones_like(1)",
        "11 = aten::div(10)",
        "12 = aten::nll_loss_backward(11, 2, 3, 4)",
        "13 = aten::mm(12, 5)",
    )
    right = trace_of(
        "10 = aten::ones_like(1)",
        "11 = aten::div(10)",
        "12 = aten::div(11, 4)",
        "13 = aten::ne(3)",
        "14 = aten::scalar_tensor()",
        "15 = aten::where(13, 3, 14)",
        "16 = aten::full_like(2)",
        "17 = aten::scatter(16, 15)",
        "18 = aten::where(13, 12, 14)",
        "19 = aten::mul(17, 18)",
        "20 = aten::mm(19, 5)",
    )
    assert kinds(compare(left, right, Request())) == [Kind.FUSED]


def test_an_expansion_that_runs_twice_is_no_suspect(trace_of) -> None:
    """Both stand for the same op on the same values; each has a counterpart of its own."""
    note = "args=(_, 1)"
    triu = ("aten::sub(11[4 1]/1 1+0, 11[1 4]/4 1+0)", "aten::ge({})", "aten::logical_and({}, 10)")

    def expanded(number: int, note: str) -> tuple[str, ...]:
        return (
            f"{number} = {triu[0]} args=(_, _)",
            f"{number + 1} = {triu[1].format(number)} {note}",
            f"{number + 2} = {triu[2].format(number + 1)} args=(_, _)",
        )

    ones = "10 = aten::ones() args=(4, 4)"
    end = "90 = aten::threshold_backward(41, 42)"
    left = trace_of(
        ones,
        f"20 = aten::triu(10) {note}",
        "21 = aten::mul(1[4 4]/1 4+0, 20)",
        f"30 = aten::triu(10) {note}",
        "31 = aten::mul(21, 30)",
        end,
    )
    right = trace_of(
        ones,
        "11 = aten::arange() args=(4)",
        *expanded(20, note),
        "25 = aten::mul(1[4 4]/1 4+0, 22)",
        *expanded(30, "args=(_, 1.0)"),
        "35 = aten::mul(25, 32)",
        end,
    )
    comparison = compare(left, right, Request())
    assert Kind.FUSED in kinds(comparison)
    assert all(group.harmless for group in comparison.groups)


def test_a_state_that_every_step_writes_is_no_result(trace_of) -> None:
    """A batch norm is given its statistics and writes over them, in the next step again."""

    def expanded(x: int, at: int) -> tuple[str, ...]:
        return (
            f"{at}, {at + 1} = aten::var_mean({x})",
            f"{at + 2} = aten::add({at})",
            f"{at + 3} = aten::rsqrt({at + 2})",
            f"{at + 4} = aten::sub({x}, {at + 1})",
            f"{at + 5} = aten::mul({at + 4}, {at + 3})",
            f"{at + 6} = aten::mul({at + 1})",
            f"{at + 7} = aten::mul(4)",
            f"{at + 8} = aten::add({at + 6}, {at + 7})",
            f"4 = aten::copy_(4, {at + 8})",
            f"{at + 9} = aten::mul({at})",
            f"{at + 10} = aten::mul({at + 9})",
            f"{at + 11} = aten::mul(5)",
            f"{at + 12} = aten::add({at + 10}, {at + 11})",
            f"5 = aten::copy_(5, {at + 12})",
            f"{at + 13} = aten::mul({at + 5}, 2)",
            f"{at + 14} = aten::add({at + 13}, 3)",
        )

    left = trace_of(
        "20 = aten::mm(1, 6)",
        "21, 22, 23 = aten::native_batch_norm(20, 2, 3, 4, 5)",
        "30 = aten::mm(21, 6)",
        "31, 32, 33 = aten::native_batch_norm(30, 2, 3, 4, 5)",
        "40 = aten::mm(31, 6)",
    )
    right = trace_of(
        "20 = aten::mm(1, 6)",
        *expanded(20, 100),
        "30 = aten::mm(114, 6)",
        *expanded(30, 200),
        "40 = aten::mm(214, 6)",
    )
    comparison = compare(left, right, Request())
    assert kinds(comparison).count(Kind.FUSED) == 2
    assert all(group.harmless for group in comparison.groups)


@pytest.mark.parametrize("turned", [False, True])
def test_parts_that_are_put_into_zeros_are_stacked(trace_of, turned: bool) -> None:
    """The gradient of ``a, b, c = x``: stacked in eager code, selected in compiled code."""
    sums = ("14 = aten::add(11, 12)", "15 = aten::add(14, 13)")
    if turned:
        sums = ("14 = aten::add(13, 12)", "15 = aten::add(14, 11)")
    parts = tuple(f"{10 + n} = aten::select_backward({n})" for n in (1, 2, 3))
    left = trace_of("10 = aten::stack(1, 2, 3)", "20 = aten::mm(10, 4)")
    right = trace_of(*parts, *sums, "20 = aten::mm(15, 4)")
    comparison = compare(left, right, Request())
    assert kinds(comparison) == [Kind.FUSED]
    assert all(group.harmless for group in comparison.groups)


def test_a_clamp_by_two_numbers_is_two_ops(trace_of) -> None:
    left = trace_of("10 = aten::mm(1, 2)", "11 = aten::clamp(10)", "12 = aten::mm(11, 3)")
    clamped = ("11 = aten::clamp_min(10)", "12 = aten::clamp_max(11)")
    right = trace_of("10 = aten::mm(1, 2)", *clamped, "13 = aten::mm(12, 3)")
    assert kinds(compare(left, right, Request())) == [Kind.FUSED]


SQUARES = ("11 = aten::sub(1, 2)", "12 = aten::pow(11)", "13[] = aten::{}(12)")


@pytest.mark.parametrize(
    ("told", "reduced", "same"),
    [
        ("(_, _)", "mean", True),
        ("(_, _)", "sum", False),
        ("(_, _, 2)", "sum", True),
        ("(_, _, 2)", "mean", False),
    ],
)
def test_a_loss_is_reduced_as_it_is_told(trace_of, told: str, reduced: str, same: bool) -> None:
    """A sum in the place of a mean was called the work of the loss."""
    start, end = "9 = aten::exp(1)", "14[] = aten::log(13[])"
    left = trace_of(start, f"13[] = aten::mse_loss(1, 2) args={told}", end)
    right = trace_of(start, *(line.format(reduced) for line in SQUARES), end)
    comparison = compare(left, right, Request())
    assert all(group.harmless for group in comparison.groups) is same
    assert (Kind.FUSED in kinds(comparison)) is same


@pytest.mark.parametrize(
    ("told", "bounds", "same"),
    [
        ("(_, -0.5, 0.5)", ("-0.5", "0.5"), True),
        ("(_, -0.5, 0.5)", ("-0.5", "0.7"), False),
        ("(_, -0.5, 0.5)", ("-1.0", "0.5"), False),
        ("(_, -0.5, 0.5)", ("-1.0", "1.0"), False),
    ],
)
def test_all_numbers_that_an_op_is_told_are_in_its_expansion(trace_of, told, bounds, same) -> None:
    """Which number is taken where is known of each op that PyTorch expands."""
    start, end = "10 = aten::mm(1, 2) args=(_, _)", "13 = aten::exp(12) args=(_)"
    clamps = (
        f"11 = aten::clamp_min(10) args=(_, {bounds[0]})",
        f"12 = aten::clamp_max(11) args=(_, {bounds[1]})",
    )
    left = trace_of(start, f"12 = aten::hardtanh(10) args={told}", end)
    found = compare(left, trace_of(start, *clamps, end), Request())
    assert all(group.harmless for group in found.groups) is same


@pytest.mark.parametrize(("weights", "biases", "same"), [(3, 4, True), (4, 3, False)])
def test_arguments_that_changed_places_are_taken_for_each_other(
    trace_of, weights: int, biases: int, same: bool
) -> None:
    """Weights and biases are as many, and both were read."""
    start = ("10 = aten::mm(1, 2)", "3 = aten::exp(5)", "4 = aten::log(6)")
    end = "19 = aten::mm(18, 2)"
    norm = f"18, 14, 12 = aten::native_layer_norm(10, {weights}, {biases})"
    right = (line.format(eps="") for line in NORM)
    found = compare(trace_of(*start, norm, end), trace_of(*start, *right, end), Request())
    assert all(group.harmless for group in found.groups) is same


@pytest.mark.parametrize(
    ("told", "same"), [("(_, 1.5)", True), ("(_, 0.7)", False), ("(_)", False)]
)
def test_an_expansion_with_a_factor_that_is_not_one_is_known(trace_of, told, same: bool) -> None:
    """PyTorch's own samples of an op tell no other factor."""
    start, end = "10 = aten::mm(1, 2) args=(_, _)", "16 = aten::exp(15) args=(_)"
    left = trace_of(start, f"15 = aten::celu(10) args={told}", end)
    right = trace_of(
        start, "11 = aten::div(10) args=(_, 1.5)", "12 = aten::expm1(11) args=(_)",
        "13 = aten::mul(12) args=(_, 1.5)", "14 = aten::gt(10) args=(_, 0)",
        "15 = aten::where(14, 10, 13) args=(_, _, _)", end,
    )  # fmt: skip
    found = compare(left, right, Request())
    assert all(group.harmless for group in found.groups) is same


@pytest.mark.parametrize(("eps", "same"), [("1e-05", True), ("0.1", False)])
def test_a_list_is_one_argument_of_an_op(trace_of, eps: str, same: bool) -> None:
    """The place of an epsilon behind the axes does not depend on how many these are."""
    start, end = "10 = aten::mm(1, 2)", "19 = aten::mm(18, 2)"
    norm = "18, 14, 12 = aten::native_layer_norm(10, 3, 4) args=(_, [2, 4], _, _, 1e-05)"
    right = (line.format(eps=f" args=(_, {eps})") for line in NORM)
    found = compare(trace_of(start, norm, end), trace_of(start, *right, end), Request())
    assert all(group.harmless for group in found.groups) is same


SMOOTH = (
    "10 = aten::sub(1, 2)", "11 = aten::abs(10)", "12 = aten::lt(11) args=(_, 1)",
    "13 = aten::pow(11) args=(_, 2)", "14 = aten::mul(13) args=(_, 0.5)",
    "15 = aten::div(14) args=(_, 1)", "16 = aten::sub(11) args=(_, 0.5)",
    "17 = aten::where(12, 15, 16)", "18[] = aten::{}(17)",
)  # fmt: skip


@pytest.mark.parametrize(("reduced", "same"), [("mean", True), ("sum", False)])
def test_what_a_loss_divides_by_on_its_way_is_no_mean(trace_of, reduced: str, same: bool) -> None:
    """A loss that divides each element by its threshold passed for one that is divided at last."""
    start, end = "9 = aten::exp(1)", "19[] = aten::log(18[])"
    left = trace_of(start, "18[] = aten::smooth_l1_loss(1, 2) args=(_, _)", end)
    right = trace_of(start, *(line.format(reduced) for line in SMOOTH), end)
    assert all(group.harmless for group in compare(left, right, Request()).groups) is same


def test_an_op_that_reads_more_than_its_expansion_does_another_work(trace_of) -> None:
    """A norm without weights was called the work of one that has some."""
    start, end = "10[2 4 4] = aten::bmm(1, 2)", "20 = aten::bmm(11[2 4 4], 3)"
    several = (
        "12[2 2 1 1], 13[2 2 1 1] = aten::var_mean(10[2 2 2 4])",
        "14[2 2 1 1] = aten::add(12[2 2 1 1])",
        "15[2 2 1 1] = aten::rsqrt(14[2 2 1 1])",
        "16[2 2 2 4] = aten::sub(10[2 2 2 4], 13[2 2 1 1])",
        "11[2 4 4] = aten::mul(16[2 2 2 4], 15[2 2 1 1])",
    )
    right = trace_of(start, *several, end)
    made = "11[2 4 4], 31[2 2], 32[2 2] = aten::native_group_norm"
    left = trace_of(start, f"{made}(10[2 4 4])", end)
    assert all(group.harmless for group in compare(left, right, Request()).groups)
    left = trace_of(start, f"{made}(10[2 4 4], 7[4], 8[4])", end)
    assert not all(group.harmless for group in compare(left, right, Request()).groups)


GELUS = {
    "(_)": ("12 = aten::mul(10)", "13 = aten::mul(10)", "14 = aten::erf(13)"),
    "(_, approximate=tanh)": (
        "12 = aten::mul(10)",
        "21 = aten::mul(10, 10)",
        "22 = aten::mul(21, 10)",
        "23 = aten::mul(22)",
        "24 = aten::add(10, 23)",
        "13 = aten::mul(24)",
        "14 = aten::tanh(13)",
    ),
}


@pytest.mark.parametrize("told", GELUS)
@pytest.mark.parametrize("done", GELUS)
def test_of_several_works_an_expansion_does_the_one_that_is_told(trace_of, told, done) -> None:
    start, end = "10 = aten::mm(1, 2)", "17 = aten::mm(11, 3)"
    apart = "15 = aten::add(14)", "11 = aten::mul(12, 15)"
    left = trace_of(start, f"11 = aten::gelu(10) args={told}", end)
    right = trace_of(start, *GELUS[done], *apart, end)
    groups = compare(left, right, Request()).groups
    assert all(group.harmless for group in groups) is (told == done)


@pytest.mark.parametrize("turned", [False, True])
def test_an_expansion_of_another_value_is_told_so(trace_of, turned: bool) -> None:
    """It does the same work, but on what another op of the other side reads."""
    start = ("10 = aten::mm(1, 2)", "19 = aten::mm(3, 4)", "20 = aten::exp(19)")
    end = ("16 = aten::mm(15, 5)", "21 = aten::mul(16, 20)", "22 = aten::mul(21, 10)")
    other = [line.replace("(10", "(19") for line in SOFTMAX]
    traces = [trace_of(*start, "15 = aten::_softmax(10)", *end), trace_of(*start, *other, *end)]
    found = compare(*traces[:: -1 if turned else 1], Request())
    assert [d.kind for d in found.divergences if not d.harmless] == [Kind.DATAFLOW]


NORM = (
    "11, 12 = aten::var_mean(10)",
    "13 = aten::add(11){eps}",
    "14 = aten::rsqrt(13)",
    "15 = aten::sub(10, 12)",
    "16 = aten::mul(15, 14)",
    "17 = aten::mul(16, 3)",
    "18 = aten::add(17, 4)",
)


@pytest.mark.parametrize(
    ("eps", "same"), [(" args=(_, 1e-05)", True), (" args=(_, 0.001)", False), ("", True)]
)
def test_the_number_that_an_op_takes_is_in_its_expansion(trace_of, eps: str, same: bool) -> None:
    start, end = "10 = aten::mm(1, 2)", "19 = aten::mm(18, 2)"
    norm = "18, 14, 12 = aten::native_layer_norm(10, 3, 4) args=(_, [4], _, _, 1e-05)"
    right = (line.format(eps=eps) for line in NORM)
    comparison = compare(trace_of(start, norm, end), trace_of(start, *right, end), Request())
    assert all(group.harmless for group in comparison.groups) is same


TANH_GELU = (
    "11 = aten::mul(10, 10)",
    "12 = aten::mul(11, 10)",
    "13 = aten::mul(12)",
    "14 = aten::add(10, 13)",
    "15 = aten::mul(14)",
    "16 = aten::mul(10)",
    "17 = aten::tanh(15)",
    "18 = aten::add(17)",
    "19 = aten::mul(16, 18)",
)


@pytest.mark.parametrize("told", ['approximate="tanh"', "approximate='tanh'", "approximate=tanh"])
def test_words_that_an_op_is_told_may_be_quoted(trace_of, told: str) -> None:
    start, end = "10 = aten::mm(1, 2)", "20 = aten::mm(19, 3)"
    left = trace_of(start, f"19 = aten::gelu(10) args=(_, {told})", end)
    right = trace_of(start, *TANH_GELU, end)
    assert kinds(compare(left, right, Request())) == [Kind.FUSED]


LOGITS = (
    "11 = aten::sub(2) args=(1, _)",
    "12 = aten::mul(11, 1)",
    "13[] = aten::full()",
    "14 = aten::minimum(13[], 1)",
    "15 = aten::abs(1)",
    "16 = aten::neg(15)",
    "17 = aten::exp(16)",
    "18 = aten::log1p(17)",
    "19 = aten::sub(14, 18)",
    "20 = aten::sub(12, 19)",
)
LOSS = "20 = aten::binary_cross_entropy_with_logits(1, 2) args=(_, _, None, None, 0)"


def test_what_is_done_with_a_loss_is_no_weight_of_it(trace_of) -> None:
    end = ("21 = aten::mul(20, 3)", "22[] = aten::sum(21)")
    comparison = compare(trace_of(LOSS, *end), trace_of(*LOGITS, *end), Request())
    assert kinds(comparison) == [Kind.FUSED]
    assert comparison.left.partner[1] == len(LOGITS)


def test_what_an_op_did_by_itself_is_not_its_like_within_an_expansion(trace_of) -> None:
    """``1 - wanted`` is part of the loss, and the user needs it once more."""
    end = ("31 = aten::mul(30, 3)", "32 = aten::mul(31, 20)", "33[] = aten::sum(32)")
    left = trace_of(LOSS, "30 = aten::rsub(2) args=(_, 1)", *end)
    right = trace_of(*LOGITS, *(line.replace("(30,", "(11,") for line in end))
    comparison = compare(left, right, Request())
    assert all(group.harmless for group in comparison.groups)
    found = {(each.left_rows, each.right_rows) for each in comparison.divergences}
    assert ((1,), (0,)) in found


def test_a_constant_belongs_to_its_expansion_whatever_reads_it_after_the_anchor(trace_of) -> None:
    end = ("21 = aten::mul(20, 3)", "22[] = aten::sum(21)")
    later = ("40 = aten::maximum(13[], 21)", "41[] = aten::sum(40)")
    left = trace_of(LOSS, *end, "13[] = aten::full()", *later)
    right = trace_of(*LOGITS, *end, *later)
    comparison = compare(left, right, Request(Direction.UP, 2, len(LOGITS) + 1))
    assert kinds(comparison) == [Kind.FUSED]


def test_a_fused_kernel_below_the_anchor_reads_what_is_above_it(trace_of) -> None:
    """Downward nothing is known of what the anchor's side above computed."""
    start = ("5 = Neg(1)", "6 = Tanh(2)", "7 = Exp(6)")
    left = trace_of(*start, "8 = Square(7)", "9 = Div(8, 5)", "10 = Sin(9)")
    right = trace_of(*start, "9 = GraphKernel_Square_Div_fusion(7, 5)", "10 = Sin(9)")
    comparison = compare(left, right, Request(Direction.DOWN, 2, 2))
    assert kinds(comparison) == [Kind.FUSED]


def test_a_batch_norm_that_keeps_its_statistics_is_no_other(trace_of) -> None:
    """It normalises by what it was given, where the other computes mean and variance."""
    start, end = "10 = aten::mm(1, 2)", "20 = aten::mm(18, 2)"
    norm = (
        "18, 14, 12 = aten::native_batch_norm(10, 3, 4, 5, 6) args=(_, _, _, _, _, {}, 0.1, 1e-05)"
    )
    kept = (
        "11 = aten::add(6) args=(_, 1e-05)",
        "12 = aten::sqrt(11)",
        "13 = aten::reciprocal(12)",
        "14 = aten::mul(13) args=(_, 1)",
        "15 = aten::sub(10, 5)",
        "16 = aten::mul(15, 14)",
        "17 = aten::mul(16, 3)",
        "18 = aten::add(17, 4)",
    )
    right = trace_of(start, *kept, end)
    for training in ("True", "False"):
        comparison = compare(trace_of(start, norm.format(training), end), right, Request())
        assert (Kind.FUSED in kinds(comparison)) is (training == "False")


def test_of_two_expansions_of_one_form_views_and_casts_are_pairs_too(trace_of) -> None:
    """An op that ran by itself on one side may seem written out once more on both."""
    extra = (
        "20:Bool[2 1] = aten::unsqueeze(19:Bool[2])", "21[2 1] = {cast}(20:Bool[2 1])",
        "22 = aten::sum(21[2 1])", "24 = aten::exp(23, 22)",
    )  # fmt: skip
    start = ("19:Bool[2] = aten::ne(1[2])", "10 = aten::mm(2, 3)", "11 = aten::_log_softmax(10)")
    written_out = (
        "31[2] = aten::ne(4[2])", "33[2] = aten::where(31[2], 4[2])",
        "34[2 1] = aten::unsqueeze(33[2])", "35[2 1] = aten::gather(11, 34[2 1])",
        "36[2] = aten::squeeze(35[2 1])", "37[2] = aten::neg(36[2])",
        "39[2] = aten::where(31[2], 37[2])", "40 = aten::sum(31[2])",
        "41 = aten::_to_copy(40)", "42 = aten::sum(39[2])", "43 = aten::div(42, 41)",
    )  # fmt: skip
    eager = [line.format(cast="aten::_to_copy") for line in extra]
    graph = [line.format(cast="prims::convert_element_type") for line in extra]
    left = trace_of(*start, "43, 41 = aten::nll_loss2d_forward(11, 4[2])", *eager)
    right = trace_of(*start, *written_out, *graph)
    found = compare(left, right, Request())
    assert sorted(kinds(found)) == [Kind.FUSED, Kind.OP_TYPE]


NORM_BACKWARD = (
    "{0}13 = aten::sum(5)", "{0}10 = aten::sub({0}1, {0}8)", "{0}11 = aten::mul(5, {0}10)",
    "{0}12 = aten::sum({0}11)", "{0}14 = aten::mul({0}13)", "{0}15 = aten::mul({0}12)",
    "{0}16 = aten::mul({0}9, {0}9)", "{0}17 = aten::mul({0}15, {0}16)",
    "{0}18 = aten::mul({0}9, {0}2)", "{0}20 = aten::mul({0}10, {0}17)",
    "{0}21 = aten::sub(5, {0}20)", "{0}22 = aten::sub({0}21, {0}14)",
    "{0}23 = aten::mul({0}22, {0}18)", "{0}24 = aten::mul({0}12, {0}9)",
)  # fmt: skip
"""Of a batch norm: gradients of its input, weight and bias are the results 23, 24 and 13."""


def test_two_ops_that_compute_one_value_on_their_way_are_two(trace_of) -> None:
    """The biases of two norms whose results are added up have one gradient, summed up twice."""
    made = [f"{at}{n} = aten::tanh({at}0)" for at in (1, 2) for n in (1, 8, 9)]
    ends = [f"{at}{n}0 = aten::add({at}{n}, {at}99)" for n in (23, 24, 13) for at in (1, 2)]
    one = (
        "{0}23, {0}24, {0}13 = "
        "aten::native_batch_norm_backward(5, {0}1, {0}2, {0}3, {0}4, {0}8, {0}9)"
    )
    left = trace_of(
        "5 = aten::threshold_backward(6, 7)", *made, *(one.format(at) for at in (1, 2)), *ends
    )
    written_out = [f"{line} args=(_, _)".format(at) for at in (1, 2) for line in NORM_BACKWARD]
    right = trace_of("5 = aten::threshold_backward(6, 7)", *made, *written_out, *ends)
    assert kinds(compare(left, right, Request())) == [Kind.FUSED, Kind.FUSED]


@pytest.mark.parametrize("told", [True, False])
def test_ops_of_one_expansion_read_copies_of_one_argument(
    trace_of, monkeypatch: pytest.MonkeyPatch, told: bool
) -> None:
    """Copies that print no operands: the scope alone tells that two of them copied the gate."""
    steps = [step for step in pairing.STEPS if step is not pairing.by_expansion]
    monkeypatch.setattr(pairing, "STEPS", tuple(steps))
    scope = "Expand/_SiLU/" if told else ""
    start = [
        f"{whole}[4 4]/8 1, {whole}[4 4]/8 1+4 = ChunkView({whole}[4 8])" for whole in (10, 11)
    ]
    left = trace_of(*start, "20 = Contiguous(11[4 4]/8 1)", "33 = SiLU(20)")
    graph = ("Contiguous()", f"31 = {scope}Sigmoid-op0(30)")
    graph += ("Contiguous()", f"33 = {scope}Mul-op0(32, 31)")
    found = [each.kind for each in compare(left, trace_of(*start, *graph), Request()).divergences]
    assert (Kind.FUSED in found) == told


def test_a_clamp_is_one_op_for_two_in_a_graph(trace_of, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [step for step in pairing.STEPS if step is not pairing.by_expansion]
    monkeypatch.setattr(pairing, "STEPS", tuple(steps))
    left = trace_of("10 = Exp(1)", "11 = ClampScalar(10)", "12 = Tanh(11)")
    graph = ("13 = Maximum-op0(10, 5[])", "11 = Minimum-op0(13, 6[])")
    right = trace_of("10 = Exp(1)", *graph, "12 = Tanh(11)")
    assert kinds(compare(left, right, Request())) == [Kind.FUSED]


TARGET = (
    "40:Bool = aten::ne(4:Int64)", "41:Int64 = aten::where(40:Bool, 4:Int64)",
    "43 = aten::scatter(42, 41:Int64)",
)  # fmt: skip
LOSS_BACKWARD = (
    "{0}4 = aten::div({0}, {0}2)", "{0}5 = aten::where(40:Bool, {0}4)",
    "{0}6 = aten::mul(43, {0}5)",
)  # fmt: skip


@pytest.mark.parametrize("turned", [False, True])
def test_two_gradients_of_losses_may_share_all_that_their_target_gives(trace_of, turned) -> None:
    made = [f"{at}{n} = aten::tanh({at}9)" for at in (5, 6) for n in (1, 2)]
    starts = ["80 = aten::relu(1)", "5 = aten::sin(80)", "6 = aten::cos(80)"]
    ends = ["90 = aten::exp(56)", "91 = aten::log(66)"]
    one = "{0}6 = aten::nll_loss_backward({0}, {0}1, 4:Int64, {0}2)"
    left = trace_of(*starts, *made, *(one.format(at) for at in (5, 6)), *ends)
    many = [line.format(at) for at in (5, 6) for line in LOSS_BACKWARD]
    right = trace_of(*starts, *made, "42 = aten::full()", *TARGET, *many, *ends)
    found = compare(*((right, left) if turned else (left, right)), Request())
    assert [each.title for each in found.groups if not each.harmless] == []


def test_weights_of_the_positive_belong_to_a_loss(trace_of) -> None:
    expansion = (
        "30 = aten::sub(3)", "31 = aten::mul(30, 2)", "32 = aten::add(31)", "33 = aten::sub(2)",
        "34 = aten::mul(33, 1)", "35 = aten::minimum(9, 1)", "36 = aten::abs(1)",
        "37 = aten::neg(36)", "38 = aten::exp(37)", "39 = aten::log1p(38)",
        "40 = aten::sub(35, 39)", "41 = aten::mul(32, 40)", "42 = aten::sub(34, 41)",
        "43 = aten::mean(42)",
    )  # fmt: skip
    left = trace_of("1 = aten::mm(5, 6)", LOSS_WEIGHED)
    right = trace_of("1 = aten::mm(5, 6)", "9 = aten::full()", *expansion)
    assert kinds(compare(left, right, Request())) == [Kind.FUSED]


LOSS_WEIGHED = "43 = aten::binary_cross_entropy_with_logits(1, 2, 3) args=(_, _, None, _)"


@pytest.mark.parametrize("turned", [False, True])
def test_what_is_computed_once_more_for_another_is_not_shared(trace_of, turned: bool) -> None:
    """A loss is the mean of a squared difference, and the user takes that difference too."""
    start = "10 = aten::mm(1, 2[4 4]/1 4+0)", "11 = aten::tanh(10) args=(_)"
    difference = "{} = aten::sub(10, 11) args=(_, _)"
    end = (
        "30 = aten::exp(22) args=(_)",
        "31 = aten::mul(30, 21[]) args=(_, _)",
        "32 = aten::relu_backward(31, 31)",
    )
    loss = "21[] = aten::mse_loss(10, 11) args=(_, _)"
    left = trace_of(*start, loss, difference.format(22), *end)
    squared = "20 = aten::pow(12) args=(_, 2)", "21[] = aten::mean(20) args=(_)"
    right = trace_of(*start, difference.format(12), *squared, difference.format(22), *end)
    found = compare(*((right, left) if turned else (left, right)), Request())
    assert kinds(found) == [Kind.FUSED]


@pytest.mark.parametrize(
    ("one", "tensors"),
    [
        ("aten::native_batch_norm", 3),
        ("aten::native_batch_norm_backward", 5),
        ("aten::_weight_norm_interface", 2),
        ("aten::affine_grid_generator", 1),
        ("aten::upsample_bilinear2d", 1),
        ("aten::upsample_bilinear2d_backward", 1),
        ("aten::_scaled_dot_product_flash_attention_for_cpu", 4),
    ],
)
def test_what_programs_call_has_idioms_though_samples_lack_it(one: str, tensors: int) -> None:
    assert any(idiom.arguments == tensors for idiom in idioms_of(canonical(one)))


ROLLED = ("20:Int64[4] = prims::iota() args=(4, start=0, step=1, dtype=int64)",
          "21:Int64[4] = aten::add(20:Int64[4]) args=(_, {start})",
          "22:Int64[4] = aten::fmod(21:Int64[4]) args=(_, 4)")  # fmt: skip
ROLL = "11[3 4] = aten::roll(10[3 4]) args=(_, [1], [1])"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    ("start", "took", "same"),
    [
        ("3", "aten::index(10[3 4], 22:Int64[4]) args=(_, [None, _])", True),
        ("3", "aten::index_select(10[3 4], 22:Int64[4]) args=(_, 1, _)", True),
        ("3", "aten::index_select(10[3 4], 22:Int64[4]) args=(_, -1, _)", True),
        ("1", "aten::index(10[3 4], 22:Int64[4]) args=(_, [None, _])", False),
        ("3", "aten::index(10[3 4], 22:Int64[4]) args=(_, [_])", False),
        ("3", "aten::index(10[3 4], 20:Int64[4]) args=(_, [None, _])", False),
        ("3", "aten::index(10[3 4], 21:Int64[4]) args=(_, [None, _])", False),
        ("3", "aten::index(10[3 4], 5:Int64[4]) args=(_, [None, _])", False),
    ],
)  # fmt: skip
def test_an_index_is_a_roll_only_if_its_numbers_prove_it(
    trace_of, start: str, took: str, same: bool, turned: bool
) -> None:
    """Another shift, another axis, no remainder, and an index that is handed in are no roll."""
    first, last = "10[3 4] = aten::mm(1, 2)", "12 = aten::mm(11[3 4], 3)"
    index = (line.format(start=start) for line in ROLLED)
    sides = trace_of(first, ROLL, last), trace_of(first, *index, f"11[3 4] = {took}", last)
    found = compare(*(sides[::-1] if turned else sides), Request())
    assert all(group.harmless for group in found.groups) is same


@pytest.mark.parametrize(
    ("roll", "same"),
    [
        ("[1, 2], [0, 1]", True), ("[-2, 2], [0, 1]", True), ("[1, 2], [0, -1]", True),
        ("[2, 1], [0, 1]", False), ("[1, 2], [1, 0]", False), ("[1]", False),
    ],
)  # fmt: skip
def test_a_roll_by_two_axes_is_two_indices(trace_of, roll: str, same: bool) -> None:
    ranges = [
        line
        for at, size, start in ((20, 3, 2), (30, 4, 2))
        for line in (
            f"{at}:Int64[{size}] = aten::arange() args=(0, {size})",
            f"{at + 1}:Int64[{size}] = aten::add({at}:Int64[{size}]) args=(_, {start})",
            f"{at + 2}:Int64[{size}] = aten::fmod({at + 1}:Int64[{size}]) args=(_, {size})",
        )
    ]
    right = (
        *ranges,
        "13[3 4] = aten::index_select(10[3 4], 22:Int64[3]) args=(_, 0, _)",
        "11[3 4] = aten::index_select(13[3 4], 32:Int64[4]) args=(_, 1, _)",
    )
    first, last = "10[3 4] = aten::mm(1, 2)", "12 = aten::mm(11[3 4], 3)"
    told = f"11[3 4] = aten::roll(10[3 4]) args=(_, {roll})"
    found = compare(trace_of(first, told, last), trace_of(first, *right, last), Request())
    assert all(group.harmless for group in found.groups) is same


@pytest.mark.parametrize(
    ("axis", "along", "same"),
    [("-1", "[1]", True), ("1", "[1]", True), ("0", "[1]", False), ("-1", "[0]", False)],
)
def test_a_softmax_along_another_axis_is_another(trace_of, axis, along, same: bool) -> None:
    first, last = "10 = aten::mm(1, 2)", "16 = aten::mm(15, 3)"
    one = f"15 = aten::_softmax(10) args=(_, {axis}, False)"
    many = [f"{line} args=(_, {along}, True)" if "amax" in line else line for line in SOFTMAX]
    found = compare(trace_of(first, one, last), trace_of(first, *many, last), Request())
    assert all(group.harmless for group in found.groups) is same


@pytest.mark.parametrize(("statistics", "same"), [("4 1", True), ("1 1", False)])
def test_a_norm_over_other_axes_is_another(trace_of, statistics: str, same: bool) -> None:
    first, last = "10 = aten::mm(1, 2)", "19 = aten::mm(18, 2)"
    one = "18, 14[4 1], 12[4 1] = aten::native_layer_norm(10, 3, 4)"
    many = (
        f"11[{statistics}], 12[{statistics}] = aten::var_mean(10)",
        f"13[{statistics}] = aten::add(11[{statistics}])",
        f"14[{statistics}] = aten::rsqrt(13[{statistics}])",
        f"15 = aten::sub(10, 12[{statistics}])",
        f"16 = aten::mul(15, 14[{statistics}])",
        "17 = aten::mul(16, 3)",
        "18 = aten::add(17, 4)",
    )
    found = compare(trace_of(first, one, last), trace_of(first, *many, last), Request())
    assert all(group.harmless for group in found.groups) is same


MASKED = (
    "20:Int64 = prims::iota() args=(4, start=0, step=1)",
    "21:Int64 = aten::unsqueeze(20:Int64) args=(_, -2)",
    "22:Int64 = aten::unsqueeze(20:Int64) args=(_, -1)",
    "23:Int64 = aten::sub(21:Int64, 22:Int64) args=(_, _)",
    "24:Bool = aten::{}(23:Int64) args=(_, {})",
    "25[] = aten::scalar_tensor() args=(0)",
    "11 = aten::where(24:Bool, 10, 25[]) args=(_, _, _)",
)


@pytest.mark.parametrize(
    ("compared", "by", "same"), [("le", 0, True), ("le", -1, False), ("ge", 0, False)]
)
def test_the_other_half_of_a_matrix_is_another(trace_of, compared, by: int, same: bool) -> None:
    first, last = "10 = aten::mm(1, 2)", "12 = aten::mm(11, 3)"
    many = (line.format(compared, by) for line in MASKED)
    left = trace_of(first, "11 = aten::tril(10) args=(_)", last)
    found = compare(left, trace_of(first, *many, last), Request())
    assert all(group.harmless for group in found.groups) is same


def test_a_part_of_a_large_expansion_comes_after_one_that_is_found_whole(trace_of) -> None:
    """A product with a difference looked like the gradient of a norm's weights."""
    start = (
        "10 = aten::tanh(1)",
        "11 = aten::sigmoid(2)",
        "12 = aten::sub(1, 3) args=(_, _)",
        "13 = aten::mul(10, 12) args=(_, _)",
    )
    one = ("30 = aten::sigmoid_backward(13, 11) args=(_, _)",)
    many = (
        "20 = aten::sub(11) args=(1, _)",
        "21 = aten::mul(11, 20) args=(_, _)",
        "30 = aten::mul(13, 21) args=(_, _)",
    )
    norm = (
        "40 = aten::exp(4)",
        "41, 42, 43 = aten::native_layer_norm_backward(40, 5, 6, 7, 8, 9)",
        "44 = aten::log(41)",
    )
    gradient = (
        "50 = aten::sub(5, 6)", "51 = aten::mul(50, 7)", "52 = aten::mul(40, 8)",
        "53 = aten::mul(52)", "54 = aten::sum(52)", "55 = aten::mul(52, 51)", "56 = aten::sum(55)",
        "57 = aten::mul(51, 56)", "58 = aten::sub(53, 54)", "59 = aten::sub(58, 57)",
        "60 = aten::div(7)", "41 = aten::mul(60, 59)", "61 = aten::mul(40, 51)",
        "42 = aten::sum(61)", "43 = aten::sum(40)",
    )  # fmt: skip
    left = trace_of(*start, *one, "31 = aten::cos(30)", *norm)
    right = trace_of(*start, *many, "31 = aten::cos(30)", norm[0], *gradient, norm[2])
    found = compare(left, right, Request())
    fused = {(each.left_rows, each.right_rows) for each in found.divergences}
    assert ((4,), (4, 5, 6)) in fused


@pytest.mark.parametrize(("axis", "summed", "same"), [(1, 4, True), (0, 4, False), (1, 1, False)])
def test_a_product_of_matrices_over_an_axis_of_one_is_a_sum(
    trace_of, axis: int, summed: int, same: bool
) -> None:
    """Of rows with columns; a sum over the batch, or of something else, is another."""
    start = (
        "10[4 4] = aten::mm(1, 2) args=(_, _)", "11[4 4] = aten::exp(5) args=(_)",
        "10[4 1 4] = aten::unsqueeze(10[4 4]) args=(_, 1)",
        "11[4 4 1] = aten::unsqueeze(11[4 4]) args=(_, 2)",
    )  # fmt: skip
    one = "12[4 1 1] = aten::bmm(10[4 1 4], 11[4 4 1]) args=(_, _)"
    many = (
        "10[4 4] = aten::squeeze(10[4 1 4]) args=(_, 1)",
        "11[4 4] = aten::squeeze(11[4 4 1]) args=(_, -1)",
        "20[4 4] = aten::mul(10[4 4], 11[4 4]) args=(_, _)",
        f"12[{summed} 1] = aten::sum(20[4 4]) args=(_, [{axis}], True)",
        f"12[{summed} 1 1] = aten::unsqueeze(12[{summed} 1]) args=(_, 1)",
    )
    ends = (f"13 = aten::tanh(12[{size} 1 1]) args=(_)" for size in (4, summed))
    left, right = trace_of(*start, one, next(ends)), trace_of(*start, *many, next(ends))
    found = compare(left, right, Request())
    assert all(group.harmless for group in found.groups) is same


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("read", "same"), [("10", True), ("11", False)])
def test_an_expansion_that_shares_the_work_of_another_reads_what_that_reads(
    trace_of, read: str, same: bool, turned: bool
) -> None:
    """Of two norms of one value a compiler does all but the weights once, of two values nothing."""
    made = ("tanh", "cos", "exp", "log")
    start = ("10 = aten::mm(1, 2)", "11 = aten::sigmoid(10)")
    start += tuple(f"{at} = aten::{name}(10)" for at, name in enumerate(made, 3))
    end = ("16 = aten::exp(14)", "17 = aten::relu(15)", "18 = aten::sin(11)")
    left = trace_of(
        *start,
        "14, 30[4 1], 31[4 1] = aten::native_layer_norm(10, 3, 4)",
        f"15, 32[4 1], 33[4 1] = aten::native_layer_norm({read}, 5, 6)",
        *end,
    )
    shared = (
        "20[4 1], 21[4 1] = aten::var_mean(10)",
        "22[4 1] = aten::add(20[4 1])",
        "23[4 1] = aten::rsqrt(22[4 1])",
        "27 = aten::sub(10, 21[4 1])",
        "24 = aten::mul(27, 23[4 1])",
    )
    weights = ("25 = aten::mul(24, 3)", "14 = aten::add(25, 4)")
    weights += ("26 = aten::mul(24, 5)", "15 = aten::add(26, 6)")
    right = trace_of(*start, *shared, *weights, *end)
    found = compare(*((right, left) if turned else (left, right)), Request())
    assert kinds(found).count(Kind.FUSED) == 2
    assert all(group.harmless for group in found.groups) is same


@pytest.mark.parametrize(
    ("told", "by", "same"),
    [("", 1.0, True), (", 0.5", 0.5, True), ("", 0.5, False), (", alpha=0.5", 0.5, True)],
)
def test_of_several_numbers_the_last_is_the_one_that_is_asked_for(
    trace_of, told: str, by: float, same: bool
) -> None:
    many = (
        "20:Bool = aten::gt(10) args=(_, 0)", "21 = aten::mul(10) args=(_, 1.0)",
        "22 = aten::mul(10) args=(_, 1.0)", "23 = aten::expm1(22) args=(_)",
        f"24 = aten::mul(23) args=(_, {by})", "11 = aten::where(20:Bool, 21, 24) args=(_, _, _)",
    )  # fmt: skip
    start, end = "10 = aten::mm(1, 2)", "12 = aten::mm(11, 3)"
    left = trace_of(start, f"11 = aten::elu(10) args=(_{told})", end)
    found = compare(left, trace_of(start, *many, end), Request())
    assert all(group.harmless for group in found.groups) is same


def test_what_both_sides_have_far_more_often_than_an_op_is_lacking_is_no_expansion_of_it(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Products that are summed up, a mixture of experts, are no products of matrices."""
    mixed = []
    for number in range(20):
        read, made = 100 + 10 * number, 105 + 10 * number
        mixed.append(f"{made}[4 2 4] = Mul({read}[4 2 4], {read + 1}[4 2])")
        mixed.append(f"{made + 1}[4 4] = SumExt({made}[4 2 4])")
    left = trace_of(*mixed, "500[2 3 3] = BatchMatMulExt(501[2 3 4], 502[2 4 3])")
    right = trace_of(*mixed)
    found = []

    def spied(*asked: object) -> object:
        found.append(raising.find_clusters(*asked))
        return found[-1]

    monkeypatch.setattr(comparing, "find_clusters", spied)
    compare(left, right, Request())
    assert found == [((), ())]
    monkeypatch.setattr(raising, "_credible", lambda clusters, *_: clusters)
    compare(left, right, Request())
    assert len(found[1][1]) == 20
