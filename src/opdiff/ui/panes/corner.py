"""The empty stretches of the header, above the link strip and the overview."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from opdiff.ui.theme import Theme


class Corner(QWidget):
    """A piece of header that says nothing."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def setTheme(self, theme: Theme) -> None:
        """Paint in other colours."""
        self._theme = theme
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Fill it, with the border that the strip below it has."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.panel)
        painter.fillRect(0, 0, 1, self.height(), self._theme.line)
        painter.fillRect(self.width() - 1, 0, 1, self.height(), self._theme.line)
        painter.end()
