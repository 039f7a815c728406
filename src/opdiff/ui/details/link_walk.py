"""The links of a table by key: arrows go from one to the next, Enter follows."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QScrollArea

from opdiff.ui.details.cells import FieldCell
from opdiff.ui.details.field_grid import FieldGrid

_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_Left: -1,
}
_FOLLOWING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_MARGIN = 24
"""Pixels around a marked link's cell that are brought into view with it."""


class LinkWalk(QObject):
    """Marks one link of a table while the area that scrolls it has the focus."""

    def __init__(self, area: QScrollArea, table: FieldGrid) -> None:
        super().__init__(area)
        self._area = area
        self._table = table
        self._place = 0
        area.installEventFilter(self)

    def begin(self) -> None:
        """Start at the first link: the table shows another pair."""
        self._place = 0
        self.refresh()

    def refresh(self) -> None:
        """Mark again what was marked: the table was filled anew."""
        self._mark(self._area.hasFocus())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Walk, follow, and show where one is while there is the focus."""
        if event.type() == QEvent.Type.FocusIn:
            self._mark(True)
        elif event.type() == QEvent.Type.FocusOut:
            self._mark(False)
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            if plain and self._press(Qt.Key(event.key())):
                return True
        return super().eventFilter(watched, event)

    def _links(self) -> list[tuple[FieldCell, int]]:
        """All links that can be seen, row by row."""
        return [(cell, at) for cell in self._table.cells() for at in range(cell.link_count)]

    def _press(self, key: Qt.Key) -> bool:
        links = self._links()
        if not links:
            return False
        if key in _FOLLOWING:
            cell, at = links[min(self._place, len(links) - 1)]
            cell.follow(at)
            return True
        step = _STEPS.get(key)
        if step is None or not 0 <= self._place + step < len(links):
            return False  # scrolls, as ever
        self._place += step
        self._mark(True)
        return True

    def _mark(self, wanted: bool) -> None:
        links = self._links()
        place = min(self._place, len(links) - 1)
        for cell in self._table.cells():
            cell.mark(None)
        self._area.setAccessibleDescription("")
        if wanted and links:
            cell, at = links[place]
            cell.mark(at)
            self._area.setAccessibleDescription(cell.accessibleName())
            self._area.ensureWidgetVisible(cell, 0, _MARGIN)
