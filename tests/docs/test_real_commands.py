"""The commands of the walk-throughs that need MindSpore or PyTorch, really run, and what came out.

``make real`` makes the environments. The Chinese pages have the same commands (a test sees to it).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from console_blocks import ENVIRONMENTS, ROOT, Store, blocks

from opdiff.compare import Comparison, Kind, Request, compare
from opdiff.readers import open_trace
from opdiff.trace import Trace
from opdiff.trace.search import find_rows


def needs(environment: str) -> list[pytest.MarkDecorator]:
    missing = not ENVIRONMENTS[environment].is_dir()
    reason = f"no .venv-{environment}: make real makes it"
    return [getattr(pytest.mark, environment), pytest.mark.skipif(missing, reason=reason)]


mindspore = pytest.mark.parametrize("kind", [pytest.param("mindspore", marks=needs("mindspore"))])
torch = pytest.mark.parametrize("kind", [pytest.param("torch", marks=needs("torch"))])


class Ran:
    """What the real blocks of a page printed, and the files they left."""

    def __init__(self, page: str, kind: str, folder: Path, extra: str = "") -> None:
        store = Store(folder)
        text = (ROOT / "docs" / "walkthroughs" / page).read_text(encoding="utf-8")
        self.said = "".join(
            store.run(command + extra, kind)
            for block in blocks(text)
            if block.environment == kind
            for command, _ in block.commands
        )
        assert store.failures == []
        self._folder = folder

    def trace(self, name: str) -> Trace:
        trace = open_trace(self._folder / name)
        assert trace.problems == ()
        return trace

    def compared(self, left: str, right: str) -> Comparison:
        return compare(self.trace(left), self.trace(right), Request())


def types(trace: Trace) -> list[str]:
    return [op.type for op in trace]


def types_only_right(comparison: Comparison) -> list[str]:
    right = comparison.right.trace
    found = [d for d in comparison.divergences if d.kind is Kind.ONLY_RIGHT]
    return sorted(right.type_name(row) for d in found for row in d.right_rows)


@mindspore
def test_capturing(kind: str, tmp_path: Path) -> None:
    ran = Ran("capturing.md", kind, tmp_path)
    manifest = json.loads((tmp_path / "runs" / "eager" / "capture.json").read_text())
    assert manifest["versions"]["mindspore"] == "2.10.0"
    assert "task.csv" in manifest["files"]
    assert "Compared as a whole" in ran.said


@mindspore
def test_rope_under_jit(kind: str, tmp_path: Path) -> None:
    ran = Ran("rope-under-jit.md", kind, tmp_path)
    assert "eager: -18.92" in ran.said
    assert "ast: -18.92" in ran.said
    assert len(find_rows(ran.trace("runs/eager"), op="Concat", function="apply_rotary")) == 8


@mindspore
def test_vocabulary_embedding(kind: str, tmp_path: Path) -> None:
    ran = Ran("vocabulary-embedding.md", kind, tmp_path)
    assert "eager: 0.35" in ran.said
    assert "ast: 0.35" in ran.said


@mindspore
def test_compiled_graphs(kind: str, tmp_path: Path) -> None:
    ran = Ran("compiled-graphs.md", kind, tmp_path)
    assert "value= 3" in ran.said
    assert "value= 6" in ran.said
    comparison = ran.compared("without/31_validate_0032.ir", "with/31_validate_0032.ir")
    assert types_only_right(comparison) == ["TensorMove"] * 3
    assert len(comparison.divergences) == 3


@mindspore
def test_trace_capture_of_rope_is_found_wrong(kind: str, tmp_path: Path) -> None:
    # Three settings instead of ten: every one takes two starts of MindSpore.
    fewer = " --settings 'trace O*' --settings 'ast O0'"
    ran = Ran("trace-capture-bug.md", kind, tmp_path, fewer)
    assert ran.said.count("WRONG") == 2
    rows = json.loads((tmp_path / "runs" / "matrix" / "matrix.json").read_text())
    assert [row["setting"] for row in rows if row["equal"] is False] == ["trace O0", "trace O1"]
    assert all(row["ops"] and row["by_kind"] is not None for row in rows)


@torch
def test_pytorch(kind: str, tmp_path: Path) -> None:
    ran = Ran("pytorch.md", kind, tmp_path)
    assert "11 ops, compiled runs: 1" in ran.said
    assert "DIFFER" not in ran.said
    # Rope: the same ops, and the lines of the user.
    comparison = ran.compared("rope/eager.ir", "rope/aot_eager.ir")
    assert list(comparison.divergences) == []
    assert comparison.matched == 11
    eager = ran.trace("rope/eager.ir")
    functions = {frame.function for row in range(len(eager)) if (frame := eager.user_frame(row))}
    assert functions == {"apply_rotary", "rotate_half"}
    # The network: one loss, fewer cosines, and compiled backward ops keep the user's lines.
    assert len({line.split()[2] for line in ran.said.splitlines() if ": loss " in line}) == 1
    assert ran.compared("network/eager.ir", "network/node_by_node.ir").matched > 600
    counts = [
        types(ran.trace(f"network/{name}.ir")).count("aten::cos") for name in ("eager", "aot_eager")
    ]
    assert counts[0] > counts[1]
    nodes = ran.trace("network/node_by_node.ir")
    rows = [op.row for op in nodes if op.type == "aten::gelu_backward"]
    assert len(rows) == 4
    assert {str(nodes.user_frame(row)).partition(":")[0] for row in rows} == {"torch_network.py"}
    # The write through a view: one block of memory eagerly, copies when compiled.
    view = ran.trace("view/eager.ir")
    assert types(view) == ["aten::ones", "aten::slice", "aten::mul_", "aten::add", "aten::sum"]
    written = view.op(2).outputs[0]
    assert written.memory == view.op(0).outputs[0].memory
    assert (written.spec.strides, written.spec.offset) == ((4, 2), 0)
    comparison = ran.compared("view/eager.ir", "view/aot_eager.ir")
    assert types_only_right(comparison) == ["aten::copy_", "aten::slice_scatter"]
