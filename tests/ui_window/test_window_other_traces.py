"""Another trace comes while something still speaks of the one before."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QLabel, QListView, QPlainTextEdit, QPushButton, QTreeWidget
from shiboken6 import isValid
from window_driving import SAMPLES, Driver

from opdiff.compare import Direction, Request, Side
from opdiff.readers import open_trace
from opdiff.session import DivergenceKey, GroupKey, Work, save_session
from opdiff.ui.anchors.finder import Finder
from opdiff.ui.files.opening import Opening
from opdiff.ui.files.trouble_list import TroubleList
from opdiff.ui.work.export_dialog import ExportDialog
from opdiff.ui.work.noting import NoteDialog
from opdiff.ui.work.rules_dialog import RulesDialog

ROPE = SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir"
VOCAB = SAMPLES / "vocab/eager.ir", SAMPLES / "vocab/jit.ir"


def _finder(driver: Driver) -> Finder:
    driver.window.commands["findLeft"].trigger()
    found = driver.window.findChild(Finder)
    assert found is not None
    return found


def test_the_finder_lists_the_rows_of_the_trace_that_is_open(rope: Driver) -> None:
    finder = _finder(rope)
    rows = finder.findChild(QListView, "finderRows")
    assert rows is not None
    assert rows.model().rowCount() == 206
    rope.open(*VOCAB)
    left = rope.window.store.trace(Side.LEFT)
    assert left is not None
    assert len(left) < 206
    assert rows.model().rowCount() == len(left)
    rows.setCurrentIndex(rows.model().index(rows.model().rowCount() - 1, 0))
    rope.qtbot.keyClick(rows, Qt.Key.Key_Return)
    assert rope.window.store.work.request.left_anchor == len(left) - 1


def test_likely_counterparts_go_with_the_anchor_they_are_of(rope: Driver) -> None:
    rope.anchor(547, 643)
    finder = _finder(rope)
    likely = finder.findChild(QListView, "finderCounterparts")
    assert likely is not None
    assert likely.model().rowCount() > 0
    rope.open(*VOCAB)
    assert likely.model().rowCount() == 0
    assert finder.chosen() is not None


def test_no_row_beyond_a_trace_becomes_its_anchor(rope: Driver) -> None:
    store = rope.window.store
    for row in (206, 10**6, -1):
        store.setAnchor(Side.LEFT, row)
        assert store.work.request.left_anchor is None
    store.setAnchor(Side.LEFT, 205)
    assert store.work.request.left_anchor == 205
    store.setAnchor(Side.LEFT, None)
    assert store.work.request.left_anchor is None


def test_nobody_hears_of_a_trace_with_the_anchors_of_another(rope: Driver) -> None:
    store = rope.window.store
    rope.anchor(547, 643)
    heard: list[tuple[int | None, int | None]] = []
    store.traceChanged.connect(
        lambda _: heard.append((store.work.request.left_anchor, store.work.request.right_anchor))
    )
    rope.open(*VOCAB)
    right = rope.window.store.trace(Side.RIGHT)
    assert right is not None
    assert heard[0][0] is None
    assert heard[1] == (None, None)


def test_problems_of_a_trace_that_is_gone_are_gone_too(driver: Driver, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.ir"
    damaged.write_text(ROPE[0].read_text() + "junk\n")
    driver.open(damaged, ROPE[1])
    driver.window.handlers._list_troubles(int(Side.LEFT))
    listed = driver.window.findChild(TroubleList)
    assert listed is not None
    with driver.qtbot.waitSignal(listed.destroyed):
        driver.open(*VOCAB)


def test_problems_stay_while_only_the_other_side_changes(driver: Driver, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.ir"
    damaged.write_text(ROPE[0].read_text() + "junk\n")
    driver.open(damaged, ROPE[1])
    driver.window.handlers._list_troubles(int(Side.LEFT))
    with driver.qtbot.waitSignal(driver.window.tracesLoaded, timeout=20_000):
        driver.window.open(Opening({Side.RIGHT: VOCAB[1]}))
    listed = driver.window.findChild(TroubleList)
    assert listed is not None
    assert listed.isVisible()


def test_what_rules_match_is_counted_anew(rope: Driver) -> None:
    rope.window.commands["rules"].trigger()
    dialog = rope.window.findChild(RulesDialog)
    assert dialog is not None
    editor = dialog.findChild(QPlainTextEdit, "rulesEditor")
    counts = dialog.findChild(QTreeWidget, "rulesCounts")
    assert editor is not None
    assert counts is not None
    editor.setPlainText("ignore: [Muls]\n")
    dialog._pause.stop()
    dialog.count()
    before = counts.topLevelItem(0).text(1)
    rope.open(*VOCAB)
    rope.qtbot.waitUntil(lambda: counts.topLevelItem(0).text(1) != before)


def _note(driver: Driver, action: str) -> NoteDialog:
    driver.window.commands["nextDifference"].trigger()
    driver.window.commands[action].trigger()
    dialog = driver.window.findChild(NoteDialog)
    assert dialog is not None
    edit = dialog.findChild(QPlainTextEdit, "noteEdit")
    assert edit is not None
    edit.setPlainText("what I found out")
    return dialog


def test_a_note_is_not_put_on_rows_of_another_trace(compared: Driver) -> None:
    dialog = _note(compared, "noteDifference")
    compared.open(*VOCAB)
    dialog.accept()
    assert compared.window.store.work.notes == ()
    message = compared.named("errorText", QLabel).text()
    assert "what I found out" in message


def test_a_note_on_a_group_holds_for_whatever_traces(compared: Driver) -> None:
    dialog = _note(compared, "noteGroup")
    compared.open(*VOCAB)
    dialog.accept()
    (note,) = compared.window.store.work.notes
    assert isinstance(note.about, GroupKey)
    assert not isinstance(note.about, DivergenceKey)


@pytest.mark.parametrize("laid", [0, 1, 2])
def test_a_session_opened_while_traces_are_laid_down_keeps_its_anchors(
    driver: Driver, tmp_path: Path, laid: int
) -> None:
    left, right = open_trace(ROPE[0]), open_trace(ROPE[1])
    anchors = left.row_at(547), right.row_at(643)
    session = tmp_path / "race.opdiff"
    save_session(session, Work(Request(Direction.UP, *anchors)), left, right)
    window = driver.window

    opened: list[Path] = []

    def open_session() -> None:
        on_desk = [side for side in Side if window.store.trace(side) is not None]
        if len(on_desk) == laid and not opened:
            opened.append(session)
            window.openSession(session)

    # Connected behind all others: what is read is being laid down, one trace a turn.
    window.tasks.tracesRead.connect(lambda _: open_session())
    window.store.traceChanged.connect(lambda _: QTimer.singleShot(0, window, open_session))
    with driver.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
        window.openTraces(*VOCAB)
    both = window.store.both()
    assert both is not None
    assert [trace.source.path for trace in both] == [str(path) for path in ROPE]
    request = window.store.work.request
    assert (request.left_anchor, request.right_anchor) == anchors
    assert window.sessions.path == session


def test_what_is_opened_on_one_side_meanwhile_keeps_the_other(driver: Driver) -> None:
    window = driver.window
    window.tasks.tracesRead.connect(
        lambda _: window.open(Opening({Side.RIGHT: ROPE[1]}, lines={Side.RIGHT: 643})),
        Qt.ConnectionType.SingleShotConnection,
    )
    window.open(Opening(dict(zip(Side, VOCAB, strict=True)), lines={Side.LEFT: 1, Side.RIGHT: 1}))
    right = open_trace(ROPE[1])
    driver.qtbot.waitUntil(lambda: window.store.work.request.right_anchor == right.row_at(643))
    both = window.store.both()
    assert both is not None
    assert [trace.source.path for trace in both] == [str(VOCAB[0]), str(ROPE[1])]
    assert window.store.work.request.left_anchor == 0


def test_without_another_trace_the_finder_has_nothing_to_go_on_with(driver: Driver) -> None:
    with driver.qtbot.waitSignal(driver.window.opener.settled, timeout=20_000):
        driver.window.open(Opening({Side.LEFT: ROPE[0]}))
    finder = _finder(driver)
    go_on = finder.findChild(QPushButton, "finderAnchorAndGoOn")
    driver.qtbot.mouseClick(go_on, Qt.MouseButton.LeftButton)
    # Its own signal that it is gone cannot be waited for: there is nothing left to disconnect from.
    driver.qtbot.waitUntil(lambda: not isValid(finder))
    assert driver.window.store.work.request.left_anchor is not None


def test_no_row_beyond_a_trace_is_gone_to(rope: Driver) -> None:
    view = rope.window.frame.view
    view.selectRow(Side.LEFT, 3)
    for row in (206, -1, 10**9):
        view.selectRow(Side.LEFT, row)
        assert view.leftPane.currentRow() == 3


def test_a_message_about_a_pin_that_was_given_up_is_not_translated(
    rope: Driver,
) -> None:
    window = rope.window
    window.frame.view.selectRow(Side.LEFT, 205)
    window.frame.view.leftPane.setFocus()
    window.commands["pinAdd"].trigger()
    assert window.frame.notice.topic
    rope.open(*VOCAB)
    assert not window.frame.notice.topic
    window.appearance.choose_language("zh")
    assert not window.frame.notice.topic


def test_a_comparison_that_is_gone_cannot_be_exported(compared: Driver, tmp_path: Path) -> None:
    compared.window.commands["export"].trigger()
    dialog = compared.window.findChild(ExportDialog)
    assert dialog is not None
    dialog.path.setText(str(tmp_path / "report.html"))
    compared.open(*VOCAB)
    dialog.export()
    assert "compare again" in dialog.message.text()
    assert dialog.isVisible()
    assert not (tmp_path / "report.html").exists()
