"""The documents agree with the program and with each other: pages, kinds, options, names."""

from __future__ import annotations

import argparse
import json
import re
from importlib import import_module
from pathlib import Path

import pytest
from console_blocks import ROOT
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from opdiff.cli.main import main
from opdiff.compare import Kind, Request
from opdiff.compare.rules_file import parse_rules
from opdiff.readers import open_trace
from opdiff.session import Work, save_session
from opdiff.ui import MainWindow
from opdiff.ui.commands.command_palette import CommandPalette

DOCS = ROOT / "docs"
FOLDERS = ("", "walkthroughs", "decisions")
PAGES = sorted(
    page.relative_to(DOCS).as_posix() for folder in FOLDERS for page in (DOCS / folder).glob("*.md")
)
EVERYWHERE = sorted([*ROOT.glob("*.md"), *DOCS.glob("**/*.md"), *ROOT.glob("samples/**/*.md")])
SECTIONS = {
    "compare": "opdiff compare",
    "info": "opdiff info",
    "find": "opdiff find",
    "capture": "opdiff capture",
    "ranks": "opdiff ranks",
    "window": "(?:The window|窗口)",
}

_CODE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)
_HEADING = re.compile(r"^(#+) (.+)$", re.M)
_OPTION = re.compile(r"(?<![\w-])(?:--[a-z][a-z-]*|-[a-z]\b)")
_TO_A_HEADING = re.compile(r"\]\((?!https?://)([^)#\s]*)#([^)\s]+)\)")

in_both_languages = pytest.mark.parametrize("folder", [DOCS, DOCS / "zh"], ids=["en", "zh"])


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def headings(text: str) -> list[tuple[str, str]]:
    """Depth and words of every heading."""
    return _HEADING.findall(_CODE.sub("", text))


