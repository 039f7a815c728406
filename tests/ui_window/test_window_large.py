"""A pair of 200,000 ops a side: opened, compared and walked without losing the thread."""

from __future__ import annotations

from pathlib import Path

from benchmarks.generate import write_pair
from PySide6.QtWidgets import QLabel, QTreeView
from window_driving import Driver

from opdiff.ui.differences.cards import card_of

OPS = 200_000


def test_a_large_pair_is_opened_compared_and_walked(driver: Driver, tmp_path: Path) -> None:
    window = driver.window
    window.tasks.cache = False  # that would be the user's own
    left, right = write_pair(tmp_path, OPS)
    with right.open("rb") as lines:
        right_ops = sum(1 for _ in lines) // 3
    with driver.qtbot.waitSignal(window.tracesLoaded, timeout=120_000):
        window.openTraces(left, right)
    assert f"200,000 ↔ {right_ops:,}" in driver.named("statusFacts", QLabel).text()
    driver.anchor(3 * OPS - 2, 3 * right_ops - 2)
    stages = []
    window.tasks.reported.connect(lambda stage, _: stages.append(stage))
    with driver.qtbot.waitSignal(window.comparisonReady, timeout=120_000) as ready:
        driver.click("compareUpButton")
    assert stages
    comparison = ready.args[0]
    assert comparison.matched > 0.99 * OPS
    assert len(comparison.divergences) > 5_000
    differences = driver.named("differenceList", QTreeView)
    walk = window.store.outline.walk
    driver.click("nextDifferenceButton")
    driver.click("nextDifferenceButton")
    assert card_of(differences.currentIndex()).divergence == walk[1] == window.store.current
    last = len(comparison.divergences) - 1
    window.store.setCurrent(last)
    assert card_of(differences.currentIndex()).divergence == last
    shown = differences.model().rowCount(differences.currentIndex().parent())
    assert shown < 300
