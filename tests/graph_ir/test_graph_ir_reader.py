from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.errors import OpdiffError
from opdiff.readers.formats import Input
from opdiff.readers.mindspore import graph_ir
from opdiff.trace import Role, Trace
from opdiff.wording import LANGUAGES, say

DATA = Path(__file__).parent / "data"
SAMPLES = Path(__file__).parents[2] / "samples" / "assign_ir"


def read(content: str | bytes) -> Trace:
    data = content.encode() if isinstance(content, str) else content
    stream = io.BytesIO(data)
    return graph_ir.read(Input("graph.ir", stream, stream, len(data)))


def read_file(path: Path) -> Trace:
    return read(path.read_bytes())


def graph(*lines: str) -> str:
    return "\n".join(
        ["# IR entry: @f", "subgraph @f() {", *(f"  {line}" for line in lines), "}", ""]
    )


def real_ops(trace: Trace) -> list[str]:
    return [op.type for op in trace if trace.role[op.row] == Role.OP]


@pytest.mark.parametrize("path", [*sorted(DATA.glob("*.ir")), *sorted(SAMPLES.glob("*.ir"))])
def test_real_files_are_recognised_and_read_without_problems(path: Path) -> None:
    data = path.read_bytes()
    assert graph_ir.sniff(data[:4096])
    trace = read(data)
    assert trace.problems == ()
    assert not trace.source.execution_order
    nodes = re.findall(rb"^  (?:%\d+\(|Return\()", data, re.M)
    assert len(trace) == len(nodes)
    assert all(data.split(b"\n")[op.line - 1].startswith((b"  %", b"  Return")) for op in trace)


def test_a_trace_of_the_tracker_is_not_graph_ir() -> None:
    head = b"(%1) = Default/Add-op0(%2), task_info: 3, attrs {stream_id=0} \n    () <- ()\n    # \n"
    assert not graph_ir.sniff(head)


def test_types_scopes_stacks_and_constants() -> None:
    trace = read_file(DATA / "rope_validate.ir")
    dense = next(op for op in trace if op.type == "Dense")
    assert dense.scope == "Default/proj-Linear"
    assert [str(o.spec) for o in dense.inputs] == [
        "Float32:[2, 4, 16, 24]",
        "Float32:[24, 24]",
        "Float32:[24]",
    ]
    assert str(dense.outputs[0].spec) == "Float32:[2, 4, 16, 24]"
    assert dense.mode == "graph"
    assert str(trace.user_frame(dense.row)) == "gen.py:16 construct"
    split = next(op for op in trace if op.type == "SplitTensorView")
    assert split.attrs["constants"] == "I64(8), I64(-1)"
    assert len(split.outputs) == 2


def test_links_go_past_the_bookkeeping() -> None:
    trace = read_file(DATA / "rope_validate.ir")
    concat = [op for op in trace if op.type == "Concat"]
    makers = [
        [trace.type_name(p) for p in trace.producers(op.row) if p is not None] for op in concat
    ]
    assert makers == [["Neg", "SplitTensorView"], ["Add", "StridedSlice"]]
    folded = {op.type for op in trace if trace.role[op.row] == Role.BOOKKEEPING}
    assert folded == {"Load", "UpdateState", "MakeTuple", "TupleGetItem", "Depend", "Return"}


def test_load_reads_what_was_assigned_before_its_state() -> None:
    trace = read_file(SAMPLES / "without_copies.ir")
    assigns = [op.row for op in trace if op.type == "Assign"]
    adds = [op.row for op in trace if op.type == "AddN"]
    assert trace.producers(adds[0]) == [assigns[2], assigns[1]]
    assert trace.producers(adds[1]) == [adds[0], assigns[0]]
    assert trace.producers(assigns[1]) == [assigns[0]]


def test_the_sample_pair_differs_by_three_copies() -> None:
    with_copies = real_ops(read_file(SAMPLES / "with_copies.ir"))
    assert with_copies.count("TensorMove") == 3
    rest = [op for op in with_copies if op != "TensorMove"]
    assert rest == real_ops(read_file(SAMPLES / "without_copies.ir"))


def test_a_listing_without_types_and_labels() -> None:
    trace = read(
        graph(
            "%0 = Assign(%para2_w, Tensor(shape=[], dtype=Int32, value=0), U)",
            "%1 = UpdateState(U, %0)",
            "%2 = Load(%para2_w, %1)",
            "%3 = TensorMove(%2)",
            "%4 = MakeTuple(%3, %2)",
            "%5 = AddN(%4)",
            "Return(%5)",
        )
    )
    assert trace.problems == ()
    add = next(op for op in trace if op.type == "AddN")
    assert [trace.type_name(p) for p in trace.producers(add.row) if p is not None] == [
        "TensorMove",
        "Assign",
    ]
    assert {operand.spec.dtype for operand in add.inputs} == {"?"}


def test_node_numbers_begin_anew_in_every_subgraph() -> None:
    body = "%0(a) = Neg(%para1_x)"
    trace = read(graph(body, "%1(b) = Abs(%0)") + "\n" + graph(body, "%1(b) = Exp(%0)"))
    assert [trace.producers(op.row) for op in trace] == [[None], [0], [None], [2]]


def test_calls_of_other_graphs_are_ops() -> None:
    trace = read(graph("%0(a) = call @✓loop_3(%para1_x)", "%1(b) = %0(%para1_x)"))
    assert [op.type for op in trace] == ["Call", "Call"]


