"""Pointing at rows of a pane."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from opdiff.ui.panes import ComparisonView, TracePane


def current_pair(view: ComparisonView) -> tuple[int | None, int | None]:
    """The current row of each side."""
    return view.leftPane.currentRow(), view.rightPane.currentRow()


def middle_of(pane: TracePane, row: int) -> QPoint:
    """The middle of a row, in the viewport."""
    y = pane.y_of(pane.column.height_of(row)) + pane.row_height // 2
    return QPoint(pane.viewport().width() // 2, y)


def click(
    qtbot: QtBot,
    pane: TracePane,
    row: int,
    modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    """Click a row that is in view."""
    qtbot.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, modifier, middle_of(pane, row))


def picture_of(widget: QWidget) -> QImage:
    """What a widget looks like, a pixel a pixel."""
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    image.fill(QColor("magenta"))
    widget.render(image)
    return image
