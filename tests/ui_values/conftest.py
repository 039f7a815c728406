from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot
from tests.ui_window.window_driving import Driver
from tests.values.recorded_runs import network

from opdiff.compare import Comparison
from opdiff.ui import MainWindow


@pytest.fixture
def driver(qtbot: QtBot, tmp_path: Path) -> Iterator[Driver]:
    """An empty window in English."""
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    store.setValue("language", "en")
    store.setValue("theme", "light")
    window = MainWindow(store)
    qtbot.addWidget(window)
    window.resize(1200, 800)
    window.show()
    qtbot.waitExposed(window)
    yield Driver(qtbot, window)
    window.close()


@pytest.fixture
def compared(driver: Driver, tmp_path: Path) -> tuple[Driver, Comparison]:
    """The window on two runs with values, one of them with a wrong kernel in its third layer."""
    left = network(layers=8).write(tmp_path, "left")
    right = network(layers=8, wrong="kernel").write(tmp_path, "right")
    driver.open(left, right)
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000) as ready:
        driver.click("compareWholeButton")
    return driver, ready.args[0]
