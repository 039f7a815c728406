"""A trace: lines and rows, values, searching and counting."""

from __future__ import annotations

from pathlib import Path

import pytest

from opdiff.readers import open_trace
from opdiff.trace import ColumnsBuilder, Frame, Operand, Source, TensorSpec, Trace
from opdiff.trace.columns import EAGER, GRAPH
from opdiff.trace.search import find_rows, functions
from opdiff.trace.stacks import innermost_first, user_frame
from opdiff.trace.summary import summarise

SAMPLES = Path(__file__).parents[2] / "samples"
VECTOR = TensorSpec("Float32", (4,))
VIEW = TensorSpec("Float16", (2, 3), (6, 2), 5)
USER = Frame("/home/a/net.py", 7, "construct")
MAIN = Frame("/home/a/train.py", 1, "<module>")
LIBRARY = Frame("/usr/lib/python3/site-packages/mindspore/ops.py", 9, "__call__")


@pytest.fixture
def trace() -> Trace:
    builder = ColumnsBuilder()
    builder.add("Cast", [Operand(1, VECTOR)], stack=[MAIN, USER, LIBRARY], mode=EAGER)
    builder.add(
        "Default/a/Mul-op0", [Operand(2, VECTOR)], [Operand(1, VECTOR)], graph="g0", mode=GRAPH
    )
    builder.add("Default/a/Mul-op1", [Operand(3, VECTOR)], [Operand(2, VECTOR), Operand(1, VIEW)])
    builder.add("Add", [], [Operand(3, VECTOR)], stack=[MAIN], line=13, last_line=20)
    return Trace(Source("x.ir", "test"), *builder.build())


def test_any_line_of_an_op_names_it(trace: Trace) -> None:
    assert [trace.row_at(line) for line in (0, 1, 3, 4, 9, 10, 12, 13, 20, 21)] == [
        None, 0, 0, 1, 2, None, None, 3, 3, None,
    ]  # fmt: skip
    assert trace.rows_near(11) == [1, 2, 3]
    assert trace.line_of(3) == 13


def test_values_print_as_people_read_them() -> None:
    assert str(VIEW) == "Float16:[2, 3]{strdes=[6, 2],offset=5}"
    assert (VIEW.text, VIEW.layout_text, VIEW.is_view) == ("Float16 [2, 3]", "{6, 2} +5", True)
    assert str(Operand(4, VIEW)) == "%4 Float16 [2, 3]  {6, 2} +5"
    assert str(Operand(4, VECTOR)) == "%4 Float32 [4]"
    assert str(USER) == "net.py:7 construct"


def test_the_users_own_frame(trace: Trace) -> None:
    assert trace.user_frame(0) == USER
    assert trace.user_frame(1) is None
    assert user_frame((LIBRARY,)) == LIBRARY
    # A mode of the user's own is passed through by every op: the line is the one that called it.
    mode = Frame("/home/user/counting.py", 7, "__torch_dispatch__")
    assert user_frame((USER, LIBRARY, mode)) == USER
    assert user_frame((mode,)) == mode


def test_stacks_with_the_entry_at_the_wrong_end() -> None:
    assert innermost_first((MAIN, USER)) == (USER, MAIN)
    inner = Frame("/home/a/rope.py", 3, "rotate")
    assert innermost_first((USER, inner, MAIN)) == (inner, USER, MAIN)


def test_finding_ops(trace: Trace) -> None:
    assert find_rows(trace).tolist() == [0, 1, 2, 3]
    assert find_rows(trace, op="M*").tolist() == [1, 2]
    assert find_rows(trace, op="*-op1").tolist() == [2]
    assert find_rows(trace, scope="Default/*").tolist() == [1, 2]
    assert find_rows(trace, function="<module>").tolist() == [0, 3]
    assert find_rows(trace, op="Add", function="construct").tolist() == []
    assert functions(trace) == {"<module>": 2, "construct": 1, "__call__": 1}


def test_a_summary(trace: Trace) -> None:
    summary = summarise(trace)
    assert summary.op_types == {"Mul": 2, "Add": 1, "Cast": 1}
    assert summary.scopes == {"Default/a": 2}
    assert summary.graphs == {"g0": 1}
    assert summary.modes == {"eager": 1, "graph": 1}
    assert (summary.with_stack, summary.with_operands, summary.ops) == (2, 4, 4)
    assert summary.dtypes == {"Float32": 6, "Float16": 1}


def test_the_last_op_of_the_rope_function_of_a_real_run() -> None:
    trace = open_trace(SAMPLES / "real/rope/eager")
    row = find_rows(trace, function="apply_rotary_pos_emb")[-1]
    assert (trace.type_name(row), trace.line_of(row)) == ("Concat", 478)


def test_the_run_tells_what_ran_in_a_graph_and_else_the_scope_does() -> None:
    builder = ColumnsBuilder()
    builder.add("Default/Conv2D-op0", mode=EAGER)
    builder.add("Default/Conv2D-op0", mode=GRAPH)
    builder.add("Default/Conv2D-op0")
    builder.add("Conv2D")
    made = Trace(Source("trace.ir", "test"), *builder.build())
    assert [made.in_graph(row) for row in range(4)] == [False, True, True, False]
