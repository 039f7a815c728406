"""What msprobe's own compare flagged, as marks on the rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from opdiff.errors import OpdiffError
from opdiff.msprobe.results import read_flags
from opdiff.report.flags import NO_FLAGS, ToolFlags
from opdiff.ui.look.language import spoken
from opdiff.ui.main_thread import aside
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

TOPIC = "msprobe"


class MsprobeMarks(QObject):
    """Reads such a table for the open traces, and marks what it flagged."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._notice = window.frame.notice
        window.store.traceChanged.connect(self._forget)
        window.opener.flagsWanted.connect(self.try_open)

    def ask_and_open(self) -> None:
        """Let the user choose a table."""
        title = self.tr("Open msprobe's result")
        kinds = self.tr("Tables (*.csv *.csv.gz *.xlsx);;All files (*)")
        path, _ = QFileDialog.getOpenFileName(self._window, title, "", kinds)
        if path:
            self.try_open(Path(path))

    def try_open(self, path: Path) -> None:
        """Mark what a table flagged, or say why that is impossible."""
        both = self._window.store.both()
        if both is None:
            return
        try:
            flags = aside(lambda: read_flags(path, *both))
        except OpdiffError as error:
            self._window.showError(error)
            return
        if self._window.store.both() == both:  # and not others by now
            self._show(flags)

    def _show(self, flags: ToolFlags) -> None:
        self._window.store.flags = flags
        self._window.frame.view.setFlags(flags)
        self._notice.tell(TOPIC, lambda: "\n".join(spoken(sentence) for sentence in _told(flags)))

    def _forget(self) -> None:
        if self._window.store.flags:
            self._window.store.flags = NO_FLAGS
            self._window.frame.view.setFlags(NO_FLAGS)
        self._notice.end(TOPIC)


def _told(flags: ToolFlags) -> list[Sentence]:
    ops = len({(flag.left, flag.right) for flag in flags})
    name, count = Path(flags.path).name, len(flags.flags)
    told = [Sentence.of("flags.marked", flags=count, ops=ops, file=name)]
    if flags.unfound:
        told.append(Sentence.of("flags.unfound", count=flags.unfound))
    return told
