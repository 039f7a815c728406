from __future__ import annotations

import json
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
    text_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.cli import main
from opdiff.compare import Request, compare
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.readers.pytorch.fx_text import function_name, read_type
from opdiff.trace import Op, TensorSpec, Trace

FX, EXPORT = DATA / "fx", DATA / "torch-export"
PYTHON = sorted([*FX.glob("*readable*.txt"), FX / "forms.full.txt", *EXPORT.glob("*")])
LOGS = sorted(FX.glob("*torch_logs*"))
PREFIX = re.compile(r"^\S+ [\d:.]+ \d+ \S+\] \[[^\]]*\] \[__\w+\] ?", re.M)


def statements(text: str) -> list[str]:
    """The assignments in a text, by a plain expression, without items, aliases and attributes."""
    found = re.findall(r'^\s+(?:\w+(?:: "[^"]*")? = .*|\w+\[.*\] = .*;  setitem.*)$', text, re.M)
    plain = r'\s+\w+(?:: "[^"]*")? = (?:\w+\[\d+\]|\w+|self\.\w+(?:\(x\))?)(?:;.*)?$'
    return [line for line in found if not re.match(plain, line)]


def facts(op: Op) -> tuple[object, ...]:
    return op.type, op.attrs, [str(o.spec) for o in (*op.outputs, *op.inputs)]


def shape_of_links(trace: Trace) -> list[list[int | None]]:
    return [[None if p is None else int(p) for p in trace.producers(op.row)] for op in trace]


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.name)
def test_every_statement_is_an_op(path: Path) -> None:
    text = text_of(path)
    trace = open_trace(path)
    assert trace.source.format == ("torch-export" if path.parent == EXPORT else "fx")
    assert not trace.source.execution_order
    assert trace.problems == ()
    assert len(trace) == len(statements(text))
    lines = text.split("\n")
    for op in trace:
        name = op.type.rpartition("::")[2]
        assert name in lines[op.line - 1] or op.type.startswith("operator::")
        assert op.mode == "graph"


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_logs_hold_several_graphs(path: Path) -> None:
    text = text_of(path)
    trace = open_trace(path)
    assert trace.problems == ()
    assert note_codes(trace) == ["first-graph"]
    printed = re.split(r"^.*\] +===== .* =====$", text, flags=re.M)[1:]
    expected = [len(statements(PREFIX.sub("", piece))) for piece in printed]
    assert [part.ops for part in trace.source.parts] == expected
    assert [part.read for part in trace.source.parts] == [True] + [False] * (len(printed) - 1)
    for number, count in enumerate(expected, 1):
        assert len(open_trace(path, graph=str(number))) == count


def test_sources_shapes_strides_and_scalars() -> None:
    trace = open_trace(FX / "gpt2l.base.torch_logs.txt.gz", graph="Forward graph 0")
    op = next(op for op in trace if "1e-05" in op.attrs["args"])
    assert op.type == "aten::add"
    assert op.attrs["args"] == "(_, 1e-05)"
    assert str(trace.user_frame(op.row)) == "net.py:29 rms"
    assert producer_types(trace, op.row) == ["aten::mean"]
    t = next(op for op in trace if op.type == "aten::t")
    assert t.outputs[0].spec == TensorSpec("Float32", (32, 96), (1, 32), None)
    assert t.inputs[0].spec == TensorSpec("Float32", (96, 32))
    assert t.outputs[0].spec.layout_text == "{1, 32}"
    assert op.graph == "Forward graph 0"


def test_items_are_outputs_of_the_call() -> None:
    trace = open_trace(FX / "fx_print_readable_aot.txt")
    split = next(op for op in trace if op.type == "aten::split")
    assert len(split.outputs) == 2
    neg = next(op for op in trace if op.type == "aten::neg")
    assert neg.inputs == (split.outputs[1],)
    cat = next(op for op in trace if op.type == "aten::cat")
    assert producer_types(trace, cat.row) == ["aten::neg", "aten::split"]
    assert cat.attrs["args"] == "([_, _], -1)"


