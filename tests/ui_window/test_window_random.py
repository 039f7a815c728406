"""Whatever is pressed in whatever order, the window goes on."""

from __future__ import annotations

import random

import pytest
from PySide6.QtWidgets import QDialog
from window_driving import Driver

from opdiff.ui.commands import handlers

ASKS_FOR_A_FILE = {
    "openLeft",
    "openRight",
    "openSession",
    "msprobeResult",
    "saveSession",
    "saveSessionAs",
    "export",
    "locateSource",
    "quit",
}
STEPS = 30


@pytest.mark.parametrize("seed", range(2))
def test_any_sequence_of_actions_does_no_harm(
    compared: Driver, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "open_in_editor", lambda *_: True)
    chance = random.Random(seed)
    window = compared.window
    names = sorted({spec.name for spec in window.commands.specs} - ASKS_FOR_A_FILE)
    for _ in range(STEPS):
        possible = [name for name in names if window.commands[name].isEnabled()]
        window.commands[chance.choice(possible)].trigger()
        if chance.random() < 0.3:
            rows = len(window.store.both()[chance.randrange(2)])  # type: ignore[index]
            window.frame.view.selectRow(chance.randrange(2), chance.randrange(min(rows, 200)))
        compared.qtbot.wait(0)
        for dialog in window.findChildren(QDialog):
            dialog.close()
    if window.tasks.running:
        with compared.qtbot.waitSignal(window.tasks.ended, timeout=20_000):
            pass
    assert window.store.both() is not None
    position = window.store.position()
    assert position is None or window.store.outline.walk[position] == window.store.current
