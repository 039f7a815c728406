"""Trouble told in the window itself: the file, the line, what to do; to copy and to close."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QPushButton, QWidget

from opdiff.errors import OpdiffError
from opdiff.ui import theme
from opdiff.ui.boxes import in_row
from opdiff.ui.language import Retranslating
from opdiff.ui.plain_text import PlainLabel
from opdiff.ui.translations import language


class Banner(Retranslating, QWidget):
    """Says one error at a time, in the window's language, until it is closed or mended."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("errorBanner")
        self._error: OpdiffError | None = None
        self._text = theme.styled(PlainLabel(wrap=True), "error", name="errorText")
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._choice = theme.styled(QComboBox(), name="errorChoice")
        self._choice.activated.connect(self._choose)
        self._choose_entry: Callable[[int], object] | None = None
        self._copy = theme.styled(QPushButton(), name="errorCopyButton")
        self._copy.clicked.connect(self._copy_text)
        self._close = theme.styled(QPushButton("×"), name="errorCloseButton")
        self._close.clicked.connect(self.clear)
        in_row(self, (self._text, 1), self._choice, self._copy, self._close, margins=(14, 6, 14, 6))
        self.retranslate()
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    def show_error(self, error: OpdiffError) -> None:
        """Tell of an error."""
        self._error = error
        self._choice.hide()
        self._copy.show()
        self.retranslate()
        self.show()

    def show_choice(
        self, error: OpdiffError, entries: Sequence[str], choose: Callable[[int], object]
    ) -> None:
        """Tell of an error that choosing one of some entries mends."""
        self.show_error(error)
        self._choice.clear()
        self._choice.addItems(list(entries))
        self._choice.setCurrentIndex(-1)
        self._choose_entry = choose
        self._copy.hide()
        self._choice.show()
        self._choice.setFocus()

    def clear(self) -> None:
        """Nothing is wrong any more."""
        self._error = None
        self._choose_entry = None
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Stand out a little."""
        colours = theme.current()
        QPainter(self).fillRect(event.rect(), theme.blend(colours.error, colours.background, 0.08))

    def retranslate(self) -> None:
        """Say everything again."""
        self._choice.setPlaceholderText(self.tr("Choose…"))
        self._choice.setAccessibleName(self.tr("Choose…"))
        self._copy.setText(self.tr("Copy"))
        self._copy.setToolTip(self.tr("Copy this message"))
        self._close.setToolTip(self.tr("Close this message"))
        self._close.setAccessibleName(self.tr("Close this message"))
        if self._error is not None:
            self._text.setText(self._error.text(language()))
            self._text.setAccessibleName(self._text.text())

    def _choose(self, index: int) -> None:
        choose = self._choose_entry
        if choose is not None:
            self.clear()
            choose(index)

    def _copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self._text.text())