def test_all_ways_to_print_a_graph_read_alike() -> None:
    names = ["print_readable.txt", "graph.txt", "tabular.txt"]
    traces = [open_trace(FX / f"rope.base.{name}") for name in names]
    traces.append(open_trace(EXPORT / "rope.base.export.txt"))
    for trace in traces[1:]:
        assert [op.type for op in trace] == [op.type for op in traces[0]]
        assert [op.attrs for op in trace] == [op.attrs for op in traces[0]]
        assert shape_of_links(trace) == shape_of_links(traces[0])
    forms = [
        open_trace(FX / f"forms.{name}.txt")
        for name in ("full", "readable", "expanded", "code", "graph")
    ]
    for trace in forms[1:]:
        assert trace.problems == ()
        assert [op.type for op in trace] == [op.type for op in forms[0]]
        assert shape_of_links(trace) == shape_of_links(forms[0])


def test_an_item_of_a_tensor_is_an_op_where_types_tell_or_the_name_does() -> None:
    listed = """graph():
    %x : torch.Tensor [num_users=1] = placeholder[target=x]
    %y : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})
    %z : [num_users=1] = call_function[target=operator.getitem](args = (%y, 0), kwargs = {})
    %s : [num_users=1] = call_method[target=split](args = (%z, 2), kwargs = {})
    %t : [num_users=1] = call_function[target=operator.getitem](args = (%s, 0), kwargs = {})
    return (t,)
"""
    assert [op.type for op in open_content(listed)] == [
        "torch::relu",
        "operator::getitem",
        "Tensor::split",
    ]


def test_forward_and_backward_join() -> None:
    path = FX / "gpt2l.base.torch_logs.txt.gz"
    forward, backward = (open_trace(path, graph=str(number)) for number in (2, 3))
    joined = open_trace(path, graph="2+3")
    assert len(joined) == len(forward) + len(backward)
    assert {op.graph for op in joined} == {"Forward graph 0", "Backward graph 0"}
    across = [
        producer
        for op in joined
        if op.row >= len(forward)
        for producer in joined.producers(op.row)
        if producer is not None and producer < len(forward)
    ]
    assert len(across) > 20
    inner = [p for op in backward for p in backward.producers(op.row) if p is not None]
    assert len(inner) + len(across) == int(
        (joined.links.producer[len(forward.inputs.memory) :] >= 0).sum()
    )
    assert len(open_trace(path, graph="*graph 0")) == len(joined)


def test_graphs_within_graphs_are_scopes() -> None:
    trace = open_trace(EXPORT / "cond.export.txt")
    assert [op.scope for op in trace][-2:] == ["true_graph_0", "false_graph_0"]
    assert trace.problems == ()
    write = next(op for op in trace if op.type == "aten::add_")
    assert write.outputs[0].memory == write.inputs[0].memory
    deep = open_trace(FX / "cond_autocast.txt")
    assert deep.problems == ()
    assert {op.scope for op in deep} == {"", "cond_true_0", "cond_false_0"}


def test_items_written_in_place() -> None:
    trace = open_trace(FX / "torch_logs_inductor_vpe.txt", graph="1")
    write, read = next((op, trace.op(op.row + 1)) for op in trace if op.type == "operator::setitem")
    assert write.attrs["args"] == "(_, _, 0)"
    assert read.type == "torch::embedding"
    assert producer_types(trace, read.row)[0] == "operator::setitem"


def test_operators_that_change_their_left_side() -> None:
    trace = open_content(
        "class G(torch.nn.Module):\n"
        '    def forward(self, x: "f32[4]"):\n'
        '        y: "f32[4]" = torch.cos(x);  x = None\n'
        '        y += 1.5;  iadd: "f32[4]" = y;  y = None\n'
        "        iadd **= 2;  ipow = iadd;  iadd = None\n"
        "        return (ipow,)\n"
    )
    assert trace.problems == ()
    assert [op.type for op in trace] == ["torch::cos", "operator::iadd", "operator::ipow"]
    assert [op.attrs["args"] for op in trace][1:] == ["(_, 1.5)", "(_, 2)"]
    assert trace.op(1).outputs == trace.op(1).inputs == trace.op(0).outputs
    assert trace.producers(2) == [1]


