from __future__ import annotations

import re
from pathlib import Path

import pytest
from format_files import (
    DATA,
    check_survives,
    codes,
    edited,
    note_codes,
    open_content,
    producer_types,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.readers.ascend.text_proto import read_message, unescaped
from opdiff.readers.ascend.torchair_ops import read_input, read_meta
from opdiff.trace import Role, TensorSpec, Trace

FOLDER = DATA / "torchair"
PROTO = [FOLDER / name for name in ("original.txt", "optimized.txt", "original.pbtxt")]
CODE = FOLDER / "original.py.txt"
FILES = [*PROTO, CODE]


def real_ops(trace: Trace) -> list[str]:
    return [op.type for op in trace if trace.role[op.row] == Role.OP]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_op_of_the_graph_is_there(path: Path) -> None:
    text = path.read_text()
    pattern = r" = ge\.(\w+)\(" if path == CODE else r'^  (?:type|op): "(\w+)"'
    printed = re.findall(pattern, text, re.M)
    trace = open_trace(path)
    assert trace.source.format == "torchair"
    assert not trace.source.execution_order
    assert trace.problems == ()
    assert len(trace) == len(printed)
    rest = [name for name in printed if name not in ("Data", "Const", "NetOutput")]
    assert real_ops(trace) == rest
    lines = text.split("\n")
    start = re.compile(r"\w+ = ge\." if path == CODE else r"(?:op|node) \{")
    assert all(start.match(lines[op.line - 1]) for op in trace)
    if path != CODE:
        assert all(lines[op.last_line - 1] == "}" for op in trace)


def test_data_constants_and_results_are_no_ops() -> None:
    trace = open_trace(FOLDER / "original.txt")
    roles = {Role(int(role)) for role in trace.role}
    assert roles == {Role.OP, Role.PARAMETER, Role.CONSTANT, Role.BOOKKEEPING}


def test_shapes_scalars_and_links() -> None:
    for path in PROTO:
        trace = open_trace(path)
        scatter = next(op for op in trace if op.type == "ScatterElements")
        assert scatter.attrs["args"] == "(_, _, _, axis=0)"
        assert producer_types(trace, scatter.row) == ["arg0_1", "BroadcastTo", "BroadcastTo"]
        assert scatter.outputs[0].spec == TensorSpec("Float32", (2, 2, 2))
        mul = next(op for op in trace if op.type == "Mul")
        assert mul.attrs["args"] == "(_, 10)"
        assert mul.outputs[0].spec.dtype == "?", "not to be relied on without _meta"
        assert producer_types(trace, mul.row) == ["ScatterElements", "data"]
        assert mul.graph in ("", "graph_1")


def test_the_ways_to_print_a_graph_agree() -> None:
    text, look_alike, code = (
        open_trace(FOLDER / f"original.{end}") for end in ("txt", "pbtxt", "py.txt")
    )
    assert [(op.name, op.attrs) for op in text] == [(op.name, op.attrs) for op in look_alike]
    assert text.links.producer.tolist() == look_alike.links.producer.tolist()
    assert real_ops(text) == real_ops(code)


def test_the_code_has_sources_and_what_became_of_the_fx_graph() -> None:
    trace = open_trace(CODE)
    mul = next(op for op in trace if op.type == "Mul")
    assert mul.scope == "aten::mul"
    assert mul.attrs["args"] == "(_, 10)"
    assert str(trace.user_frame(mul.row)) == "example_select_scatter.py:24 forward"
    cast = next(op for op in trace if op.type == "Cast")
    assert cast.outputs[0].spec == TensorSpec("Float32", (2, 2, 2))
    assert producer_types(trace, cast.row) == ["Mul"]
    assert note_codes(trace) == []
    again = open_content(re.sub(r'# File "[^\n]*line 24[^\n]*\n', "", CODE.read_text()))
    assert note_codes(again) == ["source-once"]


def test_several_outputs() -> None:
    trace = open_content(
        'x_0 = ge.Data(index=0, dtype=27, shape=[4, 2], node_name="x")\n'
        "a_0, a_1 = ge.Split(x_0, 2)\n"
        'c_0 = ge.Add(a_1, a_0, node_name="Add_3")\n'
    )
    split, add = trace.op(1), trace.op(2)
    assert split.inputs[0].spec == TensorSpec("BFloat16", (4, 2))
    assert [o.memory for o in add.inputs] == [o.memory for o in reversed(split.outputs)]
    assert add.name == "Add-op3"


@pytest.mark.parametrize("wrapped", [False, True])
def test_several_graphs_in_one_file(wrapped: bool) -> None:
    original = (FOLDER / "original.txt").read_text()
    other = original.replace('"graph_1"', '"graph_2"').replace('type: "Mul"', 'type: "Div"')
    texts = [f"graph {{\n{text}}}\n" if wrapped else text for text in (original, other)]
    trace = open_content("".join(texts))
    alone = open_content(original)
    assert [part.name for part in trace.source.parts] == ["graph_1", "graph_2"]
    assert [part.ops for part in trace.source.parts] == [len(alone)] * 2
    assert note_codes(trace) == ["first-graph"]
    assert real_ops(trace) == real_ops(alone)
    assert trace.links.producer.tolist() == alone.links.producer.tolist()
    second = open_content("".join(texts), graph="graph_2")
    assert "Div" in real_ops(second)
    assert {op.graph for op in second} == {"graph_2"}
    assert second.links.producer.tolist() == alone.links.producer.tolist()
    both = open_content("".join(texts), graph="1+2")
    assert len(both) == 2 * len(alone)
    assert all(
        both.op(row).graph == both.op(made).graph
        for row in range(len(both))
        for made in both.producers(row)
        if made is not None
    )


def test_streams() -> None:
    text = 'op {\n  name: "a"\n  type: "A"\n  stream_id: 3\n  output_desc {\n  }\n}\n'
    attr = 'attr {\n    key: "stream_id"\n    value {\n      i: 2\n    }\n  }\n'
    other = f'op {{\n  name: "b"\n  type: "B"\n  input: "a:0"\n  {attr}}}\n'
    first, second = open_content(text + other)
    assert first.attrs["stream_id"] == "3"
    assert second.attrs == {"args": "(_)", "stream_id": "2"}


@pytest.mark.parametrize(
    ("text", "found"),
    [("a:0", ("a", 0)), ("a/b:3", ("a/b", 3)), ("a:-1", None), ("^a", None), ("a", ("a", 0))],
)
def test_edges(text: str, found: tuple[str, int] | None) -> None:
    assert read_input(text) == found


@pytest.mark.parametrize("end", [")", "))"])
def test_meta_with_one_bracket_or_two(end: str) -> None:
    text = f"Tensor(dtype=torch.bfloat16, shape=torch.Size([2, s0]){end[1:]}"
    assert read_meta(text) == TensorSpec("BFloat16", (2, -1))


def test_text_within_text() -> None:
    assert unescaped(r"a\n\"b\"\\ \303\244 \x41") == 'a\n"b"\\ ä A'
    message = read_message('key: "a"\nshape {\n  dim: 2\n  dim: 3\n}\nlist { i: 4 i: 5 }')
    assert message.text("key") == "a"
    assert message.message("shape").texts("dim") == ["2", "3"]
    assert message.message("list").texts("i") == ["4", "5"]
    assert read_message("broken: '").fields == {}


def test_a_graph_in_a_graph_of_the_engine() -> None:
    text = (FOLDER / "original.txt").read_text()
    wrapped = "graph {\n" + "".join(f"  {line}\n" for line in text.split("\n")) + "}\n"
    assert real_ops(open_content(wrapped)) == real_ops(open_content(text))


@pytest.mark.parametrize("path", PROTO[::2], ids=lambda path: path.name)
def test_a_graph_that_is_cut_keeps_what_is_whole(path: Path) -> None:
    text = path.read_text()
    place = text.index('"ScatterElements"') + 60
    trace = open_content(text[:place])
    assert codes(trace) == ["graph-cut-op", "unexpected-text"], "an op, and in it a string"
    assert real_ops(trace) == ["Shape", "BroadcastTo", "ExpandDims", "BroadcastTo"]
    line = text[:place].split("\n")[trace.problems[0].line - 1]
    assert line.endswith("{")


def test_a_bracket_that_is_missing_costs_one_op() -> None:
    text = (FOLDER / "original.txt").read_text()
    place = text.index("op {", text.index('name: "ExpandDims"'))
    trace = open_content(text[:place].rstrip("}\n") + "\n" + text[place:])
    assert codes(trace) == ["graph-cut-op"]
    assert real_ops(trace).count("ExpandDims") == 0
    assert len(trace) == 12


def test_code_that_is_cut_or_mixed_with_other_lines() -> None:
    text = CODE.read_text()
    trace = open_content(text[: text.index("dst_type")])
    assert codes(trace) == ["graph-statement"]
    assert real_ops(trace)[-1] == "Mul"
    mixed = open_content(text.replace("\nMul_0", "\nstep = 3\nMul_0"))
    assert codes(mixed) == ["graph-statement"]
    assert len(mixed) == 10


def test_other_output_in_the_text() -> None:
    text = (FOLDER / "original.txt").read_text()
    trace = open_content(f"'dumping graph' !\n{text}\n'done'\n")
    assert len(trace) == 13
    assert codes(trace) == ["unexpected-text", "unexpected-text"]


def test_a_graph_without_ops_is_an_error() -> None:
    with pytest.raises(OpdiffError, match="torchair"):
        open_content('op {\n  type: "Mul"\n  input_desc {\n')
    with pytest.raises(OpdiffError, match="torchair"):
        open_content("from torchair._ge_concrete_graph import ge_apis as ge\n")


# What a writer of the grammar writes

OPS = st.lists(
    st.tuples(
        st.sampled_from(["Mul", "Add", "Cast", "MatMulV2"]),
        st.lists(st.integers(0, 99), max_size=3),
        st.lists(st.integers(0, 9), max_size=3),
        st.dictionaries(st.sampled_from(["axis", "keep"]), st.integers(-9, 9), max_size=2),
    ),
    min_size=1,
    max_size=6,
)


def meta(shape: list[int]) -> str:
    return f"Tensor(dtype=torch.float16, shape=torch.Size({shape})"


def written_in(form: str, ops: list[tuple[str, list[int], list[int], dict[str, int]]]) -> str:
    pieces = ['name: "g"'] if form == "txt" else []
    for place, (kind, inputs, shape, attrs) in enumerate(ops, 1):
        read = [number % place for number in inputs]
        if form == "py":
            words = [f"v{number}_0" for number in read] + [f"{k}={v}" for k, v in attrs.items()]
            words.append(f'node_name="v{place}"')
            pieces.append(f"## FX Code: v{place}: torch.float16{shape}npu:0 = torch.ops.a.b(x)")
            pieces.append(f"v{place}_0 = ge.{kind}({', '.join(words)})")
            continue
        head, kind_key = ("op", "type") if form == "txt" else ("node", "op")
        lines = [f"{head} {{", f'  name: "v{place}"', f'  {kind_key}: "{kind}"']
        lines += [f'  input: "v{number}:0"' for number in read]
        desc = f'name: "y"\nattr {{\n  key: "_meta"\n  value {{\n    s: "{meta(shape)}"\n  }}\n}}\n'
        if form == "txt":
            for key, value in attrs.items():
                lines.append(
                    f'  attr {{\n    key: "{key}"\n    value {{\n      i: {value}\n    }}\n  }}'
                )
            lines += ["  output_desc {", desc, "  }", "}"]
        else:
            for key, text in [*((k, f"i: {v}\n") for k, v in attrs.items()), ("[o]y", desc)]:
                lines.append(
                    f'  attr {{\n    key: "{key}"\n    value {{\n      s: {text!r}\n    }}\n  }}'
                )
            lines.append("}")
        pieces.append("\n".join(lines))
    return "\n".join(pieces)


@settings(max_examples=80, deadline=None)
@given(OPS, st.sampled_from(["txt", "pbtxt", "py"]))
def test_what_is_written_reads_back_equal(
    ops: list[tuple[str, list[int], list[int], dict[str, int]]], form: str
) -> None:
    # So that it is recognised whatever the ops are.
    extra = {"txt": 'op {\n  name: "v0"\n  type: "X"\n  output_desc {\n  }\n}\n',
             "pbtxt": 'node {\n  name: "v0"\n  op: "X"\n  attr { key: "[o]" value {} }\n}\n',
             "py": "v0_0 = ge.X()\n"}[form]  # fmt: skip
    trace = open_content(extra + written_in(form, ops))
    assert trace.problems == ()
    assert len(trace) == len(ops) + 1
    for place, (op, (kind, inputs, shape, attrs)) in enumerate(
        zip(list(trace)[1:], ops, strict=True), 1
    ):
        assert op.type == kind
        assert trace.producers(op.row) == [number % place for number in inputs]
        assert [o.spec for o in op.outputs] == [TensorSpec("Float16", tuple(shape))]
        named = attrs.items() if form == "py" else sorted(attrs.items())
        texts = ["_"] * len(inputs) + [f"{key}={value}" for key, value in named]
        assert op.attrs["args"] == f"({', '.join(texts)})"


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(FILES), st.data())
def test_random_edits_raise_nothing_else(path: Path, data: st.DataObject) -> None:
    check_survives(data.draw(edited(path.read_bytes())))
