"""What is asked for is what is compared: ranges, pins, rules and what they swallow."""

from __future__ import annotations

import gc

import pytest

from opdiff.compare import (
    Direction,
    Equivalent,
    Ignore,
    Kind,
    Request,
    Rules,
    State,
    Swallowed,
    compare,
    state_of,
)
from opdiff.errors import OpdiffError
from opdiff.progress import Cancelled, Progress

OPS = ("2 = Make(1)", "3 = Exp(2)", "4 = Neg(3)", "5 = Sum(4)")
OTHER = ("2 = Fill(1)", "3 = Exp(2)", "4 = Abs(3)", "5 = Prod(4)")


@pytest.mark.parametrize(
    ("direction", "rows"),
    [(Direction.UP, {0, 1}), (Direction.DOWN, {1, 2, 3}), (Direction.WHOLE, {0, 1, 2, 3})],
)
def test_a_direction_takes_the_ops_on_its_side_of_the_anchors(trace_of, direction, rows):
    left, right = trace_of(*OPS), trace_of(*OTHER)
    comparison = compare(left, right, Request(direction, 1, 1))
    assert {row for row in range(4) if comparison.left.compared[row]} == rows
    assert {d.left_rows[0] for d in comparison.divergences} == rows - {1}
    assert comparison.left.partner[1] == 1
    outside = [comparison.left.state[row] for row in range(4) if row not in rows]
    assert outside == [State.OUTSIDE] * len(outside)


@pytest.mark.parametrize(
    ("direction", "anchor", "order"),
    [(Direction.UP, 3, [3, 2, 0]), (Direction.DOWN, 1, [2, 3]), (Direction.WHOLE, 2, [2, 3, 0])],
)
def test_divergences_come_nearest_the_anchor_first(trace_of, direction, anchor, order):
    left, right = trace_of(*OPS), trace_of(*OTHER)
    comparison = compare(left, right, Request(direction, anchor, anchor))
    assert [d.left_rows[0] for d in comparison.divergences] == order


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (Request(Direction.UP), "scope.anchors-needed"),
        (Request(Direction.UP, 0), "scope.right-anchor-missing"),
        (Request(Direction.UP, None, 0), "scope.left-anchor-missing"),
        (Request(Direction.UP, 4, 0), "scope.left-anchor-no-op"),
        (Request(Direction.UP, 0, -1), "scope.right-anchor-no-op"),
        (Request(Direction.UP, 1, 1, pins=((2, 2),)), "scope.pin-outside"),
        (Request(pins=((9, 0),)), "scope.left-pin-no-op"),
        (Request(pins=((0, 9),)), "scope.right-pin-no-op"),
        (Request(pins=((0, 2), (1, 1))), "scope.pins-cross"),
        (Request(pins=((0, 0), (0, 1))), "scope.pins-cross"),
    ],
)
def test_requests_that_cannot_be_met_say_why(trace_of, request_, code):
    with pytest.raises(OpdiffError) as caught:
        compare(trace_of(*OPS), trace_of(*OPS), request_)
    assert caught.value.sentence.code == code
    assert str(caught.value)


def test_pins_hold_even_against_all_evidence(trace_of):
    left, right = trace_of(*OPS), trace_of(*OPS)
    comparison = compare(left, right, Request(pins=((1, 2),)))
    assert comparison.left.partner[1] == 2
    assert comparison.right.partner[2] == 1
    assert {d.kind for d in comparison.divergences if d.left_rows == (1,)} >= {Kind.OP_TYPE}


def test_an_op_can_be_declared_without_counterpart(trace_of, records):
    left, right = trace_of(*OPS), trace_of(*OPS)
    found = records(compare(left, right, Request(alone_left=frozenset({2}))))
    assert found == {(Kind.ONLY_LEFT, (2,), ()), (Kind.ONLY_RIGHT, (), (2,))}


def test_ancestors_leave_out_what_the_anchor_does_not_depend_on(trace_of, records):
    ops = ("2 = Make(1)", "3 = Exp(2)", "7 = {}(1)", "8 = {}(2)", "5 = Sum(3)")
    left = trace_of(*(op.format("Neg") for op in ops))
    right = trace_of(*(op.format("Abs") for op in ops))
    request = Request(Direction.UP, 4, 4)
    assert len(records(compare(left, right, request))) == 2
    only = compare(left, right, Request(Direction.UP, 4, 4, ancestors=True))
    assert records(only) == set()
    assert only.left.compared.tolist() == [True, True, False, False, True]


def test_same_names_are_no_difference_and_are_noted(trace_of):
    left, right = trace_of(*OPS), trace_of(*(op.replace("Neg", "Abs") for op in OPS))
    comparison = compare(left, right, Request(rules=Rules(same=(("Neg", "Abs"),))))
    assert not len(comparison.divergences)
    assert comparison.swallowed == (Swallowed("same", 0, (2,), (2,)),)
    assert comparison.left.state[2] == State.SWALLOWED


