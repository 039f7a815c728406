from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from window_driving import Driver

from opdiff.ui.commands import handlers
from opdiff.ui.details import DetailView


def test_a_source_that_no_editor_opens_is_told(
    driver: Driver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened: list[tuple[str, int]] = []
    answers = [True, False]

    def open_in_editor(file: str, line: int) -> bool:
        opened.append((file, line))
        return answers.pop(0)

    monkeypatch.setattr(handlers, "open_in_editor", open_in_editor)
    details = driver.named("detailView", DetailView)
    banner = driver.named("errorText", QLabel)
    file = str(tmp_path / "model.py")
    Path(file).touch()
    details.openSource.emit(file, 7)
    assert banner.text() == ""
    details.openSource.emit(file, 8)
    assert opened == [(file, 7), (file, 8)]
    assert banner.text().startswith(f"{file}:8: no editor could be started")
    assert "{file}:{line}" in banner.text()
