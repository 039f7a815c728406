"""Helps and complaints speak both languages, in lines that fit the terminal."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from rich.cells import cell_len

from opdiff.cli import main
from opdiff.cli.main import COMMANDS
from opdiff.cli.options import Parser, language_of, with_language_later
from opdiff.wording.columns import wrapped
from opdiff.wording.sentence import helps

Output = pytest.CaptureFixture[str]
TRACE = str(Path(__file__).parents[2] / "samples/rope/eager.ir")
CHINESE = re.compile("[\u4e00-\u9fff]")
PARSERS = [*COMMANDS, "window"]
of_every_command = pytest.mark.parametrize("command", PARSERS)


def parser_of(command: str) -> Parser:
    parser: Parser = import_module(f"opdiff.cli.{command}_command")._parser()
    return parser


def codes_of(parser: Parser) -> Iterator[str | None]:
    """Whatever a help is made of."""
    yield parser.description
    if parser.epilog:
        yield parser.epilog
    for group in parser._action_groups:
        yield group.title
        yield from (action.help for action in group._group_actions)


@of_every_command
def test_every_option_is_explained_in_both_languages(command: str) -> None:
    codes = list(codes_of(parser_of(command)))
    assert len(codes) > 10
    for code in codes:
        assert code in helps(), "an option without help, or one whose help is no code"
        english, chinese = helps()[code]
        assert not CHINESE.search(english)
        assert CHINESE.search(chinese)


@pytest.mark.parametrize("columns", [70, 80, 132])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("command", ["", *PARSERS])
def test_helps_fit_the_terminal_and_stand_in_columns(
    command: str, language: str, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([*filter(None, [command]), "--help", "--lang", language]) == 0
    lines = capsys.readouterr().out.splitlines()
    label = "usage: " if language == "en" else "用法："
    assert lines[0].startswith(label)
    usage = lines[1 : lines.index("")]
    indents = {len(line) - len(line.lstrip()) for line in usage}
    assert min(indents, default=cell_len(label)) >= cell_len(label)
    if command:  # commands of the overview stand on one line each
        assert max(map(cell_len, lines)) <= columns - 2
        texts = {
            cell_len(match[0]) for line in lines if (match := re.match(" {20,24}(?=\\S)", line))
        }
        assert len(texts - indents) <= 1
    assert not any(
        line.startswith(("，", "。", "；", "：", "）")) for line in map(str.strip, lines)
    )


@of_every_command
def test_nothing_english_is_left_in_a_chinese_help(command: str, capsys: Output) -> None:
    assert main([command, "--help", "--lang=zh"]) == 0
    text = capsys.readouterr().out
    assert [english for english, _ in helps().values() if f" {english}\n" in text] == []
    headings = [line for line in text.splitlines() if line.endswith((":", "："))]
    assert headings
    assert all(CHINESE.match(line) and line.endswith("：") for line in headings)


@pytest.mark.parametrize(
    "words",
    [
        ["compare", "--help", "--lang", "zh"],
        ["compare", "--lang", "zh", "-h"],
        ["compare", "--lang=en", "--help", "--lang=zh"],
        ["compare", "x", "--lan", "zh", "--hel"],
        ["--lang", "zh", "compare", "--help"],
        ["--lang=zh", "compare", "a", "b", "--help"],
        ["capture", "--help", "--lang", "zh", "--", "run", "--lang", "en"],
        ["window", "--help", "--lang", "zh"],
        ["--help", "--lang", "zh"],
        ["--lang", "zh", "--help"],
        ["help", "--lang=zh"],
    ],
)
def test_the_language_may_stand_anywhere(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    assert main(words) == 0
    assert capsys.readouterr().out.startswith("用法：")


@pytest.mark.parametrize("words", [["--help"], ["info", "--help"], ["--help", "--lang", "fr"]])
def test_else_it_is_that_of_the_system(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    for system, label in (("zh_CN.UTF-8", "用法："), ("en_US.UTF-8", "usage: ")):
        monkeypatch.setenv("LC_ALL", system)
        assert main(words) == 0
        assert capsys.readouterr().out.startswith(label)


def test_a_language_in_front_is_for_every_command(capsys: Output) -> None:
    assert main(["--lang", "zh", "info", TRACE]) == 0
    assert "算子数" in capsys.readouterr().out
    assert main(["--lang", "zh", "comapre", "a"]) == 2
    assert "是否想用" in capsys.readouterr().err
    assert main(["--lang", "fr", "info", TRACE]) == 2
    assert "--lang cannot be “fr”" in capsys.readouterr().err


def test_a_language_in_front_leaves_options_their_values() -> None:
    window = ["--lang", "zh", "--screenshot", "one.png", "--size", "800x600"]
    assert with_language_later(window) == window
    assert with_language_later(["--lang", "zh", "--help"]) == ["--help", "--lang", "zh"]
    assert with_language_later(["--lang=zh", "info", "a"]) == ["info", "--lang=zh", "a"]


def test_what_is_behind_two_dashes_is_not_for_us(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    assert language_of(["capture", "--lang", "zh", "--", "train", "--lang", "en"]) == "zh"
    assert language_of(["capture", "--", "train", "--lang", "zh"]) == "en"


def test_helps_are_read_only_where_somebody_asks(capsys: Output) -> None:
    helps.cache_clear()
    assert main(["info", TRACE, "--lang", "zh"]) == 0
    assert main(["find", TRACE, "--op", "nothing", "--lang", "zh"]) == 1
    assert main(["info", "--wrong", "--lang", "zh"]) == 2
    assert helps.cache_info().currsize == 0
    assert main(["info", "--help"]) == 0
    assert helps.cache_info().currsize == 1


def wrong_uses(action: argparse.Action) -> Iterator[list[str]]:
    """What the parser refuses, as far as one option alone can be wrong."""
    option = action.option_strings[-1]
    if action.nargs == 0:
        yield [f"{option}=x"]
        return
    if action.nargs != "?":
        yield [option]
    if action.choices or action.type:
        yield [f"{option}=?"]


@of_every_command
def test_every_complaint_about_an_option_is_chinese(command: str, capsys: Output) -> None:
    parser = parser_of(command)
    required = ["a"] * sum(not action.option_strings for action in parser._actions)
    options = [action for action in parser._actions if action.option_strings]
    wrong = [use for action in options for use in wrong_uses(action)]
    assert len(wrong) > 10
    for use in [*wrong, ["--nosuch"], ["--", "--a", "-b"] if command == "info" else ["-b"]]:
        assert main([command, "--lang=zh", *required, *use]) == 2
        (said,) = capsys.readouterr().err.splitlines()
        assert CHINESE.search(said), said
        assert not re.search("argument|expected|invalid|required|unrecognized|not a", said), said


def test_lines_break_between_chinese_letters_but_not_before_their_marks() -> None:
    text = "比较两个执行序（从锚点开始），并报告 --left-anchor 的“差异”。"
    for width in range(16, 70):
        lines = wrapped(text, width)
        assert max(map(cell_len, lines)) <= width
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert not any(line[0] in "，。）”" or line[-1] in "（“" for line in lines)
    assert wrapped("", 10) == [""]
    assert wrapped("a-very-long-word and another", 8) == ["a-very-long-word", "and", "another"]
