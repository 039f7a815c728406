"""What neither stayed in place nor stayed the same, and what tells like ops apart."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from opdiff.compare import Direction, Kind, Request, Rules, compare
from opdiff.compare.components import joined
from opdiff.compare.matching import Matching
from opdiff.compare.names.table import table_for
from opdiff.compare.names.vocabulary import vocabulary
from opdiff.compare.pairing.sums import Sums
from opdiff.compare.sides.hostdata import host_memory
from opdiff.compare.sides.prepared import prepare
from opdiff.wording import say

WHOLE = Request()


def test_an_op_that_moved_and_changed_is_two_records(trace_of, records):
    top = ("2 = Make(1)", "3 = Exp(2)", "4 = Log(3)", "5 = Neg(4)")
    left = trace_of("9 = Cos(8)", *top, "7 = Concat(5, 9)")
    right = trace_of(*top, "9:F16 = Cos(8)", "7 = Concat(5, 9:F16)")
    found = records(compare(left, right, WHOLE))
    assert {(Kind.MOVED, (0,), (4,)), (Kind.DTYPE, (0,), (4,))} <= found
    assert found - {(Kind.DTYPE, (5,), (5,))} == {
        (Kind.MOVED, (0,), (4,)),
        (Kind.DTYPE, (0,), (4,)),
    }


def test_ops_on_the_host_are_paired_in_any_order(trace_of, records):
    left = trace_of("2 = Make(1)", "3 = Less(2)", "4 = Sub(2)", "5 = Mul(3, 4)", "6 = Sum(5)")
    right = trace_of("2 = Make(1)", "Sub()", "Less()", "Mul()", "6 = Sum(9)")
    kinds = {(kind, rows) for kind, rows, _ in records(compare(left, right, WHOLE))}
    assert {(Kind.CPU_FALLBACK, (row,)) for row in (1, 2, 3)} <= kinds
    assert Kind.ONLY_LEFT not in {kind for kind, _ in kinds}


def test_the_parts_of_a_fused_kernel_may_stand_among_other_ops(trace_of, records):
    left = trace_of(
        "2 = Make(1)", "3 = Mul(2, 90)", "4 = Neg(2)", "5 = Log(4)", "6 = Add(3, 5)", "7 = Sum(6)"
    )
    right = trace_of(
        "2 = Make(1)",
        "4 = Neg(2)",
        "5 = Log(4)",
        "6 = GraphKernel_Mul_Add_fusion(2, 90, 5)",
        "7 = Sum(6)",
    )
    assert records(compare(left, right, WHOLE)) == {(Kind.FUSED, (1, 4), (3,))}


def test_reading_the_other_output_of_the_same_op_is_dataflow(trace_of, records):
    split = ("2 = Make(1)", "3, 4 = Split(2)")
    left = trace_of(*split, "5 = Neg(4)", "6 = Sum(5)")
    right = trace_of(*split, "5 = Neg(3)", "6 = Sum(5)")
    comparison = compare(left, right, WHOLE)
    assert records(comparison) == {(Kind.DATAFLOW, (2,), (2,))}
    said = say(comparison.divergences[0].sentence, "en")
    assert "result 1 of Split" in said
    assert "result 0 of Split" in said
    assert "another result" in say(comparison.groups[0].title, "en")


def test_parameters_tell_like_ops_apart_where_readers_contradict_them(trace_of, records):
    """Keys and values are read the wrong way round in one layer of three."""

    def layers(swapped: int) -> list[str]:
        ops = ["10 = Make(1)"]
        for number in range(3):
            x = 10 * number + 10
            k, v = (x + 3, x + 2) if number == swapped else (x + 2, x + 3)
            ops += [
                f"{x + 1} = Norm({x})",
                f"{x + 2} = MatMul({x + 1}, 5)",
                f"{x + 3} = MatMul({x + 1}, 6)",
                f"{x + 4} = Scores({k})",
                f"{x + 10} = Mix({x + 4}, {v})",
            ]
        return ops

    left, right = trace_of(*layers(-1)), trace_of(*layers(1))
    assert records(compare(left, right, WHOLE)) == {
        (Kind.DATAFLOW, (9,), (9,)),
        (Kind.DATAFLOW, (10,), (10,)),
    }


def test_of_like_ops_the_one_whose_producers_remain_stays(trace_of, records):
    left = trace_of(
        "2 = Make(1)", "3 = Exp(2)", "4 = Add(2, 3)", "5 = Log(4)", "6 = Add(4, 5)", "7 = Norm(6)"
    )
    right = trace_of("2 = Make(1)", "3 = Exp(2)", "4 = Add(2, 3)", "7 = Norm(4)")
    request = Request(Direction.UP, 5, 3)
    assert records(compare(left, right, request)) == {
        (Kind.ONLY_LEFT, (3,), ()),
        (Kind.ONLY_LEFT, (4,), ()),
    }


def test_host_data_that_the_other_run_never_lists_is_no_operand(trace_of, records):
    left = trace_of(
        "2 = Init()",
        "3 = Init()",
        "4 = MatMul(3, 2)",
        "5 = Exp(4)",
        "2 = Update(2, 5)",
        "6 = Sum(5)",
    )
    right = trace_of("4 = MatMul()", "5 = Exp(4)", "Update(5)", "6 = Sum(5)")
    assert host_memory(left, right).tolist() == [2, 3]
    assert host_memory(right, left).tolist() == []
    assert records(compare(left, right, WHOLE)) == {
        (Kind.ONLY_LEFT, (0,), ()),
        (Kind.ONLY_LEFT, (1,), ()),
    }


def test_without_operands_namesakes_that_changed_places_are_moved(trace_of, records):
    left = trace_of("Make()", "Cos()", "Exp()", "Log()", "Neg()", "Sum()")
    right = trace_of("Make()", "Exp()", "Log()", "Neg()", "Cos()", "Sum()")
    comparison = compare(left, right, WHOLE)
    assert records(comparison) == {(Kind.MOVED, (1,), (4,))}
    assert "as far as names tell" in str(comparison.divergences[0].sentence)


def test_a_namesake_far_away_is_another_op(trace_of, records):
    between = [f"Step{number}()" for number in range(40)]
    left = trace_of("Make()", "Cos()", *between, "Sum()")
    right = trace_of("Make()", *between, "Cos()", "Sum()")
    kinds = {kind for kind, _, _ in records(compare(left, right, WHOLE))}
    assert kinds == {Kind.ONLY_LEFT, Kind.ONLY_RIGHT}


def test_an_op_without_operands_goes_to_its_namesake_not_to_a_stranger(trace_of, records):
    left = trace_of("2 = Make(1)", "3 = Muls(2)", "4 = Exp(3)", "5 = Log(4)", "AssignAdd()")
    right = trace_of("2 = Make(1)", "AssignAdd()", "4 = Exp(9)", "5 = Log(4)")
    found = records(compare(left, right, WHOLE))
    assert (Kind.MOVED, (4,), (1,)) in found
    assert not {Kind.OP_TYPE, Kind.CPU_FALLBACK} & {kind for kind, _, _ in found}


def test_one_substitute_leads_to_the_next(trace_of, records):
    left = trace_of("2 = Make(1)", "3 = Exp(2)", "4 = Log(3)", "5 = Neg(4)", "6 = Cos(5)")
    right = trace_of("2 = Make(1)", "3 = Ceil(2)", "4 = Erf(3)", "5 = Sign(4)", "6 = Tan(5)")
    found = records(compare(left, right, WHOLE))
    assert found == {(Kind.OP_TYPE, (row,), (row,)) for row in range(1, 5)}


@given(st.lists(st.tuples(st.integers(0, 39), st.integers(0, 39)), max_size=60))
def test_what_links_join_is_known_by_its_smallest_number(links):
    graph = nx.Graph(links)
    graph.add_nodes_from(range(40))
    ends = np.array(links, np.int32).reshape(-1, 2)
    lowest = joined(40, ends[:, 0], ends[:, 1]).tolist()
    assert {at: lowest[at] for at in range(40)} == {
        at: min(lot) for lot in nx.connected_components(graph) for at in lot
    }


def test_an_op_with_fewer_inputs_is_none_that_reads_another_value(trace_of) -> None:
    """A gate is gone: what scaled its input is left, though the same op reads both products."""
    end = ("15 = Scatter(14)", "16 = Muls(15)", "17 = Mul(16, 15)", "18 = Log(17)")
    gate = ("12 = Dense(1, 4)", "13 = Sigmoid(12)", "14 = Mul(11, 13)")
    left = trace_of("10 = Dense(1, 2)", "11 = Muls(10)", *gate, *end)
    right = trace_of("10 = MatMul(1, 2)", "14 = Expand/Mul(10)", *end)
    for sides in ((left, right), (right, left)):
        comparison = compare(*sides, WHOLE)
        (suspect,) = (group for group in comparison.groups if not group.harmless)
        assert "Dense, Sigmoid, Mul" in str(suspect.title)


def test_additions_that_make_one_total_are_not_told_apart_by_a_term(trace_of) -> None:
    terms = ("2 = Exp(1)", "3 = Abs(1)", "4 = Sin(1)", "5 = Add(2, 3)")
    several, alone = trace_of(*terms, "6 = Add(5, 4)"), trace_of(*terms, "6 = Sum(5)")
    words = vocabulary(several, alone, table_for(Rules()))
    rows, noise = np.arange(5, dtype=np.int32), np.zeros(5, np.bool_)
    sides = [prepare(each, side, words, rows, noise) for side, each in enumerate((several, alone))]
    matching = Matching((6, 6), (5, 5))
    sums = Sums((sides[0], sides[1]), matching)
    assert [sums.among_others(row, row) for row in range(5)] == [False] * 3 + [True] * 2
    assert not Sums((sides[1], sides[1]), matching).among_others(3, 3)
