from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from format_files import DATA, check_survives, codes, edited, note_codes, open_content
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.readers.mindspore.csv_rows import split_row
from opdiff.readers.mindspore.execute_order import read_node

FOLDER = DATA / "mindspore-order"
TABLE = FOLDER / "execute_order" / "execute_order.csv"
TEXT = TABLE.read_text()
HEADER = "index,node_name,logic_id,stream_id,node_info,event_id,group\n"


def quoted(text: str) -> str:
    """As C++ quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def row(*fields: object) -> str:
    return ",".join(quoted(str(field)) for field in fields) + "\n"


def test_every_row_is_an_op_in_its_order() -> None:
    trace = open_trace(TABLE)
    names = re.findall(r'^"\d+","([^"]+)"', TEXT, re.M)
    assert trace.source.format == "mindspore-execute-order"
    assert trace.source.execution_order
    assert trace.problems == ()
    assert [op.name for op in trace] == names
    assert [op.line for op in trace] == list(range(2, len(names) + 2))
    assert {op.mode for op in trace} == {"graph"}
    assert {op.attrs["stream_id"] for op in trace} == {"0"}


def test_the_graph_beside_it_has_shapes_and_sources() -> None:
    trace = open_trace(TABLE)
    assert [Path(file).name for file in trace.source.companions] == ["graph_build_0_0088.ir"]
    assert note_codes(trace) == ["joined"]
    matmul = next(op for op in trace if op.name == "Expand/_MatMulExt/MatMul-op1")
    assert [str(o.spec) for o in (*matmul.outputs, *matmul.inputs)] == [
        "Float32:[4, 16]",
        "Float32:[4, 32]",
        "Float32:[32, 16]",
    ]
    assert str(trace.user_frame(matmul.row)) == "net.py:12 construct"
    assert matmul.attrs["args"] == "(_, _, False, False)"


def test_links_are_the_same_with_and_without_the_graph(tmp_path: Path) -> None:
    alone = tmp_path / "execute_order.csv"
    shutil.copy(TABLE, alone)
    joined, bare = open_trace(TABLE), open_trace(alone)
    assert note_codes(bare) == ["not-joined"]
    assert joined.links.producer.tolist() == bare.links.producer.tolist()
    assert [op.attrs for op in joined] == [op.attrs for op in bare]
    assert {operand.spec.dtype for op in bare for operand in op.inputs} == {"?"}


def test_a_folder_of_graphs_stands_for_its_table(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "rank_0")
    trace = open_trace(tmp_path, rank=0)
    assert trace.source.path.endswith("rank_0/execute_order/execute_order.csv")
    assert len(trace) == 13


def test_a_damaged_graph_beside_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "execute_order").mkdir()
    shutil.copy(TABLE, tmp_path / "execute_order")
    (tmp_path / "graph_build_0_0001.ir").write_text("nothing")
    trace = open_trace(tmp_path)
    assert note_codes(trace) == ["beside-unreadable", "not-joined"]
    assert len(trace) == 13


def test_names_alone() -> None:
    trace = open_trace(FOLDER / "ms_execution_order_graph_0.csv")
    lines = (FOLDER / "ms_execution_order_graph_0.csv").read_text().split()
    assert [op.name for op in trace] == lines[1:]
    assert not trace.source.execution_order
    assert note_codes(trace) == ["names-only"]


def test_events_groups_and_unknown_columns() -> None:
    header = HEADER.strip() + ",novelty\n"
    node = "@g:CNode_1{[0]: ValueNode<Primitive> PrimFunc_AllReduce, [1]: CNode_0}"
    trace = open_content(header + row(1, "Default/AllReduce-op0", 7, 3, node, 5, "hccl", "x"))
    op = trace.op(0)
    assert op.attrs == {"stream_id": "3", "event_id": "5", "group": "hccl", "args": "(_)"}
    assert op.graph == "g"


def test_the_order_of_communication() -> None:
    text = (
        "index,group,comm_rank,primitive,src_rank,dest_rank,root_rank,input_shape,input_type,"
        "output_shape,output_type,input_size,output_size\n"
        '"4","hccl_world_group","0 1","AllGather","","","","(2, 4)","Float32",'
        '"(4, 4)","Float32","32","64"\n'
    )
    op = open_content(text).op(0)
    assert op.type == "AllGather"
    assert str(op.inputs[0].spec) == "Float32:[2, 4]"
    assert str(op.outputs[0].spec) == "Float32:[4, 4]"
    assert op.attrs == {"group": "hccl_world_group", "comm_rank": "0 1"}


def test_what_quotes_hide() -> None:
    assert split_row(r'"1","a \"b\" \\ c, d",plain,""') == ["1", r'a "b" \ c, d', "plain", ""]
    assert split_row('"1","not closed') is None
    assert split_row("") == [""]


def test_nodes_with_constants_that_look_like_inputs() -> None:
    node = read_node(
        "@kernel_graph0:CNode_9{[0]: ValueNode<Primitive> PrimFunc_Print, "
        "[1]: ValueNode<StringImm> x, [3]: y, [2]: param_w, [3]: ValueNode<UMonad> U, "
        "[4]: ValueNode<FP32Imm> 1e-05}"
    )
    assert (node.op, node.name, node.graph) == ("Print", "CNode_9", "kernel_graph0")
    assert node.inputs == ["param_w"]
    assert node.arguments.endswith("_, 1e-05)")
    assert read_node("nonsense").inputs == []


def test_a_table_that_is_cut_keeps_what_is_whole() -> None:
    cut = TEXT.index("CNode_208{") + 40
    trace = open_content(TEXT[:cut])
    assert codes(trace) == ["csv-row"]
    assert trace.problems[0].line == TEXT[:cut].count("\n") + 1
    assert len(trace) == 8


def test_other_output_around_the_table() -> None:
    trace = open_content("[WARNING] dry run\n" + TEXT + "bye\n")
    assert len(trace) == 13
    assert codes(trace) == ["unexpected-text", "csv-row"]


def test_a_table_without_rows_is_an_error() -> None:
    with pytest.raises(OpdiffError, match="mindspore-execute-order"):
        open_content(HEADER)


# What a writer of the grammar writes

NAMES = st.text('abcXY/_-"\\ ,', min_size=1, max_size=12).map(str.strip).filter(bool)
ROWS = st.lists(
    st.tuples(NAMES, st.integers(0, 9), st.lists(st.integers(0, 99) | st.booleans(), max_size=4)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=80, deadline=None)
@given(ROWS)
def test_what_is_written_reads_back_equal(
    written: list[tuple[str, int, list[int | bool]]],
) -> None:
    text = HEADER
    for place, (name, stream, inputs) in enumerate(written):
        items = ["ValueNode<Primitive> PrimFunc_Add"]
        for value in inputs:
            constant = isinstance(value, bool)
            items.append(
                f"ValueNode<BoolImm> {str(value).lower()}"
                if constant
                else f"CNode_{value % (place + 1)}"
            )
        printed = ", ".join(f"[{number}]: {item}" for number, item in enumerate(items))
        info = f"@g:CNode_{place + 1}{{{printed}}}"
        text += row(place + 1, name, 7, stream, info, "", "")
    trace = open_content(text)
    assert trace.problems == ()
    assert [op.name for op in trace] == [name for name, _, _ in written]
    for place, (op, (_, stream, inputs)) in enumerate(zip(trace, written, strict=True)):
        assert op.attrs["stream_id"] == str(stream)
        read = [value % (place + 1) for value in inputs if not isinstance(value, bool)]
        assert trace.producers(op.row) == [node - 1 if node else None for node in read]
        texts = [str(value) if isinstance(value, bool) else "_" for value in inputs]
        assert op.attrs["args"] == f"({', '.join(texts)})"


@settings(max_examples=120, deadline=None)
@given(edited(TABLE.read_bytes()))
def test_random_edits_raise_nothing_else(content: bytes) -> None:
    check_survives(content)
