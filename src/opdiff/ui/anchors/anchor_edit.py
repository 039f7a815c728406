"""The field for an anchor's line: checked as it is entered, trouble told right at the field."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFocusEvent, QIcon, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from opdiff.compare import Side
from opdiff.compare.pairing.counterparts import Candidate
from opdiff.compare.sides.noise import NOISE_ROLES
from opdiff.session import Work
from opdiff.trace import Trace
from opdiff.ui.anchors.suggesting import LEAST_TAKEN
from opdiff.ui.look import theme
from opdiff.ui.look.fonts import ui_font
from opdiff.ui.look.language import Retranslating, spoken
from opdiff.ui.numbers import whole_number
from opdiff.ui.store import Store

WIDEST = 440
_REASONS = Qt.FocusReason
_LEAVES = (_REASONS.TabFocusReason, _REASONS.BacktabFocusReason, _REASONS.MouseFocusReason)
OFFER_MS = 12_000
"""An offer goes away by itself: it stands over what else the user may want to see."""


class FieldMessage(QLabel):
    """A small box below a field: what is wrong, and what would be right, to click on."""

    def __init__(self, field: QWidget) -> None:
        super().__init__(field.window())
        self._field = field
        self.setObjectName(f"{field.objectName()}Message")
        self.setTextFormat(Qt.TextFormat.RichText)
        # Said here: to a label that gets its box later, the sheet gives no room around the text.
        self.setContentsMargins(10, 6, 10, 6)
        self._end = QTimer(self, singleShot=True, interval=OFFER_MS)
        self._end.timeout.connect(self.hide)
        self.hide()

    def say(self, text: str, *, offer: bool = False) -> None:
        """Show a message at the field: trouble, or an *offer*."""
        if self.parent() is not self._field.window():
            self.setParent(self._field.window())
        self.setProperty("message", "offer" if offer else "trouble")
        theme.restyle(self)
        self.setText(text)
        # Over the panes it takes no more room than it must.
        self.setWordWrap(False)
        self.setFixedWidth(min(self.sizeHint().width(), WIDEST))
        self.setWordWrap(True)
        self.setFixedHeight(self.heightForWidth(self.width()))
        below = self._field.mapTo(self._field.window(), QPoint(0, self._field.height() + 3))
        room = self._field.window().width() - self.width() - 4
        self.move(min(below.x(), max(4, room)), below.y())
        self.show()
        self.raise_()
        if offer:
            self._end.start()
        else:
            self._end.stop()


class AnchorEdit(Retranslating, QLineEdit):
    """A line number that names an op. Signals: ``findRequested()``, ``anchored(row)``, ``left()``.

    Enter takes it over; Up and Down step to the op before and after; Esc leaves the field as it
    was. Whatever line of the op was typed, the line of its header is what stays in the field.
    """

    findRequested = Signal()
    anchored = Signal(int)
    left = Signal()

    says_again_on = (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange)

    def __init__(self, store: Store, side: Side) -> None:
        super().__init__()
        self._store = store
        self._side = side
        theme.styled(
            self, "code", name="leftAnchorEdit" if side is Side.LEFT else "rightAnchorEdit"
        )
        self.setMaxLength(12)
        self._offer: Candidate | None = None
        self._message = FieldMessage(self)
        self._message.linkActivated.connect(self._take_link)
        self._find = QAction(self)
        self._find.triggered.connect(self.findRequested)
        self.addAction(self._find, QLineEdit.ActionPosition.TrailingPosition)
        self.returnPressed.connect(self._enter)
        self.editingFinished.connect(self.commit)
        self.textEdited.connect(self._clear_trouble)
        store.workChanged.connect(self._work_changed)
        store.traceChanged.connect(self._trace_changed)
        self.setEnabled(False)
        self.retranslate()

    def commit(self) -> bool:
        """Take over what is typed; False, and a message at the field, where it names no op."""
        trace = self._store.trace(self._side)
        if trace is None:
            return False
        text = self.text().strip()
        if not text:
            self._store.setAnchor(self._side, None)
            return True
        line = whole_number(text)
        if line is None:
            return self._refuse(self.tr("A line number is wanted here, such as 127."))
        row = trace.row_at(line)
        if row is None:
            missing = self.tr("No op has line {line}.").format(line=line)
            return self._refuse(missing + self._nearest(trace, trace.rows_near(line)))
        if self._store.work.request.rules.builtin and int(trace.role[row]) in NOISE_ROLES:
            return self._refuse(self._not_compared(trace, int(row)))
        self._clear_trouble()
        self._store.setAnchor(self._side, int(row))
        self._show_anchor()
        return True

    def offer(self, candidate: Candidate | None) -> None:
        """Offer a row that is likely the counterpart of the other anchor; None takes it back."""
        self._offer = candidate
        self._message.hide()
        self.retranslate()
        if candidate is not None and not self.text():
            words = self.tr("Compare takes it, and so does Enter in the field.")
            self._message.say(f"{self._offer_text(candidate)}<br>{words}", offer=True)
            self.setAccessibleDescription(self._likely(candidate))

    def takes_offer(self) -> bool:
        """Whether the offer was good enough to be taken in place of an anchor, and has been."""
        if self.text().strip() or self._offer is None or self._offer.score < LEAST_TAKEN:
            return False
        self._store.setAnchor(self._side, self._offer.row)
        return True

    def ask_for_one(self) -> None:
        """Say that an anchor is needed here, and which one is likely."""
        text = self.tr("Type the line of an op, or select a row and press A, or find one with ⌕.")
        if self._offer is not None:
            text = f"{self._offer_text(self._offer)}<br>{text}"
        self._refuse(text)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step from op to op with Up and Down; leave with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self._show_anchor()
            self._clear_trouble()
            self.left.emit()
            return
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is None or event.modifiers() & Qt.KeyboardModifier.AltModifier:
            super().keyPressEvent(event)
            return
        self._step(step)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Leave no message behind when the focus goes elsewhere in the window."""
        super().focusOutEvent(event)
        if event.reason() in _LEAVES:
            self._message.hide()

    def retranslate(self) -> None:
        """Say what the field is for."""
        left = self._side is Side.LEFT
        self.setAccessibleName(self.tr("Left anchor") if left else self.tr("Right anchor"))
        self.setToolTip(self.tr("The line of the op to start from; any of its three lines will do"))
        self._find.setText(self.tr("Find an op"))
        self._find.setToolTip(self.tr("Find an op by type, scope or Python function"))
        self._find.setIcon(find_icon())
        offer, trace = self._offer, self._store.trace(self._side)
        if offer is None or trace is None:
            self.setPlaceholderText(self.tr("line"))
        else:
            self.setPlaceholderText(f"{trace.line_of(offer.row)}?")

    def _offer_text(self, candidate: Candidate) -> str:
        """``649 BatchMatMul (90 %): same op, …``, to click on."""
        trace = self._store.trace(self._side)
        assert trace is not None, "it was found there"
        return f"{self._link(trace, candidate.row)}<br>{escape(self._likely(candidate))}"

    def _likely(self, candidate: Candidate) -> str:
        return self.tr("Likely the counterpart, {score}: {reason}").format(
            score=f"{candidate.score:.0%}", reason=spoken(candidate.reason)
        )

    def _link(self, trace: Trace, row: int) -> str:
        return (
            f'<a href="{trace.line_of(row)}" style="color:{theme.current().accent.name()}">'
            f"{trace.line_of(row)} {escape(trace.type_name(row))}</a>"
        )

    def _enter(self) -> None:
        self.takes_offer()
        if not self.commit():
            return
        anchor = self._store.work.anchor(self._side)
        if anchor is not None:
            self.anchored.emit(anchor)

    def _step(self, step: int) -> None:
        trace = self._store.trace(self._side)
        if trace is None or not len(trace):
            return
        row = self._store.work.anchor(self._side)
        row = 0 if row is None else min(len(trace) - 1, max(0, row + step))
        self._clear_trouble()
        self._store.setAnchor(self._side, row)
        self.anchored.emit(row)

    def _nearest(self, trace: Trace, rows: Iterable[int]) -> str:
        """The nearest ops to choose from, on a line of their own."""
        nearest = " · ".join(self._link(trace, int(row)) for row in rows)
        heading = self.tr("Nearest:")
        return f"<br>{heading} {nearest}" if nearest else ""

    def _not_compared(self, trace: Trace, row: int) -> str:
        compared = np.flatnonzero(~np.isin(trace.role, NOISE_ROLES))
        near = compared[np.argsort(np.abs(compared - row), kind="stable")[:3]]
        text = self.tr("{op} is bookkeeping, which is hidden and never compared.")
        said = escape(text.format(op=trace.type_name(row)))
        return said + self._nearest(trace, np.sort(near))

    def _refuse(self, text: str) -> bool:
        self._mark(True)
        self._message.say(text)
        self.setAccessibleDescription(text)
        return False

    def _clear_trouble(self) -> None:
        self._message.hide()
        self._mark(False)
        self.setAccessibleDescription("")

    def _mark(self, trouble: bool) -> None:
        if bool(self.property("error")) != trouble:
            self.setProperty("error", trouble)
            theme.restyle(self)

    def _take_link(self, line: str) -> None:
        self.setText(line)
        self._enter()

    def _work_changed(self, before: Work, after: Work) -> None:
        # What is being typed here must survive that the other side is anchored.
        if before.anchor(self._side) != after.anchor(self._side):
            self._show_anchor()

    def _show_anchor(self) -> None:
        trace, row = self._store.trace(self._side), self._store.work.anchor(self._side)
        text = "" if trace is None or row is None else str(trace.line_of(row))
        if text != self.text():
            self.setText(text)
            self._clear_trouble()

    def _trace_changed(self, side: int) -> None:
        if side == self._side:
            self.setEnabled(True)
            self._clear_trouble()
            self.clear()


def find_icon() -> QIcon:
    """A magnifying glass in the colour of secondary text."""
    pixmap = QPixmap(36, 36)
    pixmap.setDevicePixelRatio(2)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setPen(theme.current().dim)
    painter.setFont(ui_font(1.15))
    painter.drawText(0, 0, 18, 18, Qt.AlignmentFlag.AlignCenter, "⌕")
    painter.end()
    return QIcon(pixmap)
