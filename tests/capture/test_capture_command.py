from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from opdiff.cli.main import main

FAKE = str(Path(__file__).parent / "fake_training.py")


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def capture(*words: str, options: tuple[str, ...] = ("--out", "home")) -> int:
    return main(["capture", *options, "--", sys.executable, FAKE, *words])


def test_the_trace_comes_home_and_is_told_about(capfd: pytest.CaptureFixture[str]) -> None:
    assert capture("trace=Add+Mul", "print=MS_ALLOC_CONF") == 0
    said = capfd.readouterr()
    assert said.out.strip() == "memory_tracker:True"
    assert "opdiff: brought home home/tracker_graph.ir (records: 2)" in said.err
    assert json.loads(Path("home/capture.json").read_text())["exit_status"] == 0


def test_the_exit_status_is_the_commands(capfd: pytest.CaptureFixture[str]) -> None:
    assert capture("trace=Add", "exit=5") == 5
    assert "ended with status 5; the trace holds" in capfd.readouterr().err


def test_stacks_launch_synchronously(capfd: pytest.CaptureFixture[str]) -> None:
    capture("print=MS_DEV_LAUNCH_BLOCKING", options=("--out", "home", "--stacks"))
    assert capfd.readouterr().out.strip() == "1"


def test_no_trace_is_trouble_even_after_success(capfd: pytest.CaptureFixture[str]) -> None:
    assert capture("tables") == 2
    assert "opdiff: no trace: the tracker wrote its tables but" in capfd.readouterr().err


def test_an_earlier_trace_that_stays_is_told_of(capfd: pytest.CaptureFixture[str]) -> None:
    capture("trace=Add")
    kept = {path: path.read_bytes() for path in Path("home").iterdir()}
    assert len(kept) == 2, "the trace and how it came about"
    assert capture("exit=3") == 3
    assert "opdiff: the trace in home is of an earlier run" in capfd.readouterr().err
    assert {path: path.read_bytes() for path in Path("home").iterdir()} == kept


def test_a_killed_command_is_told_in_chinese_too(capfd: pytest.CaptureFixture[str]) -> None:
    assert capture("kill=SIGKILL", options=("--out", "home", "--lang", "zh")) == 128 + 9
    assert "命令被 SIGKILL 终止" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), "expected a command after “--”"),
        (("--",), "expected a command after “--”"),
        (("--pair", "a.py", "b.py", "--", "python"), "exclude each other"),
        (("--pair", "a.py", ""), "two scripts"),
        (("--jit-matrix", "nothing"), "SCRIPT:FUNCTION"),
        (("--", "no-such-program"), "cannot run no-such-program"),
    ],
)
def test_wrong_use_is_explained(
    words: tuple[str, ...], expected: str, capfd: pytest.CaptureFixture[str]
) -> None:
    Path("a.py").write_text("open('tracker_graph.ir', 'w').write('')")
    assert main(["capture", *words]) == 2
    assert expected in capfd.readouterr().err


def test_a_pair_is_captured_and_compared(capfd: pytest.CaptureFixture[str]) -> None:
    options = ("--no-window", "--python", sys.executable, "--out", "both")
    pair = (f"{FAKE} trace=Add+Mul+Neg", f"{FAKE} trace=Add+Neg")
    assert main(["capture", *options, "--pair", *pair]) == 1
    said = capfd.readouterr()
    assert "Mul" in said.out
    assert "only-left" in said.out
    assert sorted(path.name for path in Path("both").iterdir()) == ["left", "right"]


def test_a_pair_whose_first_half_fails_ends_there(capfd: pytest.CaptureFixture[str]) -> None:
    options = ("--no-window", "--python", sys.executable, "--out", "both")
    status = main(["capture", *options, "--pair", f"{FAKE} exit=3", f"{FAKE} trace=Add"])
    assert status == 3
    assert not Path("both/right").exists()
