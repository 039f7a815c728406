"""What is dropped is taken apart on the main thread, whoever allocates."""

from __future__ import annotations

import gc
import threading
import weakref

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from window_driving import SAMPLES, Driver

from opdiff.compare import Side
from opdiff.ui.collecting import Collector


class Dropped:
    """Part of a circle that only the collector can take apart, and knows where that happens."""

    def __init__(self, where: list[int]) -> None:
        self.me = self
        weakref.finalize(self, lambda: where.append(threading.get_ident()))


def test_threads_collect_nothing_while_there_is_a_window(qtbot: QtBot) -> None:
    owner = QObject()
    collector = Collector(owner)
    where: list[int] = []
    Dropped(where)

    def allocate() -> None:
        kept = [[number] for number in range(50_000)]
        del kept

    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert where == []
    kept = [[number] for number in range(5_000)]
    collector.collect()
    assert len(kept) == 5_000
    assert where == [threading.get_ident()]
    with qtbot.waitSignal(collector.destroyed):
        owner.deleteLater()


def test_python_collects_again_when_the_last_window_is_gone(qtbot: QtBot) -> None:
    before = gc.isenabled()
    first, second = QObject(), QObject()
    collectors = Collector(first), Collector(second)
    assert not gc.isenabled()
    for owner, collector in zip((first, second), collectors, strict=True):
        with qtbot.waitSignal(collector.destroyed):
            owner.deleteLater()
    assert gc.isenabled() == before


def test_a_window_that_closes_leaves_no_thread_at_work(rope: Driver) -> None:
    rope.window.close()
    assert rope.window.frame.structures._waiting == []


def test_traces_that_are_no_longer_shown_are_freed(driver: Driver) -> None:
    driver.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    both = driver.window.desk.both()
    assert both is not None
    seen = [weakref.ref(trace) for trace in both]
    del both
    for row in range(60):  # a counterpart is looked for each time, while this thread is busy too
        driver.window.desk.setAnchor(Side.LEFT, row)
        sum(number * number for number in range(10_000))
    driver.window.suggesting.wait()
    for _ in range(2):
        driver.open(SAMPLES / "vocab/eager.ir", SAMPLES / "vocab/jit.ir")
        driver.window.desk.setAnchor(Side.LEFT, 1)
        driver.window.suggesting.wait()
    gc.collect()
    assert [trace() for trace in seen] == [None, None]
