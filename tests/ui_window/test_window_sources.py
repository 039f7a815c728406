from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel
from window_driving import Driver

from opdiff.ui import commands
from opdiff.ui.details import DetailView


def test_a_source_that_no_editor_opens_is_told(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[tuple[str, int]] = []
    answers = [True, False]

    def open_in_editor(file: str, line: int) -> bool:
        opened.append((file, line))
        return answers.pop(0)

    monkeypatch.setattr(commands, "open_in_editor", open_in_editor)
    details = driver.named("detailView", DetailView)
    banner = driver.named("errorText", QLabel)
    details.openSource.emit("/model.py", 7)
    assert banner.text() == ""
    details.openSource.emit("/model.py", 8)
    assert opened == [("/model.py", 7), ("/model.py", 8)]
    assert banner.text().startswith("/model.py:8: no editor could be started")
    assert "{file}:{line}" in banner.text()
