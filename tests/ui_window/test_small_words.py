"""Words and looks that are right in small things: dialogs, suggestions, what is loaded when."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import (
    QApplication,
    QDialogButtonBox,
    QFileDialog,
    QLabel,
    QMessageBox,
    QStyle,
)
from pytestqt.qtbot import QtBot
from window_driving import Driver

from opdiff.cli.window_command import _parser
from opdiff.ui.launching import MODULES, preload
from opdiff.ui.translations import install_language
from opdiff.wording.sentence import sentences


def test_qt_s_file_dialog_speaks_chinese(qtbot: QtBot, qapp: QApplication) -> None:
    install_language(qapp, "zh")
    dialog = QFileDialog()
    qtbot.addWidget(dialog)
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    dialog.show()
    labels = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
    install_language(qapp, "en")
    assert labels
    assert [text for text in labels if not any("\u4e00" <= c <= "\u9fff" for c in text)] == []


def test_buttons_of_dialogs_have_no_icons(driver: Driver) -> None:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Save, driver.window)
    question = QMessageBox(driver.window)
    hint = QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons
    for widget in (box, question):
        widget.ensurePolished()
        assert widget.style().styleHint(hint, None, widget) == 0


def test_a_session_has_a_name_to_begin_with(
    compared: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    suggested: list[str] = []

    def ask(_parent: object, _title: str, path: str, *_: object) -> tuple[str, str]:
        suggested.append(Path(path).name)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    compared.window.commands["saveSession"].trigger()
    assert suggested == ["eager-jit.opdiff"]


def test_dense_is_not_the_opposite_of_sparse() -> None:
    assert [code for code, (_, chinese) in sentences().items() if "稠密" in chinese] == []


def test_the_direction_has_the_same_name_with_and_without_a_window() -> None:
    for option in ("--compare", "--direction"):
        assert _parser().parse_args(["a", "b", option, "up"]).compare == "up"


def test_the_window_is_there_before_what_it_needs_later() -> None:
    program = (
        f"import sys, opdiff.ui.launching; print([m for m in {MODULES!r} if m in sys.modules])"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr


def test_what_is_needed_soon_is_loaded_meanwhile() -> None:
    preload().join(60)
    assert all(name in sys.modules for name in MODULES)
