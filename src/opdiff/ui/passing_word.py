"""A word over the panes that goes away by itself: what a key did, or why it did nothing."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from opdiff.ui import theme
from opdiff.ui.plain_text import PlainLabel

SHOWN_MS = 4000
SHOWN_WITH_BUTTON_MS = 8000


class PassingWord(QFrame):
    """Stands at the lower edge of a widget for a few seconds, with a button if need be."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setObjectName("passingWordFrame")
        self._over = over
        self._do: Callable[[], object] | None = None
        self._label = PlainLabel()
        self._label.setObjectName("passingWord")
        self._button = QPushButton()
        self._button.setObjectName("passingWordButton")
        self._button.clicked.connect(self._act)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 14, 6)
        row.setSpacing(12)
        row.addWidget(self._label)
        row.addWidget(self._button)
        self._end = QTimer(self, singleShot=True)
        self._end.timeout.connect(self.hide)
        over.installEventFilter(self)
        self.hide()

    def say(self, text: str, button: str = "", do: Callable[[], object] | None = None) -> None:
        """Show a word, with a *button* where something can be done; screen readers hear it."""
        self._do = do
        self._wear()
        self._label.setText(text)
        self._button.setText(button)
        self._button.setVisible(bool(button))
        # Where there is nothing to click, clicks are meant for what is below.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not button)
        self.setAccessibleName(text)
        self.adjustSize()
        self._place()
        self.show()
        self.raise_()
        self._end.start(SHOWN_WITH_BUTTON_MS if button else SHOWN_MS)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay where it belongs when the widget below changes its size."""
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _act(self) -> None:
        self.hide()
        if self._do is not None:
            self._do()

    def _wear(self) -> None:
        colours = theme.current()
        ground, ink = colours.text.name(), colours.background.name()
        self.setStyleSheet(
            f"#passingWordFrame {{ background: {ground}; border-radius: 8px; }}"
            f"#passingWord {{ color: {ink}; }}"
            f"#passingWordButton {{ background: {ground}; color: {ink};"
            f" border: 1px solid {ink}; padding: 1px 10px; }}"
        )

    def _place(self) -> None:
        room = self._over.size() - self.size()
        self.move(QPoint(max(4, room.width() // 2), max(4, room.height() - 18)))
