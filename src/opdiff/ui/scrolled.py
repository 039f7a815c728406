"""A dialog of words that scrolls where the screen, or larger text, leaves no room for all."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QFrame, QScrollArea, QVBoxLayout, QWidget

_AROUND = QSize(0, 48)
"""What the system puts around a window."""


def fill_scrolled(dialog: QDialog, content: QWidget) -> None:
    """Let *content*, which is complete, be all of a dialog: as large as it wants, if it can."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setWidget(content)
    area.setAccessibleName(dialog.windowTitle())
    column = QVBoxLayout(dialog)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(area)
    bar = area.verticalScrollBar().sizeHint().width()
    room = dialog.screen().availableSize() - _AROUND
    dialog.resize((content.sizeHint() + QSize(bar, 2)).boundedTo(room))
    area.setFocus()
