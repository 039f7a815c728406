"""task.csv beside a trace: eager or graph, and which graph."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracker_text import codes, read, record

from opdiff.readers import open_trace

REAL = Path(__file__).parents[2] / "samples/real"
HEAD = "time_stamp,task_name,node_name,graph_name,file_name,line_num,python_stack,\n"
TEXT = (
    record("Add", task=1)
    + record("Default/Mul-op0", task=3)
    + record("Contiguous", task=4)
    + record("RecordEvent", task=6)
)
ROWS = (
    "1,PyNative,Add,,op_runner.h,129,File:/a,b/c.py;Line:3;Function:f|,\n"
    "3,0_Default/Mul-op0,Default/Mul-op0,kernel_graph0,x.cc,1,,\n"
    "4,Graph,Contiguous,,x.cc,1,a stack, with\n5,commas and lines,\n"
    "6,Event,RecordEvent,,x.cc,1,,\n"
)


def test_modes_and_graphs(tmp_path: Path) -> None:
    (tmp_path / "task.csv").write_text(HEAD + ROWS)
    trace = read(tmp_path, TEXT)
    assert [op.mode for op in trace] == ["eager", "graph", "graph", ""]
    assert [op.graph for op in trace] == ["", "kernel_graph0", "", ""]
    assert trace.notes == ()


def test_names_with_commas_and_a_task_named_like_its_node(tmp_path: Path) -> None:
    rows = "1,7_odd, name,odd, name,kernel_graph2,x.cc,1,,\n"
    actor = "kernel_graph_0_HostDSActor"
    (tmp_path / "task.csv").write_text(HEAD + rows + f"2,{actor},{actor},,x.cc,1,,\n")
    trace = read(tmp_path, record("odd, name", task=1) + record(actor, task=2))
    assert [op.mode for op in trace] == ["graph", "graph"]
    assert trace.op(0).graph == "kernel_graph2"


@pytest.mark.parametrize("size", [0, 10, len(HEAD), len(HEAD) + 40, len(HEAD + ROWS) - 30])
def test_a_cut_file_breaks_nothing(tmp_path: Path, size: int) -> None:
    (tmp_path / "task.csv").write_text((HEAD + ROWS)[:size])
    trace = read(tmp_path, TEXT)
    assert len(trace) == 4
    assert codes(trace) == []
    assert {op.mode for op in trace} <= {"", "eager", "graph"}


def test_the_file_of_another_run_is_not_used(tmp_path: Path) -> None:
    rows = "1,PyNative,Sub,,x,1,,\n3,PyNative,Div,,x,1,,\n4,PyNative,Contiguous,,x,1,,\n"
    (tmp_path / "task.csv").write_text(HEAD + rows)
    trace = read(tmp_path, TEXT)
    assert {op.mode for op in trace} == {""}
    assert [note.code for note in trace.notes] == ["reading.task-csv-foreign"]


def test_a_directory_of_that_name_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "task.csv").mkdir()
    assert read(tmp_path, TEXT).notes == ()


def test_a_real_run_with_a_graph() -> None:
    trace = open_trace(REAL / "rope/jit_ast")
    modes = [op.mode for op in trace]
    assert (modes.count("eager"), modes.count("graph")) == (118, 94)
    assert {op.graph for op in trace} == {"", "kernel_graph0"}
