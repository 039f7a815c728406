"""The examples of the page about scripting are run as they are printed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from console_blocks import ROOT
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from opdiff import api
from opdiff.ui import MainWindow

_EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)
_COMMENT = re.compile(r"^# .*$", re.M)


def examples(page: str) -> list[str]:
    return _EXAMPLE.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))


def run(example: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names an example leaves behind, run where the samples are."""
    monkeypatch.chdir(ROOT)
    names: dict[str, Any] = {}
    exec(compile(example, "docs/scripting.md", "exec"), names)
    return names


def test_the_json_is_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = run(examples("scripting.md")[0], monkeypatch)
    assert len(names["on_the_host"]) == 6
    assert "Contiguous inserted on the right" in names["roots"]
    assert capsys.readouterr().out.startswith("begins at left [4], right [16]: GreaterEqual ")


def test_the_api_compares(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = run(examples("scripting.md")[1], monkeypatch)
    assert names["anchors"] == (34, 49)
    found, refused = capsys.readouterr().out.splitlines()
    assert found == (
        "6 × mask_foreign_ids ran on the host on the right, nearest the anchor at left 16: "
        "Mul (vocab_embedding.py:30 mask_foreign_ids)"
    )
    assert refused.startswith("samples/vocab/jit.ir:100000: line 100000 names no op")


@pytest.mark.parametrize("page", ["scripting.md", "zh/scripting.md"])
def test_the_page_names_all_of_the_api(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    table = re.search(r"^\| [^\n]*`opdiff\.api`[^\n]*\n(?:\|[^\n]*\n)+", text, re.M)
    assert table is not None
    rows = [row.split("|")[1:3] for row in table[0].splitlines()[2:]]
    named = {name for first, _ in rows for name in re.findall(r"`(\w+)", first)}
    assert named == set(api.__all__)
    for first, members in rows:
        offered = getattr(api, re.findall(r"`(\w+)", first)[0])
        if isinstance(offered, type) and not issubclass(offered, Exception):
            missing = [one for one in re.findall(r"`(\w+)", members) if one != "len"]
            assert [one for one in missing if not hasattr(offered, one)] == []


def test_the_window_is_driven(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = run(examples("scripting.md")[2], monkeypatch)
    printed: Callable[[QtBot, Path], None] = names["test_the_first_difference"]
    printed(qtbot, tmp_path)
    windows = [w for w in QApplication.topLevelWidgets() if isinstance(w, MainWindow)]
    shown = [w.frame.view.rightPane.currentLine() for w in windows if w.isVisible()]
    assert len(shown) == 1
    assert shown[0] is not None
    assert shown[0] < 643


def test_both_languages_print_the_same_examples() -> None:
    ours, theirs = (
        [_COMMENT.sub("#", example) for example in examples(page)]
        for page in ("scripting.md", "zh/scripting.md")
    )
    assert len(ours) == 3
    assert theirs == ours
