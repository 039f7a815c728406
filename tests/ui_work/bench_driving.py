"""Driving the window through an investigation."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from opdiff.compare import Comparison, Direction, Kind, Side
from opdiff.trace import Trace
from opdiff.ui import MainWindow

SAMPLES = Path(__file__).parents[2] / "samples"
ANCHORS = {Side.LEFT: 550, Side.RIGHT: 649}
WidgetT = TypeVar("WidgetT", bound=QWidget)


class Bench:
    """A window with settings and traces of its own, in a folder of its own."""

    def __init__(self, qtbot: QtBot, folder: Path) -> None:
        self.qtbot = qtbot
        self.folder = folder
        self.left, self.right = folder / "left.ir", folder / "right.ir"
        if not self.left.exists():
            shutil.copy(SAMPLES / "rope/eager.ir", self.left)
            shutil.copy(SAMPLES / "rope/jit.ir", self.right)
        store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        store.setValue("language", "en")
        store.setValue("hintsDone", "anchor compare walk")
        self.window = MainWindow(store)
        self.window.resize(1440, 900)  # whatever screen there is
        # No test waits for an answer: closing gives the work up unless a test says otherwise.
        self.answer = QMessageBox.StandardButton.Discard
        self.window.sessions.ask_whether_to_save = lambda: self.answer  # type: ignore[method-assign]
        qtbot.addWidget(self.window)
        self.window.show()

    def open(self) -> None:
        with self.qtbot.waitSignal(self.window.tracesLoaded, timeout=20_000):
            self.window.openTraces(self.left, self.right)

    def compare(self) -> Comparison:
        """Open the pair, anchor it and compare upward."""
        self.open()
        store = self.window.store
        for side in Side:
            store.setAnchor(side, self.trace(side).row_at(ANCHORS[side]))
        with self.qtbot.waitSignal(self.window.comparisonReady, timeout=20_000):
            self.window.compare(Direction.UP)
        return self.comparison

    def trace(self, side: Side) -> Trace:
        trace = self.window.store.trace(side)
        assert trace is not None
        return trace

    @property
    def comparison(self) -> Comparison:
        comparison = self.window.store.comparison
        assert comparison is not None
        return comparison

    def do(self, name: str) -> None:
        """Trigger an action; it must be possible."""
        action = self.window.commands[name]
        assert action.isEnabled(), name
        action.trigger()

    def do_and_compare(self, name: str) -> Comparison:
        """Trigger an action that leads to another comparison."""
        with self.qtbot.waitSignal(self.window.comparisonReady, timeout=20_000):
            self.do(name)
        return self.comparison

    def select(self, side: Side, line: int) -> int:
        """Select the op at a line and return its row."""
        row = self.trace(side).row_at(line)
        assert row is not None
        self.window.frame.view.selectRow(side, row)
        self.window.frame.view.pane(side).setFocus()
        self.window.commands.refresh()
        return row

    def go_to(self, kind: Kind) -> int:
        """Go to the first difference of a kind and return its index."""
        index = next(i for i, d in enumerate(self.comparison.divergences) if d.kind is kind)
        self.window.store.setCurrent(index)
        return index

    def child(self, kind: type[WidgetT], name: str) -> WidgetT:
        found = [w for w in self.window.findChildren(kind, name) if not w.isHidden()]
        assert found, name
        return found[-1]

    def kinds(self) -> dict[Kind, int]:
        return self.comparison.by_kind
