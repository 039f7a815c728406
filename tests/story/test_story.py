"""The story by mouse alone and by keyboard alone: off screen, and on a display of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot
from tests.story.story import NOTE, REPORT, ROOT, SESSION, ByKeyboard, ByMouse, Told, lay_out

from opdiff.ui import MainWindow


@pytest.mark.parametrize(("hand", "written"), [(ByMouse, "Slice"), (ByKeyboard, NOTE)])
def test_the_whole_story(
    qtbot: QtBot,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    hand: type[Told],
    written: str,
) -> None:
    lay_out(tmp_path)
    monkeypatch.chdir(tmp_path)
    store = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
    for key, value in (("language", "en"), ("theme", "light")):
        store.setValue(key, value)
    window = MainWindow(store)
    window.resize(1366, 768)
    qtbot.addWidget(window)
    window.show()
    chapters: list[str] = []
    hand(window, tmp_path, chapters.append).tell()
    assert chapters[-1] == "saved"
    assert written in (tmp_path / REPORT).read_text(encoding="utf-8")
    assert written in (tmp_path / SESSION).read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="needs Debian's xvfb")
@pytest.mark.parametrize("hand", ["mouse", "keyboard"])
def test_the_story_in_a_window_of_the_system(hand: str) -> None:
    command = ["xvfb-run", "-a", sys.executable, "-m", "tests.story", hand]
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb"}
    ran = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"{hand}: saved" in ran.stdout
