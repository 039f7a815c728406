"""The longest stall of the event loop while two large traces are read and compared."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QElapsedTimer, QEventLoop, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from benchmarks.generate import write_pair
from opdiff.compare import Direction
from opdiff.ui import MainWindow

STAGES = ("reading", "comparing")
LARGEST = 200_000


def run(ops: list[int]) -> None:
    """Print the longest stall for traces of so many ops."""
    for count in (size for size in ops if size <= LARGEST):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for stage, (stall, seconds) in measure(*write_pair(folder, count), folder).items():
                print(
                    f"stalls {count:>9,} ops: {stage} took {seconds:.2f} s, the window was never"
                    f" held up longer than {stall.pause} ms, nor by itself than {stall.work:.0f} ms"
                )


class Stall(NamedTuple):
    """Milliseconds: how long the loop did not turn, and the most it computed itself in one turn.

    The rest of the first is waiting, for the interpreter's lock or for a processor: on a machine
    that is busy with something else it says little.
    """

    pause: int
    work: float


class Heart:
    """A timer that should beat every few milliseconds, and remembers its longest pauses."""

    def __init__(self) -> None:
        self._clock = QElapsedTimer()
        self._timer = QTimer()
        self._timer.setInterval(2)
        self._timer.timeout.connect(self._beat)
        self._worked = 0.0
        self.longest = 0
        self.longest_work = 0.0

    def start(self) -> None:
        """Beat from now on."""
        self.longest, self.longest_work = 0, 0.0
        self._worked = time.thread_time()
        self._clock.start()
        self._timer.start()

    def stop(self) -> Stall:
        """The longest pause since the start."""
        self._beat()
        self._timer.stop()
        return Stall(self.longest, self.longest_work * 1000)

    def _beat(self) -> None:
        worked = time.thread_time()
        self.longest = max(self.longest, self._clock.restart())
        self.longest_work = max(self.longest_work, worked - self._worked)
        self._worked = worked


def measure(left: Path, right: Path, folder: Path) -> dict[str, tuple[Stall, float]]:
    """The longest stall, and the seconds taken, of each stage."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QCoreApplication)
    window = MainWindow(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    window.resize(1440, 900)
    window.show()
    app.processEvents()
    heart = Heart()
    measured = {}
    for stage in STAGES:
        loop = QEventLoop()
        began = time.perf_counter()
        # Asked for from within the loop, so that nothing before it counts as a stall.
        if stage == "reading":
            window.tracesLoaded.connect(loop.quit)
            QTimer.singleShot(0, lambda: window.openTraces(left, right))
        else:
            window.comparisonReady.connect(loop.quit)
            QTimer.singleShot(0, lambda: window.compare(Direction.WHOLE))
        heart.start()
        loop.exec()
        # What was laid out and painted because of the result counts too.
        app.processEvents()
        measured[stage] = (heart.stop(), time.perf_counter() - began)
    window.close()
    return measured
