"""Driving the window as a user or a script does: by the stable object names only."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from opdiff.compare import Comparison
from opdiff.ui import MainWindow

SAMPLES = Path(__file__).parents[2] / "samples"
WidgetT = TypeVar("WidgetT", bound=QWidget)


class Driver:
    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot = qtbot
        self.window = window

    def named(self, name: str, kind: type[WidgetT] = QWidget) -> WidgetT:  # type: ignore[assignment]
        found = self.window.findChild(kind, name)
        assert found is not None, name
        return found

    def open(self, left: Path, right: Path) -> None:
        with self.qtbot.waitSignal(self.window.tracesLoaded, timeout=20_000):
            self.window.openTraces(left, right)

    def anchor(self, left: int, right: int) -> None:
        for name, line in (("leftAnchorEdit", left), ("rightAnchorEdit", right)):
            edit = self.named(name, QLineEdit)
            edit.clear()
            self.qtbot.keyClicks(edit, str(line))
            self.qtbot.keyClick(edit, Qt.Key.Key_Return)

    def click(self, name: str) -> None:
        self.qtbot.mouseClick(self.named(name, QAbstractButton), Qt.MouseButton.LeftButton)

    def compare_up(self) -> Comparison:
        with self.qtbot.waitSignal(self.window.comparisonReady, timeout=20_000) as ready:
            self.click("compareUpButton")
        comparison = ready.args[0]
        assert isinstance(comparison, Comparison)
        return comparison

    def lines(self) -> tuple[int | None, int | None]:
        """The lines of the selected ops, left and right."""
        view = self.window.frame.view
        return view.leftPane.currentLine(), view.rightPane.currentLine()

    def press(
        self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
    ) -> None:
        """Press a key wherever the focus is."""
        target = self.window.focusWidget() or self.window
        self.qtbot.keyClick(target, key, modifier)