def test_modules_whose_names_are_numbers() -> None:
    trace = open_content(
        "class M(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        '        a = getattr(self.seq, "0")(x);  x = None\n'
        '        w = getattr(getattr(self.seq, "1").deep, "2").weight\n'
        "        b = torch.mul(a, w);  a = w = None\n"
        "        return b\n"
    )
    assert trace.problems == ()
    assert [op.type for op in trace] == ["Module::seq.0", "torch::mul"]
    assert len(trace.op(1).inputs) == 2


def test_the_inputs_of_a_joint_graph() -> None:
    trace = open_content(
        "class inner_f(torch.nn.Module):\n"
        "    def forward(self, primals, tangents):\n"
        '        primals_1: "f32[5, 16][16, 1]cpu"; primals_2: "i64[2]"; '
        'tangents_1: "f32[2, 16]"; \n'
        "        primals_1, primals_2, tangents_1, = fx_pytree.tree_flatten_spec([primals], s)\n"
        '        e: "f32[2, 16]" = torch.ops.aten.embedding.default(primals_1, primals_2)\n'
        '        m: "f32[2, 16]" = torch.ops.aten.mul.Tensor(e, tangents_1);  e = None\n'
        "        return [m]\n"
    )
    assert trace.problems == ()
    assert [str(o.spec) for o in trace.op(0).inputs] == ["Float32:[5, 16]", "Int64:[2]"]
    assert str(trace.op(1).inputs[1].spec) == "Float32:[2, 16]"
    assert trace.producers(1) == [0, None]


def test_ops_that_take_graphs_are_named_alike_in_tables() -> None:
    assert function_name("cond") == function_name("torch.ops.higher_order.cond")


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("f32[2, 3][3, 1]cpu", TensorSpec("Float32", (2, 3))),
        ("bf16[2, 3][1, 2]npu:0", TensorSpec("BFloat16", (2, 3), (1, 2), None)),
        ("i64[]", TensorSpec("Int64", ())),
        ("b8[1, 4][9, 1]", TensorSpec("Bool", (1, 4))),
        ("f8e4m3fn[4]", TensorSpec("Float8E4M3FN", (4,))),
        ("f32[s0, 3*s1][3, 1]cuda:1", TensorSpec("Float32", (-1, -1))),
        ("Sym(s0)", None),
        ("f32[" + "9" * 5000 + "]", TensorSpec("Float32", (-1,))),
    ],
)
def test_types(text: str, spec: TensorSpec | None) -> None:
    assert read_type(text) == spec


def test_a_graph_that_is_cut_keeps_what_is_whole() -> None:
    text = (FX / "rope.base.print_readable.txt").read_text()
    place = text.index("cat: ") + 60
    trace = open_content(text[:place])
    assert [op.type for op in trace][-1] == "aten::outer"
    assert codes(trace) == ["graph-statement", "graph-cut"]
    assert {problem.line for problem in trace.problems} == {text[:place].count("\n") + 1}


def test_other_output_between_graphs() -> None:
    text = (FX / "fx_print_readable_aot.txt").read_text()
    trace = open_content(f"step 1\nloss 3.5\n{text}\ndone\n{text}", graph="1+2")
    assert codes(trace) == ["unexpected-text", "unexpected-text"]
    assert (trace.problems[0].line, trace.problems[0].last_line) == (1, 2)
    assert len(trace) == 22
    log = text_of(FX / "torch_logs_inductor_vpe.txt")
    mixed = "".join(f"{line}\nstep done\n" for line in log.split("\n"))
    assert open_content(mixed).problems == ()
    assert len(open_content(mixed)) == len(open_content(log))


