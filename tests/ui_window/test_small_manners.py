"""Small things: plurals, thousands, room at the edges, what is over and what is new."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.patterns import chain
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF, QTextDocumentFragment
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QMenu, QPushButton
from window_driving import SAMPLES, Driver

from opdiff.compare import Kind, Request, Side, compare
from opdiff.ui.commands.menus import MENUS
from opdiff.ui.details.field_grid import FieldCell
from opdiff.ui.frame.messages import Offer, Toast
from opdiff.ui.look import theme
from opdiff.ui.look.fonts import code_font


@pytest.mark.parametrize("menu", MENUS, ids=lambda menu: menu.name)
def test_no_two_entries_of_a_menu_have_the_same_letter(menu: object) -> None:
    letters: dict[tuple[str, str], str] = {}
    for spec in menu.actions:  # type: ignore[attr-defined]
        found = re.search("&(.)", spec.text)
        if found is not None:
            place = (spec.group, found[1].lower())
            assert place not in letters, (spec.text, letters[place])
            letters[place] = spec.text


def test_one_op_is_no_ops(driver: Driver) -> None:
    runs = SAMPLES / "real/training"
    driver.open(runs / "right/step_2.ir.gz", runs / "wrong/step_2.ir.gz")
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.click("compareWholeButton")
    pane = driver.window.frame.view.leftPane
    texts = [pane._fold_text(index) for index in range(len(pane.column.folds))]
    assert any("1 equal op · 5 differ in value only" in text for text in texts), texts


def test_thousands_of_groups_are_counted_readably(driver: Driver) -> None:
    names = [f"Op{at}" for at in range(2200)]
    others = [f"Other{at}" if at % 2 else name for at, name in enumerate(names)]
    left, right = chain(names, "left"), chain(others, "right")
    store = driver.window.store
    store.setTrace(Side.LEFT, left)
    store.setTrace(Side.RIGHT, right)
    store.setComparison(compare(left, right, Request()))
    store.setCurrent(0)
    place = driver.named("differencePosition", QLabel)
    driver.qtbot.waitUntil(lambda: place.text() == "difference 1 of 1,100 · group 1 of 1,100")


def test_a_toast_goes_with_what_it_offers_to_undo(compared: Driver) -> None:
    window = compared.window
    window.commands["nextDifference"].trigger()
    with compared.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
        window.commands["ignoreType"].trigger()
    toast = window.toast
    assert isinstance(toast, Toast)
    assert toast.text.startswith("Ignored everywhere")
    window.commands["undo"].trigger()
    assert toast.text == ""


def test_facts_that_do_not_fit_are_told_by_a_sign(compared: Driver) -> None:
    facts = compared.named("statusFacts", QLabel)
    compared.window.resize(1600, 800)
    assert "…" not in facts.text()
    assert facts.toolTip() == ""
    whole = facts.text()
    compared.window.frame.status.resize(500, 30)
    assert facts.text().endswith("…")
    assert facts.toolTip() == whole
    assert facts.sizeHint().width() <= facts.width()


def test_kinds_that_were_hidden_are_shown_of_other_traces(compared: Driver) -> None:
    compared.click("kind-op-type")
    assert compared.window.store.work.hidden_kinds == {Kind.OP_TYPE}
    compared.open(Path(SAMPLES, "vocab/eager.ir"), Path(SAMPLES, "vocab/jit.ir"))
    assert not compared.window.store.work.hidden_kinds
    compared.anchor(34, 49)
    compared.compare_up()
    assert compared.named("kind-op-type", QPushButton).isChecked()


@pytest.mark.parametrize("offers", [False, True])
def test_a_toast_covers_no_row_of_the_panes(compared: Driver, offers: bool) -> None:
    window = compared.window
    toast, status = window.toast, window.frame.status
    toast.tell("This is a root.", [Offer("Undo", "Undo", lambda: None)] if offers else [])
    view = window.frame.view
    assert toast.y() > view.mapTo(window.frame, QPoint(0, view.height())).y()
    assert toast.geometry().bottom() < status.y()
    words = compared.named("toastText", QLabel).geometry()
    assert words.left() == 14
    assert offers or words.right() == toast.width() - 1 - 14


def test_no_hint_leads_to_a_difference_where_there_is_none(
    driver: Driver, settings_file: Path
) -> None:
    driver.window.settings.put("hintsDone", "")
    driver.open(SAMPLES / "identical/first.ir", SAMPLES / "identical/second.ir")
    hint = driver.window.frame.hint
    assert hint.topic == "hint-anchor"
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.click("compareWholeButton")
    assert hint.topic == ""


def test_what_is_wrong_at_a_field_goes_with_a_click_elsewhere(rope: Driver) -> None:
    rope.click("compareUpButton")
    message = rope.named("leftAnchorEditMessage", QLabel)
    assert message.isVisible()
    pane = rope.window.frame.view.leftPane.viewport()
    rope.qtbot.mouseClick(pane, Qt.MouseButton.LeftButton, pos=QPoint(60, 60))
    assert message.isHidden()


@pytest.mark.parametrize("worn", [theme.LIGHT, theme.DARK])
def test_what_enter_does_in_a_dialog_is_seen(compared: Driver, worn: theme.Theme) -> None:
    compared.window.appearance.choose_theme(worn.name)
    compared.qtbot.waitUntil(compared.window.updatesEnabled)
    compared.window.commands["export"].trigger()
    dialog = compared.named("exportDialog", QDialog)
    default = next(each for each in dialog.findChildren(QPushButton) if each.isDefault())
    seen = default.grab().toImage()
    assert seen.pixelColor(8, seen.height() // 2).name() == worn.accent.name()
    dialog.reject()


def test_a_link_that_is_longer_than_its_cell_is_cut_and_told_whole(driver: Driver) -> None:
    name = "FusedAttentionWithRotaryPositionsAndBiasAndDropoutAndResidual"
    left, right = (chain([name] * 3, side) for side in ("left", "right"))
    window, store = driver.window, driver.window.store
    store.setTrace(Side.LEFT, left)
    store.setTrace(Side.RIGHT, right)
    store.setComparison(compare(left, right, Request()))
    window.resize(960, 504)
    window.frame.view.selectRow(Side.LEFT, 1)

    def cells() -> list[FieldCell]:
        found = window.frame.details.findChildren(FieldCell)
        return [cell for cell in found if "from" in cell.accessibleName()]

    driver.qtbot.waitUntil(lambda: bool(cells()))
    cell = cells()[0]

    def said() -> str:
        text = QTextDocumentFragment.fromHtml(cell.text()).toPlainText()
        return text.replace("\u00a0", " ").removeprefix("from ")

    driver.qtbot.waitUntil(lambda: "…" in said())
    assert QFontMetricsF(code_font()).horizontalAdvance(said()) <= cell.contentsRect().width()
    assert said().endswith("1"), "the line of the op is seen"
    cell.linkHovered.emit("0")
    assert cell.toolTip() == f"{name} 1"
    window.resize(2600, 900)
    driver.qtbot.waitUntil(lambda: f"{name} 1" in said())
    cell.linkHovered.emit("0")
    assert cell.toolTip() == ""


@pytest.mark.parametrize(
    ("key", "modifier"),
    [
        (Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier),
        (Qt.Key.Key_Menu, Qt.KeyboardModifier.NoModifier),
    ],
    ids=["Shift+F10", "the menu key"],
)
def test_the_menu_of_the_details_opens_by_key(
    compared: Driver, key: Qt.Key, modifier: Qt.KeyboardModifier
) -> None:
    compared.window.commands["nextDifference"].trigger()
    compared.press(Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    compared.press(key, modifier)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == ["Copy details"]
    menu.actions()[0].trigger()
    menu.close()
    assert QApplication.clipboard().text() == compared.window.frame.details.plainText()
