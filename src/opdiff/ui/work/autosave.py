"""Autosave while the window is open, and restoring what a crash left behind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QObject, QThreadPool, QTimer
from PySide6.QtWidgets import QMessageBox

from opdiff.errors import OpdiffError
from opdiff.session import read_session
from opdiff.session.recovery import ORIGIN, Recovery, forget
from opdiff.ui.look.plain_text import tip
from opdiff.ui.look.theme import styled
from opdiff.ui.translations import language

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow
    from opdiff.ui.work.sessions import Sessions

_PAUSE_MS = 1500
"""After the last of several quick decisions."""


def _try(save: Callable[[], None]) -> None:
    # A full disk, a trace that is gone: the user learns of it on saving; work goes on.
    with suppress(OpdiffError):
        save()


class Autosave(QObject):
    """Keeps a copy of the work in the user's state folder while the window is open."""

    def __init__(self, window: MainWindow, sessions: Sessions, folder: Path | None = None) -> None:
        super().__init__(window)
        self._window = window
        self._sessions = sessions
        self._recovery = Recovery(folder)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.save_now)
        window.store.workChanged.connect(self._pause.start)

    def save_now(self) -> None:
        """Save a copy; there is none where nothing has changed since the work was saved."""
        both = self._window.store.both()
        if both is None:
            return
        if not self._sessions.changed:
            self._pool.waitForDone()
            self._recovery.discard()
            return
        sessions, work = self._sessions, self._window.store.work
        view, values = sessions.view(), self._window.tasks.values.choice
        # Away from the main thread: the first time, large traces are read for their digest.
        left, right = both
        save = partial(self._recovery.save, work, left, right, view, sessions.path, values)
        self._pool.start(partial(_try, save))

    def wait(self) -> None:
        """Return when the copy is on disk."""
        self._pool.waitForDone()

    def close(self) -> None:
        """A clean end: nothing is left to restore."""
        self._pause.stop()
        self._pool.waitForDone()
        self._recovery.close()

    def offer(self) -> QMessageBox | None:
        """Offer to restore what was left behind, if there is anything."""
        copies = self._recovery.left_behind()
        if not copies:
            return None
        box = styled(QMessageBox(self._window), name="restoreBox")
        box.setIcon(QMessageBox.Icon.Question)
        box.setWindowTitle(self.tr("Restore?"))
        box.setText(self.tr("opdiff ended unexpectedly. Restore the work that was not saved?"))
        box.setInformativeText(tip(self._about(copies)))
        restore = box.addButton(self.tr("Restore"), QMessageBox.ButtonRole.AcceptRole)
        discard = box.addButton(self.tr("Discard"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(self.tr("Later"), QMessageBox.ButtonRole.RejectRole)
        restore.setObjectName("restoreButton")
        discard.setObjectName("discardButton")
        restore.clicked.connect(lambda: self._restore(copies))
        discard.clicked.connect(lambda: _forget_all(copies))
        box.open()
        return box

    def _about(self, copies: list[Path]) -> str:
        """Which traces the latest copy is of, and when it was made."""
        try:
            session = read_session(copies[0])
            made = QDateTime.fromSecsSinceEpoch(int(copies[0].stat().st_mtime))
        except (OpdiffError, OSError):
            return ""  # restoring it says why
        traces = f"{session.left.path}\n{session.right.path}"
        when = QLocale(language()).toString(made, QLocale.FormatType.ShortFormat)
        said = [traces, self.tr("Last changed {when}.").format(when=when)]
        if len(copies) > 1:
            said.append(self.tr("Older copies that go with it: %n", "", len(copies) - 1))
        return "\n".join(said)

    def _restore(self, copies: list[Path]) -> None:
        """Open the latest copy; once that is done it and what is older may go."""
        try:
            origin = read_session(copies[0]).view.get(ORIGIN)
            document = Path(origin) if isinstance(origin, str) else None
            self._sessions.open_copy(copies[0], document, lambda: _forget_all(copies))
        except OpdiffError as error:
            self._window.showError(error)


def _forget_all(copies: list[Path]) -> None:
    for copy in copies:
        forget(copy)