def test_ranks_that_print_at_the_same_time() -> None:
    log = text_of(FX / "torch_logs_inductor_vpe.txt").split("\n")
    both = [f"[rank{rank}]:{line}" for line in log if line for rank in (0, 1)]
    trace = open_content("\n".join(both))
    alone = open_content("\n".join(log))
    assert trace.problems == ()
    assert len(trace.source.parts) == 2 * len(alone.source.parts)
    assert [facts(op) for op in trace] == [facts(op) for op in alone]


def test_a_line_that_is_no_statement_is_a_problem() -> None:
    text = (FX / "fx_print_readable_aot.txt").read_text()
    line = text[: text.index("        neg:")].count("\n") + 1
    trace = open_content(text.replace("        neg:", "        !? neg:"))
    assert codes(trace) == ["graph-statement"]
    assert trace.problems[0].line == line
    assert len(trace) == 10


def test_a_def_that_is_not_closed_costs_no_statement() -> None:
    text = (FX / "fx_print_readable_aot.txt").read_text()
    trace = open_content(text.replace('24]"):', '24]",'))
    assert codes(trace) == ["graph-statement"]
    assert len(trace) == 11


def test_an_unknown_graph_is_an_error_that_lists_them() -> None:
    with pytest.raises(OpdiffError, match="2: Forward graph 0; 3: AFTER POST GRAD"):
        open_trace(FX / "torch_logs_inductor_vpe.txt", graph="4")
    with pytest.raises(OpdiffError, match="there is: 1: graph"):
        open_trace(FX / "fx_str_graph.txt", graph="2")
    assert len(open_trace(FX / "fx_str_graph.txt", graph="1")) == 11
    with pytest.raises(OpdiffError, match="no graphs or levels"):
        open_trace(DATA.parents[2] / "samples/vocab/eager.ir", graph="2")
    assert open_trace(DATA.parents[2] / "samples/vocab/eager.ir", graph="1").source.parts == ()


