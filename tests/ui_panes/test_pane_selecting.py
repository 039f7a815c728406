from __future__ import annotations

from pane_pointing import click, current_pair, middle_of
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from opdiff.ui.panes import ComparisonView

START = 30


def test_clicking_a_row_selects_its_counterpart(view: ComparisonView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.rowSelected) as caught:
        click(qtbot, view.leftPane, START + 2)
    assert caught.args == [0, START + 2]
    assert current_pair(view) == (START + 2, START + 3)
    assert view.leftPane.currentLine() == 3 * (START + 2) + 1
    assert view.rightPane.currentLine() == 3 * (START + 3) + 1


def test_a_row_without_counterpart_leaves_the_other_side_unselected(view: ComparisonView) -> None:
    view.selectRow(0, START)
    view.selectRow(1, START)
    assert current_pair(view) == (None, START)
    assert view.leftPane.selectedRows() == []


def test_selecting_is_told_once_and_only_when_it_changes(
    view: ComparisonView, qtbot: QtBot
) -> None:
    told: list[tuple[int, int]] = []
    view.rowSelected.connect(lambda side, row: told.append((side, row)))
    view.selectRow(0, START)
    view.selectRow(0, START)
    assert told == [(0, START)]
    click(qtbot, view.rightPane, START + 1)
    assert told == [(0, START), (1, START + 1)]


def test_keys_walk_over_gaps_and_stop_at_the_ends(view: ComparisonView, qtbot: QtBot) -> None:
    pane = view.leftPane
    view.selectRow(0, START - 1)
    qtbot.keyClick(pane, Qt.Key.Key_Down)
    assert pane.currentRow() == START
    qtbot.keyClick(pane, Qt.Key.Key_Up)
    assert pane.currentRow() == START - 1
    qtbot.keyClick(pane, Qt.Key.Key_End)
    assert pane.currentRow() == START + 5
    qtbot.keyClick(pane, Qt.Key.Key_Down)
    assert pane.currentRow() == START + 5
    qtbot.keyClick(pane, Qt.Key.Key_PageUp)
    qtbot.keyClick(pane, Qt.Key.Key_PageDown)
    assert pane.currentRow() == START + 5


def test_the_first_key_begins_at_the_top_of_the_view(view: ComparisonView, qtbot: QtBot) -> None:
    view.setOptions(folded=False)
    view.leftPane.verticalScrollBar().setValue(0)
    qtbot.keyClick(view.leftPane, Qt.Key.Key_Down)
    assert view.leftPane.currentRow() == 0


def test_the_first_key_begins_beside_what_is_current_on_the_other_side(
    view: ComparisonView, qtbot: QtBot
) -> None:
    view.selectRow(1, START)
    assert current_pair(view) == (None, START), "a gap"
    qtbot.keyClick(view.leftPane, Qt.Key.Key_Down)
    line = view.leftPane.currentRow()
    assert line is not None
    assert abs(line - START) <= 1


def test_a_fold_opens_by_enter_and_right_and_closes_by_left(
    view: ComparisonView, qtbot: QtBot
) -> None:
    pane = view.leftPane
    folded = len(pane.column)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Right):
        qtbot.keyClick(pane, Qt.Key.Key_Home)
        assert pane.currentRow() is None
        assert pane.column.fold_at(0) is not None
        qtbot.keyClick(pane, key)
        assert len(pane.column) > folded
        assert pane.currentRow() == 0
        qtbot.keyClick(pane, Qt.Key.Key_Left)
        assert len(pane.column) == folded


