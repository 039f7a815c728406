from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from bench_driving import Bench
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QMessageBox, QPushButton

from opdiff.compare import Kind
from opdiff.ui.work.export_dialog import SUFFIXES, ExportDialog


def export(bench: Bench, kind: str, path: Path) -> ExportDialog:
    bench.do("export")
    dialog = bench.child(ExportDialog, "exportDialog")
    chooser = bench.child(QComboBox, "exportKind")
    chooser.setCurrentIndex(chooser.findData(kind))
    bench.child(QLineEdit, "exportPath").setText(str(path))
    dialog.export()
    return dialog


@pytest.mark.parametrize("kind", ["html", "markdown", "csv", "json", "text"])
def test_reports_are_written(compared: Bench, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"report{SUFFIXES[kind]}"
    export(compared, kind, path)
    assert "contiguous" in path.read_text("utf-8")


def test_a_name_that_is_too_long_is_refused_with_a_word(compared: Bench, tmp_path: Path) -> None:
    dialog = export(compared, "json", tmp_path / ("a" * 3000))
    assert dialog.isVisible()
    assert any(label.text() and label.property("error") for label in dialog.findChildren(QLabel))
    assert not list(tmp_path.glob("a*"))


def test_pictures_are_written(compared: Bench, tmp_path: Path) -> None:
    view = compared.window.frame.view
    export(compared, "png", tmp_path / "view.png")
    assert QImage(str(tmp_path / "view.png")).size() == view.size() * 2
    export(compared, "svg", tmp_path / "view.svg")
    assert QSvgRenderer(str(tmp_path / "view.svg")).isValid()


def test_only_what_is_shown_is_exported_unless_all_is_asked(
    compared: Bench, tmp_path: Path
) -> None:
    store = compared.window.store
    hidden = frozenset(Kind) - {Kind.CONTIGUOUS}
    store.setWork(replace(store.work, hidden_kinds=hidden), "filter")
    export(compared, "json", tmp_path / "some.json")
    document = json.loads((tmp_path / "some.json").read_text("utf-8"))
    assert document["summary"]["by_kind"] == {"contiguous": 8}
    compared.do("export")
    dialog = compared.child(ExportDialog, "exportDialog")
    dialog.only_shown.setChecked(False)
    export_all = tmp_path / "all.json"
    dialog.kind.setCurrentIndex(dialog.kind.findData("json"))
    dialog.path.setText(str(export_all))
    dialog.export()
    document = json.loads(export_all.read_text("utf-8"))
    assert document["summary"]["divergences"] == len(compared.comparison.divergences)


def test_the_file_s_ending_follows_the_format(compared: Bench) -> None:
    compared.do("export")
    dialog = compared.child(ExportDialog, "exportDialog")
    assert dialog.path.text().endswith("opdiff-report.html")
    dialog.kind.setCurrentIndex(dialog.kind.findData("csv"))
    assert dialog.path.text().endswith("opdiff-report.csv")


def test_what_cannot_be_written_is_said_and_the_dialog_stays(
    compared: Bench, tmp_path: Path
) -> None:
    dialog = export(compared, "csv", tmp_path / "no" / "where.csv")
    assert "cannot be written" in dialog.message.text()
    assert dialog.isVisible()


def test_nothing_to_export_before_comparing(bench: Bench) -> None:
    assert not bench.window.commands["export"].isEnabled()


def test_a_file_is_replaced_only_when_the_user_says_so(
    compared: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("mine")
    answers = [QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes]
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answers.pop(0))
    dialog = export(compared, "csv", path)
    assert path.read_text() == "mine"
    assert dialog.isVisible(), "the user can name another file"
    dialog.export()
    assert "contiguous" in path.read_text()
    assert not answers


def test_what_is_being_compared_is_never_replaced(compared: Bench) -> None:
    trace = Path(compared.comparison.left.trace.source.path)
    before = trace.read_bytes()
    dialog = export(compared, "csv", trace)
    assert "would overwrite what is being read" in dialog.message.text()
    assert trace.read_bytes() == before


def test_a_folder_is_refused_and_nothing_is_asked(
    compared: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QMessageBox, "question", lambda *_: pytest.fail("asked"))
    dialog = export(compared, "csv", tmp_path)
    assert "cannot be written" in dialog.message.text()


def test_the_words_on_the_buttons_of_a_dialog_are_whole(compared: Bench) -> None:
    compared.window.commands["export"].trigger()
    dialog = compared.window.findChild(ExportDialog)
    assert dialog is not None
    buttons = [button for button in dialog.findChildren(QPushButton) if button.text() != "…"]
    assert {button.isDefault() for button in buttons} == {True, False}
    for button in buttons:
        words = button.fontMetrics().horizontalAdvance(button.text())
        assert words + 2 * 16 <= button.width(), button.text()
    dialog.close()
