"""Every kind of divergence on the smallest traces that show it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from opdiff.compare import Direction, Kind, LostLink, Request, Side, compare

WHOLE = Request()


def upward(left, right) -> Request:
    return Request(Direction.UP, len(left) - 1, len(right) - 1)


CHAIN = ("2 = Embedding(1)", "3 = MatMul(2, 90)", "4 = ReLU(3)", "5 = Sum(4)")


def changed(place: int, *ops: str) -> tuple[str, ...]:
    return (*CHAIN[:place], *ops, *CHAIN[place + 1 :])


def test_equal_traces_differ_in_nothing_whatever_their_identifiers(trace_of, records):
    left = trace_of(*CHAIN)
    right = trace_of(
        "20 = Default/net/Embedding-op3(10)",
        "30 = Default/net/MatMul-op7(20, 900)",
        "40 = Default/net/ReLU-op0(30)",
        "50 = Default/net/Sum-op1(40)",
    )
    assert records(compare(left, right, WHOLE)) == set()


@pytest.mark.parametrize(
    ("place", "ops", "expected"),
    [
        (2, ["4 = GeLU(3)"], {(Kind.OP_TYPE, (2,), (2,))}),
        (2, ["6 = Contiguous(3)", "4 = ReLU(6)"], {(Kind.CONTIGUOUS, (), (2,))}),
        (2, ["6 = Exp(3)", "4 = ReLU(6)"], {(Kind.ONLY_RIGHT, (), (2,))}),
        (2, ["4 = ReLU(3) stream_id=3"], {(Kind.ATTRS, (2,), (2,))}),
        (1, ["3 = MatMul(2)"], {(Kind.OPERANDS, (1,), (1,))}),
        (
            2,
            ["4:F16 = ReLU(3)"],
            {(Kind.DTYPE, (2,), (2,))},
        ),
        (2, ["4[8 8] = ReLU(3)"], {(Kind.SHAPE, (2,), (2,))}),
        (2, ["4[4 4]/4 1+0 = ReLU(3)"], {(Kind.LAYOUT_MISSING, (2,), (2,))}),
    ],
)
def test_one_change_is_one_record(trace_of, records, place, ops, expected):
    left, right = trace_of(*CHAIN), trace_of(*changed(place, *ops))
    assert records(compare(left, right, upward(left, right))) == expected
    mirrored = {(kind.mirrored, theirs, ours) for kind, ours, theirs in expected}
    assert records(compare(right, left, upward(right, left))) == mirrored


def test_an_operand_that_changed_shows_at_its_reader_too_as_a_consequence(trace_of, records):
    left = trace_of(*CHAIN)
    right = trace_of(*CHAIN[:2], "4:F16 = ReLU(3)", "5 = Sum(4:F16)")
    comparison = compare(left, right, WHOLE)
    assert records(comparison) == {(Kind.DTYPE, (2,), (2,)), (Kind.DTYPE, (3,), (3,))}
    root, follower = sorted(range(2), key=lambda at: comparison.divergences[at].left_rows)
    assert comparison.divergences[root].caused_by is None
    assert comparison.divergences[follower].caused_by == root


def test_strides_of_two_views_are_compared(trace_of, records):
    left = trace_of("2 = Make(1)", "2[4 2]/4 1+0 = Slice(2)", "3 = Sum(2[4 2]/4 1+0)")
    right = trace_of("2 = Make(1)", "2[4 2]/4 1+2 = Slice(2)", "3 = Sum(2[4 2]/4 1+2)")
    assert records(compare(left, right, WHOLE)) == {
        (Kind.LAYOUT, (1,), (1,)),
        (Kind.LAYOUT, (2,), (2,)),
    }


def test_known_names_are_paired_and_marked(trace_of):
    left, right = trace_of("2 = AddExt(1, 1)"), trace_of("2 = Default/Add-op0(1, 1)")
    (divergence,) = compare(left, right, WHOLE).divergences
    assert (divergence.kind, divergence.known) == (Kind.OP_TYPE, True)


HOST_LEFT = ("2 = Make(1)", "3:Bool = Less(2)", "4:Bool = LogicalNot(3:Bool)", "5 = Mul(2, 4:Bool)")


def test_an_op_on_the_host_lists_the_links_its_consumers_lost(trace_of):
    left = trace_of(*HOST_LEFT)
    right = trace_of("2 = Make(1)", "Less()", "LogicalNot()", "5 = Mul(2, 9:Bool)")
    comparison = compare(left, right, WHOLE)
    found = {d.left_rows: d for d in comparison.divergences}
    assert {d.kind for d in found.values()} == {Kind.CPU_FALLBACK}
    assert found[2,].lost_links == (LostLink(Side.RIGHT, 3, 1, 1),)
    assert found[1,].lost_links == ()


def test_an_addition_on_the_host_is_the_one_that_it_was(trace_of):
    left = trace_of("2 = Make(1)", "3 = Exp(2)", "4 = AddExt(2, 3)", "5 = Mul(2, 4)")
    right = trace_of("2 = Make(1)", "3 = Exp(2)", "Default/Add-op0()", "5 = Mul(2, 9)")
    found = {(d.kind, d.left_rows, d.right_rows) for d in compare(left, right, WHOLE).divergences}
    assert found == {(Kind.CPU_FALLBACK, (2,), (2,)), (Kind.OP_TYPE, (2,), (2,))}


def test_a_lost_link_is_numbered_among_the_inputs_that_are_compared(trace_of):
    left = trace_of(*HOST_LEFT)
    right = trace_of(
        "8 = data-1()", "2 = Make(1)", "Less()", "LogicalNot()", "5 = Mul(8, 2, 9:Bool)"
    )
    found = {d.left_rows: d for d in compare(left, right, WHOLE).divergences}
    assert found[2,].lost_links == (LostLink(Side.RIGHT, 4, operand=2, number=1),)


def test_a_copy_without_operands_is_not_on_the_host(trace_of, records):
    left = trace_of("2 = Make(1)", "3 = Contiguous(2)", "4 = Sum(3)")
    right = trace_of("2 = Make(1)", "Contiguous()", "4 = Sum(7)")
    assert records(compare(left, right, WHOLE)) == set()


def test_a_trace_without_any_operands_is_aligned_by_names(trace_of, records):
    left = trace_of(*CHAIN)
    right = trace_of("Embedding()", "MatMul()", "GeLU()", "Sum()")
    assert records(compare(left, right, WHOLE)) == {(Kind.OP_TYPE, (2,), (2,))}


def test_a_rewired_input_is_dataflow(trace_of, records):
    ops = ["2 = Make(1)", "3 = Norm(2)", "4 = MatMul(3, 90)"]
    left = trace_of(*ops, "5 = Add(4, 2)", "6 = Sum(5)")
    right = trace_of(*ops, "5 = Add(4, 3)", "6 = Sum(5)")
    comparison = compare(left, right, WHOLE)
    assert records(comparison) == {(Kind.DATAFLOW, (3,), (3,))}
    assert "Make (line 1)" in str(comparison.divergences[0].sentence)
    assert "Norm (line 4)" in str(comparison.divergences[0].sentence)


def test_inputs_that_changed_places_are_dataflow(trace_of, records):
    ops = ["2 = Make(1)", "3 = Norm(2)"]
    left, right = trace_of(*ops, "5 = Sub(2, 3)"), trace_of(*ops, "5 = Sub(3, 2)")
    assert records(compare(left, right, WHOLE)) == {(Kind.DATAFLOW, (2,), (2,))}


def test_where_the_order_of_inputs_does_not_matter_it_is_no_difference(trace_of, records):
    ops = ["2 = Make(1)", "3 = Norm(2)"]
    left, right = trace_of(*ops, "5 = Add(2, 3)"), trace_of(*ops, "5 = Add(3, 2)")
    assert records(compare(left, right, WHOLE)) == set()


def test_branches_that_changed_places_moved(trace_of, records):
    top, bottom = "2 = Make(1)", "9 = Concat(4, 6)"
    first, second = ("3 = Exp(2)", "4 = Neg(3)"), ("5 = Log(2)", "6 = Abs(5)")
    left, right = trace_of(top, *first, *second, bottom), trace_of(top, *second, *first, bottom)
    found = records(compare(left, right, WHOLE))
    assert {kind for kind, _, _ in found} == {Kind.MOVED}
    assert len(found) == 2


def test_branches_that_look_alike_are_told_apart_by_their_readers(trace_of, records):
    top = "2 = Make(1)"
    left = trace_of(top, "3 = Exp(2)", "4 = Exp(2)", "5 = Sub(3, 4)", "6 = Neg(3)")
    right = trace_of(top, "4 = Exp(2)", "3 = Exp(2)", "5 = Sub(3, 4)", "6 = Neg(3)")
    found = records(compare(left, right, WHOLE))
    assert len(found) == 1
    assert {kind for kind, _, _ in found} == {Kind.MOVED}


@pytest.mark.parametrize("name", ["GraphKernel_Mul_Sigmoid_Sub_fusion", "SomeFusedKernel"])
def test_several_ops_do_the_work_of_one(trace_of, records, name):
    left = trace_of(
        "2 = MatMul(1, 90)", "3 = Mul(2, 91)", "4 = Sigmoid(3)", "5 = Sub(4, 2)", "6 = Norm(5)"
    )
    right = trace_of("2 = MatMul(1, 90)", f"5 = Default/{name}-op0(2, 91)", "6 = Norm(5)")
    assert records(compare(left, right, WHOLE)) == {(Kind.FUSED, (1, 2, 3), (1,))}
    assert records(compare(right, left, WHOLE)) == {(Kind.FUSED, (1,), (1, 2, 3))}


def test_the_table_knows_what_one_op_expands_into(trace_of, records):
    left = trace_of("2 = Make(1)", "3 = SiLU(2)", "4 = Sum(3)")
    right = trace_of("2 = Make(1)", "5 = Sigmoid(2)", "3 = Mul(2, 5)", "4 = Sum(3)")
    assert records(compare(left, right, WHOLE)) == {(Kind.FUSED, (1,), (1, 2))}


def test_scalars_and_constants_that_only_graphs_list_are_no_operands(trace_of, records):
    left = trace_of("2 = Make(1)", "3 = Slice(2)")
    right = trace_of(
        "8:Int64[4] = Default/data-0()", "2 = Make(1)", "3 = Slice(2, 8:Int64[4], 9:Bool[])"
    )
    assert records(compare(left, right, WHOLE)) == set()


def test_noise_is_hidden_until_a_rule_says_otherwise(trace_of, records):
    left, right = trace_of(*CHAIN), trace_of(*CHAIN[:3], "AclWorkspace()", CHAIN[3])
    assert records(compare(left, right, WHOLE)) == set()
    shown = replace(WHOLE, rules=replace(WHOLE.rules, builtin=False))
    assert records(compare(left, right, shown)) == {(Kind.ONLY_RIGHT, (), (3,))}


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("told", "same"), [("(1, _)", True), ("(_, 1)", False)])
def test_a_subtraction_the_other_way_round_is_another(
    trace_of, told: str, same: bool, turned: bool
) -> None:
    lines = "5 = aten::exp(1)", "6 = aten::{}(5) args={}", "7 = aten::sin(6)"
    one, other = (
        trace_of(*(line.format(*call) for line in lines))
        for call in (("rsub", "(_, 1)"), ("sub", told))
    )
    comparison = compare(*((other, one) if turned else (one, other)), Request())
    assert [group.harmless for group in comparison.groups] == [same]
