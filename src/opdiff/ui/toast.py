"""A word that goes away by itself: what was done, with what can be done next, or why not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QAccessible, QAccessibleEvent, QEnterEvent, QHideEvent
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QWidget

from opdiff.ui.boxes import in_row
from opdiff.ui.plain_text import PlainLabel
from opdiff.ui.theme import styled

STAYS_MS = 4000
STAYS_WITH_OFFERS_MS = 8000
_ABOVE_BOTTOM = 18
_BY_KEY = Qt.FocusPolicy.TabFocus
"""A click leaves the focus in the window, where the keys go on."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A button of the toast: its words, what it does, and the end of its object name."""

    name: str
    text: str
    do: Callable[[], object]


class Toast(QFrame):
    """Floats above the lower edge of a part of its parent, or of the parent without that part.

    It stays while the mouse or the focus is on it.
    """

    def __init__(self, parent: QWidget, over: QWidget) -> None:
        super().__init__(parent)
        self._parent, self._over = parent, over
        styled(self, "toast", name="toast")
        self._text = styled(PlainLabel(), name="toastText")
        self._close = styled(QPushButton("×"), "quiet", name="toastCloseButton")
        self._close.setFocusPolicy(_BY_KEY)
        self._close.clicked.connect(self.hide)
        self._buttons: list[QPushButton] = []
        self._row = in_row(self, self._text, self._close, margins=(14, 6, 6, 6), spacing=8)
        self._leave = QTimer(self, singleShot=True)
        self._leave.timeout.connect(self._leave_unless_used)
        parent.installEventFilter(self)
        self.hide()

    @property
    def text(self) -> str:
        """What it says; empty where it says nothing."""
        return "" if self.isHidden() else self._text.text()

    def tell(self, text: str, offers: Sequence[Offer] = (), more: str = "") -> None:
        """Say something, in place of what was said before; screen readers hear it.

        *more* is told to who points at it.
        """
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = [self._button(offer) for offer in offers]
        self._text.setText(text)
        self._text.setToolTip(more)
        self.setAccessibleName(text)
        self._close.setAccessibleName(self.tr("Close this message"))
        self._close.setToolTip(self.tr("Close this message"))
        # Where there is nothing to click, clicks are meant for what is below.
        self._close.setVisible(bool(offers))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not offers)
        self.show()
        self.raise_()
        self._place()
        self._leave.start(STAYS_WITH_OFFERS_MS if offers else STAYS_MS)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def end(self, text: str) -> None:
        """Say no more of something."""
        if self.text == text:
            self.hide()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Stay while somebody points at it."""
        super().enterEvent(event)
        self._leave.stop()

    def leaveEvent(self, event: QEvent) -> None:
        """Go a while after."""
        super().leaveEvent(event)
        self._leave.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Give the focus to what it floats above: Qt would give it to the first field."""
        focus = self.window().focusWidget()
        if focus is not None and self.isAncestorOf(focus):
            self._over.setFocus()
        super().hideEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the place when the window is resized."""
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    def _button(self, offer: Offer) -> QPushButton:
        button = styled(QPushButton(offer.text), "quiet", name=f"toast{offer.name}Button")
        button.setFocusPolicy(_BY_KEY)

        def act() -> None:
            self.hide()
            offer.do()

        button.clicked.connect(act)
        self._row.insertWidget(self._row.count() - 1, button)
        button.show()
        return button

    def _place(self) -> None:
        room = self._parent.rect()
        if self._over.isVisible():
            room = QRect(self._over.mapTo(self._parent, QPoint()), self._over.size())
        self._text.setMaximumWidth(max(120, room.width() * 4 // 5))
        self.adjustSize()
        left = room.left() + (room.width() - self.width()) // 2
        self.move(max(4, left), room.bottom() - self.height() - _ABOVE_BOTTOM)

    def _leave_unless_used(self) -> None:
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus):
            self._leave.start()
        else:
            self.hide()
