from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from opdiff.cli.main import main
from opdiff.cli.terminal_progress import TerminalProgress, progress_on
from opdiff.compare import Direction, Request, compare
from opdiff.progress import SILENT
from opdiff.readers import open_trace
from opdiff.session import Work, group_key, save_session

SAMPLES = Path(__file__).parents[2] / "samples"
LEFT, RIGHT = str(SAMPLES / "rope/eager.ir"), str(SAMPLES / "rope/jit.ir")
ANCHORED = ["compare", LEFT, RIGHT, "--left-anchor", "550", "--right-anchor", "649"]


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main(list(argv))
    out, err = capsys.readouterr()
    return status, out, err


def test_divergences_are_status_one_and_none_is_zero(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *ANCHORED)
    assert status == 1
    assert "Contiguous inserted on the right" in out
    assert err == ""
    same = str(SAMPLES / "identical/first.ir")
    status, out, _ = run(capsys, "compare", same, same)
    assert status == 0
    assert "no difference" in out


def test_up_where_anchors_are_given_else_whole(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *ANCHORED, "--format", "json")
    document = json.loads(out)
    assert document["direction"] == "up"
    assert document["left"]["anchor_line"] == 550
    _, out, _ = run(capsys, "compare", LEFT, RIGHT, "--format", "json")
    assert json.loads(out)["direction"] == "whole"


def test_any_line_of_an_op_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["compare", LEFT, RIGHT, "--left-anchor", "552", "--right-anchor", "650"]
    _, out, _ = run(capsys, *argv, "--format", "json")
    assert json.loads(out)["right"]["anchor_line"] == 649


def test_first_keeps_only_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    _, whole, _ = run(capsys, *ANCHORED, "--format", "json")
    status, out, _ = run(capsys, *ANCHORED, "--format", "json", "--first")
    assert status == 1
    [first] = json.loads(out)["divergences"]
    nearest = json.loads(whole)["divergences"][0]
    assert (first["kind"], first["left_lines"]) == (nearest["kind"], nearest["left_lines"])


def test_rules_and_ignores_are_added(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("same:\n  - [Slice, StridedSlice]\n")
    argv = [*ANCHORED, "--rules", str(rules), "--ignore", "Contig*", "--format", "json"]
    _, out, _ = run(capsys, *argv)
    document = json.loads(out)
    titles = [group["title"] for group in document["groups"]]
    assert "contiguous" not in document["summary"]["by_kind"]
    assert "Slice → StridedSlice" not in titles


def test_pins_and_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *ANCHORED, "--pin", "520:613", "--pairs", "--format", "json")
    pairs = json.loads(out)["pairs"]
    assert [520, 613] in pairs
    assert [550, 649] in pairs


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--pin", "x:1"], "x:1 is no pin"),
        (["--pin", "520"], "520 is no pin"),
        (["--pin", "520:99999"], "jit.ir:99999: line 99999 names no op; the nearest are"),
        (["--pin", "520:613", "--pin", "517:616"], "517:616"),
        (["--rules", "/nowhere/rules.yaml"], "/nowhere/rules.yaml: cannot read the rules"),
        (["-o", "/nowhere/report"], "/nowhere/report: cannot be written"),
    ],
)
def test_trouble_is_status_two_with_a_message(
    capsys: pytest.CaptureFixture[str], more: list[str], said: str
) -> None:
    status, _, err = run(capsys, *ANCHORED, *more)
    assert status == 2
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["compare", LEFT], "give two traces, one .opdiff session"),
        (["compare", LEFT, RIGHT, "--left-anchor", "550"], "an anchor on one side only"),
        (["compare", LEFT, RIGHT, "--direction", "up"], "anchor"),
        (["compare", "absent.opdiff"], "cannot read the session"),
        (
            ["compare", LEFT, RIGHT, "--format", "pdf"],
            "--format cannot be “pdf”: choose one of text, json",
        ),
        (["comapre", LEFT, RIGHT], "did you mean 'opdiff compare'?"),
        (
            ["bogus", LEFT],
            "“bogus” is neither a file nor a command; the commands are compare, info",
        ),
    ],
)
def test_what_cannot_be_meant(
    capsys: pytest.CaptureFixture[str], argv: list[str], said: str
) -> None:
    status, _, err = run(capsys, *argv)
    assert status == 2
    assert said in err


