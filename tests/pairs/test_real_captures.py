"""Captures of real runs: what differs between them is known from the programs that were run."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from opdiff.compare import Comparison, Direction, Kind, Request, compare
from opdiff.readers import open_trace
from opdiff.trace import Trace

REAL = Path(__file__).resolve().parents[2] / "samples" / "real"
RUNS = sorted(str(path.parent.relative_to(REAL)) for path in REAL.rglob("tracker_graph.ir"))


def run(name: str) -> Trace:
    return open_trace(REAL / name)


def named(comparison: Comparison) -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Kind and op types of every divergence, in the order of the left trace."""
    left, right = comparison.left.trace, comparison.right.trace
    return [
        (
            str(divergence.kind),
            tuple(left.type_name(row) for row in divergence.left_rows),
            tuple(right.type_name(row) for row in divergence.right_rows),
        )
        for divergence in sorted(comparison.divergences, key=lambda d: (d.left_rows, d.right_rows))
    ]


def another_run(text: str) -> str:
    """What the same program prints when memory and stamps are counted from elsewhere."""
    text = re.sub(r"%(\d+)", lambda found: f"%{3 * int(found[1]) + 1000}", text)
    return re.sub(r"task_info: (\d+)", lambda found: f"task_info: {int(found[1]) + 77}", text)


def without_stacks(text: str) -> str:
    return re.sub(r"(?m)^    # File:.*$", "    # ", text)


@pytest.mark.parametrize("name", RUNS)
def test_the_same_program_twice_differs_in_nothing(name: str, tmp_path: Path) -> None:
    text = (REAL / name / "tracker_graph.ir").read_text(encoding="utf-8")
    path = tmp_path / "tracker_graph.ir"
    path.write_text(without_stacks(another_run(text)), encoding="utf-8", newline="\n")
    left, right = run(name), open_trace(path)
    assert named(compare(left, right, Request())) == []
    last = len(left) - 1
    assert named(compare(left, right, Request(Direction.UP, last, last))) == []


def test_eight_copies_of_parameters_are_gone_and_nothing_else_but_moves() -> None:
    comparison = compare(run("static/assign_elim0"), run("static/assign_elim3"), Request())
    found = Counter((kind, left) for kind, left, _ in named(comparison))
    assert found.pop(("only-left", ("TensorMove",))) == 8
    assert {kind for kind, _ in found} <= {"moved"}


def test_another_activation_differs_in_the_activations_and_their_gradients() -> None:
    found = named(compare(run("cnn/relu"), run("cnn/gelu"), Request()))
    renamed = Counter(left + right for kind, left, right in found if kind == "op-type")
    assert renamed == {("ReLU", "GeLU"): 4, ("ReluGrad", "GeLUGrad"): 4}
    # The gradient of GeLU needs one input more; nothing else differs.
    others = {(kind, left) for kind, left, _ in found if kind != "op-type"}
    assert others <= {("operands", ("ReluGrad",))}


def test_a_function_baked_in_as_a_constant_is_found() -> None:
    found = named(compare(run("rope/eager"), run("rope/jit_trace"), Request()))
    assert ("only-left", ("Neg",), ()) in found
    assert ("only-left", ("Concat",), ()) in found
    assert ("operands", ("Mul",), ("Mul",)) in found


def as_stock(name: str, folder: Path) -> Trace:
    """A capture as a stock CPU build prints it: no operands at all."""
    text = (REAL / name / "tracker_graph.ir").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^\([%\d, ]*\) = (.*)\([%\d, ]*\), task_info", r"() = \1(), task_info", text)
    text = re.sub(r"(?m)^    \(.*\) <- \(.*\)$", "    () <- ()", text)
    path = folder / f"{Path(name).name}.ir"
    path.write_text(text, encoding="utf-8", newline="\n")
    return open_trace(path)


def test_traces_without_operands_align_by_names_and_order(tmp_path: Path) -> None:
    left, right = as_stock("rope/eager", tmp_path), as_stock("rope/jit_ast", tmp_path)
    comparison = compare(left, right, Request())
    assert Kind.CPU_FALLBACK not in comparison.by_kind
    assert comparison.matched > 150


@pytest.mark.parametrize("name", RUNS)
def test_operands_that_one_side_lacks_are_no_difference(name: str, tmp_path: Path) -> None:
    stock = as_stock(name, tmp_path)
    assert not len(stock.inputs.memory)
    comparison = compare(run(name), stock, Request())
    wrong = {Kind.CPU_FALLBACK, Kind.ONLY_LEFT, Kind.ONLY_RIGHT, Kind.OP_TYPE, Kind.CONTIGUOUS}
    assert wrong.isdisjoint(comparison.by_kind)
