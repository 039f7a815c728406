"""What the user says of names and places is obeyed, on generated pairs and small traces."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pairs.small_traces import SmallOp, SmallTrace, build, related_traces, small_traces

from opdiff.compare import Direction, Equivalent, Ignore, Kind, Request, Rules, Side, compare

quick = settings(max_examples=50, deadline=None, derandomize=True)
two_traces = st.one_of(
    related_traces().filter(lambda traces: len(traces[1]) > 1),
    st.tuples(small_traces(2), small_traces(2)),
)


@quick
@given(two_traces, st.integers(0, 99))
def test_an_op_that_is_alone_by_decree_has_no_partner(
    traces: tuple[SmallTrace, SmallTrace], place: int
) -> None:
    left, right = map(build, traces)
    row = place % (len(left) - 1)
    last = (len(left) - 1, len(right) - 1)
    request = Request(Direction.UP, *last, alone_left=frozenset({row}))
    comparison = compare(left, right, request)
    assert comparison.left.partner[row] < 0
    kinds = {comparison.divergences[index].kind for index in comparison.left.records_at(row)}
    assert kinds <= {Kind.ONLY_LEFT, Kind.CONTIGUOUS}
    assert kinds


@quick
@given(two_traces, st.integers(0, 99))
def test_an_ignored_op_is_no_difference(traces: tuple[SmallTrace, SmallTrace], place: int) -> None:
    left, right = map(build, traces)
    row = place % (len(right) - 1)
    last = (len(left) - 1, len(right) - 1)
    request = Request(Direction.UP, *last, ignored_right=frozenset({row}))
    assert compare(left, right, request).right.records_at(row) == []


@quick
@given(two_traces, st.sampled_from(("Mul", "Slice", "Contiguous", "Add*")))
def test_an_ignored_name_is_no_difference(traces: tuple[SmallTrace, SmallTrace], glob: str) -> None:
    left, right = map(build, traces)
    last = (len(left) - 1, len(right) - 1)
    request = Request(Direction.UP, *last, rules=Rules(ignore=(Ignore(op=glob),)))
    comparison = compare(left, right, request)
    for divergence in comparison.divergences:
        for side in Side:
            trace = comparison.side(side).trace
            names = {trace.type_name(row) for row in divergence.rows(side)}
            if last[side] not in divergence.rows(side):
                assert not any(name.startswith(glob.rstrip("*")) for name in names), divergence


@quick
@given(small_traces(2))
def test_names_that_are_the_same_by_rule_make_no_difference(ops: SmallTrace) -> None:
    renamed = tuple(replace(op, type="Renamed" if op.type == "Mul" else op.type) for op in ops)
    left, right = build(ops), build(renamed)
    last = (len(left) - 1, len(right) - 1)
    rules = Rules(same=(("Mul", "Renamed"),))
    assert not compare(left, right, Request(Direction.UP, *last, rules=rules)).divergences


def test_an_equivalent_sequence_is_no_difference_wherever_it_occurs() -> None:
    chain = [SmallOp("Mul", ((1, 0),), ((0, 0),)), SmallOp("ReLU", ((2, 0),), ((1, 0),))]
    kernel = SmallOp("FusedKernel", ((2, 0),), ((0, 0),))
    middle, end = SmallOp("MatMul", ((0, 0),), ((2, 0),)), SmallOp("Print", (), ((0, 0),))
    left = build([*chain, middle, *chain, middle, end])
    right = build([kernel, middle, kernel, middle, end])
    plain = Request(Direction.UP, len(left) - 1, len(right) - 1)
    assert {d.kind for d in compare(left, right, plain).divergences} == {Kind.FUSED}
    rules = Rules(equivalent=(Equivalent(("Mul", "ReLU"), ("FusedKernel",)),))
    ruled = compare(left, right, replace(plain, rules=rules))
    assert not ruled.divergences
    assert {s.rule for s in ruled.swallowed} == {"equivalent"}
    here = compare(left, right, replace(plain, equivalent_here=(((0, 1), (0,)),)))
    assert [(d.left_rows, d.right_rows) for d in here.divergences] == [((3, 4), (2,))]
