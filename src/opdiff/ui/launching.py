"""Starting the window: for a user, or for a picture of it."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import (
    QEventLoop,
    QMessageLogContext,
    QPoint,
    QSettings,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication

from opdiff.errors import OpdiffError
from opdiff.report.writing import refuse_to_overwrite, write_atomically
from opdiff.session.source_map import SourceMap
from opdiff.ui.differences.outline import Order
from opdiff.ui.files.opening import NOWHERE, Goto, Opening
from opdiff.ui.frame.crash import CrashCatcher
from opdiff.ui.main_window import MainWindow
from opdiff.ui.remembered import DEFAULT_SIZE
from opdiff.ui.work.export_dialog import packed
from opdiff.wording import Sentence, say

MODULES = ("networkx", "pygments.lexers.python", "rapidfuzz.fuzz")
TROUBLE = 2
SETTLING_MS = 200
"""What is laid out and drawn a moment later (graphs, links) is in the picture too."""


def preload() -> threading.Thread:
    """Import them on a thread that nobody waits for; who needs one of them first, imports it."""
    thread = threading.Thread(target=_import_all, name="preloading", daemon=True)
    thread.start()
    return thread


def _import_all() -> None:
    for name in MODULES:
        importlib.import_module(name)


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start: what to open, how it looks, and whether only a picture is wanted."""

    opening: Opening | None = None
    session: Path | None = None
    language: str | None = None
    theme: str | None = None
    picture: Path | None = None
    size: tuple[int, int] | None = None
    scale: int = 1
    sources: SourceMap = field(default_factory=SourceMap)
    goto: Goto = NOWHERE
    """The difference of a session to stand at; that of an opening is its own."""
    order: str | None = None
    """In which the differences are listed, this time."""
    cache: bool = True
    """Whether large traces that were read before are not read again."""

    @property
    def named_files(self) -> list[Path]:
        """The files to read that the user named."""
        opening = self.opening
        traces = [*opening.paths.values()] if opening is not None else []
        rules = opening.rules_path if opening is not None else None
        return [*traces, *(path for path in (rules, self.session) if path is not None)]


def launch(wanted: Launch) -> int:
    """Start, and return the exit status."""
    qInstallMessageHandler(_hear_qt)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("opdiff")
    app.setDesktopFileName("opdiff")
    if wanted.picture is not None:
        return _take_picture(wanted, wanted.picture)
    # Qt's loop never lets Python hear of Ctrl+C in the terminal; the autosave keeps the work.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    window = MainWindow()
    CrashCatcher(window)
    _dress(window, wanted)
    window.show()
    window.sessions.start_autosave()
    QTimer.singleShot(0, preload)
    _open(window, wanted)
    return app.exec()


def _take_picture(wanted: Launch, file: Path) -> int:
    refuse_to_overwrite(file, wanted.named_files)
    with tempfile.TemporaryDirectory() as folder:
        # Not the user's own settings: a picture shows the same on every machine.
        settings = QSettings(str(Path(folder, "opdiff.ini")), QSettings.Format.IniFormat)
        window = MainWindow(settings)
        window.hints.stop()
        _dress(window, wanted)
        if wanted.size is None:
            window.resize(DEFAULT_SIZE)  # whatever screen there is
        else:
            # Exactly so large, even where a user could not make the window so small.
            window.setFixedSize(*wanted.size)
        window.show()
        window.frame.reset_layout()  # it was made for the size of whatever screen there is
        error = _settle(window, wanted)
        if error is not None:
            window.close()
            raise error
        picture = QPixmap(window.size() * wanted.scale)
        picture.setDevicePixelRatio(wanted.scale)
        window.render(picture, QPoint())
        reads: list[str | Path] = [*window.sessions.files_read(), *wanted.named_files]
        window.close()
    refuse_to_overwrite(file, reads)
    content = packed(picture.toImage(), file.suffix[1:] or "png")
    if not content:
        raise OpdiffError(Sentence.of("window.not-written"), path=str(file))
    write_atomically(file, content)
    return 0


def _settle(window: MainWindow, wanted: Launch) -> OpdiffError | None:
    """Wait until everything asked for is on the screen; the error where it cannot be."""
    errors: list[OpdiffError] = []
    loop = QEventLoop()
    window.failed.connect(errors.append)
    window.failed.connect(loop.quit)
    window.opener.settled.connect(loop.quit)
    window.comparisonReady.connect(loop.quit)
    window.ranksView.compared.connect(loop.quit)
    window.crashed.connect(lambda text: errors.append(_internal(text)))
    window.crashed.connect(loop.quit)
    if _open(window, wanted) and not errors:  # some are told at once
        loop.exec()
    if not errors:
        QTimer.singleShot(SETTLING_MS, loop.quit)
        loop.exec()
    return errors[0] if errors else None


def _internal(text: str) -> OpdiffError:
    return OpdiffError(Sentence.of("cli.internal", reason=text.strip().rpartition("\n")[2]))


def _dress(window: MainWindow, wanted: Launch) -> None:
    window.appearance.override(wanted.language, wanted.theme)
    window.sources.setMap(wanted.sources)
    if wanted.order is not None:
        window.remembered.order_this_time(Order(wanted.order))
    window.tasks.cache = window.tasks.values.cache = wanted.cache
    if wanted.size is not None:
        window.resize(*wanted.size)


def _open(window: MainWindow, wanted: Launch) -> bool:
    """Open what is to be opened; False where there is nothing to wait for."""
    if wanted.session is not None:
        window.openSession(wanted.session)
        window.sharing.go_when_ready(wanted.goto)
        return True
    if wanted.opening is not None:
        window.open(wanted.opening)
        return True
    return False


def _hear_qt(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
    """Qt aborts where it finds no way to draw: say what to install instead of dumping core."""
    if kind == QtMsgType.QtFatalMsg:
        reason = text.strip().partition("\n")[0]
        sentence = Sentence.of("window.no-platform", reason=reason)
        sys.stderr.write(f"opdiff: {say(sentence)}\n")
        sys.stderr.flush()
        os._exit(TROUBLE)
    elif os.environ.get("OPDIFF_TRACEBACK"):
        sys.stderr.write(f"{text}\n")
