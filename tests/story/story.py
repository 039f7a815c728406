"""A user's story, from two files to a session that is kept, told by the hand that lives it.

Somebody compiled a function of a model. The user opens both traces, anchors them at the last op of
that function, compares upward, goes from cause to cause, reads the details and the source, writes a
note, exports a report and saves the session.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QDialogButtonBox,
    QFileDialog,
    QPlainTextEdit,
    QScrollArea,
    QTreeView,
    QWidget,
)
from tests.story.hands import Keyboard, Mouse, until

from opdiff.compare import Comparison, Side
from opdiff.ui import MainWindow
from opdiff.ui.panes import TracePane
from opdiff.ui.source.source_side import CodeView

ROOT = Path(__file__).parents[2]
LEFT, RIGHT, PROGRAM, SESSION, REPORT = (
    "eager.ir",
    "jit.ir",
    "rotary.py",
    "eager-jit.opdiff",
    "opdiff-report.html",
)
LEFT_ANCHOR, RIGHT_ANCHOR = 547, 643
"""The last op of ``apply_rotary_pos_emb``."""
IN_THE_FUNCTION = 544
CAUSE = 520
"""The line of the ``Slice`` that is a ``StridedSlice`` on the right."""
NOTE = "a view became a copy: costs time, changes no value"
_FILES = ("listView", "treeView")
"""Qt's own names, in its own dialog for files."""
Camera = Callable[[str], object]


def lay_out(folder: Path) -> None:
    """Put the two traces and the program that wrote them into a folder."""
    samples = ROOT / "samples"
    for path in (f"rope/{LEFT}", f"rope/{RIGHT}", f"tinylm/tinylm/{PROGRAM}"):
        shutil.copyfile(samples / path, folder / Path(path).name)


class Told:
    """What the user sees at the end of each chapter; a hand fills in how to get there."""

    def __init__(self, window: MainWindow, folder: Path, camera: Camera) -> None:
        self.window, self.folder, self.camera = window, folder, camera
        self._loaded: list[bool] = []
        self._answers: list[Comparison] = []
        window.tracesLoaded.connect(lambda: self._loaded.append(True))
        window.comparisonReady.connect(self._answers.append)

    def tell(self) -> None:
        """The whole story; each chapter ends with what the user must see."""
        for name, chapter, seen in (
            ("opened", self.open, self._both_are_open),
            ("anchored", self.anchor, self._left_is_anchored),
            ("compared", self.compare, self._is_compared),
            ("cause", self.go_to_the_cause, self._stands_at_the_cause),
            ("source", self.read_the_source, self._source_is_shown),
            ("noted", self.note, self._is_noted),
            ("exported", self.export, (self.folder / REPORT).is_file),
            ("saved", self.save, self._is_saved),
        ):
            chapter()
            until(seen, name)
            assert self._is_tidy(), name
            self.camera(name)

    def open(self) -> None:
        """Open both traces."""
        raise NotImplementedError

    def anchor(self) -> None:
        """Anchor the left at the last op of the function; its counterpart is offered."""
        raise NotImplementedError

    def compare(self) -> None:
        """Compare upward, with the anchor that is offered on the right."""
        raise NotImplementedError

    def go_to_the_cause(self) -> None:
        """From the anchor to its cause, on to the next cause, and back."""
        raise NotImplementedError

    def read_the_source(self) -> None:
        """Say where the program is, and read the line."""
        raise NotImplementedError

    def note(self) -> None:
        """Write down what it is."""
        raise NotImplementedError

    def export(self) -> None:
        """Write a report."""
        raise NotImplementedError

    def save(self) -> None:
        """Keep all of it in a session."""
        raise NotImplementedError

    def _is_tidy(self) -> bool:
        """Whether the list and the dataflow below it share their edge."""
        frame = self.window.frame
        QTest.qWait(0)
        return frame.differences.width() == frame.dataflow.width()

    def _both_are_open(self) -> bool:
        return bool(self._loaded)

    def _left_is_anchored(self) -> bool:
        left = self.window.store.trace(Side.LEFT)
        row = self.window.store.work.anchor(Side.LEFT)
        offer = self.window.suggesting.offer(Side.RIGHT)
        anchored = left is not None and row is not None and left.line_of(row) == LEFT_ANCHOR
        return anchored and offer is not None

    def _is_compared(self) -> bool:
        if not self._answers:
            return False
        right = self._answers[0].right
        return right.anchor is not None and right.trace.line_of(right.anchor) == RIGHT_ANCHOR

    def _stands_at_the_cause(self) -> bool:
        return self.window.frame.view.leftPane.currentLine() == CAUSE

    def _source_is_shown(self) -> bool:
        code = self.window.findChild(CodeView, "leftSource")
        return code is not None and code.isVisible() and "rotate_half" in code.toPlainText()

    def _is_noted(self) -> bool:
        return len(self.window.store.work.notes) == 1

    def _is_saved(self) -> bool:
        return (self.folder / SESSION).is_file() and not self.window.isWindowModified()


