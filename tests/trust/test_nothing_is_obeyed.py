"""Whatever names a trace, session, rules file, path or option holds, no terminal obeys them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from opdiff.cli import main
from opdiff.cli.output import Output
from opdiff.readers import open_trace
from opdiff.wording.printable import printable, printable_json, printable_lines

Printed = pytest.CaptureFixture[str]

CODES = [
    "\x1b]0;PWN\x07",  # the title of a terminal
    "\x1b[8mhidden\x1b[2J",
    "\x9b31m\x85",  # the same in one byte
    "\u202eevil\u2066",  # read from right to left
    "\u2028\u200b\ufeff\xad\u061c",
    "\U000e0041\U000e0042",  # letters that nobody sees
    "\x7f\x08",
]
HOSTILE = "".join(CODES)
ALLOWED = {"\n", "\t"}


def _driving(text: str) -> list[str]:
    """The characters of an output that are not there to be read."""
    categories = ("Cc", "Cf", "Cs", "Zl", "Zp")
    return [c for c in text if unicodedata.category(c) in categories and c not in ALLOWED]


def assert_harmless(text: str, format_: str = "text") -> None:
    if format_ == "csv":
        text = text.replace("\r\n", "\n")
    assert _driving(text) == []


def _record(number: int, name: str, *, function: str = "f", attrs: str = "k=1") -> str:
    return (
        f"(%{number + 1}) = {name}(%{number}), task_info: {number + 1}, "
        f"attrs {{stream_id=0;{attrs}}} \n    (Float32:[4]) <- (Float32:[4])\n"
        f"    # File:/x/{function}.py;Line:1;Function:{function}|\n"
    )


def _trace(other: str = "") -> str:
    return "".join(
        [
            _record(0, "Add"),
            *(_record(1 + n, f"{code}{other}Op") for n, code in enumerate(CODES)),
            _record(10, "Mul", function=f"{HOSTILE}{other}"),
            _record(11, "Neg", attrs=f"{HOSTILE}={other}5"),
            _record(12, f"Default/{HOSTILE}{other}/Sub-op1"),
            f"{HOSTILE} damaged\n" if other else "",
            _record(13, "Cos"),
        ]
    )


GRAPH = f"""# IR entry: @x
subgraph @x{HOSTILE}() {{
  %0(a) = PrimFunc_Z{HOSTILE}(%9{HOSTILE}, %8)
      # Fullname with scope: (Default/{HOSTILE}/Z-op0)
      # In file {HOSTILE}.py:14, 12~43/            y = x{HOSTILE}/
  %1(a) = Y{HOSTILE}(%0
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a hostile name with hostile files in it, and the way into it."""
    here = tmp_path / HOSTILE.replace("/", "")
    here.mkdir()
    (here / "left.ir").write_text(_trace())
    (here / "right.ir").write_text(_trace("X"))
    (here / "graph.ir").write_text(GRAPH)
    (here / f"{HOSTILE}.ir").write_text(_trace())
    file = {"size": 1, "digest": HOSTILE}
    session = {
        "schema": "opdiff-session/1",
        "left": {"path": "left.ir", **file},
        "right": {"path": "right.ir", **file},
        "direction": "whole",
        "anchors": {"left": {"line": 99999, "op": HOSTILE, "specs": HOSTILE}},
        "notes": [{"kind": "op-type", "title": HOSTILE, "text": HOSTILE + "\ud800"}],
        "known_groups": [{"kind": "op-type", "title": HOSTILE}],
        "rules": {"text": f'ignore: ["{printable_json(HOSTILE)}"]'},
    }
    for name, change in {
        "work": {},
        "gone": {"left": {"path": f"gone{HOSTILE}.ir", **file}},
        "wrong": {f"{HOSTILE}": 1, "direction": HOSTILE},
        "schema": {"schema": f"opdiff-session/1{HOSTILE}"},
        "rules": {"rules": {"text": f'"{printable_json(HOSTILE)}": 1', "path": HOSTILE}},
    }.items():
        (here / f"{name}.opdiff").write_text(json.dumps({**session, **change}))
    (here / "broken.opdiff").write_text(f'{{"schema": {HOSTILE}')
    (here / "key.yaml").write_text(f'"{printable_json(HOSTILE)}": 1\n')
    (here / "name.yaml").write_text(f'same:\n - "{printable_json(HOSTILE)}"\n')
    (here / "fine.yaml").write_text(f'ignore: ["{printable_json(HOSTILE)}"]\n')
    (here / "raw.yaml").write_text(f"{HOSTILE}: [\n")
    (here / "tag.yaml").write_text(f"!{printable(HOSTILE)} x: {HOSTILE[1:]}\n")
    monkeypatch.chdir(here)
    monkeypatch.delenv("OPDIFF_TRACEBACK", raising=False)
    return here


def _commands() -> Iterator[list[str]]:
    for language in ("en", "zh"):
        for trace in ("left.ir", "graph.ir", f"{HOSTILE}.ir", f"missing{HOSTILE}", "."):
            for format_ in ("text", "json"):
                yield ["info", trace, "--format", format_, "--lang", language]
                yield ["find", trace, "--format", format_, "--lang", language]
        for format_ in ("text", "json", "csv", "markdown", "html"):
            report = ["--format", format_, "--lang", language]
            yield ["compare", "left.ir", "right.ir", "--all", *report]
            yield ["compare", "graph.ir", "right.ir", *report]
            yield ["compare", "work.opdiff", *report]
    for name in ("gone", "wrong", "schema", "rules", "broken", HOSTILE):
        yield ["compare", f"{name}.opdiff"]
    for name in ("key", "name", "fine", "raw", "tag", HOSTILE):
        yield ["compare", "left.ir", "right.ir", "--rules", f"{name}.yaml"]
    yield ["compare", "left.ir", "right.ir", "-o", f"{HOSTILE}/x"]
    yield ["compare", "left.ir", "right.ir", "-o", f"{HOSTILE}.ir"]
    yield ["compare", "left.ir", "right.ir", "--ignore", HOSTILE]
    yield ["compare", "left.ir", "right.ir", f"--pin={HOSTILE}"]
    yield ["compare", "left.ir", "right.ir", "--left-anchor", "999999", "--right-anchor", "1"]
    yield ["find", "left.ir", "--op", HOSTILE]
    yield ["find", "left.ir", f"--{HOSTILE}"]
    yield ["info", "left.ir", "--format", HOSTILE]
    yield ["info", "left.ir", f"--lang={HOSTILE}"]
    yield ["left.ir", "right.ir", "--size", HOSTILE]
    yield ["left.ir", "right.ir", f"--theme={HOSTILE}"]
    yield ["left.ir", "right.ir", "--screenshot", f"{HOSTILE}/x.png"]
    yield ["left.ir", f"{HOSTILE}", "--screenshot", "x.png"]
    yield [f"{HOSTILE}.opdiff", "--screenshot", "x.png"]
    yield [HOSTILE, HOSTILE, HOSTILE]
    yield ["capture", "--out", "o", "--", HOSTILE]
    yield ["capture", "--out", "o", "--", "false", HOSTILE]
    yield ["capture", "--out", f"left.ir/{HOSTILE}", "--", "true"]
    yield ["capture", "--jit-matrix", f"{HOSTILE}:f"]
    yield ["capture", "--jit-matrix", "key.yaml:f", "--settings", HOSTILE]
    yield ["capture", "--pair", HOSTILE, "x.py", "--python", f"./{HOSTILE}"]
    yield ["capture", f"--{HOSTILE}"]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    "command", list(_commands()), ids=lambda words: printable(" ".join(words))[:60]
)
def test_no_command_prints_what_drives_a_terminal(
    folder: Path, command: list[str], capsys: Printed
) -> None:
    main(command)
    said = capsys.readouterr()
    format_ = command[command.index("--format") + 1] if "--format" in command else "text"
    assert_harmless(said.out, format_)
    assert_harmless(said.err)
    assert "a mistake in opdiff itself" not in said.err
    if format_ == "json" and said.out:
        json.loads(said.out)


def test_json_keeps_every_name_as_it_is(folder: Path, capsys: Printed) -> None:
    main(["find", "left.ir", "--format", "json"])
    names = [op["op"] for op in json.loads(capsys.readouterr().out)]
    trace = open_trace("left.ir")
    assert names == [op.type for op in trace]
    assert CODES[3] + "Op" in names
    main(["info", f"{HOSTILE}.ir", "--format", "json"])
    assert json.loads(capsys.readouterr().out)["path"] == f"{HOSTILE}.ir"


@pytest.mark.parametrize(
    "words", [["find", "left.ir"], ["info", "left.ir"], ["compare", "left.ir", "right.ir"]]
)
def test_on_a_terminal_the_only_codes_are_our_own_colours(folder: Path, words: list[str]) -> None:
    import pty  # not on every system

    ours, its = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "200"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "opdiff", *words]
    # Messages go elsewhere: on a busy machine progress would be drawn over the terminal.
    with subprocess.Popen(command, stdout=its, stderr=subprocess.PIPE, env=environment) as process:
        os.close(its)
        shown = b""
        try:
            while piece := os.read(ours, 65536):
                shown += piece
        except OSError:  # the other end is closed
            pass
        _, told = process.communicate()
    os.close(ours)
    assert_harmless(told.decode())
    text = shown.decode().replace("\r\n", "\n")
    assert "\x1b[" in text
    # A trace hides nothing: concealed text and anything but colours would come from it.
    assert "\x1b[8m" not in text
    assert_harmless(re.sub(r"\x1b\[[0-9;]*m", "", text))
    assert "\\x1b[8mhidden" in text


def test_what_was_printed_by_whomever_passes_the_same_door(capsys: Printed) -> None:
    out = Output(sys.stdout, needed=True)
    print(f"one{HOSTILE}\ttwo\r\nthree\rfour", file=out)
    out.paint(f"\x1b[1mbold\x1b[0m {CODES[0]}\n")
    out.document(f"{HOSTILE}\n")
    said = capsys.readouterr().out
    assert "\\rfour" not in said
    assert "\\x0dfour" in said
    assert_harmless(said.replace("\r\n", "\n").replace("\x1b[1m", "").replace("\x1b[0m", ""))


def test_every_spelling_can_be_told_apart_and_read_back() -> None:
    assert printable("a\x1b\u202e\U000e0041\n") == "a\\x1b\\u202e\\U000e0041\\x0a"
    assert printable_lines("a\n\tb\r\nc\rd") == "a\n\tb\r\nc\\x0dd"
    text = HOSTILE + "\ud800注"
    spelled = printable_json(json.dumps(text, ensure_ascii=False))
    assert_harmless(spelled)
    assert json.loads(spelled) == text
