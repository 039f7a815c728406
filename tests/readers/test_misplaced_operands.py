"""Operands that the tracker prints at a later Contiguous go back to their op."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracker_text import codes, empty, read, record

from opdiff.readers import open_trace
from opdiff.trace import Trace

REAL = Path(__file__).parents[2] / "samples/real"
PRODUCT = "(Float32:[2, 4]) <- (Float32:[2, 3], Float32:[3, 4])"
COPY = "(Float32:[2, 3]) <- (Float32:[2, 3]{strdes=[1, 2],offset=0})"


def memories(trace: Trace, row: int) -> tuple[list[int], list[int]]:
    op = trace.op(row)
    return [o.memory for o in op.outputs], [o.memory for o in op.inputs]


def test_a_product_gets_its_operands_back(tmp_path: Path) -> None:
    text = empty("MatMulExt") + empty("Contiguous") * 2 + empty("CopyTensorData")
    text += record("Contiguous", "%9", "%7, %8", PRODUCT)
    trace = read(
        tmp_path, text + record("Relu", "%10", "%9", "(Float32:[2, 4]) <- (Float32:[2, 4])")
    )
    assert trace.repaired == (0,)
    assert memories(trace, 0) == ([9], [7, 8])
    assert memories(trace, 4) == ([], [])
    assert trace.producers(5) == [0]
    assert codes(trace) == []


@pytest.mark.parametrize(
    "specs",
    [
        "(Float32:[6]) <- (Float32:[2, 3])",
        "(Float32:[2, 3]) <- (Bool:[2, 3])",
    ],
    ids=["another shape", "another dtype"],
)
def test_a_copy_that_is_none_is_moved(tmp_path: Path, specs: str) -> None:
    text = empty("Reshape") + empty("Contiguous") + record("Contiguous", "%9", "%7", specs)
    trace = read(tmp_path, text)
    assert trace.repaired == (0,)
    assert memories(trace, 0) == ([9], [7])


@pytest.mark.parametrize(
    "text",
    [
        empty("Neg") + record("Contiguous", "%9", "%7", COPY),
        empty("Default/MatMul-op0") + record("Contiguous", "%9", "%7, %8", PRODUCT),
        empty("MatMulExt") + record("Relu") + record("Contiguous", "%9", "%7, %8", PRODUCT),
        record("MatMulExt") + record("Contiguous", "%9", "%7, %8", PRODUCT),
        empty("RecordEvent") + record("Contiguous", "%9", "%7, %8", PRODUCT),
        record("Contiguous", "%9", "%7, %8", PRODUCT),
    ],
    ids=["real copy", "graph kernel", "other op between", "has operands", "event", "no op before"],
)
def test_what_is_not_misplaced_stays(tmp_path: Path, text: str) -> None:
    trace = read(tmp_path, text)
    assert trace.repaired == ()
    assert trace.op(len(trace) - 1).outputs


def test_a_copy_listed_together_with_the_product(tmp_path: Path) -> None:
    """The Contiguous keeps the pair that is its own copy."""
    view = "Float32:[2, 3]{strdes=[1, 2],offset=0}"
    specs = f"(Float32:[2, 3], Float32:[2, 4]) <- ({view}, Float32:[2, 3], Float32:[3, 4])"
    text = empty("MatMulExt") + record("Contiguous", "%6, %9", "%5, %6, %8", specs)
    trace = read(tmp_path, text)
    assert memories(trace, 0) == ([9], [6, 8])
    assert memories(trace, 1) == ([6], [5])


def test_each_op_gets_its_own(tmp_path: Path) -> None:
    text = ""
    for n in range(50):
        text += empty("MatMulExt") + record("Contiguous", "%2", "%1", COPY)
        text += record("Contiguous", f"%{n}9", f"%{n}7, %{n}8", PRODUCT)
    trace = read(tmp_path, text)
    assert trace.repaired == tuple(range(0, 150, 3))
    assert memories(trace, 3 * 49) == ([499], [497, 498])
    assert memories(trace, 3 * 49 + 1) == ([2], [1])


def test_a_real_run_is_repaired() -> None:
    trace = open_trace(REAL / "rope/eager")
    types = [trace.type_name(row) for row in trace.repaired]
    assert sorted(types) == ["MatMulExt"] * 8 + ["Reshape"] * 2
    assert all(trace.op(row).inputs and trace.op(row).outputs for row in trace.repaired)
