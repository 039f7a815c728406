"""Widgets below and beside each other."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QSplitter, QVBoxLayout, QWidget

BoxPart = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
"""What stands in a box, perhaps with its stretch; a number is an empty stretch."""
Margins = tuple[int, int, int, int]
NONE: Margins = (0, 0, 0, 0)
BoxT = TypeVar("BoxT", bound=QBoxLayout)


def in_column(
    parent: QWidget | None,
    *parts: BoxPart,
    margins: Margins | None = None,
    spacing: int | None = None,
) -> QVBoxLayout:
    """Parts below each other; margins and spacing are the style's where none are given."""
    return _filled(
        QVBoxLayout() if parent is None else QVBoxLayout(parent), parts, margins, spacing
    )


def in_row(
    parent: QWidget | None,
    *parts: BoxPart,
    margins: Margins | None = None,
    spacing: int | None = None,
) -> QHBoxLayout:
    """Parts beside each other, else as in a column."""
    return _filled(
        QHBoxLayout() if parent is None else QHBoxLayout(parent), parts, margins, spacing
    )


def divided(
    orientation: Qt.Orientation, *parts: tuple[QWidget, int], sizes: list[int] | None = None
) -> QSplitter:
    """Widgets, each with its stretch, between which the user can drag a hairline."""
    splitter = QSplitter(orientation)
    for place, (part, stretch) in enumerate(parts):
        splitter.addWidget(part)
        splitter.setStretchFactor(place, stretch)
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(1)
    if sizes is not None:
        splitter.setSizes(sizes)
    return splitter


def _filled(
    box: BoxT, parts: tuple[BoxPart, ...], margins: Margins | None, spacing: int | None
) -> BoxT:
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for each in parts:
        part, stretch = each if isinstance(each, tuple) else (each, 0)
        if isinstance(part, int):
            box.addStretch(part)
        elif isinstance(part, QLayout):
            box.addLayout(part, stretch)
        else:
            box.addWidget(part, stretch)
    return box
