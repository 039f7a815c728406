"""People are told in the language of their system, programs in English."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from opdiff.cli import main

ROPE = Path(__file__).parents[2] / "samples/rope"
PAIR = [str(ROPE / "eager.ir"), str(ROPE / "jit.ir")]


@pytest.fixture
def in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")


@pytest.mark.usefixtures("in_chinese")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["compare", *PAIR], "个算子"),
        (["compare", *PAIR, "--format", "markdown"], "两次运行的差异"),
        (["info", PAIR[0]], "算子数"),
    ],
)
def test_the_system_says_which(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) in (0, 1)
    assert said in capsys.readouterr().out
    assert main([*words, "--lang", "en"]) in (0, 1)
    assert said not in capsys.readouterr().out


@pytest.mark.usefixtures("in_chinese")
def test_messages_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(tmp_path / "missing")]) == 2
    assert "没有这个文件" in capsys.readouterr().err


@pytest.mark.usefixtures("in_chinese")
def test_programs_read_english_unless_they_ask(capsys: pytest.CaptureFixture[str]) -> None:
    for more, language in (([], "en"), (["--lang", "zh"], "zh")):
        assert main(["compare", *PAIR, "--format", "json", *more]) == 1
        message = json.loads(capsys.readouterr().out)["summary"]["verdict"]["message"]
        assert message.isascii() == (language == "en")


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({"LC_ALL": "", "LC_MESSAGES": "", "LANG": "zh_TW.UTF-8"}, "zh"),
        ({"LC_ALL": "en_US.UTF-8", "LANG": "zh_CN.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "zh_CN", "LANG": "en_US"}, "zh"),
        ({"LC_ALL": "fr_FR.UTF-8"}, "en"),
    ],
)
def test_what_the_environment_asks_for(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    variables: dict[str, str],
    language: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert main(["compare", *PAIR]) == 1
    assert ("个算子" in capsys.readouterr().out) == (language == "zh")


def test_a_form_that_nobody_writes_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "report.pdf"
    assert main(["compare", *PAIR, "-o", str(target)]) == 2
    assert ".html" in capsys.readouterr().err
    assert not target.exists()
    assert main(["compare", *PAIR, "-o", str(target), "--format", "text"]) == 1
    assert target.exists()


@pytest.mark.parametrize(
    ("words", "english", "chinese"),
    [
        (["compare", "a", "b", "--format", "pdf"], "--format cannot be “pdf”", "不能是“pdf”"),
        (["compare", "a", "b", "--left-anchor", "x"], "give a whole number", "请给出整数"),
        (["find", "a", "--op"], "--op needs a value", "--op 缺少值"),
        (["compare", "a", "b", "--baseline", "c"], "--baseline needs 2 values", "需要 2 个值"),
        (["compare", "a", "b", "--first=x"], "--first takes no value", "--first 不带值"),
        (["find", "a", "--first", "--last"], "cannot be given together", "不能同时给出"),
        (["info"], "missing: TRACE", "缺少参数：TRACE"),
        (["info", "a", "--wrong"], "no such option or argument here: --wrong", "参数：--wrong"),
        (["compare", "a", "b", "--no"], "may stand for several options", "可能指多个选项"),
    ],
)
def test_complaints_about_options_too(
    words: list[str], english: str, chinese: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for language, said in (("en", english), ("zh", chinese)):
        assert main([*words, f"--lang={language}"]) == 2
        told = capsys.readouterr().err
        assert said in told
        assert "argument" not in told.replace("option or argument here", "")
