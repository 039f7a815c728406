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
from opdiff.readers.own_values import values_of
from opdiff.readers.pytorch.debugmode import read_op
from opdiff.trace import TensorSpec, Trace

FOLDER = DATA / "torch-debugmode"
FILES = sorted(FOLDER.glob("gpt2l.*"))
BASE = FOLDER / "gpt2l.base.debug.txt.gz"
SMALL = "\n".join(text_of(BASE).split("\n")[:60]) + "\n"


def operand_counts(trace: Trace) -> dict[tuple[int, str], int]:
    found = {}
    for op in trace:
        found[op.row, "in"], found[op.row, "out"] = len(op.inputs), len(op.outputs)
    return {key: count for key, count in found.items() if count}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_op_line_is_an_op(path: Path) -> None:
    text = text_of(path)
    trace = open_trace(path)
    printed = re.findall(r"^ +([a-z_]+::\w+)[.\w]*\(", text, re.M)
    assert trace.source.format == "torch-debugmode"
    assert trace.source.execution_order
    assert trace.problems == ()
    assert [op.type for op in trace] == printed
    lines = text.split("\n")
    for op in trace:
        line = lines[op.line - 1].partition("  # {")[0]
        assert len(op.inputs) + len(op.outputs) == len(re.findall(r"\bt\$\d+: ", line))


def test_shapes_scalars_modules_and_sources() -> None:
    trace = open_trace(BASE)
    op = next(op for op in trace if "1e-05" in op.attrs["args"])
    assert op.attrs["args"] == "(_, 1e-05)"
    assert op.scope == "GPT.blocks.0"
    assert op.mode == "eager"
    assert str(trace.user_frame(op.row)) == "net.py:29 rms"
    assert [str(o.spec) for o in (*op.outputs, *op.inputs)] == ["Float32:[2, 16, 1]"] * 2
    assert producer_types(trace, op.row) == ["aten::mean"]
    arange = next(op for op in trace if op.type == "aten::arange")
    assert arange.attrs["args"] == "(0, 16, 2, device=cpu, pin_memory=False)"
    split = next(op for op in trace if op.type == "aten::split")
    assert len(split.outputs) == 3
    backward = trace.op(len(trace) - 1)
    assert backward.scope == ""


def test_compiled_regions_are_graphs() -> None:
    trace = open_trace(FOLDER / "gpt2l.aot_eager.debug.txt.gz")
    text = text_of(FOLDER / "gpt2l.aot_eager.debug.txt.gz")
    inside = sum(
        len(re.findall(r"^ +aten::", piece, re.M))
        for piece in re.findall(
            r"region \(compile\)\] enter(.*?)region \(compile\)\] exit", text, re.S
        )
    )
    assert sum(op.mode == "graph" for op in trace) == inside > 400
    assert "L['self'].blocks.0.attn" in {op.scope for op in trace}


def test_hashes_link_what_ids_do_not() -> None:
    hashed, bare = open_trace(BASE), open_trace(FOLDER / "gpt2l.base.nohash.debug.txt.gz")
    assert note_codes(hashed) == ["links-by-hash"]
    assert note_codes(bare) == []
    more = (hashed.links.producer >= 0) & (bare.links.producer < 0)
    assert int(more.sum()) == 8
    rest = ~more
    assert hashed.links.producer[rest].tolist() == bare.links.producer[rest].tolist()


def test_functions_of_python_are_another_level() -> None:
    path = FOLDER / "functions.debug.txt"
    trace = open_trace(path)
    text = path.read_text()
    assert trace.problems == ()
    assert len(trace) == text.count("::")
    outer = open_trace(path, graph="composite")
    assert len(outer) < len(trace)
    assert {"torch::linear", "torch::stack", "Tensor::max"} <= {op.type for op in outer}
    several = next(op for op in outer if op.type == "Tensor::max")
    assert (several.last_line - several.line, len(several.outputs)) == (2, 2)
    assert outer.source.parts[1].ops == len(outer)


@pytest.mark.parametrize("path", [*FILES, FOLDER / "functions.debug.txt"], ids=lambda p: p.name)
@pytest.mark.parametrize("level", ["leaf", "composite"])
def test_values_are_the_hashes(path: Path, level: str) -> None:
    trace = open_trace(path, graph=level)
    rows = list(values_of(trace))
    if "hash" not in text_of(path):
        assert rows == []
        return
    counts: dict[tuple[int, str], int] = {}
    for row in rows:
        side = "out" if row.is_output else "in"
        counts[row.op, side] = counts.get((row.op, side), 0) + 1
    assert counts == operand_counts(trace)


def test_a_hash_and_its_norm() -> None:
    first = next(values_of(open_trace(BASE)))
    assert (first.op, first.is_output, first.operand) == (0, False, 0)
    assert first.measure.count == 64 * 32
    assert first.measure.digest == "(1649.0542150382535, 9291585443499868160)"
    assert first.measure.norm == 1649.0542150382535


