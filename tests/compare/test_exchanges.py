"""Ops that are told apart by nothing but what reads them: products of the parts of one value."""

from __future__ import annotations

from itertools import permutations

import pytest

from opdiff.compare import Comparison, Direction, Request, compare
from opdiff.compare.matching import Matching
from opdiff.compare.names.vocabulary import Vocabulary
from opdiff.compare.pairing import steps as pairing
from opdiff.compare.pairing.congruence import Congruence
from opdiff.compare.pairing.turning import Task
from opdiff.trace import Trace

PLACES = "61:I64[2], 62:I64[2]", "63:I64[2], 64:I64[2]"
START = ("20[4 8] = MatMul(1, 2[4 8])", "20[4 4]/8 1, 20[4 4]/8 1+4 = SplitTensorView(20[4 8])")
END = ("80[2 2] = BatchMatMul(47[4 4], 57[4 4])",)
COS, SIN = 5, 6


def suspects(comparison: Comparison) -> list[str]:
    return [str(each.sentence) for each in comparison.divergences if not each.harmless]


def eager(half: int) -> list[str]:
    """Each pair of elements in a half as a point that is turned."""
    ops, made = [], 400 + 100 * half
    for number, (part, factor) in enumerate(((0, COS), (1, SIN), (1, COS), (0, SIN))):
        dense = made + 2 * number
        ops.append(f"{dense}[4 2] = Contiguous(20[4 2]/8 2+{4 * half + part})")
        ops.append(f"{dense + 1}[4 2] = Mul({dense}[4 2], {factor}[4 2])")
        if number % 2:
            job = "AddExt" if number > 1 else "SubExt"
            ops.append(f"{made + 10 + number}[4 2] = {job}({dense - 1}[4 2], {dense + 1}[4 2])")
    return [*ops, f"{47 + 10 * half}[4 4] = Stack({made + 11}[4 2], {made + 13}[4 2])"]


def in_graph(half: int, order: tuple[int, ...], *, wrong: bool = False) -> list[list[str]]:
    """The same in a graph, by its stages; or with the sum in the place of the difference."""
    made = 400 + 100 * half
    dense = f"{made} = Contiguous(20[4 4]/8 1+{4 * half})"
    cut = [f"{made + 1 + at}[4 2] = StridedSlice-op{at}({made}, {PLACES[at]})" for at in (0, 1)]
    products = [
        f"{made + at}[4 2] = Mul-op{at}({made + 1 + part}[4 2], {factor}[4 2])"
        for at, part, factor in ((3, 0, COS), (4, 0, SIN), (5, 1, SIN), (6, 1, COS))
    ]
    jobs = ("Add", "Sub") if wrong else ("Sub", "Add")
    ends = [
        f"{made + 11}[4 2] = {jobs[0]}-op0({made + 3}[4 2], {made + 5}[4 2])",
        f"{made + 13}[4 2] = {jobs[1]}-op0({made + 6}[4 2], {made + 4}[4 2])",
    ]
    stack = f"{47 + 10 * half}[4 4] = Stack-op0({made + 11}[4 2], {made + 13}[4 2])"
    return [[dense, *cut], [products[at] for at in order], ends, [stack]]


def turned(trace_of, order: tuple[int, ...], *, wrong: bool = False) -> Comparison:
    """Both halves turned; a graph turns the second one first, stage by stage."""
    stages = zip(in_graph(1, order), in_graph(0, order, wrong=wrong), strict=True)
    graph = [op for both in stages for several in both for op in several]
    left = trace_of(*START, *eager(0), *eager(1), *END)
    return compare(left, trace_of(*START, *graph, *END), Request())


