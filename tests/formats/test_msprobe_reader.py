from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from format_files import (
    DATA,
    check_survives,
    codes,
    content_of,
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
from opdiff.readers.own_values import values_of
from opdiff.readers.value_rows import ValueRow
from opdiff.trace import Trace
from opdiff.values.measures import Measure

FOLDER = DATA / "msprobe"
DUMPS = sorted(FOLDER.glob("*/dump.json*"))
SMALL = FOLDER / "resnet" / "dump.json"


def entry(*inputs: Any, outputs: Any = (), **named: Any) -> dict[str, Any]:
    return {"input_args": list(inputs), "input_kwargs": named, "output": list(outputs)}


def tensor(
    *shape: int, mean: float = 0.5, dtype: str = "torch.float32", **more: Any
) -> dict[str, Any]:
    return {
        "type": "torch.Tensor",
        "dtype": dtype,
        "shape": list(shape),
        "Max": mean + 1,
        "Min": mean - 1,
        "Mean": mean,
        "Norm": 2 * mean,
        **more,
    }


def plain(value: Any) -> dict[str, Any]:
    return {"type": type(value).__name__, "value": value}


def dump(data: dict[str, Any], **more: Any) -> str:
    header = {"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None}
    return json.dumps({**header, **more, "data": data}, indent=1)


def named(trace: Trace, name: str) -> int:
    return next(op.row for op in trace if op.name == name)


@pytest.mark.parametrize("path", DUMPS, ids=lambda path: path.parent.name)
def test_real_dumps_have_an_op_an_api_call(path: Path) -> None:
    text = text_of(path)
    apis = re.findall(r'^  "(?!Module\.|Cell\.)[^"]+\.(?:forward|backward)": \{', text, re.M)
    modules = re.findall(r'^  "(?:Module|Cell)\.[^"]+": \{', text, re.M)
    trace = open_trace(path)
    assert trace.source.format == "msprobe"
    assert trace.source.execution_order
    assert trace.problems == ()
    assert len(trace) == (len(apis) or len(modules))
    lines = text.split("\n")
    assert all(lines[op.line - 1].startswith('  "') and "{" in lines[op.line - 1] for op in trace)
    assert all(lines[op.last_line - 1].strip().startswith("}") for op in trace)
    if apis and modules:
        assert [(part.name, part.ops, part.read) for part in trace.source.parts] == [
            ("api", len(apis), True),
            ("module", len(modules), False),
        ]
        assert len(open_trace(path, graph="module")) == len(modules)
        assert len(open_trace(path, graph="api+module")) == len(apis) + len(modules)


def test_every_tensor_of_a_real_dump_is_an_operand() -> None:
    path = FOLDER / "A_L1" / "dump.json.gz"
    trace = open_trace(path)
    printed = text_of(path).count('"type": "torch.Tensor"')
    assert len(trace.inputs.memory) + len(trace.outputs.memory) == printed


def test_shapes_scalars_scopes_and_stacks() -> None:
    trace = open_trace(FOLDER / "A_mix" / "dump.json.gz")
    op = trace.op(named(trace, "blocks.0/Tensor::__add__-op0"))
    assert op.type == "Tensor::__add__"
    assert op.scope == "blocks.0"
    assert op.mode == "eager"
    assert op.attrs == {"args": "(_, 1e-05)"}
    assert [str(o.spec) for o in (*op.outputs, *op.inputs)] == ["Float32:[2, 16, 1]"] * 2
    assert str(trace.user_frame(op.row)) == "net.py:29 rms"
    assert op.stack[0].function == "<module>", "outermost first"
    mean = trace.op(op.row - 1)
    assert mean.attrs["args"] == "(_, -1, keepdim=True)"
    assert [Path(file).name for file in trace.source.companions] == [
        "construct.json.gz",
        "stack.json.gz",
    ]


def test_modules_are_ops_where_they_are_asked_for() -> None:
    trace = open_trace(FOLDER / "A_L0" / "dump.json.gz")
    op = trace.op(named(trace, "blocks.0.attn.qkv/Linear-op0"))
    assert [str(o.spec) for o in op.inputs] == [
        "Float32:[2, 16, 32]",
        "Float32:[96, 32]",
        "Float32:[96]",
    ]
    grads = trace.op(named(trace, "blocks.0.attn.qkv/Linear_parameters_grad-op0"))
    assert len(grads.outputs) == 2


def test_links_are_guessed_by_equal_statistics() -> None:
    trace = open_trace(FOLDER / "A_L1" / "dump.json.gz")
    assert note_codes(trace) == ["links-by-statistics"]
    rows = {name: named(trace, name) for name in ("Tensor::__add__-op0", "Torch::rsqrt-op0")}
    assert producer_types(trace, rows["Tensor::__add__-op0"]) == ["Tensor::mean"]
    assert producer_types(trace, rows["Torch::rsqrt-op0"]) == ["Tensor::__add__"]
    data = json.loads(content_of(FOLDER / "A_L1" / "dump.json.gz"))["data"]
    key = lambda t: (t["dtype"], *t["shape"], t["Max"], t["Min"], t["Mean"], t["Norm"])  # noqa: E731
    seen: set[Any] = set()
    linked = 0
    for value in data.values():
        ins = [v for v in value.get("input_args", value.get("input")) if v and "shape" in v]
        ins += [v for v in value.get("input_kwargs", {}).values() if "shape" in v]
        linked += sum(key(v) in seen for v in ins)
        outs = [v for v in value["output"] if v and "shape" in v]
        seen |= {key(v) for v in outs if v["Max"] != v["Min"] or not v["shape"]}
    assert int((trace.links.producer >= 0).sum()) == linked > 60


def test_tensors_full_of_one_number_are_not_linked() -> None:
    ones = tensor(4, mean=1.0) | {"Max": 1.0, "Min": 1.0}
    trace = open_content(
        dump({"Torch.ones.0.forward": entry(outputs=[ones]), "Torch.exp.0.forward": entry(ones)})
    )
    assert trace.producers(1) == [None]


def test_mindspore_dumps_read_alike() -> None:
    trace = open_trace(FOLDER / "MS_L1" / "dump.json.gz")
    op = trace.op(named(trace, "Tensor::__add__-op0"))
    assert op.attrs["args"] == "(_, 1e-05)"
    assert str(op.outputs[0].spec) == "Float32:[4, 1]"
    assert str(trace.user_frame(op.row)) == "msnet.py:16 construct"


def test_infinity_and_nan_are_numbers() -> None:
    odd = tensor(2) | {"Max": float("inf"), "Min": float("-inf"), "Mean": float("nan")}
    content = dump({"Torch.log.0.forward": entry(tensor(2), plain(float("inf")), outputs=[odd])})
    assert "Infinity" in content
    trace = open_content(content)
    assert trace.problems == ()
    assert trace.op(0).attrs["args"] == "(_, inf)"


def test_arguments_of_all_sorts() -> None:
    arguments = [
        tensor(2),
        None,
        plain(True),
        plain("none"),
        {"type": "torch.dtype", "value": "torch.float16"},
        {"type": "torch.device", "value": "npu:3"},
        {"type": "slice", "value": [None, 3, None]},
        [plain(1), [tensor(2, mean=3), plain(2.5)]],
        {"type": "torch.ProcessGroup", "group_id": 7},
    ]
    op = open_content(dump({"Tensor.f.0.forward": entry(*arguments, dim=plain(-1))})).op(0)
    assert op.attrs["args"] == (
        '(_, None, True, "none", float16, npu, slice(None, 3, None), [1, [_, 2.5]], '
        "<ProcessGroup>, dim=-1)"
    )
    assert len(op.inputs) == 2


def test_a_dump_in_one_line_is_numbered() -> None:
    data = json.loads(SMALL.read_text())
    trace = open_content(json.dumps(data))
    assert "numbered" in note_codes(trace)
    assert [op.line for op in trace] == list(range(1, len(trace) + 1))
    assert trace.row_at(3) == 2


def test_a_dump_that_is_cut_keeps_what_is_whole() -> None:
    text = SMALL.read_text()
    cut = text.index('"Functional.relu.0.forward"') + 200
    trace = open_content(text[:cut])
    assert [op.type for op in trace] == [
        "Functional::conv2d",
        "Tensor::add_",
        "Functional::batch_norm",
    ]
    problem = trace.problems[-1]
    assert codes(trace) == ["cut-entry"]
    assert text.split("\n")[problem.line - 1].strip().startswith('"Functional.relu.0.forward"')


def test_a_broken_entry_is_a_problem_and_the_next_one_is_read() -> None:
    text = SMALL.read_text()
    place = text.index('"dtype"', text.index('"Tensor.add_.0.forward"'))
    whole = open_content(text)
    trace = open_content(text[:place] + "dtype" + text[place + 7 :])
    assert len(trace) == len(whole) - 1
    (problem,) = trace.problems
    assert codes(trace) == ["broken-entry"]
    lines = text.split("\n")
    assert "Tensor.add_.0.forward" in lines[problem.line - 1]
    assert lines[problem.last_line].strip().startswith('"')
    assert [op.line for op in trace] == [op.line for op in whole if op.type != "Tensor::add_"]


def test_other_output_around_the_dump() -> None:
    text = SMALL.read_text()
    trace = open_content("[INFO] dumping\n{ready}\n" + text + "\nbye\n")
    assert len(trace) == len(open_content(text))
    assert codes(trace) == ["unexpected-text", "unexpected-text"]
    assert trace.problems[0].line == 1
    assert trace.op(0).line == open_content(text).op(0).line + 2


def test_unknown_names_and_fields_are_told() -> None:
    call = {**entry(tensor(2)), "novelty": 3}
    trace = open_content(dump({"Torch.exp.0.forward": call, "what.is.this": {}}, version="9"))
    assert len(trace) == 1
    assert codes(trace) == ["msprobe-entry"]
    assert "novelty" in str(trace.notes[-1])


@pytest.mark.parametrize("text", [dump({}), '{"task": "x", "data": {', dump({"a.b": 3})])
def test_a_dump_without_ops_is_an_error(text: str) -> None:
    with pytest.raises(OpdiffError, match="msprobe"):
        open_content(text)


def test_an_unknown_level_is_an_error_that_lists_them() -> None:
    with pytest.raises(OpdiffError, match="1: api; 2: module"):
        open_trace(FOLDER / "A_mix", graph="kernel")
    with pytest.raises(OpdiffError, match="1: api"):
        open_trace(FOLDER / "A_L1", graph="2")


def test_folders_of_steps_and_ranks(tmp_path: Path) -> None:
    for rank in (0, 1):
        folder = tmp_path / "step0" / f"rank{rank}"
        folder.mkdir(parents=True)
        (folder / "dump.json").write_bytes(SMALL.read_bytes())
    assert open_trace(tmp_path / "step0", rank=1).source.path.endswith("rank1/dump.json")
    assert open_trace(tmp_path, rank=0).source.path.endswith("rank0/dump.json")
    with pytest.raises(OpdiffError, match="several ranks"):
        open_trace(tmp_path)
    (tmp_path / "step1" / "proc77").mkdir(parents=True)
    (tmp_path / "step1" / "proc77" / "dump.json.gz").write_bytes(gzip.compress(SMALL.read_bytes()))
    assert open_trace(tmp_path / "step1").source.path.endswith("proc77/dump.json.gz")
    with pytest.raises(OpdiffError, match="step0, step1"):
        open_trace(tmp_path)


def test_damaged_files_beside_are_told(tmp_path: Path) -> None:
    for file in (FOLDER / "resnet").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    stack = (tmp_path / "stack.json").read_text()
    (tmp_path / "stack.json").write_text(stack.replace('"File', "File", 1)[: len(stack) // 2])
    (tmp_path / "construct.json").unlink()
    trace = open_trace(tmp_path)
    assert note_codes(trace) == ["links-by-statistics", "beside-damaged"]
    assert not any(op.scope for op in trace)
    assert any(op.stack for op in trace)


def test_old_dumps_do_not_number_the_gradients_of_parameters() -> None:
    trace = open_content(dump({"Module.net.fc.Linear.parameters_grad": {"weight": [tensor(2)]}}))
    assert trace.problems == ()
    assert [op.name for op in trace] == ["net.fc/Linear_parameters_grad-op0"]
    assert len(trace.op(0).outputs) == 1


def test_old_stacks_are_by_name(tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text(dump({"Torch.exp.0.forward": entry(tensor(2))}))
    frames = ['File "/a/b.py", line 3, in f, \n x = 1', "File /a/c.py, line 4, in <module>, \n f()"]
    (tmp_path / "stack.json").write_text(json.dumps({"Torch.exp.0.forward": frames}))
    assert [str(frame) for frame in open_trace(tmp_path).op(0).stack] == [
        "c.py:4 <module>",
        "b.py:3 f",
    ]


def test_values_are_the_statistics_of_the_file() -> None:
    path = FOLDER / "A_md5" / "dump.json.gz"
    trace = open_trace(path)
    rows = list(values_of(trace))
    assert len(rows) == len(trace.inputs.memory) + len(trace.outputs.memory)
    weight = json.loads(content_of(path))["data"]["Functional.embedding.0.forward"]["input_args"][1]
    statistics = (weight[key] for key in ("Min", "Max", "Mean", "Norm", "md5"))
    assert rows[1] == ValueRow(0, False, 1, Measure(64 * 32, None, *statistics))
    ids = next(row for row in rows if row.op == 0 and row.operand == 0)
    assert (ids.measure.mean, ids.measure.norm, ids.measure.maximum) == (None, None, 63.0)


def test_values_belong_to_the_level_that_was_read() -> None:
    for graph in ("api", "module", "api+module"):
        trace = open_trace(FOLDER / "A_mix", graph=graph)
        counts: dict[tuple[int, bool], int] = {}
        for row in values_of(trace):
            counts[row.op, row.is_output] = counts.get((row.op, row.is_output), 0) + 1
        for op in trace:
            assert counts.get((op.row, False), 0) == len(op.inputs)
            assert counts.get((op.row, True), 0) == len(op.outputs)


def test_the_cause_is_an_attribute(capsys: pytest.CaptureFixture[str]) -> None:
    left, right = (str(FOLDER / name) for name in ("A_L1", "B_norm_eps_L1"))
    assert main(["compare", left, right, "--format", "json", "--no-values"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert {d["kind"] for d in report["divergences"]} == {"attrs"}
    assert "1e-05" in report["divergences"][0]["message"]


def test_info_lists_the_levels(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(FOLDER / "A_mix"), "--graph", "2", "--format", "json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert info["format"] == "msprobe"
    assert info["ops"] == 40
    assert info["parts"] == [
        {"number": 1, "name": "api", "ops": 158, "read": False},
        {"number": 2, "name": "module", "ops": 40, "read": True},
    ]
    assert main(["info", str(FOLDER / "A_mix")]) == 0
    assert " 1  api     158 ops  (read)\n" in capsys.readouterr().out


# What a writer of the grammar writes

NUMBERS = st.floats() | st.integers(-(2**40), 2**40)
TENSORS = st.builds(
    lambda shape, dtype, high, low: tensor(*shape, dtype=dtype) | {"Max": high, "Min": low},
    st.lists(st.integers(0, 9), max_size=4),
    st.sampled_from(["torch.float32", "torch.bfloat16", "torch.int64", "torch.bool"]),
    NUMBERS,
    NUMBERS,
)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters='"\\'), max_size=6)
PLAINS = st.one_of(st.booleans(), st.integers(), NUMBERS, WORDS).map(plain)
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["Functional.linear", "Tensor.__mul__", "Torch.cat", "NPU.f"]),
        st.sampled_from(["forward", "backward"]),
        st.lists(TENSORS | PLAINS | st.none() | st.lists(TENSORS, max_size=2), max_size=4),
        st.lists(TENSORS, max_size=3),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(CALLS, st.sampled_from([None, 1, 4]))
def test_what_is_written_reads_back_equal(
    written: list[tuple[str, str, list[Any], list[Any]]], indent: int | None
) -> None:
    data: dict[str, Any] = {}
    for place, (api, way, inputs, outputs) in enumerate(written):
        key = "input_args" if way == "forward" else "input"
        data[f"{api}.{place}.{way}"] = {key: inputs, "output": outputs}
    trace = open_content(json.dumps({"task": "t", "level": "L1", "data": data}, indent=indent))
    assert trace.problems == ()
    assert len(trace) == len(written)
    for op, (api, way, inputs, outputs) in zip(trace, written, strict=True):
        flat = [t for v in inputs for t in (v if isinstance(v, list) else [v])]
        tensors = [t for t in flat if t and "dtype" in t]
        assert op.type == api.replace(".", "::") + ("_backward" if way == "backward" else "")
        assert [list(o.spec.shape) for o in op.inputs] == [t["shape"] for t in tensors]
        assert [list(o.spec.shape) for o in op.outputs] == [t["shape"] for t in outputs]
        assert op.attrs["args"].count("_") >= len(tensors)
        for value in inputs:
            if isinstance(value, dict) and value["type"] in ("float", "int", "bool"):
                assert repr(value["value"]) in op.attrs["args"]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_random_edits_raise_nothing_else(data: st.DataObject) -> None:
    content = SMALL.read_bytes()
    if data.draw(st.booleans()):
        content = json.dumps(json.loads(content)).encode()
    check_survives(data.draw(edited(content)))
