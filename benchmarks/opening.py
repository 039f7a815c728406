"""Time until two large traces can be looked at, against a plain editor that shows one of them."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QSettings, QTimer
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from benchmarks.generate import write_pair
from opdiff.ui import MainWindow
from opdiff.ui.launching import preload

LEAST = 200_000
"""What is smaller is there at once."""


def run(ops: list[int]) -> None:
    """Print the times for traces of so many ops."""
    app = QApplication.instance() or QApplication([])
    for count in (size for size in ops if size >= LEAST):
        with tempfile.TemporaryDirectory() as name:
            left, right = write_pair(Path(name), count)
            first, both = _window(left, right, Path(name))
            app.processEvents()
            editor = _editor(left)
            print(
                f"opening  {count:>9,} ops: first rows of both after {first:.2f} s, all of both"
                f" after {both:.2f} s; a plain editor shows one of them after {editor:.2f} s:"
                f" first rows in {first / editor:.0%} of its time"
            )


def _window(left: Path, right: Path, folder: Path) -> tuple[float, float]:
    """Seconds until the first rows of both sides are painted, and until all is there."""
    window = MainWindow(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
    window.tasks.cache = False
    window.resize(1440, 900)
    window.show()
    preload().join()
    QApplication.processEvents()
    loop, shown = QEventLoop(), list[float]()

    def painted() -> None:
        window.frame.view.repaint()
        shown.append(time.perf_counter() - began)

    # Behind what else hears of them: the panes have their rows by then.
    window.tasks.firstRows.connect(lambda *_: QTimer.singleShot(0, painted))
    window.tracesLoaded.connect(loop.quit)
    began = time.perf_counter()
    window.openTraces(left, right)
    loop.exec()
    everything = time.perf_counter() - began
    window.close()
    assert len(shown) == len((left, right)), "both sides show rows before all is read"
    return shown[-1], everything


def _editor(path: Path) -> float:
    began = time.perf_counter()
    editor = QPlainTextEdit()
    editor.resize(700, 700)
    editor.setPlainText(path.read_text("utf-8"))
    editor.show()
    editor.grab()
    return time.perf_counter() - began
