"""One anchor is enough: the other is offered, taken, and put right where another fits better."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
)
from window_driving import SAMPLES, Driver

from opdiff.compare import Comparison, Side
from opdiff.compare.comparison import Note
from opdiff.ui.anchors import suggesting
from opdiff.ui.anchors.finder import row_text
from opdiff.wording import Sentence


def type_anchor(driver: Driver, name: str, line: int) -> None:
    edit = driver.named(name, QLineEdit)
    edit.clear()
    driver.qtbot.keyClicks(edit, str(line))
    driver.qtbot.keyClick(edit, Qt.Key.Key_Return)


def offered(driver: Driver, name: str = "rightAnchorEdit") -> str:
    """What a field offers, once the search has ended."""
    driver.qtbot.waitUntil(lambda: not driver.window.suggesting.searching)
    message = driver.named(f"{name}Message", QLabel)
    return message.text() if message.isVisible() else ""


def lines_of(driver: Driver) -> tuple[str, str]:
    return (
        driver.named("leftAnchorEdit", QLineEdit).text(),
        driver.named("rightAnchorEdit", QLineEdit).text(),
    )


def test_what_is_offered_does_not_touch_the_edge_of_its_box(rope: Driver) -> None:
    type_anchor(rope, "leftAnchorEdit", 550)
    assert offered(rope)
    image = rope.named("rightAnchorEditMessage", QLabel).grab().toImage()
    for x in (4, 8):
        column = {image.pixel(x, y) for y in range(8, image.height() - 8)}
        assert len(column) == 1, "only the ground, where the text would begin"


def test_with_one_side_set_the_other_is_offered_with_score_and_reason(rope: Driver) -> None:
    type_anchor(rope, "leftAnchorEdit", 550)
    text = offered(rope)
    assert "649 BatchMatMul" in text
    assert "%" in text
    assert "same op" in text
    placeholder = rope.named("rightAnchorEdit", QLineEdit).placeholderText()
    assert placeholder == "649?"
    assert "Likely the counterpart" in rope.named("rightAnchorEdit").accessibleDescription()
    assert rope.window.store.work.anchor(Side.RIGHT) is None


def test_compare_takes_what_is_offered(rope: Driver) -> None:
    type_anchor(rope, "leftAnchorEdit", 550)
    offered(rope)
    comparison = rope.compare_up()
    assert lines_of(rope) == ("550", "649")
    assert comparison.right.trace.line_of(comparison.right.anchor or 0) == 649


def test_compare_waits_for_what_is_still_looked_for(rope: Driver) -> None:
    rope.named("rightAnchorEdit", QLineEdit).setText("649")
    rope.compare_up()
    assert lines_of(rope) == ("550", "649")


def test_enter_in_the_empty_field_and_a_click_take_it_too(rope: Driver) -> None:
    type_anchor(rope, "leftAnchorEdit", 550)
    offered(rope)
    edit = rope.named("rightAnchorEdit", QLineEdit)
    edit.setFocus()
    rope.qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert edit.text() == "649"
    edit.clear()
    rope.qtbot.keyClick(edit, Qt.Key.Key_Tab)
    offered(rope)
    rope.named("rightAnchorEditMessage", QLabel).linkActivated.emit("649")
    assert edit.text() == "649"
    assert not rope.named("rightAnchorEditMessage").isVisible()


def test_a_weak_offer_is_named_but_not_taken(rope: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = Sentence.of("candidate.nothing")
    weak = [suggesting.Candidate(3, 0.2, reason)]
    monkeypatch.setattr(suggesting, "counterparts", lambda *_: weak)
    type_anchor(rope, "leftAnchorEdit", 550)
    offered(rope)
    rope.click("compareUpButton")
    assert not rope.window.tasks.running
    assert "20%" in rope.named("rightAnchorEditMessage", QLabel).text()
    assert lines_of(rope)[1] == ""


def test_the_whole_needs_no_anchor_but_takes_the_other_of_one(rope: Driver) -> None:
    with rope.qtbot.waitSignal(rope.window.comparisonReady, timeout=20_000):
        rope.click("compareWholeButton")
    assert lines_of(rope) == ("", "")
    type_anchor(rope, "leftAnchorEdit", 550)
    offered(rope)
    with rope.qtbot.waitSignal(rope.window.comparisonReady, timeout=20_000):
        rope.click("compareWholeButton")
    assert lines_of(rope) == ("550", "649")


def test_an_offer_goes_when_the_anchor_goes(rope: Driver) -> None:
    type_anchor(rope, "leftAnchorEdit", 550)
    offered(rope)
    rope.window.store.setAnchor(Side.LEFT, None)
    assert rope.named("rightAnchorEdit", QLineEdit).placeholderText() == "line"
    assert not rope.named("rightAnchorEditMessage").isVisible()


def test_a_search_that_fails_is_told(rope: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> list[object]:
        raise ZeroDivisionError("no way")

    monkeypatch.setattr(suggesting, "counterparts", fail)
    with rope.qtbot.waitSignal(rope.window.crashed) as told:
        type_anchor(rope, "leftAnchorEdit", 550)
    assert "no way" in told.args[0]


def test_the_last_op_of_the_function_by_key_and_by_menu(rope: Driver) -> None:
    window = rope.window
    both = window.store.both()
    assert both is not None
    left = both[0]
    window.frame.view.selectRow(Side.LEFT, left.row_at(517) or 0)  # in apply_rotary_pos_emb
    window.frame.view.leftPane.setFocus()
    rope.press(Qt.Key.Key_L)
    assert lines_of(rope)[0] == "547"
    row = left.row_at(535) or 0  # Neg, in rotate_half
    window.frame.view.selectRow(Side.LEFT, row)
    window.frame.view.leftPane.contextMenuRequested.emit(row, QPoint(5, 5))
    menu = window.findChild(QMenu, "lastOpMenu")
    assert menu is not None
    titles = [action.text() for action in menu.actions()]
    assert titles[0] == "rotary.py:21 rotate_half"
    menu.actions()[0].trigger()
    assert lines_of(rope)[0] == "538"
    menu.actions()[1].trigger()
    assert lines_of(rope)[0] == "547"
    popup = QApplication.activePopupWidget()
    if popup is not None:
        popup.close()


def test_an_op_without_a_stack_says_that_its_function_is_not_known(rope: Driver) -> None:
    both = rope.window.store.both()
    assert both is not None
    bare = next(row for row in range(len(both[1])) if both[1].user_frame(row) is None)
    rope.window.frame.view.selectRow(Side.RIGHT, bare)
    rope.window.commands["anchorLastOfFunction"].trigger()
    assert "no Python stack" in rope.named("toastText", QLabel).text()


def find(driver: Driver, action: str) -> QDialog:
    driver.window.commands[action].trigger()
    return driver.named("finder", QDialog)


def test_the_finder_anchors_and_compares_at_once(rope: Driver) -> None:
    find(rope, "findLeft")
    rope.named("finderOp", QComboBox).setEditText("BatchMatMul")
    with rope.qtbot.waitSignal(rope.window.comparisonReady, timeout=20_000) as ready:
        rope.click("finderAnchorAndCompare")
    assert isinstance(ready.args[0], Comparison)
    assert all(lines_of(rope))


def test_filters_that_fit_nothing_on_the_other_side_are_cleared_and_named(rope: Driver) -> None:
    finder = find(rope, "findLeft")
    rope.named("finderFunction", QComboBox).setEditText("rotate_half")
    rope.named("finderOp", QComboBox).setEditText("Neg")
    rope.qtbot.mouseClick(rope.named("finderAnchorAndGoOn", QPushButton), Qt.MouseButton.LeftButton)
    assert rope.named("finderOp", QComboBox).currentText() == "Neg"
    assert rope.named("finderFunction", QComboBox).currentText() == ""
    told = rope.named("finderCleared", QLabel)
    assert told.isVisible()
    assert "rotate_half" in told.text()
    assert rope.named("finderRows", QListView).model().rowCount() > 0
    finder.close()


def test_what_is_typed_over_the_suggestions_goes_to_the_op_type(rope: Driver) -> None:
    type_anchor(rope, "leftAnchorEdit", 550)
    finder = find(rope, "findRight")
    likely = rope.named("finderCounterparts", QListView)
    assert likely.isVisible()
    tall = likely.sizeHintForRow(0) * likely.model().rowCount()
    assert likely.viewport().height() >= tall
    rope.qtbot.keyClicks(likely, "M")
    assert rope.named("finderOp", QComboBox).currentText() == "M"
    finder.close()


def test_bookkeeping_is_no_anchor(rope: Driver) -> None:
    type_anchor(rope, "rightAnchorEdit", 118)
    message = rope.named("rightAnchorEditMessage", QLabel)
    assert "HostDSActor is bookkeeping" in message.text()
    assert "121 StridedSlice" in message.text()
    assert rope.window.store.work.anchor(Side.RIGHT) is None


# Notes


def with_notes(comparison: Comparison, *notes: Note) -> Comparison:
    return replace(comparison, notes=notes)


def test_what_a_comparison_could_not_see_is_said_until_it_is_put_away(compared: Driver) -> None:
    window = compared.window
    bar = compared.named("comparisonNotes")
    assert not bar.isVisible()
    assert window.store.comparison is not None
    same = Note("same-file", Sentence.of("note.same-file"))
    stacks = Note("no-stacks", Sentence.of("note.no-stacks", side=Sentence.of("side.left")))
    made = with_notes(window.store.comparison, same, stacks)
    window.store.setComparison(made)
    text = compared.named("comparisonNotesText", QLabel)
    assert bar.isVisible()
    assert text.text() == "ℹ  Both sides are the same file"
    compared.click("comparisonNotesMore")
    assert "no Python stacks" in text.text()
    compared.click("comparisonNotesCloseButton")
    assert not bar.isVisible()
    window.store.setComparison(with_notes(made, same, stacks))
    assert not bar.isVisible()
    compared.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    window.store.setComparison(made)
    assert bar.isVisible()


def test_a_better_pair_is_offered_and_taken(rope: Driver) -> None:
    rope.anchor(547, 601)  # Concat of one layer against that of another
    rope.compare_up()
    window = rope.window
    comparison = window.store.comparison
    assert comparison is not None
    if comparison.anchor_hint is None:  # the engine's judgement is not the matter here
        hint = Note("anchor-hint", Sentence.of("note.same-file"), None, 180, 214, 16)
        window.store.setComparison(with_notes(comparison, hint))
    hint = window.store.comparison.anchor_hint  # type: ignore[union-attr]
    assert hint is not None
    assert window.commands["takeHint"].isEnabled()
    with rope.qtbot.waitSignal(window.comparisonReady, timeout=20_000) as ready:
        rope.click("takeHintButton")
    assert (ready.args[0].left.anchor, ready.args[0].right.anchor) == (
        hint.left_row,
        hint.right_row,
    )


# The row in view


@pytest.mark.parametrize("height", [620, 1000])
def test_resizing_keeps_the_current_row_in_view(compared: Driver, height: int) -> None:
    window = compared.window
    window.resize(1440, 820)
    pane = window.frame.view.leftPane
    comparison = window.store.comparison
    assert comparison is not None
    window.store.setCurrent(comparison.groups[1].members[0])
    row = pane.currentRow()
    assert row is not None
    window.resize(1440, height)
    QApplication.processEvents()
    y = pane.y_of(pane.column.height_of(row))
    assert 0 <= y <= pane.viewport().height() - pane.row_height


def test_resizing_keeps_the_anchor_in_view_after_comparing(compared: Driver) -> None:
    window = compared.window
    pane = window.frame.view.leftPane
    comparison = window.store.comparison
    assert comparison is not None
    for height in (640, 1100, 700):
        window.resize(1440, height)
        QApplication.processEvents()
        y = pane.y_of(pane.column.height_of(comparison.left.anchor or 0))
        assert pane.viewport().height() / 2 < y <= pane.viewport().height() - pane.row_height


def test_toggling_aligned_keeps_an_op_of_one_side_in_view(compared: Driver) -> None:
    window = compared.window
    comparison = window.store.comparison
    assert comparison is not None
    alone = next(group for group in comparison.groups if "Contiguous" in str(group.title))
    window.store.setCurrent(alone.members[len(alone.members) // 2])
    pane = window.frame.view.rightPane
    row = pane.currentRow()
    assert row is not None
    for _ in range(3):
        window.commands["alignRows"].trigger()
        y = pane.y_of(pane.column.height_of(row))
        assert 0 <= y <= pane.viewport().height() - pane.row_height


def test_places_in_the_finder_stand_below_one_another(driver: Driver, tmp_path: Path) -> None:
    names = ("Mul", "profiler::_record_function_enter_new", "aten::native_layer_norm_backward")
    lines = []
    for at, name in enumerate(names):
        lines.append(
            f"(%{at + 1}) = {name}(%{at}), task_info: {at}, attrs {{stream_id=0}} \n"
            f"    (Float32:[2, 24, 64]) <- (Float32:[4])\n    # File:/x/f.py;Line:1;Function:f|\n"
        )
    (tmp_path / "trace.ir").write_text("".join(lines))
    driver.open(tmp_path / "trace.ir", tmp_path / "trace.ir")
    trace = driver.window.store.trace(Side.LEFT)
    assert trace is not None
    places = {row_text(trace, row).find("f.py") for row in range(len(names))}
    assert len(places) == 1
