from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from opdiff import __version__
from opdiff.ui.guide.help_sheets import AboutDialog


def test_versions_can_be_copied(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    dialog = AboutDialog(window)
    copy = next(b for b in dialog.findChildren(QAbstractButton) if b.text() == "Copy")
    copy.click()
    assert QGuiApplication.clipboard().text() == AboutDialog.versions()
    assert f"opdiff {__version__} · Python 3" in AboutDialog.versions()
