from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from format_files import (
    DATA,
    check_survives,
    codes,
    edited,
    note_codes,
    open_content,
    producer_types,
    text_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.cli import main
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.trace import TensorSpec, Trace

FOLDER = DATA / "pytorch-et"
FILES = sorted(FOLDER.glob("*.json.gz"))
ROPE = text_of(FOLDER / "rope.base.et.json.gz")


def nodes_of(path: Path) -> dict[int, dict[str, Any]]:
    return {node["id"]: node for node in json.loads(text_of(path))["nodes"]}


def schema(node: dict[str, Any]) -> str:
    return next(str(a["value"]) for a in node["attrs"] if a["name"] == "op_schema")


def links(trace: Trace) -> list[int]:
    return trace.links.producer.tolist()


def same_inputs(trace: Trace) -> list[int]:
    """Of each input that no op wrote, where the same one is read first."""
    memory, producer = trace.inputs.memory.tolist(), links(trace)
    first: dict[int, int] = {}
    return [
        first.setdefault(block, place) for place, block in enumerate(memory) if producer[place] < 0
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_real_traces_have_the_calls_of_the_program(path: Path) -> None:
    nodes = nodes_of(path)
    top = [
        node["id"]
        for node in nodes.values()
        if schema(node) and not schema(nodes[node["ctrl_deps"]])
    ]
    trace = open_trace(path)
    assert trace.source.format == "pytorch-et"
    assert trace.problems == ()
    assert [op.type for op in trace] == [nodes[identity]["name"] for identity in sorted(top)]
    lines = text_of(path).split("\n")
    ids = [re.search(r'"id": (\d+)', lines[op.line])[1] for op in trace]  # type: ignore[index]
    assert [int(identity) for identity in ids] == sorted(top)
    assert all(trace.row_at(op.line) == op.row for op in trace)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_leaves_are_there_and_nothing_that_works_is_lost(path: Path) -> None:
    nodes = nodes_of(path)
    parents = {node["ctrl_deps"] for node in nodes.values() if schema(node)}
    leaves = [node for node in nodes.values() if schema(node) and node["id"] not in parents]
    trace = open_trace(path, graph="leaf")
    assert [part.name for part in trace.source.parts] == ["composite", "leaf"]
    assert trace.source.parts[1].ops == len(trace) >= len(leaves)
    kept = {op.type for op in trace}
    assert {node["name"] for node in leaves} <= kept
    assert kept.isdisjoint({"aten::reshape", "aten::linear", "aten::matmul", "aten::_to_copy"})
    assert "aten::pow" in kept or "rope_eager" in path.name, "it calls aten::to and works itself"


def test_shapes_strides_offsets_and_scalars() -> None:
    trace = open_trace(FOLDER / "pytorch_execution_trace_rope_eager.json.gz")
    second = [op for op in trace if op.type == "aten::slice"][1]
    assert second.outputs[0].spec == TensorSpec("Float32", (2, 4, 16, 8), (1536, 384, 24, 1), 16)
    assert second.inputs[0].spec == TensorSpec("Float32", (2, 4, 16, 24))
    assert second.outputs[0].memory == second.inputs[0].memory, "a view lies in the same memory"
    assert second.attrs["args"] == "(_, 3, 16, 9223372036854775807, 1)"
    cat = next(op for op in trace if op.type == "aten::cat")
    assert cat.attrs["args"] == "([_, _], -1)"
    assert producer_types(trace, cat.row) == ["aten::neg", "aten::chunk"]


def test_autograd_nodes_and_compiled_regions_are_scopes() -> None:
    trace = open_trace(FOLDER / "gpt2l.aot_eager.et.json.gz")
    assert {op.mode for op in trace} == {"eager", "graph"}
    inside = next(op for op in trace if op.mode == "graph")
    assert inside.scope == "Torch-Compiled Region: 0|0/CompiledFunction"
    eager = open_trace(FOLDER / "gpt2l.eager.et.json.gz")
    assert any(op.scope == "MulBackward0" for op in eager)
    assert {op.mode for op in eager} == {"eager"}


@pytest.mark.parametrize("level", ["composite", "leaf"])
def test_memory_used_again_does_not_link(level: str) -> None:
    """Two runs of one net get memory in other ways: their links must be the same all the same."""
    files = [FOLDER / f"gpt2l.{name}.et.json.gz" for name in ("eager", "norm_eps")]
    printed = [[node["inputs"]["values"] for node in nodes_of(file).values()] for file in files]
    assert printed[0] != printed[1]
    left, right = (open_trace(file, graph=level) for file in files)
    assert [op.type for op in left] == [op.type for op in right]
    assert links(left) == links(right)
    assert same_inputs(left) == same_inputs(right)
    assert sum(producer >= 0 for producer in links(left)) > 400


def test_a_number_in_freed_memory_has_no_producer() -> None:
    made = {"values": [[1, 7, 0, 8, 4, "cpu"]], "shapes": [[8]], "types": ["Tensor(float)"]}
    number = {"values": [[2, 7, 0, 1, 4, "cpu"]], "shapes": [[]], "types": ["Tensor(float)"]}
    trace = open_content(
        written([call(3, "aten::ones", {}, made), call(4, "aten::neg", number, {})])
    )
    assert trace.producers(1) == [None]


def tensor(storage: int, kind: str, shape: list[int]) -> dict[str, Any]:
    size = 8 if kind == "double" else 4
    value = [storage, storage, 0, 4, size, "cpu"]
    return {"values": [value], "shapes": [shape], "types": [f"Tensor({kind})"]}


def sides(*tensors: dict[str, Any]) -> dict[str, Any]:
    return {key: [item for one in tensors for item in one[key]] for key in tensors[0]}


def test_a_number_of_python_is_no_operand() -> None:
    x, y, number = tensor(1, "float", [4]), tensor(2, "float", [4]), tensor(3, "double", [])
    nodes = [
        call(3, "aten::mul", sides(x, number), y),
        call(4, "aten::sum", y, number),
        call(5, "aten::mul", sides(x, number), y),
        call(6, "aten::neg", number, y),
    ]
    counts = [len(op.inputs) for op in open_content(written(nodes))]
    assert counts == [1, 1, 2, 1], "what an op made, or is read first, is a tensor"


def test_a_call_hands_out_what_is_read_of_its_inside() -> None:
    x, out, mean = (tensor(number, "float", [4]) for number in (1, 2, 3))
    nodes = [
        call(3, "aten::layer_norm", x, out),
        call(4, "aten::native_layer_norm", x, sides(out, mean), parent=3),
        call(5, "aten::native_layer_norm_backward", sides(out, mean), x),
    ]
    trace = open_content(written(nodes))
    assert [op.type for op in trace] == ["aten::layer_norm", "aten::native_layer_norm_backward"]
    assert trace.producers(1) == [0, 0]
    assert len(trace.op(0).outputs) == 2


def test_a_copy_within_a_call_stands_for_what_was_copied() -> None:
    x, copy, out = (tensor(number, "float", [4]) for number in (1, 2, 3))
    nodes = [
        call(3, "aten::exp", out, x),
        call(4, "aten::matmul", x, out),
        call(5, "aten::clone", x, copy, parent=4),
        call(6, "aten::bmm", copy, out, parent=4),
        call(7, "aten::mul", sides(copy, out), out),
    ]
    trace = open_content(written(nodes))
    assert [op.type for op in trace] == ["aten::exp", "aten::matmul", "aten::mul"]
    assert trace.producers(2) == [0, 1]


def test_an_op_that_others_prepare_for_works_itself() -> None:
    x, out = tensor(1, "float", [4]), tensor(2, "float", [4])
    nodes = [
        call(3, "aten::linear", x, out),
        call(4, "aten::addmm", x, out, parent=3),
        call(5, "aten::expand", x, x, parent=4),
        call(6, "aten::copy_", sides(out, x), out, parent=4),
    ]
    types = [op.type for op in open_content(written(nodes), graph="leaf")]
    assert types == ["aten::addmm", "aten::expand", "aten::copy_"]


def test_the_variant_of_rope_differs(capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(FOLDER / f"rope.{name}.et.json.gz") for name in ("base", "variant")]
    assert main(["compare", *paths, "--format", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["left"]["format"] == "pytorch-et"
    assert report["summary"]["matched"] >= 13


def test_a_trace_that_is_cut_keeps_what_is_whole() -> None:
    place = ROPE.index('"name": "aten::outer"') + 150
    trace = open_content(ROPE[:place])
    assert codes(trace) == ["cut-entry"]
    assert 0 < len(trace) < 17
    cut = trace.problems[0]
    assert ROPE.split("\n")[cut.line].strip().startswith('"id": ')


def test_a_broken_node_is_a_problem_and_the_next_one_is_read() -> None:
    broken = ROPE.replace(
        '"name": "aten::sin", "ctrl_deps": 2', '"name": "aten::sin" "ctrl_deps": 2'
    )
    trace = open_content(broken)
    assert codes(trace) == ["broken-entry"]
    assert [op.type for op in trace] == [
        op.type for op in open_content(ROPE) if op.type != "aten::sin"
    ]


def test_other_output_around_the_trace() -> None:
    trace = open_content(f"[rank0] start\n{ROPE}\ndone\n")
    assert len(trace) == 17
    assert codes(trace) == ["unexpected-text", "unexpected-text"]


def test_a_trace_in_one_line_is_numbered() -> None:
    trace = open_content(json.dumps(json.loads(ROPE)))
    assert note_codes(trace) == ["numbered"]
    assert sorted(op.line for op in trace) == list(range(1, 18))
    assert all(trace.row_at(op.line) == op.row for op in trace)


def test_nodes_without_id_twice_and_unknown_members() -> None:
    node = call(3, "aten::neg", {}, {}) | {"novelty": {"deep": [1]}}
    trace = open_content(
        written([node, node, {"id": "x", "name": "y"}, call(5, "aten::abs", {}, {})])
    )
    assert [op.type for op in trace] == ["aten::neg", "aten::abs"]
    assert codes(trace) == ["trace-node-twice", "trace-node"]


def test_a_trace_without_calls_is_an_error() -> None:
    with pytest.raises(OpdiffError, match="pytorch-et"):
        open_content(written([]))
    with pytest.raises(OpdiffError, match="1: composite; 2: leaf"):
        open_content(ROPE, graph="kernel")


def test_files_of_the_first_schema() -> None:
    node = {
        "name": "aten::relu", "id": 3, "parent": 1, "op_schema": "aten::relu(Tensor self)",
        "inputs": [[4, 5, 0, 6, 4, "cpu"]], "input_shapes": [[2, 3]],
        "input_types": ["Tensor(float)"],
        "outputs": [[6, 7, 0, 6, 4, "cpu"]], "output_shapes": [[2, 3]],
        "output_types": ["Tensor(float)"],
    }  # fmt: skip
    op = open_content(json.dumps({"schema": "1.0.1-chakra.0.0.4", "nodes": [node]})).op(0)
    assert str(op.inputs[0].spec) == str(op.outputs[0].spec) == "Float32:[2, 3]"


# What a writer of the grammar writes


def call(identity: int, name: str, inputs: Any, outputs: Any, parent: int = 2) -> dict[str, Any]:
    empty = {"values": [], "shapes": [], "types": [], "strides": []}
    attrs = [{"name": "op_schema", "type": "string", "value": f"{name}() -> Tensor"}]
    return {
        "id": identity, "name": name, "ctrl_deps": parent,
        "inputs": {**empty, **inputs}, "outputs": {**empty, **outputs}, "attrs": attrs,
    }  # fmt: skip


def written(nodes: list[dict[str, Any]], indent: int | None = 1) -> str:
    head = {"schema": "1.1.1-chakra.0.0.4", "pid": 7, "time": "now", "start_ts": 1}
    return json.dumps({**head, "nodes": nodes, "finish_ts": 2}, indent=indent)


DIMS = st.lists(st.integers(2, 9), max_size=3)
SCALARS = st.one_of(
    st.tuples(st.integers(-9, 9), st.just("Int")),
    st.tuples(st.floats(allow_nan=False), st.just("Double")),
    st.tuples(st.booleans(), st.just("Bool")),
    st.tuples(st.just("<None>"), st.just("None")),
)
ARGUMENTS = st.lists(SCALARS | DIMS.map(lambda dims: (dims, "Tensor")), max_size=4)
CALLS = st.lists(
    st.tuples(st.sampled_from(["aten::add", "aten::mul", "mylib::op"]), ARGUMENTS, DIMS),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(CALLS, st.sampled_from([None, 1]), st.randoms())
def test_what_is_written_reads_back_equal(
    calls: list[tuple[str, list[tuple[Any, str]], list[int]]], indent: int | None, random: Any
) -> None:
    nodes = []
    storage = 1
    for place, (name, arguments, output) in enumerate(calls):
        sides: dict[str, list[Any]] = {"values": [], "types": [], "shapes": [], "strides": []}
        for value, kind in arguments:
            tensor = kind == "Tensor"
            storage += 1
            sides["values"].append([storage, storage, 3, 1, 4, "cpu"] if tensor else value)
            sides["types"].append("Tensor(float)" if tensor else kind)
            sides["shapes"].append(value if tensor else [])
            sides["strides"].append([1] * len(value) if tensor else [])
        storage += 1
        made = {
            "values": [[storage, storage, 0, 1, 8, "cpu"]], "types": ["Tensor(long int)"],
            "shapes": [output],
        }  # fmt: skip
        nodes.append(call(10 + place, name, sides, made))
    random.shuffle(nodes)
    trace = open_content(written(nodes, indent))
    assert trace.problems == ()
    assert len(trace) == len(calls)
    for op, (name, arguments, output) in zip(trace, calls, strict=True):
        assert op.type == name
        tensors = [tuple(value) for value, kind in arguments if kind == "Tensor"]
        assert [o.spec for o in op.inputs] == [
            TensorSpec("Float32", dims, (1,) * len(dims), 3) for dims in tensors
        ]
        assert [o.spec for o in op.outputs] == [TensorSpec("Int64", tuple(output))]
        texts = [
            {"Tensor": "_", "None": "None"}.get(kind) or repr(value) for value, kind in arguments
        ]
        assert op.attrs["args"] == f"({', '.join(texts)})"


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([ROPE, json.dumps(json.loads(ROPE))]), st.data())
def test_random_edits_raise_nothing_else(text: str, data: st.DataObject) -> None:
    level = data.draw(st.sampled_from([None, "leaf", "*"]))
    check_survives(data.draw(edited(text.encode())), level)


def test_old_files_have_their_attributes_in_the_node() -> None:
    def node(identity: int, name: str, schema: str, reads: list[int], writes: int) -> object:
        def tensors(side: str, storages: list[int]) -> dict[str, object]:
            values = [[storage + 100, storage, 0, 8, 4, "cpu"] for storage in storages]
            shapes, kinds = [[2, 4]] * len(values), ["Tensor(float)"] * len(values)
            return {f"{side}s": values, f"{side}_shapes": shapes, f"{side}_types": kinds}

        place = {"id": identity, "rf_id": identity, "parent": 2, "fw_parent": 0, "tid": 1}
        sides = {**tensors("input", reads), **tensors("output", [writes] if writes else [])}
        return {"name": name, **place, "op_schema": schema, **sides}

    root = node(2, "[pytorch|profiler|execution_graph|thread]", "", [], 0)
    calls = [node(3, "aten::mul", "aten::mul(…)", [1, 2], 3), node(4, "aten::add", "x", [3, 2], 4)]
    content = {"schema": "1.0.1", "pid": 1, "start_ts": 1, "nodes": [root, *calls]}
    trace = open_content(json.dumps(content, indent=1))
    assert trace.problems == ()
    assert [op.name for op in trace] == ["aten::mul", "aten::add"]
    assert trace.producers(1) == [0, None]