def test_output_goes_to_a_file_or_to_standard_output(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "report.csv"
    status, out, _ = run(capsys, *ANCHORED, "--format", "csv", "-o", str(path))
    assert (status, out) == (1, "")
    assert path.read_bytes().startswith(b"number,group,kind")
    _, out, _ = run(capsys, *ANCHORED, "--format", "csv", "-o", "-")
    assert out.startswith("number,group,kind")


@pytest.mark.parametrize(
    ("name", "more", "start"),
    [
        ("report.html", [], b"<!DOCTYPE html>"),
        ("report.MD", [], b"## Where"),
        ("report.json", [], b'{\n "schema": "opdiff/1"'),
        ("report.txt", [], b"left   "),
        ("report", [], b"left   "),
        ("report.html", ["--format", "csv"], b"number,group,kind"),
    ],
)
def test_the_name_of_the_file_tells_the_format_unless_it_is_given(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, more: list[str], start: bytes
) -> None:
    path = tmp_path / name
    assert run(capsys, *ANCHORED, *more, "-o", str(path))[0] == 1
    assert path.read_bytes().startswith(start)


def test_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *ANCHORED, "--lang", "zh")
    assert "从锚点向上比较" in out


def test_a_session_runs_without_a_window(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    left, right = open_trace(LEFT), open_trace(RIGHT)
    rows = left.row_at(550), right.row_at(649)
    request = Request(direction=Direction.UP, left_anchor=rows[0], right_anchor=rows[1])
    work = Work(request).with_rules("ignore: [Contiguous]\n")
    group = compare(left, right, work.request).groups[0]
    work = work.with_note(group_key(group), "known since spring")
    path = tmp_path / "s.opdiff"
    save_session(path, work, left, right)
    status, out, err = run(capsys, "compare", str(path))
    assert (status, err) == (1, "")
    assert "note: known since spring" in out
    assert "Contiguous inserted" not in out
    assert "anchor at line 550" in out


def test_a_changed_trace_is_said_when_its_session_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    copies = []
    for name, source in (("l.ir", LEFT), ("r.ir", RIGHT)):
        (tmp_path / name).write_bytes(Path(source).read_bytes())
        copies.append(open_trace(tmp_path / name))
    save_session(tmp_path / "s.opdiff", Work(Request()), *copies)
    with (tmp_path / "l.ir").open("a") as trace:
        trace.write("\n")
    status, _, err = run(capsys, "compare", str(tmp_path / "s.opdiff"))
    assert status == 1
    assert "has changed since the session was saved" in err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_for_terminals_only() -> None:
    with progress_on(io.StringIO(), "en") as progress:
        assert progress is SILENT
    with progress_on(Terminal(), "en") as progress:
        assert isinstance(progress, TerminalProgress)


def test_progress_is_wiped_away(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr("opdiff.cli.terminal_progress.monotonic", lambda: next(clock))
    out = Terminal()
    progress = TerminalProgress(out)
    progress.report("align", 1, 2)
    progress.wipe()
    assert out.getvalue() == "\ralign 50 %\r          \r"


def test_progress_in_chinese_leaves_no_column_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr("opdiff.cli.terminal_progress.monotonic", lambda: next(clock))
    out = Terminal()
    progress = TerminalProgress(out, "zh")
    progress.report("aligning", 1, 2)
    progress.report("ranks 3/8", 3, 8)
    progress.wipe()
    assert out.getvalue() == "\r对齐中 50 %\rrank 3/8 37 %\r             \r"


INTERRUPTED = """
import os, signal, sys, time
from opdiff.cli import answering
from opdiff.cli.main import main

def interrupt(*args, **more):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)  # another thread may get it: until it is told here

answering.compare = interrupt
sys.exit(main(sys.argv[1:]))
"""


def test_an_interrupt_ends_cleanly() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "compare", LEFT, RIGHT],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 130
    assert done.stderr == ""


def test_nothing_of_the_window_or_the_terminal_is_imported() -> None:
    program = (
        "import sys; from opdiff.cli.main import main; main(sys.argv[1:]); "
        "print([m for m in ('PySide6', 'rich', 'networkx') if m in sys.modules], "
        "file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *ANCHORED, "--format", "json"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert done.stderr.strip() == "[]"