def test_products_of_one_value_are_exchanged_for_the_sums_that_read_them(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = list(permutations(range(4)))[::5]
    assert not any(suspects(turned(trace_of, order)) for order in orders)
    monkeypatch.setattr(Congruence, "_by_exchange", lambda *_: [])
    assert any(suspects(turned(trace_of, order)) for order in orders)


def test_a_sum_in_the_place_of_a_difference_is_seen(trace_of) -> None:
    for order in permutations(range(4)):
        assert suspects(turned(trace_of, order, wrong=True))


TURNS = ("2[4 4] = Exp(1)", "3[4 4] = Tanh(1)", "5[4 2] = Cos(4)", "6[4 2] = Sin(4)")
"""Gradients of what was turned, and the table it was turned by."""


def turned_back(value: int) -> tuple[list[str], list[str], list[str]]:
    """How a graph turns a value back: takes it apart, multiplies the parts, adds up."""
    at = 100 * value
    one, other = f"{at + 10}[4 2]", f"{at + 11}[4 2]"
    products = [
        f"{at + 12}[4 2] = Mul({other}, 6[4 2])",
        f"{at + 13}[4 2] = Mul({other}, 5[4 2])",
        f"{at + 17}[4 2] = Mul({one}, 5[4 2])",
        f"{at + 14}[4 2] = Neg({one})",
    ]
    sums = [
        f"{at + 18}[4 2] = Add({at + 17}[4 2], {at + 12}[4 2])",
        f"{at + 15}[4 2] = Mul({at + 14}[4 2], 6[4 2])",
        f"{at + 16}[4 2] = Add({at + 15}[4 2], {at + 13}[4 2])",
    ]
    return [f"{one}, {other} = Unstack({value}[4 4])"], products, sums


def both_turned_back(trace_of, *, upward: bool, wrong: bool = False) -> Comparison:
    """One after the other, or stage by stage in a graph; or the sum of parts of both."""
    ends = [f"{at + 20}[4 4] = Stack({at + 16}[4 2], {at + 18}[4 2])" for at in (200, 300)]
    ends.append("50[4 8] = Concat(220[4 4], 320[4 4])")
    eager = []
    for value in (2, 3):
        parts, (sine, cosine, again, minus), (_, turned, _) = turned_back(value)
        at = 100 * value
        one = f"{at + 16}[4 2] = Add({at + 13}[4 2], {at + 15}[4 2])"
        other = f"{at + 18}[4 2] = Add({at + 12}[4 2], {at + 17}[4 2])"
        eager += [*parts, sine, cosine, minus, turned, one, again, other]
    stages = zip(turned_back(2), turned_back(3), strict=True)
    graph = [op for both in stages for several in both for op in several]
    if wrong:
        changed = {"(215[4 2], 213": "(215[4 2], 313", "(315[4 2], 313": "(315[4 2], 213"}
        for sound, broken in changed.items():
            graph = [op.replace(sound, broken) for op in graph]
    left, right = (trace_of(*TURNS, *ops, *ends) for ops in (eager, graph))
    last = len(left) - 1
    return compare(left, right, Request(Direction.UP, last, last) if upward else Request())


@pytest.mark.parametrize("upward", [False, True])
def test_all_that_reads_one_value_changes_partners_at_once(
    trace_of, monkeypatch: pytest.MonkeyPatch, upward: bool
) -> None:
    """Each product alone is held in place by the sum that reads it and another one."""
    assert not suspects(both_turned_back(trace_of, upward=upward))
    assert suspects(both_turned_back(trace_of, upward=upward, wrong=True))
    monkeypatch.setattr(Congruence, "_together", lambda *_: iter(()))
    assert suspects(both_turned_back(trace_of, upward=upward))


SQUARED = ("2 = Exp(1)", "3 = Tanh(1)", "4 = TanhGrad(3, 2)", "5 = Mul(2, 3)")
"""A square has two gradients that are one value, which a compiler computes once."""


def squared(trace_of, *terms: int) -> list[str]:
    """Eager code that adds both to another one, and a graph that adds up these at once."""
    ends = ("9 = Neg(8)", "10 = Sum(9)")
    left = trace_of(*SQUARED, "6 = Mul(2, 3)", "7 = Add(4, 5)", "8 = Add(7, 6)", *ends)
    right = trace_of(*SQUARED, f"8 = AddN({', '.join(map(str, terms))})", *ends)
    return suspects(compare(left, right, Request()))


@pytest.mark.parametrize("terms", [(5, 4, 4), (5, 5, 5, 4), (5, 4), (5, 5, 3)])
def test_a_term_added_more_or_less_often_is_another_sum(trace_of, terms) -> None:
    assert squared(trace_of, *terms)


def test_what_is_computed_twice_is_paired_by_the_first(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_hand(task: Task, words: Vocabulary, matching: Matching) -> None:
        rows = [
            [row for row in range(len(side.trace)) if side.trace.type_name(row) == "Mul"]
            for side in task.sides
        ]
        matching.unpair(rows[0][0])
        matching.pair(rows[0][-1], rows[1][-1])

    steps = list(pairing.STEPS)
    steps.insert(steps.index(pairing.by_order) + 1, by_hand)
    monkeypatch.setattr(pairing, "STEPS", tuple(steps))
    assert not squared(trace_of, 5, 5, 4)
    monkeypatch.setattr(Congruence, "pair_firsts", lambda _: None)
    assert squared(trace_of, 5, 5, 4)


@pytest.mark.parametrize("extra", [False, True])
def test_of_two_like_ops_in_a_row_the_first_reads_what_the_only_one_does(
    trace_of, monkeypatch: pytest.MonkeyPatch, extra: bool
) -> None:
    """Eager code multiplies by a number and a constant, a graph by two numbers; or by three."""

    def chosen(trace: Trace) -> int:
        """The first product of eager code, the second of a graph."""
        products = [row for row in range(len(trace)) if trace.type_name(row).startswith("Mul")]
        return products[0 if "Ones" in trace.types else 1]

    def by_hand(task: Task, words: Vocabulary, matching: Matching) -> None:
        row, other = (chosen(side.trace) for side in task.sides)
        matching.unpair(row)
        matching.pair(row, other)

    left = trace_of("2 = Exp(1)", "3 = Muls(2)", "4 = Ones()", "5 = Mul(4, 3)", "6 = Neg(5)")
    numbers = ("2 = Exp(1)", "3 = Mul-op1(2)", "5 = Mul-op2(3)")
    more = ("7 = Mul-op3(5)", "6 = Neg(7)") if extra else ("6 = Neg(5)",)
    right = trace_of(*numbers, *more)
    steps = list(pairing.STEPS)
    steps.insert(steps.index(pairing.by_order) + 1, by_hand)
    monkeypatch.setattr(pairing, "STEPS", tuple(steps))
    for pair in ((left, right), (right, left)):
        assert bool(suspects(compare(*pair, Request()))) == extra
    monkeypatch.setattr(Congruence, "pair_nearer", lambda _: None)
    assert suspects(compare(left, right, Request()))


def test_another_result_of_the_same_op_is_a_reason_to_pair_otherwise(trace_of) -> None:
    """Nothing that reads them tells: sums take them in any order."""
    start = ("3 = Abs(1)", "4 = Sin(1)", "5, 6 = Unstack(4)")
    one, two = "7 = Mul(6, 3)", "8 = Mul(5, 3)"
    left = trace_of(*start, one, two, "9 = Add(7, 8)", "10 = Exp(9)")
    right = trace_of(*start, two, one, "9 = Add(8, 7)", "10 = Exp(9)")
    comparison = compare(left, right, Request())
    assert suspects(comparison) == []
    assert comparison.left.partner.tolist() == [0, 1, 2, 4, 3, 5, 6]


def test_a_sum_of_the_same_two_in_the_other_order_is_the_same(trace_of) -> None:
    """It ran elsewhere too: what it reads tells it all the same, and ties it to the others."""
    start = ("4 = Abs(1)", "5 = Sin(1)", "6 = Cos(1)")
    others = ("8 = Mul(4, 6)", "9 = Sub(8, 4)", "10 = Exp(9)")
    left = trace_of(*start, "7 = Add(4, 5)", "11 = Tanh(7)", *others)
    right = trace_of(*start, *others, "7 = Add(5, 4)", "11 = Tanh(7)")
    assert suspects(compare(left, right, Request())) == []
    other = trace_of(*start, *others, "7 = Add(5, 6)", "11 = Tanh(7)")
    assert suspects(compare(left, other, Request()))


def test_what_reads_the_same_two_in_the_other_order_is_found(
    trace_of, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By congruence: no other step is needed for it, nor for what reads it."""
    steps = (pairing.by_decree, pairing.by_order, pairing.by_leftovers)
    monkeypatch.setattr(pairing, "STEPS", steps)
    start = ("4 = Abs(1)", "5 = Sin(1)", "6 = Cos(1)")
    others = ("8 = Mul(4, 6)", "9 = Sub(8, 4)", "10 = Exp(9)")
    left = trace_of(*start, "7 = Add(4, 5)", "11 = Tanh(7)", *others)
    right = trace_of(*start, *others, "7 = AddN(5, 4)", "11 = Tanh(7)")
    assert compare(left, right, Request()).left.partner.tolist() == [0, 1, 2, 6, 7, 3, 4, 5]


def gate_of(trace: Trace) -> int:
    """The row of the only gate."""
    return next(row for row in range(len(trace)) if trace.type_name(row) == "Sigmoid")


@pytest.mark.parametrize("first", ["Abs", "Tan"])
def test_what_nobody_sees_copied_ties_on_both_sides(
    trace_of, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """A gate that ran elsewhere reads a part; which one, one side does not tell."""

    def by_hand(task: Task, words: Vocabulary, matching: Matching) -> None:
        matching.pair(gate_of(task.left.trace), gate_of(task.right.trace), late=True)

    steps = (pairing.by_decree, pairing.by_order, by_hand, pairing.part_islands)
    monkeypatch.setattr(pairing, "STEPS", steps)
    parts = [
        op
        for made, read in ((10, 1), (12, 2))
        for op in (
            f"{made}[4 8] = MatMul({read}, 3)",
            f"{made}[4 4]/8 1, {made}[4 4]/8 1+4 = SplitTensorView({made}[4 8])",
        )
    ]
    others = (f"4 = {first}(1)", "5 = Sqrt(4)", "6 = Exp(5)")
    gate = ("20 = Contiguous(12[4 4]/8 1)", "21 = Sigmoid(20)")
    left, right = trace_of(*parts, *gate, *others), trace_of(*parts, *others, "21 = Sigmoid(20)")
    hidden = trace_of(*parts, *others, "Contiguous()", "21 = Sigmoid(20)")
    for there in (hidden, right):
        for one, other in ((left, there), (there, left)):
            partner = compare(one, other, Request()).left.partner.tolist()
            assert (partner[gate_of(one)] >= 0) == (there is hidden)
