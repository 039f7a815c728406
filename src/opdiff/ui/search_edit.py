"""The search field: what to look for, how many there are, and which one is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit

from opdiff.ui.language import Speaking
from opdiff.ui.plain_text import PlainLabel
from opdiff.ui.theme import styled

TYPING_PAUSE_MS = 180


class SearchEdit(Speaking, QLineEdit):
    """Signals: ``searched(text)`` once typing pauses, ``stepped(1 or -1)`` on (Shift+)Enter.

    ``left()`` on Esc.
    """

    searched = Signal(str)
    stepped = Signal(int)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("searchEdit")
        self.setClearButtonEnabled(True)
        self._count = styled(PlainLabel(parent=self), "dim", "small", name="searchCount")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(TYPING_PAUSE_MS)
        self._pause.timeout.connect(self._search)
        self._searched = ""
        self.textChanged.connect(self._typed)
        self.retranslate()

    def showCount(self, place: int | None, total: int) -> None:
        """Say which hit of how many is shown."""
        if not self.text().strip():
            text = ""
        elif total == 0:
            text = self.tr("none")
        elif place is None:
            text = str(total)
        else:
            text = f"{place + 1} / {total}"
        self._count.setText(text)
        self._place_count()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes to the next hit, Shift+Enter to the previous one, Esc leaves."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._pause.stop()
            self._search()
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.stepped.emit(-1 if back else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the count at the right."""
        super().resizeEvent(event)
        self._place_count()

    def retranslate(self) -> None:
        """Say everything again."""
        self.setPlaceholderText(self.tr("Search op, scope, function, line"))
        self.setAccessibleName(self.tr("Search"))
        self.setToolTip(
            self.tr("Op type, scope, Python function, %id or line; * and ? stand for anything")
        )

    def _typed(self) -> None:
        self._count.clear()
        self._pause.start()

    def _search(self) -> None:
        if self.text() != self._searched:
            self._searched = self.text()
            self.searched.emit(self._searched)

    def _place_count(self) -> None:
        self._count.adjustSize()
        clear_button = 28 if self.text() else 8
        self._count.move(
            self.width() - self._count.width() - clear_button,
            (self.height() - self._count.height()) // 2,
        )