class ByMouse(Told):
    """Without a key: what is written in the note is pasted."""

    def __init__(self, window: MainWindow, folder: Path, camera: Camera) -> None:
        super().__init__(window, folder, camera)
        self.mouse = Mouse(window)

    def open(self) -> None:
        mouse = self.mouse
        mouse.answering(
            lambda: mouse.click_named("welcomeOpenLeft"), lambda asks: self._take(asks, LEFT)
        )
        until(lambda: self.window.store.trace(Side.LEFT), "the left trace is open")
        pane = self.window.frame.view.rightPane
        mouse.answering(
            lambda: mouse.click(_shown(pane, QAbstractButton)),
            lambda asks: self._take(asks, RIGHT),
        )

    def anchor(self) -> None:
        pane = self.window.frame.view.leftPane
        self.mouse.wheel_until(pane.viewport(), lambda: _is_seen(pane, IN_THE_FUNCTION))
        row = _row_at(pane, IN_THE_FUNCTION)
        self.mouse.context_menu(pane.viewport(), row, "anchorLastOfFunction")

    def compare(self) -> None:
        self.mouse.click_named("compareUpButton")

    def go_to_the_cause(self) -> None:
        # *because of …* is the first link of the details.
        self.mouse.first_link(self.window.frame.details.findChild(QScrollArea))
        until(self._stands_at_the_cause, "the link leads to the cause")
        self.mouse.menu_bar("go", "nextRoot")
        until(lambda: not self._stands_at_the_cause(), "there is a further cause")
        self.mouse.click_named("backButton")

    def read_the_source(self) -> None:
        mouse = self.mouse
        mouse.click_named("sourceViewTab")
        mouse.answering(
            lambda: mouse.click_named("leftSourceLocateButton"),
            lambda asks: self._take(asks, PROGRAM),
        )

    def note(self) -> None:
        mouse, pane = self.mouse, self.window.frame.view.leftPane
        mouse.context_menu(pane.viewport(), _row_at(pane, CAUSE), "copyRow")
        cards = mouse.seen("differenceList", QTreeView)
        card = cards.visualRect(cards.currentIndex()).center()
        mouse.context_menu(cards.viewport(), card, "noteDifference")
        dialog = mouse.dialog()
        edit = mouse.seen("noteEdit", QPlainTextEdit)
        mouse.context_menu(edit.viewport(), QPoint(20, 20), "edit-paste")
        assert edit.toPlainText() == QGuiApplication.clipboard().text()
        mouse.click(_standard(dialog, QDialogButtonBox.StandardButton.Ok))

    def export(self) -> None:
        self.mouse.menu_bar("file", "export")
        dialog = self.mouse.dialog()
        self.mouse.click(_standard(dialog, QDialogButtonBox.StandardButton.Save))

    def save(self) -> None:
        mouse = self.mouse
        mouse.answering(
            lambda: mouse.menu_bar("file", "saveSession"),
            lambda asks: mouse.click(_standard(asks, QDialogButtonBox.StandardButton.Save)),
        )

    def _take(self, asks: QFileDialog, name: str) -> None:
        views = asks.findChildren(QAbstractItemView)
        files = next(v for v in views if v.objectName() in _FILES and v.isVisible())
        self.mouse.item(files, name)
        self.mouse.click(_standard(asks, QDialogButtonBox.StandardButton.Open))


class ByKeyboard(Told):
    """Without a click."""

    def __init__(self, window: MainWindow, folder: Path, camera: Camera) -> None:
        super().__init__(window, folder, camera)
        self.keys = Keyboard(window)

    def open(self) -> None:
        for keys, name in (("Ctrl+O", LEFT), ("Ctrl+Shift+O", RIGHT)):
            self.keys.answering(
                lambda keys=keys: self.keys.press(keys), lambda _, name=name: self._enter(name)
            )
            until(lambda: not self.window.tasks.running, "it is read")

    def anchor(self) -> None:
        self.keys.press("Ctrl+L")
        self._enter(str(LEFT_ANCHOR))

    def compare(self) -> None:
        self.keys.press("F5")

    def go_to_the_cause(self) -> None:
        self.keys.press("B")
        until(self._stands_at_the_cause, "the key leads to the cause")
        self.keys.press("R")
        until(lambda: not self._stands_at_the_cause(), "there is a further cause")
        self.keys.press("Alt+Left")

    def read_the_source(self) -> None:
        self.keys.press("Ctrl+8")
        self.keys.answering(
            lambda: self.keys.press("Ctrl+Alt+S"), lambda _: self.keys.press("Return")
        )

    def note(self) -> None:
        self.keys.press("T")
        self.keys.dialog()
        self.keys.type(NOTE)
        self.keys.press("Ctrl+Return")

    def export(self) -> None:
        self.keys.press("Ctrl+Shift+E")
        self.keys.dialog()
        self.keys.press("Return")

    def save(self) -> None:
        self.keys.answering(lambda: self.keys.press("Ctrl+S"), lambda _: self.keys.press("Return"))

    def _enter(self, text: str) -> None:
        self.keys.type(text)
        self.keys.press("Return")


def _row_at(pane: TracePane, line: int) -> QPoint:
    """The middle of the row of a line, where that is now."""
    trace = pane.side_scene.trace
    row = None if trace is None else trace.row_at(line)
    assert row is not None, f"line {line} is an op"
    height = pane.column.height_of(row)
    return QPoint(pane.viewport().width() // 2, pane.y_of(height) + pane.row_height // 2)


def _is_seen(pane: TracePane, line: int) -> bool:
    return pane.viewport().rect().contains(_row_at(pane, line))


def _shown(widget: QWidget, kind: type[QAbstractButton]) -> QAbstractButton:
    return next(button for button in widget.findChildren(kind) if button.isVisible())


def _standard(dialog: QWidget, which: QDialogButtonBox.StandardButton) -> QAbstractButton:
    box = dialog.findChild(QDialogButtonBox)
    assert box is not None
    return box.button(which)
