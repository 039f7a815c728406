"""The longest stall of the event loop while two large traces are read, compared and worked on."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import (
    QCoreApplication,
    QElapsedTimer,
    QEvent,
    QEventLoop,
    QSettings,
    QTimer,
    SignalInstance,
)
from PySide6.QtWidgets import QApplication, QDialog

from benchmarks.generate import write_pair
from opdiff.compare import Direction, Kind, Side
from opdiff.ui import MainWindow
from opdiff.ui.commands.command_palette import CommandPalette
from opdiff.ui.launching import preload
from opdiff.ui.work.export_dialog import export

SETTLING_MS = 400


def run(ops: list[int]) -> None:
    """Print the longest stall for traces of so many ops."""
    for count in ops:
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
    window.tasks.cache = False
    window.resize(1440, 900)
    window.show()
    preload()
    app.processEvents()
    measured = {
        stage: _stage(begin, until) for stage, begin, until in _stages(window, left, right, folder)
    }
    window.close()
    # What is left of it would be dressed anew with the next window.
    window.deleteLater()
    app.sendPostedEvents(window, QEvent.Type.DeferredDelete.value)
    return measured


def _stages(
    window: MainWindow, left: Path, right: Path, folder: Path
) -> Iterator[tuple[str, Callable[[], object], SignalInstance | None]]:
    """What is done, how it begins, and what tells that it has ended where that is not at once."""
    session = folder / "work.opdiff"
    yield "reading", lambda: window.openTraces(left, right), window.tracesLoaded
    yield (
        "offering an anchor",
        lambda: window.store.setAnchor(Side.LEFT, 100),
        window.suggesting.offered,
    )
    window.store.setAnchor(Side.LEFT, None)
    yield "comparing", lambda: window.compare(Direction.WHOLE), window.comparisonReady
    for name in ("nextDifference", "nextGroup", "nextRoot", "nearestFirst", "hideKnown"):
        yield name, window.commands[name].trigger, None
    hidden = replace(window.store.work, hidden_kinds=frozenset(set(Kind) - {Kind.OP_TYPE}))
    yield "showing one kind", lambda: window.store.setWork(hidden), None
    window.store.setWork(replace(hidden, hidden_kinds=frozenset(), known_hidden=False))
    yield "saving", lambda: window.sessions.save_to(session), None
    for theme in ("dark", "light"):
        yield f"turning {theme}", partial(window.appearance.choose_theme, theme), None
    for language in ("zh", "en"):
        speak = partial(window.appearance.choose_language, language)
        yield f"speaking {language}", speak, None
    for step in (1, 0):
        yield f"zooming to {step}", partial(window.appearance.choose_zoom, step), None
    yield "searching", lambda: window.frame.top.search.setText("Mat"), None
    yield "palette", window.commands["palette"].trigger, None
    [palette] = window.findChildren(CommandPalette)
    yield "asking the palette", lambda: palette.edit.setText("rot"), None
    palette.close()
    for name in ("showStructure", "goSummary", "findLeft", "marks", "notes", "rules", "export"):
        yield name, window.commands[name].trigger, None
    for dialog in window.findChildren(QDialog):
        dialog.close()
    summary = window.frame.structure.table
    yield "showing one layer", lambda: summary.chosen.emit(0, 0), None
    yield "showing all layers", window.frame.structure.show_all, None
    for kind in ("csv", "png"):
        path = folder / f"report.{kind}"
        view = window.frame.view
        yield (
            f"exporting {kind}",
            lambda kind=kind, path=path, view=view: export(
                window.store, view, kind, path, only_shown=False
            ),
            None,
        )
    yield "reloading", window.reloading.reload, window.comparisonReady
    # Under another name the digest is made anew.
    copy = folder / f"copy-{left.name}"
    left.rename(copy)
    session.write_text(session.read_text().replace(left.name, copy.name))
    yield "opening a session", lambda: window.openSession(session), window.comparisonReady


def _stage(begin: Callable[[], object], until: SignalInstance | None) -> tuple[Stall, float]:
    loop, heart = QEventLoop(), Heart()
    # Asked for from within the loop, so that nothing before it counts as a stall.
    QTimer.singleShot(0, begin)
    began = time.perf_counter()
    heart.start()
    if until is not None:
        until.connect(loop.quit)
        loop.exec()
        until.disconnect(loop.quit)
    took = time.perf_counter() - began
    # What is laid out and painted because of it, at once or a moment later, counts too.
    QTimer.singleShot(SETTLING_MS, loop.quit)
    loop.exec()
    return heart.stop(), took if until is not None else time.perf_counter() - began
