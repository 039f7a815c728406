"""Real recordings of PyTorch programs, made by the environment of ``make real``."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from opdiff.compare import Comparison, Kind, Request, compare
from opdiff.readers import open_trace
from opdiff.trace import Trace

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples" / "scripts"
PYTHON = ROOT / ".venv-torch" / "bin" / "python"

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not PYTHON.exists(), reason="no .venv-torch: make real makes it"),
]


class Recorded:
    """What one program printed, and the traces it wrote."""

    def __init__(self, program: Path, folder: Path) -> None:
        done = subprocess.run(
            [str(PYTHON), str(program), str(folder)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        self.said = done.stdout
        self._folder = folder

    def trace(self, name: str) -> Trace:
        trace = open_trace(self._folder / name)
        assert trace.problems == ()
        return trace

    def compared(self, left: str, right: str) -> Comparison:
        return compare(self.trace(left), self.trace(right), Request())


def types(trace: Trace) -> list[str]:
    return [op.type for op in trace]


# One test a program: importing torch takes seconds, and fixtures would run once a worker.


def test_rope_runs_the_same_ops_compiled(tmp_path: Path) -> None:
    rope = Recorded(SAMPLES / "torch_rope.py", tmp_path)
    assert "11 ops, compiled runs: 1" in rope.said
    assert "results are equal" in rope.said
    comparison = rope.compared("eager.ir", "aot_eager.ir")
    assert list(comparison.divergences) == []
    assert comparison.matched == 11
    trace = rope.trace("eager.ir")
    functions = {frame.function for row in range(len(trace)) if (frame := trace.user_frame(row))}
    assert functions == {"apply_rotary", "rotate_half"}


def test_a_network_forward_and_backward(tmp_path: Path) -> None:
    network = Recorded(SAMPLES / "torch_network.py", tmp_path)
    losses = {line.split()[2] for line in network.said.splitlines()}
    assert len(losses) == 1
    assert network.compared("eager.ir", "node_by_node.ir").matched > 600
    # The compiler computes the cosines once where eager code does so for every query and key.
    eager, compiled = (types(network.trace(name)) for name in ("eager.ir", "aot_eager.ir"))
    assert eager.count("aten::cos") > compiled.count("aten::cos")
    # Compiled backward ops keep the lines of the user.
    trace = network.trace("node_by_node.ir")
    rows = [op.row for op in trace if op.type == "aten::gelu_backward"]
    assert len(rows) == 4
    assert {str(trace.user_frame(row)).partition(":")[0] for row in rows} == {"torch_network.py"}


def test_a_write_through_a_view(tmp_path: Path) -> None:
    view_write = Recorded(SAMPLES / "torch_view_write.py", tmp_path)
    trace = view_write.trace("eager.ir")
    assert types(trace) == ["aten::ones", "aten::slice", "aten::mul_", "aten::add", "aten::sum"]
    written = trace.op(2).outputs[0]
    assert written.memory == trace.op(0).outputs[0].memory
    assert (written.spec.strides, written.spec.offset) == ((4, 2), 0)
    comparison = view_write.compared("eager.ir", "aot_eager.ir")
    right = comparison.right.trace
    added = [d for d in comparison.divergences if d.kind is Kind.ONLY_RIGHT]
    assert {right.type_name(row) for d in added for row in d.right_rows} == {
        "aten::slice_scatter",
        "aten::copy_",
    }


def test_oddities(tmp_path: Path) -> None:
    oddities = Recorded(Path(__file__).parent / "oddities.py", tmp_path)
    # A reused address gets a new id.
    assert len({op.outputs[0].memory for op in oddities.trace("reuse.ir")}) == 20
    # Inputs are described before the call.
    resize = next(op for op in oddities.trace("resize.ir") if op.type == "aten::resize_")
    assert resize.inputs[0].spec.shape == (2, 3)
    assert resize.outputs[0].spec.shape == (6,)
    # Dtypes are spelled as MindSpore does.
    assert [op.outputs[0].spec.dtype for op in oddities.trace("dtypes.ir")] == (
        "Bool UInt8 Int64 Float16 BFloat16 Float64 Complex64 Float8E4M3FN".split()
    )
    # An exception leaves what ran until then; tensors without storage have ids too.
    assert types(oddities.trace("exception.ir.gz")) == ["aten::ones", "aten::ones"]
    assert all(op.outputs or op.inputs for op in oddities.trace("sparse.ir"))
    assert "nothing of what was recorded was compiled" in oddities.said