def slug(heading: str) -> str:
    """What a link calls a heading: its letters and digits, lower case, with dashes for blanks."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def section(text: str, title: str) -> str:
    """The part of a page below a heading, up to the next one of the same depth."""
    found = re.search(rf"^(#+) {title}$(.*?)(?=^\1 |\Z)", text, re.M | re.S)
    assert found is not None, title
    return found[2]


def first_cells(text: str) -> list[str]:
    """What stands in backquotes in the first column of the tables."""
    rows = re.findall(r"^\| (.*?) \|", text, re.M)
    return [name for cell in rows for name in re.findall(r"`([^`]+)`", cell)]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_a_counterpart_of_the_same_shape(name: str) -> None:
    ours, theirs = read(DOCS / name), read(DOCS / "zh" / name)
    up = "../" * name.count("/")
    assert ours.splitlines()[1:4] == ["", f"[中文]({up}zh/{name})", ""]
    assert theirs.splitlines()[1:4] == ["", f"[English](../{up}{name})", ""]
    if name != "README.md":  # the English one lists the pages of both languages
        assert [depth for depth, _ in headings(theirs)] == [depth for depth, _ in headings(ours)]


def test_no_page_is_in_chinese_only() -> None:
    for folder in FOLDERS:
        ours, theirs = (DOCS / folder).glob("*.md"), (DOCS / "zh" / folder).glob("*.md")
        assert sorted(page.name for page in theirs) == sorted(page.name for page in ours)


@in_both_languages
def test_the_index_names_every_page(folder: Path) -> None:
    index = read(folder / "README.md")
    pages = [page.relative_to(folder) for part in FOLDERS for page in (folder / part).glob("*.md")]
    missing = [page for page in pages if page.name != "README.md" and f"]({page})" not in index]
    assert missing == []


@pytest.mark.parametrize("page", EVERYWHERE, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_headings_find_them(page: Path) -> None:
    missing = [
        f"{target}#{place}"
        for target, place in _TO_A_HEADING.findall(read(page))
        if place
        not in {
            slug(words) for _, words in headings(read(page.parent / target if target else page))
        }
    ]
    assert missing == []


@in_both_languages
def test_the_glossary_speaks_of_what_there_is(folder: Path) -> None:
    text = read(folder / "glossary.md")
    algorithms = section(text, "(?:Algorithms by their names|算法及其通用名称)")
    rows = re.findall(r"^\| (`.*?`) \|", algorithms, re.M)
    modules = [ROOT / "src/opdiff" / f"{path}.py" for row in rows for path in paths_in(row)]
    assert len(modules) > 20
    assert [module for module in modules if not module.is_file()] == []
    source = "".join(map(read, (ROOT / "src/opdiff").glob("**/*.py")))
    names = first_cells(section(text, "(?:Names in the code|代码中的名称)"))
    classes = [name for name in names if name[0].isupper()]
    assert len(classes) > 5
    assert [name for name in classes if f"\nclass {name}" not in source] == []


def paths_in(cell: str) -> list[str]:
    """The modules a cell names; after the first its folder goes without saying."""
    first, *others = re.findall(r"`([\w/]+)`", cell)
    return [first, *(f"{first.rpartition('/')[0]}/{other}" for other in others)]


@in_both_languages
def test_the_glossary_explains_the_words_of_the_command_line(folder: Path) -> None:
    explained = section(read(DOCS / "glossary.md"), "Words")
    theirs = section(read(folder / "command-line.md"), "(?:Words|用词)")
    rows = re.findall(r"^\| (.*?) \|", theirs, re.M)[2:]
    words = {word for row in rows for word in re.findall(r"[a-z][a-z ]+", row)}
    assert {"trace", "anchor", "compare upward"} <= words
    assert [word for word in words if word not in explained] == []


@in_both_languages
def test_the_kinds_are_those_of_the_program(folder: Path) -> None:
    text = section(read(folder / "command-line.md"), "(?:Kinds of divergence|差异类别)")
    rows = re.findall(r"^\| `([a-z-]+)` \|", text, re.M)
    assert rows == [kind.value for kind in Kind]


@in_both_languages
@pytest.mark.parametrize("command", SECTIONS)
def test_the_options_are_those_of_the_program(folder: Path, command: str) -> None:
    parser: argparse.ArgumentParser = import_module(f"opdiff.cli.{command}_command")._parser()
    text = section(read(folder / "command-line.md"), SECTIONS[command])
    actions = [action for action in parser._actions if "--help" not in action.option_strings]
    options = {option for action in actions for option in action.option_strings}
    assert set(_OPTION.findall(text)) == options
    choices = {"|".join(map(str, action.choices)) for action in actions if action.choices}
    assert [one for one in choices if one not in text.replace("\\|", "|")] == []


@in_both_languages
def test_the_names_are_those_of_the_window(folder: Path, qtbot: QtBot, tmp_path: Path) -> None:
    window = MainWindow(QSettings(str(tmp_path / "opdiff.ini"), QSettings.Format.IniFormat))
    qtbot.addWidget(window)
    text = section(read(folder / "scripting.md"), "(?:The window|窗口)")
    names = first_cells(text)
    members = [name.partition("(")[0] for name in names[: names.index("leftPane")]]
    assert members == ["MainWindow", "openTraces", "tracesLoaded", "comparisonReady", "failed"]
    assert [name for name in members[1:] if not hasattr(window, name)] == []
    widgets = names[names.index("leftPane") :]
    assert len(widgets) >= 23
    CommandPalette(window)  # one is made where somebody asks for it
    assert [name for name in widgets if window.findChild(QWidget, name) is None] == []


def keys_of(value: object) -> set[str]:
    """All keys of a JSON value, however deep; names of kinds are values in spirit."""
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    return {*value, *keys_of(list(value.values()))} - {kind.value for kind in Kind}


@in_both_languages
def test_the_keys_of_a_report_are_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT / "samples" / "vocab")
    words = "eager.ir jit.ir --left-anchor 34 --right-anchor 49 --format json --pairs --first"
    assert main(["compare", *words.split()]) == 1
    text = section(read(folder / "reports.md"), "JSON(?:: |：)`opdiff/1`")
    assert keys_of(json.loads(capsys.readouterr().out)) <= set(re.findall(r"\w+", text))


@in_both_languages
def test_the_keys_of_a_session_are_named(folder: Path, tmp_path: Path) -> None:
    left, right = (open_trace(ROOT / "samples" / "vocab" / name) for name in ("eager.ir", "jit.ir"))
    file = tmp_path / "work.opdiff"
    save_session(file, Work(Request(left_anchor=3, right_anchor=3)), left, right)
    text = section(read(folder / "sessions.md"), "(?:The file: |文件格式：)`opdiff-session/1`")
    document = json.loads(file.read_text(encoding="utf-8"))
    assert set(re.findall(r"^\| `(\w+)`", text, re.M)) <= {*document, "left"}
    assert keys_of(document) <= set(re.findall(r"\w+", text))


@in_both_languages
def test_examples_of_files_can_be_read(folder: Path) -> None:
    examples = [
        (kind, body)
        for page in folder.glob("*.md")
        for kind, body in _CODE.findall(read(page))
        if kind in ("json", "yaml")
    ]
    assert {kind for kind, _ in examples} == {"json", "yaml"}
    for kind, body in examples:
        assert json.loads(body) if kind == "json" else parse_rules(body)
