"""Roots and groups, sentences, likely counterparts, and what never makes a difference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from opdiff.compare import Direction, Kind, Request, Rules, compare
from opdiff.compare.judging.roots import _behind_harmless
from opdiff.compare.names.kernel_names import parts_of
from opdiff.compare.names.table import table_for
from opdiff.compare.pairing.counterparts import counterparts
from opdiff.compare.records.attributes import attribute_changes
from opdiff.compare.sides.noise import noise_of
from opdiff.readers import open_trace
from opdiff.wording import LANGUAGES, say


def repeated(layer: str, count: int) -> list[str]:
    """A chain of layers: each reads ``x`` and writes ``y`` and ``z``."""
    ops = ["10 = Make(1)"]
    for number in range(count):
        x, y, z = 10 + 3 * number, 11 + 3 * number, 13 + 3 * number
        ops += [
            op.replace("x", str(x)).replace("y", str(y)).replace("z", str(z))
            for op in layer.split("; ")
        ]
    return ops


def test_the_same_difference_in_every_layer_is_one_group(trace_of):
    left = trace_of(*repeated("y = MatMul(x, 5); z = ReLU(y)", 6))
    right = trace_of(*repeated("y = MatMul(x, 5); z = GeLU(y)", 6))
    comparison = compare(left, right, Request())
    (group,) = comparison.groups
    assert (group.count, group.kind, str(group.title)) == (6, Kind.OP_TYPE, "ReLU → GeLU")
    assert group.root
    assert comparison.by_kind == {Kind.OP_TYPE: 6}


def test_a_lost_chain_points_at_its_root(trace_of):
    """Neg and Concat are gone, and what read them has one input less: one chain of causes."""
    top = ("2 = Make(1)", "3 = Sin(1)")
    left = trace_of(*top, "4 = Neg(2)", "5 = Concat(4, 2)", "6 = Mul(5, 3)", "7 = Sum(6)")
    right = trace_of(*top, "6 = Mul(3)", "7 = Sum(6)")
    divergences = list(compare(left, right, Request()).divergences)
    by_row = {d.left_rows: (at, d) for at, d in enumerate(divergences)}
    assert by_row[4,][1].kind is Kind.OPERANDS
    assert by_row[4,][1].caused_by == by_row[3,][0]
    assert by_row[3,][1].caused_by == by_row[2,][0]
    assert by_row[2,][1].caused_by is None


def test_the_op_that_changed_is_the_root_not_the_gradient_that_follows(trace_of):
    ops = ("2 = Make(1)", "3 = {0}(2)", "4 = MaxPool(3)", "5 = MaxPoolGrad(4, 3)", "6 = {1}(5, 3)")
    left = trace_of(*(op.format("ReLU", "ReluGrad") for op in ops))
    right = trace_of(*(op.format("GeLU", "GeLUGrad") for op in ops))
    comparison = compare(left, right, Request(Direction.UP, 4, 4))
    roots = {str(group.title): group.root for group in comparison.groups}
    assert roots == {"ReLU → GeLU": True, "ReluGrad → GeLUGrad": False}


def test_what_an_operand_shows_follows_from_the_op_at_the_same_place(trace_of):
    left = trace_of("2 = Make(1)", "2[4 2]/4 1+0 = Slice(2)", "3 = Sum(2[4 2]/4 1+0)")
    right = trace_of("2 = Make(1)", "4[4 2] = Default/StridedSlice-op0(2)", "3 = Sum(4[4 2])")
    divergences = list(compare(left, right, Request()).divergences)
    (root,) = (at for at, d in enumerate(divergences) if d.kind is Kind.OP_TYPE)
    assert {d.caused_by for d in divergences} == {None, root}
    assert str(divergences[root].sentence) == (
        "right copies with StridedSlice where left takes a view with Slice"
    )


def test_a_dense_copy_at_the_border_of_a_graph_is_said_so(trace_of):
    left = trace_of("2 = Make(1)", "3 = Exp(2)")
    right = trace_of("2 = Make(1)", "4 = Contiguous(2)", "3 = Default/Exp-op0(4)")
    (found,) = compare(left, right, Request()).divergences
    assert "where eager code enters the compiled graph" in str(found.sentence)


def test_sentences_are_filled_in(trace_of):
    left = trace_of("2 = Make(1)", "3 = Exp(2)", "4 = Neg(3)")
    right = trace_of("2 = Make(1)", "3:F16 = Exp(2)", "5 = Log(3:F16)", "4 = Neg(5) stream_id=2")
    comparison = compare(left, right, Request())
    for found in comparison.divergences:
        for language in LANGUAGES:
            assert "{" not in say(found.sentence, language)
            assert "{" not in say(comparison.groups[found.group].title, language)


def test_the_finder_ranks_by_name_shapes_neighbours_and_turn(trace_of):
    ops = repeated("y = MatMul(x, 5); z = ReLU(y)", 3)
    left, right = trace_of(*ops), trace_of("9 = Make(1)", *ops)
    best, *others = counterparts(left, 3, right)
    assert best.row == 4
    assert len(others) == 2
    assert all(best.score > other.score for other in others)
    assert "same op" in str(best.reason)
    assert counterparts(left, 3, trace_of()) == []


def test_the_finder_knows_other_names_of_the_same_op(trace_of):
    left = trace_of("2 = AddExt(1, 1)")
    right = trace_of("2 = Exp(1)", "3 = Add(1, 1)")
    assert [(c.row, str(c.reason)[:17]) for c in counterparts(left, 0, right)] == [
        (1, "known counterpart")
    ]
    assert [c.row for c in counterparts(left, 0, trace_of("2 = Addition(1)", "3 = Exp(1)"))] == [0]


def test_records_of_one_copy_count_once_where_all_records_agree(trace_of):
    copy = ("Contiguous()", "Contiguous()", "3 = Contiguous(2)")
    eager = trace_of("2 = Make(1)", *copy, "4 = Exp(3)", *copy, *copy, "5 = Sum(3)")
    graph = trace_of(
        "2 = Make(1)",
        *copy[:2],
        "4 = Exp(7)",
        *copy[:2],
        *copy[:2],
        "9 = Contiguous(2)",
        "5 = Sum(8)",
    )
    assert noise_of(eager, graph).sum() == 6
    odd = trace_of("2 = Make(1)", *copy, "Contiguous()", "4 = Exp(3)")
    assert not noise_of(odd, eager).any()


def test_attributes_that_name_things_of_one_run_do_not_count():
    pointer, other = {"event": "281472"}, {"event": "281488"}
    assert attribute_changes(pointer, other, across=False) == ()
    assert attribute_changes({"event": "3"}, {"event": "4"}, across=False) == (("event", "3", "4"),)
    group = {"stream_id": "0", "group": "world"}
    assert attribute_changes({"stream_id": "0"}, group, across=True) == ()
    assert attribute_changes({"stream_id": "0"}, group, across=False) == (("group", "", "world"),)


def test_the_table_links_names_and_never_chains_them():
    table = table_for(Rules())
    assert table.may_pair("Zeros", "FillV2")
    assert table.may_pair("Ones", "FillV2")
    assert not table.may_pair("Zeros", "Ones")
    assert ("sigmoid", "mul") in table.expansions[table.spelling("SiLU")]
    bare = table_for(Rules(counterparts=(("A", "B"),), same=(("C", "D"),), builtin=False))
    assert bare.may_pair("A", "B")
    assert not bare.may_pair("Zeros", "FillV2")
    assert bare.same_rule("D", "C") == 0
    assert bare.same_rule("A", "B") is None


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("GraphKernel_Mul_Sigmoid_Sub_fusion", ("Mul", "Sigmoid", "Sub")),
        ("GraphKernel_Cast_Add", ("Cast", "Add")),
        ("MatMul", ()),
    ],
)
def test_fused_kernels_carry_the_names_of_their_parts(name, parts):
    assert parts_of(name) == parts


def test_of_like_ops_the_extra_one_is_the_one_that_reads_from_elsewhere(trace_of, records):
    left = trace_of("2 = Make(1)", "3 = Exp(2)", "4 = Sum(3)")
    right = trace_of("2 = Make(1)", "3 = Exp(2)", "5 = Exp(3)", "4 = Sum(5)")
    for request in (Request(), Request(Direction.UP, 2, 3), Request(Direction.DOWN, 0, 0)):
        assert records(compare(left, right, request)) == {(Kind.ONLY_RIGHT, (), (2,))}


def test_a_copy_of_host_memory_does_not_count_as_an_input(trace_of, records):
    left = trace_of("2 = TensorMove()", "3 = Add(2, 4)", "5 = TensorMove()", "6 = Mul(5, 3)")
    right = trace_of("3 = Add(4)", "6 = Mul(3)")
    assert records(compare(left, right, Request())) == {
        (Kind.ONLY_LEFT, (0,), ()),
        (Kind.ONLY_LEFT, (2,), ()),
    }


def test_divergences_behave_like_a_list(trace_of):
    left = trace_of(*repeated("y = MatMul(x, 5); z = ReLU(y)", 3))
    right = trace_of(*repeated("y = MatMul(x, 5); z = GeLU(y)", 3))
    divergences = compare(left, right, Request()).divergences
    assert list(divergences) == [divergences[at] for at in range(len(divergences))]
    assert divergences[-1] == list(divergences)[-1]
    assert list(divergences[:2]) == list(divergences)[:2]
    assert divergences == compare(left, right, Request()).divergences


@pytest.mark.parametrize("pair", ["rope/eager rope/jit_trace", "cnn/relu cnn/gelu"])
def test_nothing_that_may_change_a_value_follows_from_what_cannot(pair: str) -> None:
    """A lost Neg reads what a dense copy wrote: that copy is no reason for its loss."""
    real = Path(__file__).parents[2] / "samples" / "real"
    left, right = (open_trace(real / each / "tracker_graph.ir") for each in pair.split())
    divergences = list(compare(left, right, Request()).divergences)
    for divergence in divergences:
        if divergence.caused_by is not None and divergences[divergence.caused_by].harmless:
            assert divergence.harmless, divergence


def test_causes_are_looked_for_behind_what_is_harmless() -> None:
    cause = np.array([-1, 0, 1, 2, 5, 4, 5], np.int32)
    harmless = np.array([False, True, True, False, True, True, False])
    assert _behind_harmless(cause, harmless).tolist() == [-1, 0, 1, 0, 5, 4, -1]


def test_a_view_of_other_elements_is_a_suspect_as_its_reader_is(trace_of) -> None:
    ops = ("2 = Make(1)", "2[4 2]/4 1+{0} = Slice(2)", "3 = Sum(2[4 2]/4 1+{0})")
    left, right = (trace_of(*(op.format(offset) for op in ops)) for offset in (0, 2))
    view, reader = sorted(compare(left, right, Request()).divergences, key=lambda d: d.left_rows)
    assert (view.kind, view.harmless, view.caused_by) == (Kind.LAYOUT, False, None)
    assert (reader.kind, reader.harmless) == (Kind.LAYOUT, False)
    assert reader.caused_by is not None
