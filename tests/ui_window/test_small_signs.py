"""Small signs of what was done and what can be done: chips, ignored ops, pins, messages."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from window_driving import SAMPLES, Driver

from opdiff.compare import Kind
from opdiff.ui.commands.menus import ALL_ACTIONS
from opdiff.ui.frame.filter_bar import CHIPS
from opdiff.ui.look.plain_text import ElidedLabel


@pytest.fixture
def many_kinds(rope: Driver) -> Driver:
    """A pair that differs in six ways: anchored a layer off."""
    rope.anchor(547, 601)
    rope.compare_up()
    return rope


def chips_of(driver: Driver) -> list[QPushButton]:
    chips = [driver.named(f"kind-{kinds[0]}", QPushButton) for kinds in CHIPS]
    return [chip for chip in chips if chip.isVisible()]


def settle(driver: Driver, width: int) -> None:
    driver.window.setFixedSize(width, 700)
    for _ in range(5):
        QApplication.processEvents()


def rest_of(driver: Driver) -> list[QAction]:
    rest = driver.named("kindRest", QPushButton)
    menu = rest.menu()
    return menu.actions() if rest.isVisible() and menu is not None else []


@pytest.mark.parametrize("width", [2000, 1440, 1366, 1024])
def test_every_chip_reads_whole_in_one_line(many_kinds: Driver, width: int) -> None:
    settle(many_kinds, width)
    bar = many_kinds.named("kindFilter")
    chips = chips_of(many_kinds)
    seen = [*chips, many_kinds.named("kindRest", QPushButton)] if rest_of(many_kinds) else chips
    assert sum(chip.isEnabled() for chip in chips) + len(rest_of(many_kinds)) == 6
    assert (not rest_of(many_kinds)) == (width == 2000)
    assert len({chip.y() for chip in seen}) == 1
    assert all(chip.x() + chip.width() <= bar.width() for chip in seen)
    assert all(chip.width() >= chip.sizeHint().width() for chip in seen)
    assert all(any(map(str.isalpha, chip.text())) for chip in chips), "no sign without its word"
    assert all("found" in chip.toolTip() and "Right click" in chip.toolTip() for chip in chips)


def test_what_does_not_occur_is_left_out_first(driver: Driver) -> None:
    driver.open(SAMPLES / "vocab/eager.ir", SAMPLES / "vocab/jit.ir")
    driver.anchor(34, 49)
    driver.compare_up()
    bar, seen = driver.window.frame.filters.kinds, set()
    for width in range(600, 200, -20):
        bar.setFixedWidth(width)
        QApplication.processEvents()
        empty = [chip for chip in chips_of(driver) if not chip.isEnabled()]
        assert not (empty and rest_of(driver))
        seen.add((bool(empty), bool(rest_of(driver))))
    assert seen == {(True, False), (False, False), (False, True)}


def test_what_may_change_values_is_left_out_last(many_kinds: Driver) -> None:
    settle(many_kinds, 1366)
    shown = {chip.objectName() for chip in chips_of(many_kinds)}
    assert {"kind-dataflow", "kind-only-left"} <= shown, "all suspects are of these kinds"
    assert any(
        "Contiguous" in action.text() or "moved" in action.text() for action in rest_of(many_kinds)
    )


def test_chips_without_room_are_in_a_menu(many_kinds: Driver) -> None:
    many_kinds.window.frame.filters.kinds.setFixedWidth(150)
    for _ in range(5):
        QApplication.processEvents()
    rest_of(many_kinds)[-1].trigger()
    assert len(many_kinds.window.store.work.hidden_kinds) in (1, 2)


def test_the_line_of_chips_is_as_high_without_any(rope: Driver) -> None:
    before = rope.named("kindFilter").height()
    rope.anchor(547, 601)
    rope.compare_up()
    QApplication.processEvents()
    assert rope.named("kindFilter").height() == before


def test_nothing_beside_the_counter_moves_in_a_walk(compared: Driver) -> None:
    label, button = compared.named("differencePosition"), compared.named("nextDifferenceButton")
    seen: set[tuple[int, int]] = set()
    for index in (0, 8, 9, 40, 87):
        store = compared.window.store
        store.setCurrent(int(store.outline.walk[index]))
        QApplication.processEvents()
        seen.add((label.x(), button.x()))
    assert len(seen) == 1


def ignore_slice(driver: Driver) -> None:
    store = driver.window.store
    comparison = store.comparison
    assert comparison is not None
    first = next(i for i, d in enumerate(comparison.divergences) if d.kind is Kind.OP_TYPE)
    store.setCurrent(first)
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.window.commands["ignoreType"].trigger()


def test_ignored_ops_leave_a_trace_in_the_status_line(compared: Driver) -> None:
    facts = compared.named("statusFacts", QLabel)
    assert "ignored" not in facts.text()
    ignore_slice(compared)
    assert "ignored" in facts.text()
    show = compared.window.commands["showSwallowed"]
    facts.linkActivated.emit("ignored")
    assert show.isChecked()
    assert ">hide</a>" in facts.text()


def test_ignoring_says_so_with_a_button_that_takes_it_back(compared: Driver) -> None:
    before = compared.window.store.work.request.rules
    ignore_slice(compared)
    assert "Ignored everywhere" in compared.named("toastText", QLabel).text()
    button = compared.named("toastUndoButton", QPushButton)
    assert button.isVisible()
    compared.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert compared.window.store.work.request.rules == before
    assert not compared.named("toast").isVisible()


def test_the_button_takes_nothing_else_back(compared: Driver) -> None:
    ignore_slice(compared)
    store = compared.window.store
    compared.window.commands["hideKnown"].trigger()
    work = store.work
    compared.qtbot.mouseClick(
        compared.named("toastUndoButton", QPushButton), Qt.MouseButton.LeftButton
    )
    assert store.work == work


def test_very_ops_that_are_ignored_are_counted(compared: Driver) -> None:
    with compared.qtbot.waitSignal(compared.window.comparisonReady, timeout=20_000):
        compared.window.commands["ignoreOp"].trigger()
    assert compared.named("toastText", QLabel).text() == "Ops ignored: 1"


def test_escape_ends_a_pin_that_was_begun(compared: Driver) -> None:
    compared.window.frame.view.leftPane.setFocus()
    compared.window.frame.view.selectRow(0, 30)
    compared.press(Qt.Key.Key_M)
    notice = compared.named("notice")
    assert notice.isVisible()
    assert "Esc" in compared.named("noticeText", QLabel).text()
    compared.press(Qt.Key.Key_Escape)
    assert not notice.isVisible()
    assert not compared.window.commands["pinMatch"].isEnabled()
    assert not compared.window.commands["cancel"].isEnabled()


def test_the_source_column_has_a_heading(driver: Driver) -> None:
    driver.window.resize(1600, 900)
    driver.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    header = driver.named("leftPaneHeader", QWidget)
    image = header.grab().toImage()
    spans = driver.window.frame.view.leftPane.spans()
    column = range(int(spans.origin[0]), int(spans.origin[0]) + 40)
    middle = range(4, header.height() - 4)
    inks = {image.pixelColor(x, y).name() for x in column for y in middle}
    assert len(inks) > 1


def test_no_two_actions_share_a_key() -> None:
    keys = [key for spec in ALL_ACTIONS for key in spec.keys]
    assert sorted(keys) == sorted(set(keys))


def test_the_links_of_the_details_are_followed_by_key(compared: Driver) -> None:
    window = compared.window
    compared.press(Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    area = window.focusWidget()
    assert area is not None
    assert compared.named("detailView").isAncestorOf(area)
    before = window.frame.details.shown.rows
    for _ in range(4):  # past the innermost frame, and the rest of the stack, of both sides
        compared.press(Qt.Key.Key_Down)
    compared.press(Qt.Key.Key_Return)
    assert window.frame.details.shown.rows != before


def test_the_place_in_the_walk_is_not_cut_by_wider_digits(compared: Driver) -> None:
    label = compared.named("differencePosition", ElidedLabel)
    store = compared.window.store
    cut = []
    for index in store.outline.walk.tolist():
        store.setCurrent(index)
        QApplication.processEvents()
        if label.text() != label.wholeText():
            cut.append(label.wholeText())
    assert not cut
