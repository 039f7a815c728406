"""What holds for the tree of every trace, however odd."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.structure.programs import Program, play

from opdiff.structure import ROOT, NodeKind, Structure, structure_of
from opdiff.structure.outline import as_json, outline
from opdiff.structure.part_names import PartNames
from opdiff.structure.paths import MOST_SEGMENTS
from opdiff.structure.repeats import find_repeats
from opdiff.trace import ColumnsBuilder, Frame, Operand, Source, TensorSpec, Trace
from opdiff.wording import say

_TYPES = ("Add", "Mul", "AddGrad", "Adam", "aten::mm", "Contiguous", "data-1", "AclWorkspace")
_SCOPES = (
    "", "Default/", "Default/net/layers.0/", "Default/net/layers.1/attn/", "Gradients/Default/net/",
    "layers.99999999999/", "a.b.c.0.1.2/", "/////", "7/", "layers.5/" * 40,
)  # fmt: skip
_FUNCTIONS = ("forward", "construct", "<module>", "rope", "", "step")
_FILES = ("/a/net.py", "C:\\a\\net.py", "/x/site-packages/torch/optim/adam.py", "")
_frames = st.builds(Frame, st.sampled_from(_FILES), st.integers(0, 3), st.sampled_from(_FUNCTIONS))
_specs = st.sampled_from(
    [TensorSpec("F32", (2,)), TensorSpec("F16", (3, 4)), TensorSpec("F32", ())]
)
_operands = st.lists(st.builds(Operand, st.integers(0, 12), _specs), max_size=3)
_ops = st.tuples(
    st.sampled_from(_TYPES), st.sampled_from(_SCOPES), st.lists(_frames, max_size=4), _operands,
    _operands,
)  # fmt: skip


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Blocks of ops, some of them again and again."""
    builder = ColumnsBuilder()
    for block in draw(st.lists(st.lists(_ops, max_size=9), max_size=5)):
        for _ in range(draw(st.integers(1, 5))):
            for name, scope, stack, outputs, inputs in block:
                builder.add(scope + name, outputs, inputs, stack=stack)
    return Trace(Source("odd.ir", "test"), *builder.build())


@given(traces())
@settings(deadline=None, max_examples=60)
def test_nodes_nest_and_share_out_all_rows(trace: Trace) -> None:
    structure = structure_of(trace)
    assert len(structure.of_row) == len(trace)
    assert structure.node(ROOT).ops == len(trace)
    owned = np.bincount(structure.of_row, minlength=len(structure))
    for node in range(len(structure)):
        parts = list(structure.children(node))
        rows = structure.rows(node)
        assert int(structure.ops[node]) == len(rows)
        assert len(rows) == int(owned[node]) + sum(int(structure.ops[part]) for part in parts)
        assert all(structure.parent[part] == node for part in parts)
        begun = [int(structure.first[part]) for part in parts if not _is_optimizer(structure, part)]
        assert begun == sorted(begun)
        if len(rows):
            assert (rows[0], rows[-1]) == (structure.first[node], structure.last[node])
            spelled = [row for low, high in structure.ranges(node) for row in range(low, high + 1)]
            assert spelled == rows.tolist()
        else:
            assert node == ROOT


def _is_optimizer(structure: Structure, node: int) -> bool:
    return structure.node(node).name == "optimizer"


@given(traces())
@settings(deadline=None, max_examples=40)
def test_trees_are_no_larger_than_traces_allow_and_nest_in_order(trace: Trace) -> None:
    structure = structure_of(trace)
    levels = len(NodeKind)
    assert len(structure) <= 1 + len(trace) * (levels + MOST_SEGMENTS)
    order, paths = list(NodeKind), {NodeKind.MODULE, NodeKind.FUNCTION}
    for node in range(1, len(structure)):
        inner, outer = structure.node(node), structure.node(int(structure.parent[node]))
        same = {inner.what, outer.what} <= paths
        assert same or order.index(inner.what) > order.index(outer.what)
        siblings = [structure.node(each) for each in structure.children(outer.id)]
        looks = [(each.what, each.name, each.number) for each in siblings if each.what not in paths]
        assert len(set(looks)) == len(looks)


@given(traces())
@settings(deadline=None, max_examples=25)
def test_outlines_say_every_op_once_a_level(trace: Trace) -> None:
    structure = structure_of(trace)
    for language in ("en", "zh"):
        lines = [say(line.name, language) for line in outline(trace, structure, 99)]
        assert len(lines) <= len(structure) * 2
    whole = as_json(trace, structure, 99)
    assert _counted(whole) == len(structure)
    assert whole["ops"] == len(trace)


def _counted(part: dict) -> int:  # type: ignore[type-arg]
    return 1 + sum(_counted(each) for each in part["parts"])


@given(
    st.integers(2, 12),
    st.integers(6, 20),
    st.integers(0, 5),
    st.integers(0, 5),
    st.data(),
)
@settings(deadline=None, max_examples=60)
def test_blocks_are_counted_whatever_one_of_them_has_more(
    times: int, length: int, ahead: int, behind: int, data: st.DataObject
) -> None:
    """Words of a block occur in no other place: number and borders of instances are sure."""
    sequence = [1000 + place for place in range(ahead)]
    starts = []
    odd = data.draw(st.integers(-1, times - 1))
    for instance in range(times):
        starts.append(len(sequence))
        block = list(range(length))
        if instance == odd and times > 3:
            block.insert(data.draw(st.integers(1, length - 1)), 777)
        sequence += block
    end = len(sequence)
    sequence += [2000 + place for place in range(behind)]
    found = find_repeats(np.array(sequence, np.int32))
    assert found is not None
    assert found.start.tolist() == starts
    assert int(found.end[-1]) == end
    mirrored = find_repeats(np.array(sequence[::-1], np.int32))
    assert mirrored is not None
    assert len(mirrored) == times


@given(traces(), st.data())
@settings(deadline=None, max_examples=60)
def test_few_parts_of_a_stretch_name_it_as_all_do(trace: Trace, data: st.DataObject) -> None:
    if not len(trace):
        return
    rows = st.integers(0, len(trace) - 1)
    first, last = sorted((data.draw(rows), data.draw(rows)))
    structure = structure_of(trace)
    nodes = np.unique(structure.of_row[first : last + 1])
    assert PartNames(structure).of_rows(first, last) == PartNames(structure).of_parts(nodes)


def test_a_long_stretch_is_named_by_few_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    structure = structure_of(play(Program(layers=40))[0])
    names, asked = PartNames(structure), []
    monkeypatch.setattr(names, "of_parts", lambda nodes: asked.append(len(nodes)))
    names.of_rows(0, len(structure.of_row) - 1)
    assert asked[0] < len(np.unique(structure.of_row)) / 2


def test_the_same_trace_is_the_same_tree() -> None:
    one, _ = play(Program(steps=2, batches=2))
    other, _ = play(Program(steps=2, batches=2))
    first, second = structure_of(one), structure_of(other)
    assert first.names == second.names
    for column in ("of_row", "parent", "end", "kind", "number", "label", "ops"):
        assert np.array_equal(getattr(first, column), getattr(second, column))
    assert structure_of(one) is first
