"""Whatever a trace calls its ops, files and attributes, the window shows it and obeys nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPoint
from PySide6.QtGui import QAction, QHelpEvent, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QGraphicsView,
    QLabel,
    QMessageBox,
    QToolTip,
    QWidget,
)
from window_driving import Driver

from opdiff.compare import Direction, Side
from opdiff.ui.anchors.anchor_edit import AnchorEdit
from opdiff.ui.anchors.finder import Finder
from opdiff.ui.anchors.finder import row_text as finder_text
from opdiff.ui.differences.cards import card_of
from opdiff.ui.files.trouble_list import TroubleList
from opdiff.ui.frame.dialog import may_replace
from opdiff.ui.look.plain_text import tip
from opdiff.ui.panes.pane import TracePane
from opdiff.ui.panes.pane_header import PathBar
from opdiff.ui.panes.texts import full_text, row_text
from opdiff.ui.work.noting import NoteDialog

HOSTILE = '<img src="pipe">'
"""Qt would open the file named here: with a named pipe that nobody writes to, for ever."""


def _record(number: int, name: str, *, function: str = "f", attrs: str = "k=1") -> str:
    return (
        f"(%{number + 1}) = {name}(%{number}), task_info: {number + 1}, "
        f"attrs {{stream_id=0;{attrs}}} \n    (Float32:[4]) <- (Float32:[4])\n"
        f"    # File:/x/{function}.py;Line:1;Function:{function}|\n"
    )


@pytest.fixture
def hostile(driver: Driver, tmp_path: Path) -> Driver:
    """A compared pair with markup wherever a trace can have a word of its own."""
    folder = tmp_path / HOSTILE.replace("/", "").replace('"', "'")
    folder.mkdir()
    left = [
        _record(0, "Add"),
        _record(1, f"{HOSTILE}Op"),
        _record(2, "Mul", function=HOSTILE),
        _record(3, "Neg", attrs=f"{HOSTILE}=5"),
        _record(4, f"Default/{HOSTILE}/Sub-op1"),
        _record(5, f"{HOSTILE}Gone"),
        _record(5, "Cos"),
    ]
    right = [
        _record(0, "Add"),
        _record(1, f"{HOSTILE}Other"),
        _record(2, "Mul"),
        _record(3, "Neg", attrs=f"{HOSTILE}=6"),
        _record(4, "Sub"),
        f"{HOSTILE} damaged\n",
        _record(5, "Cos"),
    ]
    (folder / "left.ir").write_text("".join(left))
    (folder / "right.ir").write_text("".join(right))
    driver.open(folder / "left.ir", folder / "right.ir")
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.window.compare(Direction.WHOLE)
    return driver


def _texts_of_models(widget: QWidget) -> Iterator[tuple[str, str]]:
    for view in widget.findChildren(QAbstractItemView):
        model = view.model()
        if model is not None:
            for text in _tooltips(model, QModelIndex()):
                yield f"tooltip of {view.objectName()}", text


def _tooltips(model: QAbstractItemModel, parent: QModelIndex) -> Iterator[str]:
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        yield str(model.data(index, Qt.ItemDataRole.ToolTipRole) or "")
        yield from _tooltips(model, index)


def _rich_texts(root: QWidget) -> Iterator[tuple[str, str]]:
    """Everything below a widget that Qt would take for markup, and where it stands."""
    for widget in (root, *root.findChildren(QWidget)):
        name = f"{type(widget).__name__} {widget.objectName()}"
        yield f"tooltip of {name}", widget.toolTip()
        if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText:
            yield name, widget.text()
        if isinstance(widget, QGraphicsView) and widget.scene() is not None:
            for item in widget.scene().items():
                yield f"tooltip of {type(item).__name__}", item.toolTip()
    for action in root.findChildren(QAction):
        yield f"tooltip of {action.objectName()}", action.toolTip()
    yield from _texts_of_models(root)


def assert_obeys_nothing(root: QWidget) -> None:
    found = [
        (where, text)
        for where, text in _rich_texts(root)
        if "<img" in text.lower() and Qt.mightBeRichText(text)
    ]
    assert found == []


def test_no_label_and_no_tooltip_takes_a_name_for_markup(
    hostile: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = hostile.window.frame.view
    seen = ""
    for row in range(7):
        view.selectRow(0, row)
        hostile.qtbot.wait(1)
        assert_obeys_nothing(hostile.window)
        seen += "".join(label.text() for label in hostile.window.findChildren(QLabel))
    assert HOSTILE in seen, "the names are shown, as they are"
    shown: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda *words: shown.append(words[1]))
    for pane in (view.leftPane, view.rightPane):
        for height in range(7):
            _hover(pane, height)
    assert any("img" in text for text in shown)
    assert not [text for text in shown if "<img" in text and Qt.mightBeRichText(text)]


def _hover(pane: TracePane, height: int) -> None:
    at = QPoint(40, pane.y_of(height) + 2)
    pane.viewportEvent(QHelpEvent(QEvent.Type.ToolTip, at, pane.mapToGlobal(at)))


def test_dialogs_take_no_name_for_markup(hostile: Driver) -> None:
    window = hostile.window
    trace = window.store.trace(Side.RIGHT)
    assert trace is not None
    assert trace.problems
    for dialog in (
        NoteDialog("t", f"{HOSTILE}Op → x", HOSTILE, window),
        TroubleList(Side.RIGHT, trace, window.store, window),
    ):
        dialog.show()
        assert_obeys_nothing(dialog)
        dialog.close()
    window.store.setAnchor(Side.RIGHT, 1)  # the finder then names likely counterparts
    for action in ("findLeft", "rules", "marks", "export", "keys", "about"):
        before = set(window.findChildren(QDialog))
        window.commands[action].trigger()
        opened = [
            dialog
            for dialog in window.findChildren(QDialog)
            if dialog.isVisible() and (dialog not in before or isinstance(dialog, Finder))
        ]
        assert opened, action
        hostile.qtbot.wait(1)
        for dialog in opened:
            assert_obeys_nothing(dialog)
            dialog.close()


def test_the_nearest_ops_are_named_and_not_obeyed(hostile: Driver) -> None:
    edit = hostile.named("leftAnchorEdit", AnchorEdit)
    edit.setText("9999")
    hostile.qtbot.keyClick(edit, Qt.Key.Key_Return)
    message = hostile.named("leftAnchorEditMessage", QLabel)
    assert "9999" in message.text()
    assert "&lt;img" in message.text()
    assert_obeys_nothing(hostile.window)


def test_the_question_before_replacing_shows_the_path_as_it_is(
    hostile: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def question(*words: object) -> QMessageBox.StandardButton:
        asked.append(str(words[2]))
        return QMessageBox.StandardButton.No

    monkeypatch.setattr(QMessageBox, "question", question)
    path = tmp_path / "<b>x<b>"
    path.write_text("kept")
    assert not may_replace(path, hostile.window)
    assert "&lt;b&gt;" in asked[0]
    assert may_replace(tmp_path / "new", hostile.window)
    assert len(asked) == 1


HIDDEN = "a\u202eb\x07\u200bc"
"""Turns round what follows it, rings, and hides."""


def test_what_hides_or_turns_round_its_neighbours_is_spelled_out(
    driver: Driver, tmp_path: Path
) -> None:
    for name, op in (("left", f"{HIDDEN}Op"), ("right", "Other")):
        records = [_record(0, "Add"), _record(1, op, function=HIDDEN), _record(2, "Cos")]
        (tmp_path / f"{name}.ir").write_text("".join(records))
    driver.open(tmp_path / "left.ir", tmp_path / "right.ir")
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.window.compare(Direction.WHOLE)
    frame, trace = driver.window.frame, driver.window.store.trace(Side.LEFT)
    assert trace is not None
    frame.view.selectRow(Side.LEFT, 1)
    labels = [label.text() for label in frame.details.findChildren(QLabel)]
    paths = [path.text() for path in frame.findChildren(PathBar)]
    model = frame.differences.model
    cards = [model.index(row, 0) for row in range(model.rowCount())]
    places = [card_of(model.index(0, 0, card)).place or "" for card in cards]
    shown = [
        *labels,
        *paths,
        *places,
        row_text(trace, 1),
        finder_text(trace, 1),
        tip(full_text(trace, 1)),
    ]
    assert not [text for text in shown if {"\u202e", "\x07", "\u200b"} & set(text)]
    assert any(places)
    spelled = "a\\u202eb\\x07\\u200bc"
    assert sum(spelled in text for text in shown) > 4
