"""What no code foresaw: caught, shown with a way to copy it, and the window lives on."""

from __future__ import annotations

import sys
import traceback
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QPlainTextEdit, QPushButton, QWidget

from opdiff import __version__
from opdiff.ui.frame.boxes import in_column
from opdiff.ui.frame.dialog import Dialog
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.look.theme import styled

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow


class CrashDialog(Dialog):
    """Shows a traceback, for a report; what was open stays open."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__("crashDialog", parent)
        self.setWindowTitle(self.tr("Something went wrong"))
        words = PlainLabel(
            self.tr(
                "opdiff met something it was not made for. Nothing is lost: close this and go on.\n"
                "Please copy the text below into a report."
            )
        )
        self._text = QPlainTextEdit(f"opdiff {__version__}, Python {sys.version}\n\n{text}")
        self._text.setReadOnly(True)
        self._text.setProperty("code", True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = styled(QPushButton(self.tr("Copy")), name="crashCopyButton")
        copy.clicked.connect(self._copy)
        buttons.addButton(copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.close)
        in_column(self, words, self._text, buttons)
        self.resize(720, 420)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text.toPlainText())


class CrashCatcher(QObject):
    """Takes the place of Python's hook for uncaught exceptions while it is installed."""

    caught = Signal(str)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._before = sys.excepthook
        # Queued from whatever thread raised; dialogs belong to the main one.
        self.caught.connect(window.showCrash)
        sys.excepthook = self._catch

    def _catch(
        self, kind: type[BaseException], error: BaseException, place: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            self._before(kind, error, place)
            return
        text = "".join(traceback.format_exception(kind, error, place))
        sys.stderr.write(text)
        self.caught.emit(text)
