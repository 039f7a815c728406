"""Words to the user: errors in a banner, notices with a button, toasts that go away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QEnterEvent, QGuiApplication, QHideEvent
from PySide6.QtWidgets import QApplication, QComboBox, QFrame, QPushButton, QWidget

from opdiff.errors import OpdiffError
from opdiff.ui.frame.boxes import NONE, in_column, in_row
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import SELECTABLE, PlainLabel
from opdiff.ui.look.theme import styled
from opdiff.ui.translations import language

STAYS_MS = 4000
STAYS_WITH_OFFERS_MS = 8000
_ABOVE_BAR = 8
_AIR = 14
_BY_KEY = Qt.FocusPolicy.TabFocus
"""A click leaves the focus in the window, where the keys go on."""


def _has_focus(part: QWidget) -> bool:
    """Whether the window's focus is somewhere in a part of it."""
    focus = part.window().focusWidget()
    return focus is not None and part.isAncestorOf(focus)


class MessageLine(Retranslating, QWidget):
    """Words over the panes, what can be done about them, and a button that puts them away.

    Signal: ``left()`` when it goes while it has the focus: Qt would give that to the next button.
    """

    left = Signal()

    def __init__(self, name: str, *doing: QWidget) -> None:
        """*name* is its object name, and the beginning of those of its parts."""
        super().__init__()
        styled(self, name=name, filled=True)
        self._text = styled(PlainLabel(wrap=True), name=f"{name}Text")
        self._close = styled(QPushButton("×"), name=f"{name}CloseButton")
        self._close.clicked.connect(self.put_away)
        row = in_row(self, (self._text, 1), margins=(14, 3, 14, 3))
        for widget in (*doing, self._close):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()

    def put_away(self) -> None:
        """Say it no more."""
        raise NotImplementedError

    def hideEvent(self, event: QHideEvent) -> None:
        """Let somebody else have the focus."""
        if _has_focus(self):
            self.left.emit()
        super().hideEvent(event)

    def retranslate(self) -> None:
        """Say everything again."""
        self._close.setToolTip(self.tr("Close this message"))
        self._close.setAccessibleName(self.tr("Close this message"))


class Banner(MessageLine):
    """Says one error at a time, in the window's language, until it is closed or mended."""

    def __init__(self) -> None:
        choice, copy = QComboBox(), QPushButton()
        super().__init__("error", choice, copy)
        styled(self, "trouble", name="errorBanner")
        self._error: OpdiffError | None = None
        self._text.setProperty("error", True)
        self._text.setTextInteractionFlags(SELECTABLE)
        self._choice = styled(choice, name="errorChoice")
        self._choice.activated.connect(self._choose)
        self._choose_entry: Callable[[int], object] | None = None
        self._copy = styled(copy, name="errorCopyButton")
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text))
        self.retranslate()

    def show_error(self, error: OpdiffError) -> None:
        """Tell of an error."""
        self._error = error
        self._choice.hide()
        self._copy.show()
        self.retranslate()
        self.show()

    def show_choice(
        self, error: OpdiffError, entries: Sequence[str], choose: Callable[[int], object]
    ) -> None:
        """Tell of an error that choosing one of some entries mends."""
        self.show_error(error)
        self._choice.clear()
        self._choice.addItems(list(entries))
        self._choice.setCurrentIndex(-1)
        self._choose_entry = choose
        self._copy.hide()
        self._choice.show()
        self._choice.setFocus()

    def put_away(self) -> None:
        """Nothing is wrong any more."""
        self._error = None
        self._choose_entry = None
        self.hide()

    def retranslate(self) -> None:
        """Say everything again."""
        super().retranslate()
        self._choice.setPlaceholderText(self.tr("Choose…"))
        self._choice.setAccessibleName(self.tr("Choose…"))
        self._copy.setText(self.tr("Copy"))
        self._copy.setToolTip(self.tr("Copy this message"))
        if self._error is not None:
            self._text.setText(self._error.text(language()))
            self._text.setAccessibleName(self.text)

    def _choose(self, index: int) -> None:
        choose = self._choose_entry
        if choose is not None:
            self.put_away()
            choose(index)