def test_counterparts_may_be_paired_and_are_called_known(trace_of):
    left = trace_of("2 = Make(1)", "3[8] = Squeeze(2)", "4 = Sum(3[8])")
    right = trace_of("2 = Make(1)", "3[8] = Collapse(2, 8)", "4 = Sum(3[8])")
    rules = Rules(counterparts=(("Squeeze", "Collapse"),))
    kinds = {d.kind: d.known for d in compare(left, right, Request(rules=rules)).divergences}
    assert kinds == {Kind.OP_TYPE: True, Kind.OPERANDS: False}


def test_ignored_ops_are_aligned_like_any_other_and_then_dropped(trace_of, records):
    left = trace_of(*OPS)
    right = trace_of(*OPS[:2], "4:F16 = Neg(3)", "5 = Sum(4:F16)")
    comparison = compare(left, right, Request(rules=Rules(ignore=(Ignore("Neg"),))))
    assert records(comparison) == {(Kind.DTYPE, (3,), (3,))}
    assert comparison.swallowed == (Swallowed("ignore", 0, (2,), (2,)),)
    single = compare(left, right, Request(ignored_right=frozenset({2})))
    assert single.swallowed == (Swallowed("ignore", -1, (2,), (2,)),)


def test_ops_are_ignored_by_their_scope_too(trace_of, records):
    left = trace_of("2 = Default/net/Exp-op0(1)", "3 = Sum(2)")
    right = trace_of("2 = Default/net/Exp-op0(1)", "4 = Default/debug/Print-op0(2)", "3 = Sum(2)")
    rules = Rules(ignore=(Ignore(scope="Default/debug*"),))
    assert records(compare(left, right, Request(rules=rules))) == set()


def test_equivalent_sequences_vanish_wherever_they_occur(trace_of, records):
    once = ("3 = Exp(2)", "4 = Log(3)")
    left = trace_of("2 = Make(1)", *once, "2 = Sum(4)", *once, "5 = Prod(4)")
    right = trace_of("2 = Make(1)", "4 = Id(2, 2)", "2 = Sum(4)", "4 = Id(2, 2)", "5 = Prod(4)")
    rules = Rules(equivalent=(Equivalent(("Exp", "Log"), ("Id",)),))
    comparison = compare(left, right, Request(rules=rules))
    assert records(comparison) == set()
    assert [entry.left_rows for entry in comparison.swallowed] == [(1, 2), (4, 5)]
    here = compare(left, right, Request(equivalent_here=(((1, 2), (1,)),)))
    assert not any(1 in d.left_rows for d in here.divergences)


def test_states_and_records_of_a_row_agree_with_the_divergences(trace_of):
    left, right = trace_of(*OPS), trace_of(*OPS[:2], "4:F16 = Abs(3)", "5 = Sum(4:F16)")
    comparison = compare(left, right, Request())
    kinds = {comparison.divergences[at].kind for at in comparison.left.records_at(2)}
    assert kinds == {Kind.OP_TYPE, Kind.DTYPE}
    assert comparison.left.state[2] == state_of(Kind.DTYPE)
    assert comparison.left.records_at(0) == []
    assert comparison.left.state[0] == State.EQUAL


class Counting(Progress):
    def __init__(self, stop_after: int | None = None) -> None:
        self.reports = 0
        self.pairs = 0
        self.stop_after = stop_after

    def report(self, stage: str, done: int, total: int) -> None:
        self.reports += 1
        if self.stop_after is not None and self.reports > self.stop_after:
            raise Cancelled

    def linked(self, left_rows, right_rows) -> None:
        self.pairs += len(left_rows)


def test_progress_hears_of_pairs_window_by_window_and_can_cancel(trace_of):
    ops = [f"{n + 2} = {'Exp' if n % 3 else 'Neg'}({n + 1})" for n in range(9_000)]
    trace, same = trace_of(*ops), trace_of(*ops)
    request = Request(Direction.UP, len(ops) - 1, len(ops) - 1)
    progress = Counting()
    compare(trace, same, request, progress)
    assert progress.reports > 2
    assert progress.pairs == len(ops) - 1
    with pytest.raises(Cancelled):
        compare(trace, same, request, Counting(stop_after=1))


@pytest.mark.parametrize("ops", [(), ("2 = Make(1)",), ("AclWorkspace()",)])
def test_tiny_traces_are_compared_too(trace_of, ops):
    comparison = compare(trace_of(*ops), trace_of(*OPS), Request())
    assert len(comparison.left.partner) == len(ops)
    assert len(compare(trace_of(*ops), trace_of(*ops), Request()).divergences) == 0


def test_python_looks_for_cycles_again_after_comparing(trace_of):
    class Stopped(Progress):
        def report(self, stage: str, done: int, total: int) -> None:
            assert not gc.isenabled()
            raise Cancelled

    before = gc.isenabled()
    try:
        for look in (gc.enable, gc.disable):  # a window looks for them itself
            look()
            wanted = gc.isenabled()
            with pytest.raises(Cancelled):
                compare(trace_of(*OPS), trace_of(*OTHER), Request(), Stopped())
            assert gc.isenabled() == wanted
    finally:
        (gc.enable if before else gc.disable)()