def test_two_graphs_of_one_log_compare(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(FX / "torch_logs_inductor_rope_grad.txt")
    words = ["compare", path, path, "--graph", "Forward graph 0", "--graph", "4"]
    assert main([*words, "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["summary"]["matched"] == 11
    assert main([*words, "--graph", "1"]) == 2
    assert "--graph" in capsys.readouterr().err


def test_the_cause_is_an_attribute(capsys: pytest.CaptureFixture[str]) -> None:
    left, right = (str(FX / f"gpt2l.{name}.torch_logs.txt.gz") for name in ("base", "norm_eps"))
    for graph in ("1", "2", "2+3"):
        words = ["compare", left, right, "--graph", graph, "--format", "json"]
        assert main(words) == 1
        divergences = json.loads(capsys.readouterr().out)["divergences"]
        assert {d["kind"] for d in divergences} == {"attrs"}
        assert any("0.01" in d["message"] for d in divergences)


# What a writer of the grammar writes

NAMES = st.sampled_from([f"v_{number}" for number in range(8)])
SHAPES = st.lists(st.integers(1, 9), max_size=3)
SCALARS = st.one_of(
    st.integers(-9, 9), st.floats(allow_nan=False), st.booleans(), st.none(),
    st.sampled_from(["torch.float32", "'none'", "[1, 2]"]),
).map(str)  # fmt: skip
STATEMENTS = st.lists(
    st.tuples(
        st.sampled_from(["aten.mul.Tensor", "aten.view.default", "mylib.op.default"]),
        st.lists(SCALARS | st.integers(0, 99), max_size=4),
        SHAPES,
    ),
    min_size=1,
    max_size=8,
)


def written_in(form: str, statements: list[tuple[str, list[str | int], list[int]]]) -> str:
    """The graph as PyTorch would print it; a number among the arguments is an earlier value."""
    sign = "%" if form == "graph" else ""
    lines = []
    for place, (target, arguments, shape) in enumerate(statements):
        texts = [a if isinstance(a, str) else f"{sign}v{a % (place + 1)}" for a in arguments]
        called = ", ".join(texts) + ("," if len(texts) == 1 else "")
        if form == "graph":
            lines.append(
                f"    %v{place + 1} : [num_users=1] = call_function[target=torch.ops.{target}]"
                f"(args = ({called}), kwargs = {{}})"
            )
        elif form == "code":
            lines.append(f"    v{place + 1} = torch.ops.{target}({', '.join(texts)})")
        else:
            kind = f'"f32{shape}"'
            lines.append(f"        v{place + 1}: {kind} = torch.ops.{target}({', '.join(texts)})")
    last = len(statements)
    if form == "graph":
        head = "graph():\n    %v0 : [num_users=1] = placeholder[target=v0]"
        return "\n".join([head, *lines, f"    return (v{last},)"])
    if form == "code":
        return "\n".join(["def forward(self, v0):", *lines, f"    return (v{last},)"])
    head = 'class GraphModule(torch.nn.Module):\n    def forward(self, v0: "f32[3]"):'
    return "\n".join([head, *lines, f"        return (v{last},)"])


@settings(max_examples=80, deadline=None)
@given(STATEMENTS, st.sampled_from(["readable", "code", "graph"]))
def test_what_is_written_reads_back_equal(
    written: list[tuple[str, list[str | int], list[int]]], form: str
) -> None:
    trace = open_content(written_in(form, written))
    assert trace.problems == ()
    assert len(trace) == len(written)
    for place, (op, (target, arguments, shape)) in enumerate(zip(trace, written, strict=True)):
        assert op.type == "::".join(target.split(".")[:2])
        texts = [
            "_" if isinstance(a, int) else a.replace("torch.", "").replace("'", '"')
            for a in arguments
        ]
        assert op.attrs["args"] == f"({', '.join(texts)})"
        read = [a % (place + 1) for a in arguments if isinstance(a, int)]
        assert trace.producers(op.row) == [number - 1 if number else None for number in read]
        if form == "readable":
            assert [o.spec for o in op.outputs] == [TensorSpec("Float32", tuple(shape))]


SOURCES = [
    text_of(FX / "torch_logs_inductor_vpe.txt").encode(),
    (FX / "fx_print_tabular.txt").read_bytes(),
    (FX / "forms.graph.txt").read_bytes(),
    (FX / "cond_autocast.txt").read_bytes(),
    (EXPORT / "rope.base.export.txt").read_bytes(),
]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SOURCES).flatmap(edited), st.sampled_from([None, "1", "1+2", "*"]))
def test_random_edits_raise_nothing_else(content: bytes, graph: str | None) -> None:
    check_survives(content, graph)


def test_another_part_of_what_was_taken_apart_is_another_producer() -> None:
    """Keys and values exchanged: both are read from one op, whose results have their own names."""
    text = (
        "class GraphModule(torch.nn.Module):\n"
        '    def forward(self, x: "f32[2, 4]"):\n'
        "        unbind = torch.ops.aten.unbind.int(x);  x = None\n"
        '        key: "f32[4]" = unbind[0]\n'
        '        value: "f32[4]" = unbind[1];  unbind = None\n'
        '        exp: "f32[4]" = torch.ops.aten.exp.default(KEY)\n'
        '        div: "f32[4]" = torch.ops.aten.div.Tensor(exp, VALUE);  exp = None\n'
        "        return (div,)\n"
    )
    right = text.replace("KEY", "key").replace("VALUE", "value")
    wrong = text.replace("KEY", "value").replace("VALUE", "key")
    found = compare(open_content(right), open_content(wrong), Request()).divergences
    assert [(one.kind.value, one.harmless) for one in found] == [("dataflow", False)] * 2
    assert compare(open_content(right), open_content(right), Request()).divergences == ()
