"""What the window remembers, and how it looks and speaks."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot
from window_driving import SAMPLES, Driver

from opdiff.ui import MainWindow
from opdiff.ui.differences.outline import Order
from opdiff.ui.look import theme
from opdiff.ui.settings import MOST_RECENT, Settings


def store_at(path: Path) -> QSettings:
    return QSettings(str(path), QSettings.Format.IniFormat)


def test_size_order_and_switches_come_back(
    driver: Driver, settings_file: Path, qtbot: QtBot
) -> None:
    window = driver.window
    window.resize(1111, 500)
    window.commands["foldEqual"].trigger()
    window.commands["zoomIn"].trigger()
    window.store.setOrder(Order.SEVERITY)
    window.close()
    again = MainWindow(store_at(settings_file))
    qtbot.addWidget(again)
    again.show()
    assert again.height() == window.height()
    assert not again.commands["foldEqual"].isChecked()
    assert again.store.outline.order is Order.SEVERITY
    assert again.appearance.zoom == 1
    assert again.frame.view.leftPane.row_height == window.frame.view.leftPane.row_height
    again.close()


def test_damaged_settings_do_no_harm(settings_file: Path, qtbot: QtBot) -> None:
    store = store_at(settings_file)
    for key in ("geometry", "body", "order", "zoom", "panes", "theme", "language", "recent"):
        store.setValue(key, "@rubbish, [1]")
    window = MainWindow(store)
    qtbot.addWidget(window)
    window.show()
    assert window.store.outline.order is Order.CAUSE
    assert window.settings.recent() == []
    window.close()


def test_recent_files_are_offered_the_latest_first(rope: Driver) -> None:
    combo = rope.named("leftTraceCombo", QComboBox)
    offered = [combo.itemText(index) for index in range(combo.count())]
    assert offered[0] == "rope/eager.ir"
    assert "rope/jit.ir" in offered


def test_recent_files_are_few_and_exist(tmp_path: Path) -> None:
    settings = Settings(store_at(tmp_path / "recent.ini"))
    for number in range(MOST_RECENT + 5):
        trace = tmp_path / f"{number}.ir"
        trace.touch()
        settings.add_recent(str(trace))
    recent = settings.recent()
    assert len(recent) == MOST_RECENT
    assert recent[0].endswith(f"{MOST_RECENT + 4}.ir")
    Path(recent[0]).unlink()
    assert len(settings.recent()) == MOST_RECENT - 1


def test_a_recent_file_can_be_chosen(rope: Driver) -> None:
    combo = rope.named("leftTraceCombo", QComboBox)
    place = combo.findText("rope/jit.ir")
    with rope.qtbot.waitSignal(rope.window.tracesLoaded, timeout=20_000):
        combo.activated.emit(place)
    both = rope.window.store.both()
    assert both is not None
    assert both[0].source.path == both[1].source.path == str(SAMPLES / "rope/jit.ir")


def test_the_language_changes_at_once(compared: Driver) -> None:
    window = compared.window
    window.commands["nextDifference"].trigger()
    button = compared.named("compareUpButton", QPushButton)
    assert "Compare upward" in button.text()
    window.commands["languageChinese"].trigger()
    compared.qtbot.waitUntil(lambda: "向上比较" in button.text())
    assert "锚点" in button.toolTip()
    assert "差异" in compared.named("differencePosition", QLabel).text()
    menus = [menu.title() for menu in window.menus.values()]
    assert all("\u4e00" <= title[0] <= "\u9fff" for title in menus)
    window.commands["languageEnglish"].trigger()
    compared.qtbot.waitUntil(lambda: "Compare upward" in button.text())
    assert compared.named("differencePosition", QLabel).text().startswith("difference 1 of")


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_the_theme_changes_at_once(compared: Driver, choice: str) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    compared.window.commands[f"theme{choice.capitalize()}"].trigger()
    assert theme.current().name == choice
    assert app.palette().window().color() == theme.THEMES[choice].panel
    assert compared.window.settings.text("theme", "") == choice


def test_troubles_of_a_file_are_listed_and_lead_to_the_op(driver: Driver, tmp_path: Path) -> None:
    text = (SAMPLES / "rope/eager.ir").read_text().splitlines(keepends=True)
    damaged = tmp_path / "damaged.ir"
    damaged.write_text("".join([*text[:30], "not a record at all\n", *text[30:]]))
    driver.open(damaged, SAMPLES / "rope/jit.ir")
    facts = driver.named("statusFacts", QLabel)
    assert "1 problems in the left file" in facts.text() or "1 problem" in facts.text()
    facts.linkActivated.emit("0")
    troubles = driver.named("troubleList")
    assert "line 31" in driver.window.findChild(object, "troubles").item(0).text()  # type: ignore[attr-defined]
    troubles.close()
