"""opdiff info and find, and what every command has in common."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from opdiff import __version__
from opdiff.cli import main
from opdiff.progress import Cancelled

SAMPLES = Path(__file__).parents[2] / "samples"
EAGER = str(SAMPLES / "real/rope/eager")
JIT = str(SAMPLES / "real/rope/jit_ast")
Output = pytest.CaptureFixture[str]


def test_info_tells_what_a_trace_holds(capsys: Output) -> None:
    assert main(["info", EAGER]) == 0
    text = capsys.readouterr().out
    assert text.startswith(EAGER)
    for part in ("mindspore-tracker", "202", "MatMulExt", "apply_rotary_pos_emb", "10 ops whose"):
        assert part in text


def test_info_in_chinese(capsys: Output) -> None:
    assert main(["info", EAGER, "--lang", "zh"]) == 0
    lines = capsys.readouterr().out.splitlines()
    # A Chinese character is two columns wide: after labels of other lengths values still align.
    starts = {
        label: line for line in lines for label in ("算子数", "已修复") if line.startswith(label)
    }
    assert starts["算子数"] == "算子数    202"
    assert starts["已修复"].startswith("已修复    10 ")


def test_info_as_json(capsys: Output) -> None:
    assert main(["info", JIT, "--format", "json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert info["format"] == "mindspore-tracker"
    assert info["ops"] == 212 == sum(info["op_types"].values())
    assert info["scopes"] == {"Default": 54}
    assert info["streams"] == {"0": 212}
    assert info["functions"]["block"] == 112
    assert info["graphs"] == {"kernel_graph0": 44}
    assert info["repaired"] == len(info["repaired_lines"]) == 10
    assert info["problems"] == []


def test_info_tells_problems_with_their_lines(tmp_path: Path, capsys: Output) -> None:
    text = (SAMPLES / "rope/eager.ir").read_text()
    path = tmp_path / "t.ir"
    path.write_text("one\ntwo\n" + text + "() = Add(), task_info: 1, attrs {} \n" + "junk\n" * 2)
    assert main(["info", str(path), "--format", "json"]) == 0
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert [(p["line"], p["last_line"]) for p in problems] == [(1, 2), (621, 621), (622, 623)]
    assert main(["info", str(path)]) == 0
    assert "lines 1–2: text that belongs to no record" in capsys.readouterr().out


def test_find_lists_lines_with_shapes_and_frames(capsys: Output) -> None:
    assert main(["find", EAGER, "--function", "apply_rotary_pos_emb", "--last"]) == 0
    assert (
        capsys.readouterr().out.split()
        == (
            "478 Concat Float32 [16, 2, 4, 32] <- Float32 [16, 2, 4, 16], Float32 [16, 2, 4, 16] "
            "rope.py:13 apply_rotary_pos_emb"
        ).split()
    )


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (["--op", "SumExt"], [604]),
        (["--op", "Muls", "--first"], [1]),
        (["--op", "Muls", "--nth", "2"], [4]),
        (["--op", "Muls", "--nth", "-1"], None),
        (["--op", "Muls", "--nth", "99"], []),
        (["--op", "Muls", "--nth", "0"], []),
        (["--scope", "Default*"], []),
        (["--op", "Nothing"], []),
    ],
)
def test_find_chooses(options: list[str], lines: list[int] | None, capsys: Output) -> None:
    status = main(["find", EAGER, *options, "--format", "json"])
    output = capsys.readouterr()
    found = [op["line"] for op in json.loads(output.out)]
    if lines is None:
        assert len(found) == 1
    else:
        assert found == lines
    assert status == (0 if found else 1)
    assert bool(output.err) == (not found)


def test_trouble_is_one_line_and_status_2(tmp_path: Path, capsys: Output) -> None:
    assert main(["info", str(tmp_path / "absent")]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == f"opdiff: {tmp_path / 'absent'}: there is no such file or directory\n"
    assert main(["find", str(tmp_path / "absent"), "--lang=zh"]) == 2
    assert "没有这个文件或目录" in capsys.readouterr().err


def test_wrong_arguments_are_status_2(capsys: Output) -> None:
    assert main(["info"]) == 2
    assert main(["find", EAGER, "--first", "--last"]) == 2
    assert main(["info", EAGER, "--format", "xml"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 3, "one line each"
    assert all(line.startswith("opdiff: ") for line in said)
    assert said[0].endswith("TRACE ('opdiff info --help' tells the options)")
    assert main(["--nosuch", "--lang=zh"]) == 2
    assert capsys.readouterr().err.endswith("--nosuch（选项见 'opdiff window --help'）\n")


def test_help_and_version(capsys: Output) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"opdiff {__version__}\n"
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert main(["help"]) == 0
    assert capsys.readouterr().out == text
    for command in ("compare", "info", "find", "capture"):
        assert f"opdiff {command}" in text
        assert main([command, "--help"]) == 0


@pytest.mark.parametrize(
    ("raised", "status", "said"),
    [
        (KeyboardInterrupt(), 130, ""),
        (Cancelled(), 130, ""),
        (BrokenPipeError(), 141, ""),
        (RuntimeError("odd"), 2, "opdiff: a mistake in opdiff itself: RuntimeError: odd"),
        (OSError(28, "No space left", "out.html"), 2, "opdiff: out.html: No space left"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_no_traceback_whatever_happens(
    raised: BaseException,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Output,
) -> None:
    def run(_: list[str]) -> int:
        raise raised

    monkeypatch.delenv("OPDIFF_TRACEBACK", raising=False)
    monkeypatch.setattr("opdiff.cli.info_command.run", run)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    assert main(["info", "x"]) == status
    assert capsys.readouterr().err.startswith(said)


def test_reading_needs_neither_qt_nor_the_engine() -> None:
    code = (
        "import sys, numpy\nneeded = set(sys.modules)\n"  # numpy 1 imports all of itself
        "from opdiff.cli import main\n"
        f"status = main(['info', {EAGER!r}])\n"
        "heavy = {'PySide6', 'networkx', 'rich', 'yaml', 'rapidfuzz', 'opdiff.compare'}\n"
        "heavy |= {'numpy.random', 'asyncio', 'multiprocessing', 'subprocess'}\n"
        "print(status, sorted(heavy & set(sys.modules) - needed))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"


def test_comparing_imports_nothing_that_it_does_not_use() -> None:
    code = (
        "import sys, numpy\nneeded = set(sys.modules)\n"
        "from opdiff.cli import main\n"
        f"status = main(['compare', {EAGER!r}, {JIT!r}, '-o', '/dev/null'])\n"
        "others = {'chrome_trace', 'debugmode', 'fx', 'graph_ir', 'msprobe_values', 'torchair'}\n"
        "unused = {f'opdiff.readers.{name}' for name in others} | {'numpy.random', 'PySide6'}\n"
        "unused |= {'numpy.ma', 'yaml', 'hashlib', 'secrets', 'subprocess'}\n"
        "unused |= {'opdiff.values.causes', 'opdiff.values.measures', 'opdiff.msprobe.mapping'}\n"
        "print(status, sorted(unused & set(sys.modules) - needed))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "1 []"


def test_numpy_begins_no_threads_and_other_programs_may() -> None:
    code = (
        "import os; from opdiff.cli import main\n"
        f"main(['info', {EAGER!r}])\n"
        "print(len(os.listdir('/proc/self/task')), os.environ.get('OPENBLAS_NUM_THREADS'))\n"
    )
    plain = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=plain
    )
    assert done.stdout.splitlines()[-1] == "1 None"


def test_output_that_nobody_reads_is_no_error() -> None:
    command = f"{sys.executable} -m opdiff find {EAGER} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


def test_names_a_terminal_cannot_show_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "t.ir"
    path.write_text("() = 注意力(), task_info: 1, attrs {stream_id=0} \n    () <- ()\n    # \n")
    done = subprocess.run(
        [sys.executable, "-m", "opdiff", "find", str(path)],
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u6ce8" in done.stdout


def test_on_a_terminal_the_same_is_shown_in_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "200")
    assert main(["find", EAGER, "--op", "SumExt"]) == 0
    text = terminal.getvalue()
    assert "\x1b[" in text
    for part in ("604", "SumExt", "Float32 [] <- Float32 [16, 2, 128]", "rope.py:35 <module>"):
        assert part in text


def test_info_tells_what_a_trace_is_made_of(capsys: Output) -> None:
    assert main(["info", EAGER, "--format", "json"]) == 0
    tree = json.loads(capsys.readouterr().out)["structure"]
    assert (tree["what"], tree["ops"]) == ("trace", 202)
    assert tree["lines"] == [[1, 604]]
    names = {part["name"] for part in _all_parts(tree)}
    assert {"apply_rotary_pos_emb@21", "apply_rotary_pos_emb@22", "rotate_half"} <= names
    assert main(["info", EAGER, "--depth", "0"]) == 0
    assert "\nstructure" not in capsys.readouterr().out


def _all_parts(part: dict[str, Any]) -> list[dict[str, Any]]:
    return [part, *(each for inner in part["parts"] for each in _all_parts(inner))]


def test_info_refuses_a_depth_that_is_no_number(capsys: Output) -> None:
    assert main(["info", EAGER, "--depth", "-1"]) == 2
    assert "give a number of levels" in capsys.readouterr().err


def test_a_part_of_a_name_is_no_hit_and_the_way_on_is_told(capsys: Output) -> None:
    assert main(["find", EAGER, "--op", "onca"]) == 1
    assert "--op '*Concat*'" in capsys.readouterr().err
    assert main(["find", EAGER, "--op", "*onca*"]) == 0
