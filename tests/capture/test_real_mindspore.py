"""Programs under a real MindSpore that leave no trace; ``make real`` makes the environment.

Those that leave one are the programs of the walk-throughs, whose commands tests/docs runs.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from opdiff.cli.main import main

PYTHON = Path(__file__).parents[2] / ".venv-mindspore" / "bin" / "python"

pytestmark = [
    pytest.mark.mindspore,
    pytest.mark.skipif(not PYTHON.exists(), reason="no .venv-mindspore: make real makes it"),
]


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
