from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot
from window_driving import SAMPLES, Driver

from opdiff.ui import MainWindow
from opdiff.ui.translations import install_language


@pytest.fixture
def settings_file(tmp_path: Path) -> Path:
    """Where the settings of the test's windows are kept, instead of the user's own."""
    return tmp_path / "settings.ini"


@pytest.fixture
def window(
    qtbot: QtBot, settings_file: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MainWindow]:
    """An empty window in English, with settings of its own."""
    store = QSettings(str(settings_file), QSettings.Format.IniFormat)
    store.setValue("language", "en")
    store.setValue("theme", "light")
    store.setValue("hintsDone", "anchor compare walk")
    window = MainWindow(store)
    window.resize(1440, 900)  # whatever screen there is
    # Nobody is there to answer whether to save.
    monkeypatch.setattr(
        window.sessions, "ask_whether_to_save", lambda: QMessageBox.StandardButton.Discard
    )
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    yield window
    window.close()
    app = QApplication.instance()
    assert app is not None
    install_language(app, "en")


@pytest.fixture
def driver(qtbot: QtBot, window: MainWindow) -> Driver:
    """The window by its stable names."""
    return Driver(qtbot, window)


@pytest.fixture
def rope(driver: Driver) -> Driver:
    """The window on the rope sample, not compared yet."""
    driver.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    return driver


@pytest.fixture
def compared(rope: Driver) -> Driver:
    """The window on the rope sample, compared upward."""
    rope.anchor(550, 649)
    rope.compare_up()
    return rope
