"""Small recordings of PyTorch, made by the environment of ``make real``.

Whole programs are recorded by the walk-through of PyTorch, whose commands tests/docs runs.
"""

from __future__ import annotations

import os
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

ARGUMENTS = [
    ("aten::ones", "([2, 3], device=cpu, pin_memory=False)"),
    ("aten::add", "(_, _, alpha=2)"),
    ("aten::native_layer_norm", "(_, [3], None, None, 1e-05)"),
    ("aten::gelu", '(_, approximate="tanh")'),
    ("aten::gt", "(_, 0)"),
    ("aten::masked_fill", "(_, _, -inf)"),
    ("aten::cat", "([_, _], -1)"),
    ("aten::_to_copy", "(_, dtype=bfloat16)"),
    (
        "odd::say",
        r'(_, "a\x29, task_info: 7, attrs \x7bb\x7d \x0a\x0d\x00\x3bc\x3dd\x253\x22\x27\x5c'
        r'\xe9\u6f22\U0001f600", source=<Generator>, f=[0.1, 1e+300])',
    ),
    ("aten::mul", "(_, 2.0-1.0j)"),
]


def test_oddities(tmp_path: Path) -> None:
    program = Path(__file__).parent / "oddities.py"
    done = subprocess.run(
        [str(PYTHON), str(program)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
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
    # Arguments that are no tensors, whatever characters they hold.
    arguments = trace("arguments.ir")
    assert arguments.problems == ()
    assert [(op.type, op.attrs["args"]) for op in arguments] == ARGUMENTS
    assert {op.attrs["stream_id"] for op in arguments} == {"0"}
    # An exception leaves what ran until then; tensors without storage have ids too.
    assert [op.type for op in trace("exception.ir.gz")] == ["aten::ones", "aten::ones"]
    assert all(op.outputs or op.inputs for op in trace("sparse.ir"))
    # Compiled graphs wrap ops that may fail, and have some that take functions.
    names = [op.type for op in trace("functions.ir")]
    assert "aten::_linalg_check_errors" in names
    assert "higher_order::cond" in names
    assert "nothing of what was recorded was compiled" in done.stdout
