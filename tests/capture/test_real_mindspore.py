"""Real runs of MindSpore, made by the environment of ``make real``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opdiff.capture.jit_matrix import Target, jit_matrix, settings
from opdiff.cli.main import main
from opdiff.readers import open_trace
from opdiff.trace.search import find_rows

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-mindspore" / "bin" / "python"
SCRIPT = ROOT / "samples" / "scripts" / "rope.py"

pytestmark = [
    pytest.mark.mindspore,
    pytest.mark.skipif(not PYTHON.exists(), reason="no .venv-mindspore: make real makes it"),
]


def test_a_real_trace_with_stacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status = main(["capture", "--stacks", "--out", "eager", "--", str(PYTHON), str(SCRIPT)])
    assert status == 0
    assert "eager: -18.92" in capfd.readouterr().out
    manifest = json.loads(Path("eager/capture.json").read_text())
    assert manifest["versions"]["mindspore"] == "2.10.0"
    assert "task.csv" in manifest["files"]
    trace = open_trace(tmp_path / "eager")
    assert len(find_rows(trace, op="Concat", function="apply_rotary")) == 8


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import os; os._exit(0)", "left through os._exit"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "killed by SIGTERM"),
    ],
)
def test_programs_that_leave_no_trace(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    code: str,
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    program = f"import mindspore as ms\nprint(ms.mint.neg(ms.Tensor([1.0])).asnumpy())\n{code}\n"
    Path("program.py").write_text(program)
    assert main(["capture", "--", str(PYTHON), "program.py"]) != 0
    assert expected in capfd.readouterr().err


def test_trace_capture_of_rope_is_found_wrong(tmp_path: Path) -> None:
    target = Target(SCRIPT, "apply_rotary", str(PYTHON), repeat=2)
    chosen = [s for s in settings() if s.name in {"eager", "ast O0", "trace O0"}]
    eager, ast, trace = jit_matrix(target, tmp_path, lambda *_: None, chosen)
    assert ast.equal
    assert not trace.equal
    assert trace.difference is not None
    assert trace.difference > 1
    assert eager.ops is not None
    assert trace.ops is not None
    assert trace.ops < eager.ops
