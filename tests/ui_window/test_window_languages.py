"""Switching the language at run time: everything the window itself says must change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QWidget,
)
from shiboken6 import getCppPointer
from window_driving import Driver

from opdiff.ui.details.field_grid import FieldCell
from opdiff.ui.main_window import MainWindow

SAME_IN_BOTH = re.compile(
    r"Contiguous|strides/offset|opdiff|Qt|Python|English|F1|Esc|%id|\w+ \(\d+\)|sample-\w+|/\S+"
)
"""Names of ops and files, and words that Chinese users write in English."""


def sayings(window: MainWindow) -> Iterator[tuple[QObject, str, str]]:
    """Every text that a user can see, rest the mouse on, or hear."""
    for action in window.findChildren(QAction):
        yield action, "text", action.text()
        yield action, "tool tip", action.toolTip()
    for widget in window.findChildren(QWidget):
        if isinstance(widget, FieldCell) or widget.objectName().startswith("sample-"):
            continue
        yield widget, "tool tip", widget.toolTip()
        yield widget, "accessible name", widget.accessibleName()
        if isinstance(widget, QLabel | QAbstractButton):
            yield widget, "text", widget.text()
        elif isinstance(widget, QLineEdit):
            yield widget, "placeholder", widget.placeholderText()
        elif isinstance(widget, QComboBox) and not widget.isEditable():
            yield (
                widget,
                "items",
                " ".join(widget.itemText(index) for index in range(widget.count())),
            )
        elif isinstance(widget, QMenu):
            yield widget, "title", widget.title()


def test_nothing_stays_english(compared: Driver) -> None:
    window = compared.window
    english = {(_address(thing), what): text for thing, what, text in sayings(window)}
    window.commands["languageChinese"].trigger()
    QApplication.processEvents()
    left = [
        f"{type(thing).__name__} {thing.objectName()} {what}: {text}"
        for thing, what, text in sayings(window)
        if english.get((_address(thing), what)) == text
        and re.search("[a-z]{3}", SAME_IN_BOTH.sub("", text))
        and not (isinstance(thing, QWidget) and _is_of_traces(thing))
    ]
    assert left == []


def _address(thing: QObject) -> int:
    """What tells things apart: their Python sides come and go."""
    return int(getCppPointer(thing)[0])


def _is_of_traces(widget: QWidget) -> bool:
    """Whether a widget says what the traces hold, not what the window has to say."""
    return widget.objectName().endswith(("TraceCombo", "PaneHeader", "progressStage"))


def test_switching_back_leaves_nothing_chinese(compared: Driver) -> None:
    window = compared.window
    for name in ("languageChinese", "languageEnglish"):
        window.commands[name].trigger()
        QApplication.processEvents()
    chinese = [
        text for _, _, text in sayings(window) if re.search("[一-鿿]", text.replace("中文", ""))
    ]
    assert chinese == []