def test_clicking_the_head_of_a_fold_opens_and_closes_it(
    view: ComparisonView, qtbot: QtBot
) -> None:
    pane = view.rightPane
    folded = len(pane.column)
    for expected in (folded + 28, folded):
        qtbot.mouseClick(
            pane.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(100, pane.row_height // 2)
        )
        assert len(pane.column) == expected
    assert len(view.leftPane.column) == folded


def test_going_to_a_folded_row_opens_its_fold(view: ComparisonView) -> None:
    view.selectRow(1, 5)
    assert current_pair(view) == (5, 5)


def test_left_and_right_lead_to_the_other_pane(view: ComparisonView, qtbot: QtBot) -> None:
    view.activateWindow()
    view.selectRow(0, START)
    view.leftPane.setFocus()
    qtbot.keyClick(view.leftPane, Qt.Key.Key_Right)
    assert view.focusWidget() is view.rightPane
    qtbot.keyClick(view.rightPane, Qt.Key.Key_Left)
    assert view.focusWidget() is view.leftPane


def test_ranges_and_single_rows_are_added(view: ComparisonView, qtbot: QtBot) -> None:
    pane = view.leftPane
    click(qtbot, pane, START)
    click(qtbot, pane, START + 2, Qt.KeyboardModifier.ShiftModifier)
    assert pane.selectedRows() == [START, START + 1, START + 2]
    click(qtbot, pane, START + 5, Qt.KeyboardModifier.ControlModifier)
    click(qtbot, pane, START + 1, Qt.KeyboardModifier.ControlModifier)
    assert pane.selectedRows() == [START, START + 2, START + 5]
    qtbot.keyClick(pane, Qt.Key.Key_Space)
    assert START + 1 in pane.selectedRows()
    qtbot.keyClick(pane, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert len(pane.selectedRows()) == START + 6
    qtbot.keyClick(pane, Qt.Key.Key_Up)
    qtbot.keyClick(pane, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert pane.selectedRows() == [START, START + 1]


def test_dragging_selects_a_range(view: ComparisonView, qtbot: QtBot) -> None:
    pane = view.leftPane
    there = QPointF(middle_of(pane, START + 2))
    button = Qt.MouseButton.LeftButton
    qtbot.mousePress(pane.viewport(), button, pos=middle_of(pane, START))
    move = QMouseEvent(
        QEvent.Type.MouseMove, there, there, button, button, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(pane.viewport(), move)
    assert pane.selectedRows() == [START, START + 1, START + 2]


def test_the_context_menu_selects_its_row_first(view: ComparisonView, qtbot: QtBot) -> None:
    pane = view.rightPane
    spot = middle_of(pane, START + 1)
    reason = QContextMenuEvent.Reason.Mouse
    with qtbot.waitSignal(pane.contextMenuRequested) as caught:
        QApplication.sendEvent(
            pane.viewport(), QContextMenuEvent(reason, spot, pane.viewport().mapToGlobal(spot))
        )
    assert caught.args[0] == START + 1
    assert current_pair(view) == (START, START + 1)


def test_the_menu_key_asks_at_the_current_row(view: ComparisonView, qtbot: QtBot) -> None:
    view.selectRow(0, START)
    reason = QContextMenuEvent.Reason.Keyboard
    with qtbot.waitSignal(view.leftPane.contextMenuRequested) as caught:
        QApplication.sendEvent(
            view.leftPane.viewport(), QContextMenuEvent(reason, QPoint(), QPoint())
        )
    assert caught.args[0] == START


def test_the_menu_comes_by_shift_and_f10_too(view: ComparisonView, qtbot: QtBot) -> None:
    view.selectRow(0, START)
    with qtbot.waitSignal(view.leftPane.contextMenuRequested, timeout=1000) as asked:
        qtbot.keyClick(view.leftPane, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    assert asked.args[0] == START


def test_screen_readers_hear_the_current_row(view: ComparisonView) -> None:
    pane = view.leftPane
    assert pane.accessibleName() == "Left trace"
    view.selectRow(0, START)
    assert "Slice" in pane.accessibleDescription()
    assert "difference 1" in pane.accessibleDescription()
    assert "StridedSlice" in view.rightPane.accessibleDescription()


def test_showing_a_divergence_selects_its_rows(view: ComparisonView) -> None:
    view.showDivergence(1)
    assert current_pair(view) == (START, START + 1)
    view.showDivergence(2)
    assert current_pair(view) == (None, START)
