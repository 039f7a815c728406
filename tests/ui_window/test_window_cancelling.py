from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from window_driving import Driver

from opdiff.compare import compare as real_compare
from opdiff.progress import Progress
from opdiff.ui import tasks


class SlowCompare:
    """A comparison that waits until the test lets it go on."""

    def __init__(self, *, heeds_cancel: bool) -> None:
        self.started = threading.Event()
        self.go_on = threading.Event()
        self.heeds_cancel = heeds_cancel

    def __call__(
        self, left: Any, right: Any, request: Any, progress: Progress, _held: Any = None
    ) -> Any:
        progress.linked(np.array([5], np.int32), np.array([6], np.int32))
        progress.report("aligning", 1, 4)
        self.started.set()
        assert self.go_on.wait(20)
        if self.heeds_cancel:
            progress.report("aligning", 2, 4)
        return real_compare(left, right, request)


def hint(driver: Driver) -> str:
    return driver.named("differenceList").accessibleDescription()


@pytest.fixture(params=[True, False], ids=["stops", "finishes late"])
def slow(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> SlowCompare:
    slow = SlowCompare(heeds_cancel=request.param)
    monkeypatch.setattr(tasks, "compare", slow)
    return slow


def test_progress_and_early_links_are_shown(rope: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SlowCompare(heeds_cancel=True)
    monkeypatch.setattr(tasks, "compare", slow)
    rope.anchor(550, 649)
    with rope.qtbot.waitSignal(rope.window.tasks.linked, timeout=20_000) as linked:
        rope.click("compareUpButton")
    assert [rows.tolist() for rows in linked.args] == [[5], [6]]
    assert rope.named("progressBar").isVisible()
    assert rope.named("cancelButton").isVisible()
    rope.qtbot.waitUntil(lambda: "25 %" in hint(rope), timeout=20_000)
    assert hint(rope).startswith("Comparing… aligning 25 %\n")
    rope.window.commands["languageChinese"].trigger()
    rope.window.frame.setProgress("values", 250)
    assert hint(rope).startswith("正在比较… 处理数值中 25 %\n")
    assert rope.named("progressBar").value() == 250  # type: ignore[attr-defined]
    assert not rope.named("compareUpButton").isEnabled()
    with rope.qtbot.waitSignal(rope.window.comparisonReady, timeout=20_000):
        slow.go_on.set()
    assert not rope.named("progressBar").isVisible()


def test_the_result_of_a_cancelled_run_is_dropped(rope: Driver, slow: SlowCompare) -> None:
    ready: list[object] = []
    rope.window.comparisonReady.connect(ready.append)
    rope.anchor(550, 649)
    with rope.qtbot.waitSignal(rope.window.tasks.reported, timeout=20_000):
        rope.click("compareUpButton")
    assert slow.started.is_set()
    rope.click("cancelButton")
    assert not rope.window.tasks.running
    assert not rope.named("cancelButton").isVisible()
    slow.go_on.set()
    rope.window.tasks.wait()
    rope.qtbot.wait(0)
    assert ready == []
    assert rope.window.store.comparison is None


def test_cancelling_brings_back_what_was_compared_before(
    compared: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = compared.window.store.comparison
    compared.window.store.setCurrent(3)
    slow = SlowCompare(heeds_cancel=True)
    monkeypatch.setattr(tasks, "compare", slow)
    with compared.qtbot.waitSignal(compared.window.tasks.reported, timeout=20_000):
        compared.click("compareDownButton")
    compared.click("cancelButton")
    assert compared.window.store.comparison is before
    assert compared.window.store.current == 3
    slow.go_on.set()


def test_closing_the_window_waits_for_no_one(rope: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SlowCompare(heeds_cancel=True)
    monkeypatch.setattr(tasks, "compare", slow)
    rope.anchor(550, 649)
    with rope.qtbot.waitSignal(rope.window.tasks.reported, timeout=20_000):
        rope.click("compareUpButton")
    slow.go_on.set()
    assert rope.window.close()
    assert not rope.window.tasks.running
