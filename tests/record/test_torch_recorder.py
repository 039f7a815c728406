"""Small recordings of PyTorch, made by the environment of ``make real``.

Whole programs are recorded by the walk-through of PyTorch, whose commands tests/docs runs.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from opdiff.readers import open_trace
from opdiff.trace import Trace

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-torch" / "bin" / "python"

pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(not PYTHON.exists(), reason="no .venv-torch: make real makes it"),
]


def test_oddities(tmp_path: Path) -> None:
    program = Path(__file__).parent / "oddities.py"
    done = subprocess.run(
        [str(PYTHON), str(program)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

    def trace(name: str) -> Trace:
        return open_trace(tmp_path / name)

    # A reused address gets a new id.
    assert len({op.outputs[0].memory for op in trace("reuse.ir")}) == 20
    # Inputs are described before the call.
    resize = next(op for op in trace("resize.ir") if op.type == "aten::resize_")
    assert resize.inputs[0].spec.shape == (2, 3)
    assert resize.outputs[0].spec.shape == (6,)
    # Dtypes are spelled as MindSpore does.
    assert [op.outputs[0].spec.dtype for op in trace("dtypes.ir")] == (
        "Bool UInt8 Int64 Float16 BFloat16 Float64 Complex64 Float8E4M3FN".split()
    )
    # An exception leaves what ran until then; tensors without storage have ids too.
    assert [op.type for op in trace("exception.ir.gz")] == ["aten::ones", "aten::ones"]
    assert all(op.outputs or op.inputs for op in trace("sparse.ir"))
    assert "nothing of what was recorded was compiled" in done.stdout
