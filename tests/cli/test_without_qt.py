"""Where only the command line is installed, everything but the window works, and it says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SAMPLES = Path(__file__).parents[2] / "samples"
ROPE = [str(SAMPLES / "rope/eager.ir"), str(SAMPLES / "rope/jit.ir")]
WITHOUT_QT = (
    "import sys; sys.modules.update(PySide6=None, shiboken6=None);"
    "from opdiff.__main__ import program; sys.exit(program())"
)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITHOUT_QT, *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["--version"], 0),
        (["info", ROPE[0]], 0),
        (["find", ROPE[0], "--op", "Concat"], 0),
        (["compare", *ROPE, "--format", "html", "-o", "/dev/null"], 1),
        (
            [
                "ranks",
                str(SAMPLES / "ranks/healthy"),
                str(SAMPLES / "ranks/hanging"),
                "--jobs",
                "1",
            ],
            1,
        ),
        (["capture", "--help"], 0),
        (["window", "--help"], 0),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
def test_the_command_line_works_without_qt(arguments: list[str], status: int) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (status, "")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        [*ROPE, "--screenshot", "window.png"],
        ["capture", "--pair", "one.py", "other.py", "--out", "never-made"],
    ],
)
@pytest.mark.parametrize(("language", "said"), [("en", "needs Qt"), ("zh", "需要 Qt")])
def test_a_window_without_qt_is_refused_in_a_sentence(
    arguments: list[str], language: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, "--lang", language)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "pip install 'opdiff[gui]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
