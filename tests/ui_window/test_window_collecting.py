"""What is dropped is taken apart on the main thread, whoever allocates."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, QSettings, QTimer
from pytestqt.qtbot import QtBot
from window_driving import SAMPLES, Driver

from opdiff.compare import Side
from opdiff.ui import MainWindow
from opdiff.ui.main_thread import COLLECTOR, collect_due
from opdiff.uncollected import uncollected


class Dropped:
    """Part of a circle that only the collector can take apart, and knows where that happens."""

    def __init__(self, where: list[int]) -> None:
        self.me = self
        weakref.finalize(self, lambda: where.append(threading.get_ident()))


def test_threads_collect_nothing_where_there_are_windows(rope: Driver) -> None:
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
    collect_due()
    assert len(kept) == 5_000
    assert where == [threading.get_ident()]


def test_nothing_is_collected_while_a_thread_makes_very_many_objects(rope: Driver) -> None:
    where: list[int] = []
    begun, end = threading.Event(), threading.Event()

    def compare() -> None:
        with uncollected():
            begun.set()
            end.wait()

    thread = threading.Thread(target=compare)
    thread.start()
    begun.wait()
    Dropped(where)
    kept = [[number] for number in range(5_000)]
    collect_due()
    assert where == []
    end.set()
    thread.join()
    collect_due()
    assert len(kept) == 5_000
    assert where == [threading.get_ident()]


def another(settings: Path) -> MainWindow:
    return MainWindow(QSettings(str(settings), QSettings.Format.IniFormat))


def test_nothing_is_collected_while_a_window_is_taken_apart(
    qtbot: QtBot, settings_file: Path
) -> None:
    # Qt holds locks meanwhile, for which widgets among the garbage would wait for ever.
    window = another(settings_file)
    collecting: list[bool] = []
    last = QObject(window)  # children go in the order in which they came
    last.destroyed.connect(lambda: collecting.append(gc.isenabled()))
    with qtbot.waitSignal(last.destroyed):
        window.deleteLater()
    assert collecting == [False]


def test_several_windows_collect_once(qtbot: QtBot, settings_file: Path) -> None:
    app = QCoreApplication.instance()
    assert app is not None
    for _ in range(2):
        qtbot.addWidget(another(settings_file))
    assert len(app.findChildren(QTimer, COLLECTOR)) == 1


def test_a_window_that_closes_leaves_no_thread_at_work(rope: Driver) -> None:
    rope.window.close()
    assert rope.window.frame.structures._waiting == []


def test_traces_that_are_no_longer_shown_are_freed(driver: Driver) -> None:
    driver.open(SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir")
    both = driver.window.store.both()
    assert both is not None
    seen = [weakref.ref(trace) for trace in both]
    del both
    for row in range(60):  # a counterpart is looked for each time, while this thread is busy too
        driver.window.store.setAnchor(Side.LEFT, row)
        sum(number * number for number in range(10_000))
    driver.window.suggesting.wait()
    for _ in range(2):
        driver.open(SAMPLES / "vocab/eager.ir", SAMPLES / "vocab/jit.ir")
        driver.window.store.setAnchor(Side.LEFT, 1)
        driver.window.suggesting.wait()
    gc.collect()
    assert [trace() for trace in seen] == [None, None]