@pytest.mark.parametrize(
    ("line", "arguments", "inputs", "outputs"),
    [
        ("aten::cat(['t$1: f32[2]', 't$2: f32[3]'], -1)  ->  t$3: f32[5]", "([_, _], -1)", 2, 1),
        ("aten::f(t: f32[2]{is_leaf=True}, [1, 2], x=None)", "(_, [1, 2], x=None)", 1, 0),
        ("aten::mm(dt$0: f32[8, 8]| S(0), t$1: f32[8]| R)  ->  dt$2: f32[8]| R", "(_, _)", 2, 1),
        ("aten::max.dim(t: f32[2], 0)  ->  ('t: f32[]', 't: i64[]')", "(_, 0)", 1, 2),
        ("[triton] my_kernel(t$1: bf16[4], BLOCK=4)", "(_, BLOCK=4)", 1, 0),
        (
            "aten::g(t: f32[s0, 3], dtype=torch.float16, s='a, b')",
            '(_, dtype=float16, s="a, b")',
            1,
            0,
        ),
        ("aten::item(t: f32[])  ->  26.24", "(_)", 1, 0),
    ],
)
def test_ops_of_all_sorts(line: str, arguments: str, inputs: int, outputs: int) -> None:
    printed = read_op(line)
    assert printed is not None
    assert (printed.arguments, len(printed.inputs), len(printed.outputs)) == (
        arguments,
        inputs,
        outputs,
    )


def test_tensors_without_ids_and_hashes_are_not_linked() -> None:
    trace = open_content("    aten::exp(t: f32[2])  ->  t: f32[2]\n    aten::abs(t: f32[2])\n")
    assert note_codes(trace) == ["no-ids"]
    assert trace.producers(1) == [None]


def test_the_cause_is_an_attribute(capsys: pytest.CaptureFixture[str]) -> None:
    paths = [str(FOLDER / f"gpt2l.{name}.debug.txt.gz") for name in ("base", "norm_eps")]
    assert main(["compare", *paths, "--format", "json", "--no-values"]) == 1
    (divergence,) = json.loads(capsys.readouterr().out)["divergences"]
    assert divergence["kind"] == "attrs"
    assert "0.01" in divergence["message"]


def test_a_text_that_is_cut_keeps_what_is_whole() -> None:
    place = SMALL.rindex("aten::neg(") + 14
    trace = open_content(SMALL[:place])
    assert codes(trace) == ["op-line"]
    assert trace.problems[0].line == SMALL[:place].count("\n") + 1
    assert len(trace) == len(re.findall(r"^ +aten::", SMALL[:place], re.M)) - 1
    assert codes(
        open_content("  aten::exp(t$1: f32[2])\n  aten::exp(t$1: f32[2])  ->  t$2: f3[")
    ) == ["op-line"]


def test_other_output_is_a_problem_with_its_lines() -> None:
    trace = open_content(f"loss 3.5\n{SMALL}step done\n[annotate] x\n")
    assert len(trace) == len(open_content(SMALL))
    assert (trace.problems[0].line, trace.problems[0].last_line) == (1, 1)
    assert codes(trace) == ["unexpected-text", "unexpected-text"]


def test_a_text_without_ops_is_an_error() -> None:
    with pytest.raises(OpdiffError, match="torch-debugmode"):
        open_content("  torch.relu(t$1: f32[2])  ->  t$2: f32[2]\n")
    with pytest.raises(OpdiffError, match="1: leaf; 2: composite"):
        open_content(SMALL, graph="3")


# What a writer of the grammar writes

SHAPES = st.lists(st.integers(0, 9), max_size=3)
SCALARS = st.one_of(
    st.integers(-9, 9), st.floats(allow_nan=False), st.booleans(), st.none(), st.just([1, 2])
)
ARGUMENTS = st.lists(SCALARS | st.tuples(st.integers(0, 9), SHAPES), max_size=4)
OPS = st.lists(
    st.tuples(
        st.sampled_from(["aten::mul.Tensor", "aten::relu", "lib::op.default"]),
        ARGUMENTS,
        SHAPES,
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=80, deadline=None)
@given(OPS, st.booleans())
def test_what_is_written_reads_back_equal(
    written: list[tuple[str, list[Any], list[int], int]], hashed: bool
) -> None:
    lines = ["    aten::exp(t$99: f32[1])"]
    for place, (name, arguments, output, depth) in enumerate(written):
        lines.append(f"    [nn.Mod] Net.layer{depth}")
        texts = [
            f"t${value[0]}: f32{value[1]}" if isinstance(value, tuple) else repr(value)
            for value in arguments
        ]
        line = f"      {name}({', '.join(texts)})  ->  t${place + 10}: bf16{output}"
        if hashed:
            hashes = ["7.5" if isinstance(value, tuple) else "None" for value in arguments]
            inner = ", ".join(hashes) + ("," if len(hashes) == 1 else "")
            line += f"  # {{'input_hash': (({inner}), {{}}), 'hash': 1.5}}"
        lines.append(line)
    trace = open_content("\n".join(lines))
    assert trace.problems == ()
    assert len(trace) == len(written) + 1
    for op, (name, arguments, output, depth) in zip(list(trace)[1:], written, strict=True):
        assert op.type == name.partition(".")[0]
        assert op.scope == f"Net.layer{depth}"
        tensors = [value for value in arguments if isinstance(value, tuple)]
        assert [o.spec for o in op.inputs] == [
            TensorSpec("Float32", tuple(shape)) for _, shape in tensors
        ]
        assert [o.spec for o in op.outputs] == [TensorSpec("BFloat16", tuple(output))]
        texts = ["_" if isinstance(value, tuple) else repr(value) for value in arguments]
        assert op.attrs["args"] == f"({', '.join(texts)})"


@settings(max_examples=150, deadline=None)
@given(edited(SMALL.encode()), st.sampled_from([None, "composite", "*"]))
def test_random_edits_raise_nothing_else(content: bytes, level: str | None) -> None:
    check_survives(content, level)