@pytest.mark.parametrize(
    ("lines", "line", "code"),
    [
        (["%0(a(b)) = Neg(%para1_x)", "%1(c) = Neg(%para1_x)"], 3, "graph-ir.node"),
        (["%0(a) = Neg(%para1_x"], 3, "graph-ir.arguments"),
        (["%0(a) = Neg(%7)"], 3, "graph-ir.undefined"),
        (["%0(a) = Neg(%parameter)"], 3, "graph-ir.argument"),
        (["%0(a) = Neg(%para1_x)", "what is this"], 4, "graph-ir.line"),
    ],
)
def test_problems_name_their_line(lines: list[str], line: int, code: str) -> None:
    problems = read(graph(*lines)).problems
    assert [(p.line, p.sentence.code) for p in problems] == [(line, code)]
    assert all(say(p.sentence, language) for p in problems for language in LANGUAGES)


def test_a_file_cut_off_inside_a_graph() -> None:
    content = (SAMPLES / "with_copies.ir").read_text()
    trace = read(content[: len(content) // 2])
    assert "graph-ir.unclosed" in {problem.sentence.code for problem in trace.problems}
    assert 0 < len(trace) < 22


def test_a_file_without_nodes_is_an_error() -> None:
    with pytest.raises(OpdiffError, match="no node"):
        read("# IR entry: @f\nsubgraph @f() {\n}\n")


def test_tuples_that_grow_exponentially_end() -> None:
    lines = ["%0(a) = Neg(%para1_x)", "%1(t) = MakeTuple(%0, %0)"]
    lines += [f"%{n}(t) = MakeTuple(%{n - 1}, %{n - 1})" for n in range(2, 80)]
    trace = read(graph(*lines, "%80(b) = AddN(%79)"))
    assert 0 < len(trace.op(len(trace) - 1).inputs) <= 4096


def test_numbers_beyond_reason_are_problems() -> None:
    huge = "9" * 5000
    trace = read(
        graph(
            f"%0(a) = Neg(%{huge}, %para{huge}_x, I64({huge}))",
            f"%{huge}(b) = Neg(%0)",
            f"%1(c) = TupleGetItem(%0, I64({huge}))",
            f"    : (<Tensor[Float32], ({huge})>) -> (<Tensor[Float32], ({huge})>)",
            f"    # In file x.py:{huge}, 1~2/code/",
        )
    )
    assert {problem.sentence.code for problem in trace.problems} == {
        "graph-ir.argument",
        "graph-ir.node",
    }
    assert len(trace) == 2


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_damaged_files_never_crash(data: st.DataObject) -> None:
    content = bytearray((SAMPLES / "with_copies.ir").read_bytes())
    for _ in range(data.draw(st.integers(1, 12))):
        place = data.draw(st.integers(0, len(content) - 1))
        piece = data.draw(st.binary(max_size=4) | st.sampled_from([b"(", b")", b"<", b"\n", b"%"]))
        length = data.draw(st.integers(0, 30))
        content[place : place + length] = piece
    try:
        trace = read(bytes(content))
    except OpdiffError:
        return
    assert len(trace) == len(list(trace))
    assert len(trace.links.producer) == len(trace.inputs.memory)


NODES = st.lists(
    st.tuples(
        st.sampled_from(["Add", "ReLU", "BatchMatMul", "Cast"]),
        st.lists(st.integers(-1, 30), max_size=3),
        st.sampled_from([("Float32", (2, 3)), ("BFloat16", ()), ("Int64", (7,)), ("Bool", (1, 1))]),
        st.sampled_from(["", "Default/net", "Gradients/Default"]),
        st.lists(st.integers(1, 99), max_size=2),
    ),
    min_size=1,
    max_size=8,
)
Node = tuple[str, list[int], tuple[str, tuple[int, ...]], str, list[int]]


def written(nodes: list[Node]) -> str:
    """A graph as MindSpore prints it: -1 reads the parameter, other numbers a node before."""
    kinds = [
        f"<Tensor[{dtype}], ({', '.join(map(str, shape))})>" for _, _, (dtype, shape), *_ in nodes
    ]
    lines = []
    for place, (kind, read, _, scope, stack) in enumerate(nodes):
        sources = [number % place if place and number >= 0 else -1 for number in read]
        words = [f"%{number}" if number >= 0 else "%para1_x" for number in sources]
        shapes = [
            kinds[number] if number >= 0 else "<Tensor[Float32], (2, 3)>" for number in sources
        ]
        lines += [
            f"%{place}(CNode_{place}) = PrimFunc_{kind}({', '.join(words)})",
            f"    : ({', '.join(shapes)}) -> ({kinds[place]})",
            f"    # Fullname with scope: ({scope + '/' if scope else ''}{kind}-op{place})",
            *(
                f"    # In file /home/user/net.py:{where}/"
                for number in stack
                for where in (f"1~99, 4~9/    def f{number}(x):", f"{number}, 4~9/        y = g(x)")
            ),
        ]
    return graph(*lines, f"Return(%{len(nodes) - 1})", f"    : ({kinds[-1]})")


@settings(max_examples=80, deadline=None)
@given(NODES)
def test_what_is_written_reads_back_equal(nodes: list[Node]) -> None:
    trace = read(written(nodes))
    assert trace.problems == ()
    ops = [op for op in trace if trace.role[op.row] == Role.OP]
    assert len(ops) == len(nodes)
    for place, (op, (kind, read_from, spec, scope, stack)) in enumerate(
        zip(ops, nodes, strict=True)
    ):
        assert (op.type, op.scope) == (kind, scope)
        assert [(o.spec.dtype, o.spec.shape) for o in op.outputs] == [spec]
        made = [None if p is None else trace.op(p).name for p in trace.producers(op.row)]
        sources = [number % place if place and number >= 0 else -1 for number in read_from]
        assert made == [None if number < 0 else ops[number].name for number in sources]
        assert [(frame.line, frame.function) for frame in op.stack] == [
            (number, f"f{number}") for number in stack
        ]
