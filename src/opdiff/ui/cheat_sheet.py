"""All keys at a glance, made from the table of actions."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from opdiff.ui.actions import keys_text, plain, translated
from opdiff.ui.menus.spec import ActionSpec, MenuSpec
from opdiff.ui.plain_text import PlainLabel
from opdiff.ui.scrolled import fill_scrolled

COLUMNS = 3


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
        columns = [QVBoxLayout() for _ in range(COLUMNS)]
        heights = [0] * COLUMNS
        for menu in menus:
            shortest = heights.index(min(heights))
            columns[shortest].addLayout(self._block(translated(menu.title), menu.actions))
            heights[shortest] += len(menu.actions) + 2
        for column in columns:
            column.setSpacing(14)
            column.addStretch()
            row.addLayout(column)
        fill_scrolled(self, content)

    def _block(self, title: str, specs: Iterable[ActionSpec]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        heading = PlainLabel(plain(title))
        heading.setProperty("heading", True)
        grid.addWidget(heading, 0, 0, 1, 2)
        for number, spec in enumerate(specs, start=1):
            keys = PlainLabel(keys_text(spec))
            keys.setProperty("code", True)
            words = PlainLabel(plain(translated(spec.text)).rstrip("…"))
            words.setToolTip(translated(spec.tip))
            words.setProperty("dim", True)
            grid.addWidget(keys, number, 0)
            grid.addWidget(words, number, 1)
        return grid
