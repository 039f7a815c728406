"""All keys at a glance, made from the table of actions."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QWidget

from opdiff.ui.actions import keys_text, plain, translated
from opdiff.ui.menus.spec import ActionSpec, MenuSpec
from opdiff.ui.plain_text import PlainLabel
from opdiff.ui.scrolled import fill_scrolled

COLUMNS = 3
_BETWEEN_BLOCKS = 10


class CheatSheet(QDialog):
    """One block a menu: the keys and what they do. Esc closes it."""

    def __init__(self, menus: Iterable[MenuSpec], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("cheatSheet")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Keys"))
        content = QWidget()
        row = QHBoxLayout(content)
        row.setContentsMargins(24, 20, 24, 24)
        row.setSpacing(36)
        columns = [QGridLayout() for _ in range(COLUMNS)]
        heights = [0] * COLUMNS
        for menu in menus:
            shortest = heights.index(min(heights))
            _add_block(columns[shortest], translated(menu.title), menu.actions)
            heights[shortest] += len(menu.actions) + 2
        for column in columns:
            column.setHorizontalSpacing(16)
            column.setVerticalSpacing(4)
            column.setColumnStretch(1, 1)
            column.setRowStretch(column.rowCount(), 1)
            row.addLayout(column)
        fill_scrolled(self, content)


def _add_block(grid: QGridLayout, title: str, specs: Iterable[ActionSpec]) -> None:
    """A menu below what stands in a column already: keys under keys, words under words."""
    first = grid.rowCount() + 1
    if grid.count():
        grid.setRowMinimumHeight(first - 1, _BETWEEN_BLOCKS)
    heading = PlainLabel(plain(title))
    heading.setProperty("heading", True)
    grid.addWidget(heading, first, 0, 1, 2)
    for number, spec in enumerate(specs, start=first + 1):
        keys = PlainLabel(keys_text(spec))
        keys.setProperty("code", True)
        words = PlainLabel(plain(translated(spec.text)).rstrip("…"))
        words.setToolTip(translated(spec.tip))
        words.setProperty("dim", True)
        grid.addWidget(keys, number, 0)
        grid.addWidget(words, number, 1)
