"""What is dropped is taken apart on the main thread, whoever allocates."""

from __future__ import annotations

import gc
import threading
import weakref

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from window_driving import Driver

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
