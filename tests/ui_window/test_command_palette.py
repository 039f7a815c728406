"""Everything found by a few letters; the legend; hints that go away; samples in the menu."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from window_driving import SAMPLES, Driver

from opdiff.compare import Kind, Side
from opdiff.readers import open_trace
from opdiff.ui import MainWindow
from opdiff.ui.commands.command_palette import CommandPalette, PaletteEntry, functions_of, matching
from opdiff.ui.guide.help_sheets import Legend
from opdiff.ui.look.language import kind_name

CTRL = Qt.KeyboardModifier.ControlModifier


def open_palette(driver: Driver) -> CommandPalette:
    for palette in driver.window.findChildren(CommandPalette):
        palette.close()
    driver.window.frame.view.leftPane.setFocus()
    driver.press(Qt.Key.Key_P, CTRL)
    shown = [each for each in driver.window.findChildren(CommandPalette) if each.isVisible()]
    assert len(shown) == 1
    return shown[0]


def found(palette: CommandPalette) -> list[str]:
    items = [palette.list.topLevelItem(row) for row in range(palette.list.topLevelItemCount())]
    return [item.text(0) for item in items if item is not None]


def ask(driver: Driver, text: str) -> CommandPalette:
    palette = open_palette(driver)
    driver.qtbot.keyClicks(palette.edit, text)
    return palette


def test_an_action_is_found_with_its_key_and_done(compared: Driver) -> None:
    palette = ask(compared, "hide noise")
    assert found(palette)[0] == "Hide noise"
    item = palette.list.topLevelItem(0)
    assert item is not None
    assert item.text(1) == "Ctrl+H"
    before = compared.window.commands["hideNoise"].isChecked()
    compared.qtbot.keyClick(palette.edit, Qt.Key.Key_Return)
    assert compared.window.commands["hideNoise"].isChecked() != before
    assert not compared.window.findChildren(CommandPalette) or not palette.isVisible()


def test_all_rows_are_as_high_as_their_style_wants(compared: Driver) -> None:
    palette = open_palette(compared)
    first = palette.list.topLevelItem(0)
    assert first is not None
    assert palette.list.visualItemRect(first).height() == palette.list.sizeHintForRow(0)


def test_words_may_be_mistyped_or_those_of_the_explanation(compared: Driver) -> None:
    assert "Compare upward" in found(ask(compared, "comapre upwrd"))[:5]
    assert "Hide noise" in found(ask(compared, "bookkeeping"))[:3]


def test_the_legend_is_found_as_one(compared: Driver) -> None:
    assert found(ask(compared, "legend"))[0] == "Signs and colours"


def test_only_what_is_possible_is_offered(driver: Driver) -> None:
    offered = found(open_palette(driver))
    assert "Next difference" not in offered
    assert "Open left" in offered


def test_an_op_is_gone_to_by_its_line(compared: Driver) -> None:
    palette = ask(compared, "517")
    assert found(palette)[0] == "517 Slice"
    compared.qtbot.keyClick(palette.edit, Qt.Key.Key_Return)
    assert compared.lines()[0] == 517
    palette = ask(compared, "R613")
    assert found(palette)[0] == "613 StridedSlice"
    palette.close()


def test_a_function_is_gone_to(compared: Driver) -> None:
    palette = ask(compared, "rotate_half")
    assert found(palette)[0] == "rotate_half()"
    palette.choose()
    trace = compared.window.store.trace(Side.LEFT)
    row = compared.window.frame.view.leftPane.currentRow()
    assert trace is not None
    assert row is not None
    frame = trace.user_frame(row)
    assert frame is not None
    assert frame.function == "rotate_half"


def test_a_function_is_found_by_its_file(compared: Driver) -> None:
    assert "apply_rotary_pos_emb()" in found(ask(compared, "rotary.py"))


def test_what_nothing_is_called_is_looked_for_in_the_traces(compared: Driver) -> None:
    """The list was empty, and said nothing."""
    palette = ask(compared, "zzMul")
    assert found(palette) == ["Search the traces for zzMul"]
    compared.qtbot.keyClick(palette.edit, Qt.Key.Key_Return)
    field = compared.window.frame.top.search
    assert field.text() == "zzMul"
    assert compared.window.focusWidget() is field


def test_without_traces_it_says_that_it_finds_nothing(driver: Driver) -> None:
    palette = ask(driver, "zzMul")
    assert found(palette) == ["Nothing is called so"]
    driver.qtbot.keyClick(palette.edit, Qt.Key.Key_Return)
    assert not palette.isVisible()


def test_a_group_is_gone_to_by_the_arrows(compared: Driver) -> None:
    palette = ask(compared, "stridedslice")
    titles = found(palette)
    place = next(n for n, title in enumerate(titles) if title == "≠ Slice → StridedSlice")
    for _ in range(place):
        compared.qtbot.keyClick(palette.edit, Qt.Key.Key_Down)
    compared.qtbot.keyClick(palette.edit, Qt.Key.Key_Return)
    divergence = compared.window.store.current_divergence
    assert divergence is not None
    assert divergence.kind is Kind.OP_TYPE


def test_escape_closes_and_does_nothing(compared: Driver) -> None:
    before = compared.lines()
    palette = ask(compared, "517")
    compared.qtbot.keyClick(palette, Qt.Key.Key_Escape)
    assert not palette.isVisible()
    assert compared.lines() == before


def test_what_is_found_is_ordered_by_likeness() -> None:
    entries = [PaletteEntry(text, lambda: None) for text in ("Copy row", "Row copy", "Nothing")]
    assert [each.text for each in matching(entries, "row")] == ["Row copy", "Copy row"]
    assert [each.text for each in matching(entries, "copy row")] == ["Copy row", "Row copy"]
    assert matching(entries, "zzzz") == []
    assert len(matching(entries, "  ")) == 3


def test_each_function_is_found_once_at_its_first_op() -> None:
    trace = open_trace(SAMPLES / "rope/eager.ir")
    functions = {name: row for name, _, (_, row) in functions_of(trace, Side.LEFT)}
    for name, row in functions.items():
        frames = [trace.user_frame(each) for each in range(len(trace))]
        first = next(n for n, f in enumerate(frames) if f is not None and f.function == name)
        assert first == row or name == "construct"
    assert "apply_rotary_pos_emb" in functions


def test_the_legend_names_every_kind(driver: Driver) -> None:
    driver.press(Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    legend = driver.named("legend", Legend)
    texts = [label.text() for label in legend.findChildren(QLabel)]
    for kind in Kind:
        assert kind_name(kind) in texts
    assert all(text for text in texts)
    heading, first = legend.findChildren(QLabel)[:2]
    assert first.y() - heading.geometry().bottom() < 24, "the heading stands over its lines"
    legend.close()


def test_a_sample_is_opened_from_the_help_menu(compared: Driver) -> None:
    menu = compared.window.menus["help"].findChild(QWidget, "samplesMenu")
    assert menu is not None
    action = next(a for a in menu.actions() if a.text().startswith("vocab: eager"))
    with compared.qtbot.waitSignal(compared.window.comparisonReady, timeout=20_000):
        action.trigger()
    assert "vocab" in compared.window.windowTitle()


@pytest.fixture
def beginner(qtbot: QtBot, tmp_path: Path) -> Iterator[Driver]:
    """A window that somebody sees for the first time."""
    store = QSettings(str(tmp_path / "new.ini"), QSettings.Format.IniFormat)
    store.setValue("language", "en")
    window = MainWindow(store)
    window.resize(1440, 900)
    qtbot.addWidget(window)
    window.show()
    yield Driver(qtbot, window)
    window.close()


def hint(driver: Driver) -> str:
    line = driver.named("hintNotice", QWidget)
    text = line.findChild(QLabel, "hintNoticeText")
    assert text is not None
    return text.text() if line.isVisible() else ""


def test_each_hint_goes_away_once_it_was_followed(beginner: Driver) -> None:
    assert hint(beginner) == ""
    beginner.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    assert "press A" in hint(beginner)
    beginner.anchor(550, 649)
    assert "F5" in hint(beginner)
    beginner.compare_up()
    assert hint(beginner).startswith("N goes")
    beginner.window.commands["nextDifference"].trigger()
    assert hint(beginner) == ""
    beginner.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    assert hint(beginner) == "", "and it never comes back"


def test_the_hint_to_anchor_yields_to_a_counterpart_that_is_offered(beginner: Driver) -> None:
    beginner.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    with beginner.qtbot.waitSignal(beginner.window.suggesting.offered, timeout=20_000):
        beginner.window.store.setAnchor(Side.LEFT, 180)
        assert "press A" in hint(beginner), "nothing is offered yet"
    assert "one that is only offered" in hint(beginner)
    beginner.window.store.setAnchor(Side.LEFT, None)
    assert hint(beginner) == "", "there is nothing to compare from, and it was followed"


def test_hints_can_be_done_without(beginner: Driver) -> None:
    beginner.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    button = beginner.named("hintNotice", QWidget).findChild(QPushButton, "hintNoticeButton")
    assert button is not None
    assert button.text() == "No more hints"
    beginner.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert hint(beginner) == ""
    beginner.anchor(550, 649)
    beginner.compare_up()
    assert hint(beginner) == ""


def test_the_focus_is_not_in_a_text_field_at_first(beginner: Driver) -> None:
    assert beginner.window.focusWidget() is beginner.window.frame