class Notice(MessageLine):
    """Says one thing at a time, in the window's language, until it is closed or done with."""

    def __init__(self, name: str = "notice") -> None:
        button = QPushButton()
        super().__init__(name, button)
        self._text.setMinimumWidth(1)  # however long a line is in one piece
        self._topic = ""
        self._words: Callable[[], str] | None = None
        self._button_words: Callable[[], str] | None = None
        self._do: Callable[[], object] | None = None
        self._button = styled(button, name=f"{name}Button")
        self._button.clicked.connect(self._act)

    def whole_width(self) -> int:
        """How wide it is with each of its lines in one piece."""
        letters = self._text.fontMetrics()
        widest = max(map(letters.horizontalAdvance, self.text.split("\n")))
        return widest + self.minimumSizeHint().width()

    def setWrapping(self, wrapping: bool) -> None:
        """Let long lines go on below, or leave them in one piece."""
        if self._text.wordWrap() != wrapping:
            self._text.setWordWrap(wrapping)

    @property
    def topic(self) -> str:
        """What it is about; empty where it says nothing."""
        return "" if self.isHidden() else self._topic

    def tell(
        self,
        topic: str,
        words: Callable[[], str],
        button: Callable[[], str] | None = None,
        do: Callable[[], object] | None = None,
    ) -> None:
        """Say something; the words are asked for again when the language changes."""
        self._topic, self._words, self._button_words, self._do = topic, words, button, do
        self.retranslate()
        self.show()

    def end(self, topic: str) -> None:
        """Say no more of a topic."""
        if self._topic == topic:
            self.put_away()

    def put_away(self) -> None:
        """Forget the words too: what they speak of may be gone when the language changes."""
        self._topic, self._words, self._button_words, self._do = "", None, None, None
        self.hide()

    def _act(self) -> None:
        do = self._do
        self.put_away()
        if do is not None:
            do()

    def retranslate(self) -> None:
        """Say everything again."""
        super().retranslate()
        if self._words is not None:
            self._text.setText(self._words())
        self._button.setVisible(self._button_words is not None)
        if self._button_words is not None:
            self._button.setText(self._button_words())


class NoticeLine(QWidget):
    """A notice, and a hint beside it: it waits where there is no room for both in one line.

    It waits as well until the *notes* below are put away. So it takes nothing of a low window that
    is not taken already.
    """

    def __init__(self, notice: Notice, hint: Notice, notes: MessageLine) -> None:
        super().__init__()
        self._notice, self._hint, self._notes = notice, hint, notes
        self._place = QWidget()
        in_row(self._place, hint, margins=NONE)
        self._row = in_row(None, notice, self._place, margins=NONE, spacing=0)
        in_column(self, self._row, notes, margins=NONE, spacing=0)

    def event(self, event: QEvent) -> bool:
        """Something else is said, or in another font; or there is other room."""
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._fit()
        return super().event(event)

    def _fit(self) -> None:
        """Ask for no layout that is there already: that would ask for the next one, for ever."""
        said = [each for each in (self._notice, self._hint) if not each.isHidden()]
        wants = {each: each.whole_width() for each in said}
        both, fits = len(said) > 1, sum(wants.values()) <= self.width()
        for each in said:
            each.setWrapping(not (both and fits))
        for index, each in enumerate((self._notice, self._hint)):
            if self._row.stretch(index) != wants.get(each, 0):
                self._row.setStretch(index, wants.get(each, 0))
        self._place.setVisible(fits if both else self._notes.isHidden())


@dataclass(frozen=True, slots=True)
class Offer:
    """A button of the toast: its words, what it does, and the end of its object name."""

    name: str
    text: str
    do: Callable[[], object]


class Toast(QFrame):
    """Floats above a bar at the lower edge of its parent: the row it speaks of stays in sight.

    It stays while the mouse or the focus is on it, and gives the focus *back* to a part.
    """

    def __init__(self, parent: QWidget, above: QWidget, back: QWidget) -> None:
        super().__init__(parent)
        self._parent, self._above, self._back = parent, above, back
        styled(self, "toast", name="toast")
        self._text = styled(PlainLabel(), name="toastText")
        self._close = styled(QPushButton("×"), "quiet", name="toastCloseButton")
        self._close.setFocusPolicy(_BY_KEY)
        self._close.clicked.connect(self.hide)
        self._buttons: list[QPushButton] = []
        self._row = in_row(self, self._text, self._close, spacing=8)
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
        self._row.setContentsMargins(_AIR, 6, 6 if offers else _AIR, 6)
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
        """Give the focus back: Qt would give it to the first field."""
        if _has_focus(self):
            self._back.setFocus()
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
        room = self._parent.width()
        self._text.setMaximumWidth(max(120, room * 4 // 5))
        self.adjustSize()
        bottom = self._above.mapTo(self._parent, QPoint()).y()
        self.move(max(4, (room - self.width()) // 2), bottom - self.height() - _ABOVE_BAR)

    def _leave_unless_used(self) -> None:
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus):
            self._leave.start()
        else:
            self.hide()
