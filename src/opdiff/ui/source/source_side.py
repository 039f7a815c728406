"""One side of the source: its stack, one frame a line, and the lines around the chosen frame."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import (
    QBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QTextEdit,
    QWidget,
)

from opdiff.compare import Side
from opdiff.trace import Frame, Op
from opdiff.trace.stacks import innermost_first, is_no_stack, is_users, user_frame
from opdiff.ui.frame.boxes import in_column
from opdiff.ui.look.fonts import code_font
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import SELECTABLE, PlainLabel, tip
from opdiff.ui.look.theme import blend, current, styled
from opdiff.ui.main_thread import next_turn
from opdiff.ui.source.reading import Ink, Passage, SourceReader
from opdiff.ui.source.sources import Sources
from opdiff.ui.translations import language

MARK = "▸"
QWIDGETSIZE_MAX = 16_777_215
_MARKED_SHARE = 0.16
_FRAME = Qt.ItemDataRole.UserRole
_MOST_FRAMES = 100
_BESIDE_WIDTH = 760
"""From here on there is room for the stack beside the code."""
_LINES_ABOVE = 3
"""Frames in view where the stack stands above the code."""
_STACK_WIDTH = 290


class CodeView(QPlainTextEdit):
    """Read only; the text can be selected and copied."""

    def __init__(self) -> None:
        super().__init__()
        self._passage: Passage | None = None
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setTextInteractionFlags(SELECTABLE)
        self.setTabChangesFocus(True)
        self.dress()

    def dress(self) -> None:
        """Wear the present theme and size of text."""
        self.document().setDefaultFont(code_font())
        self.setFont(code_font())
        if self._passage is not None:
            self.showPassage(self._passage)

    def showPassage(self, passage: Passage) -> None:
        """Show these lines, the one that is meant in the middle."""
        self._passage = passage
        self.clear()
        excerpt = passage.excerpt
        if excerpt is None:
            return
        cursor = QTextCursor(self.document())
        digits = len(str(excerpt.first + len(excerpt.lines)))
        for offset, spans in enumerate(passage.spans):
            number = excerpt.first + offset
            if offset:
                cursor.insertText("\n")
            mark = MARK if number == excerpt.line else " "
            cursor.insertText(f"{mark} {number:>{digits}}  ", self._format(Ink.COMMENT))
            for text, ink in spans:
                cursor.insertText(text, self._format(ink))
        self._mark(excerpt.line - excerpt.first)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the line that is meant in the middle."""
        super().resizeEvent(event)
        self._centre()

    def _centre(self) -> None:
        self.centerCursor()
        self.horizontalScrollBar().setValue(0)

    def _format(self, ink: Ink) -> QTextCharFormat:
        style = QTextCharFormat()
        style.setForeground(ink.colour(current()))
        return style

    def _mark(self, block: int) -> None:
        cursor = QTextCursor(self.document().findBlockByNumber(block))
        selection = QTextEdit.ExtraSelection()
        selection.cursor = cursor
        style = QTextCharFormat()
        style.setBackground(blend(current().accent, current().background, _MARKED_SHARE))
        style.setProperty(QTextFormat.Property.FullWidthSelection, True)
        selection.format = style
        self.setExtraSelections([selection])
        self.setTextCursor(cursor)
        self._centre()
        next_turn(self, self._centre)  # the first time its height is not known yet


def ordered(stack: tuple[Frame, ...]) -> list[Frame]:
    """The user's own frame, then the others from the op outwards."""
    if is_no_stack(stack):
        return []
    first = user_frame(stack)
    frames = list(innermost_first(stack))
    return frames if first is None else [first, *(f for f in frames if f != first)]


class SourceSide(Retranslating, QWidget):
    """Signals: ``openSource(file, line)`` on Enter or a double click on a frame."""

    openSource = Signal(str, int)

    says_again_on = (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange)

    def __init__(self, side: Side, sources: Sources, reader: SourceReader, parent: QWidget) -> None:
        super().__init__(parent)
        self._side, self._sources, self._reader = side, sources, reader
        self._op: Op | None = None
        self._passage: Passage | None = None
        name = "left" if side is Side.LEFT else "right"
        self.stack = styled(QListWidget(), name=f"{name}Stack")
        self.stack.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.stack.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.code = styled(CodeView(), name=f"{name}Source")
        self.message = styled(PlainLabel(wrap=True), "dim", name=f"{name}SourceMessage")
        self.message.setTextInteractionFlags(SELECTABLE)
        self.locate = styled(QPushButton(), name=f"{name}SourceLocateButton")
        self._pages = QStackedWidget()
        self._lay_out()
        self.retranslate()
        self.stack.currentRowChanged.connect(self.read)
        self.stack.itemActivated.connect(self._open)
        self.locate.clicked.connect(self._ask)

    @property
    def has_stack(self) -> bool:
        """Whether there is anything to show."""
        return self.stack.count() > 0

    def frame(self) -> Frame | None:
        """The chosen frame."""
        item = self.stack.currentItem()
        return item.data(_FRAME) if item is not None else None

    def choose(self, file: str, line: int) -> bool:
        """Show the source at a frame; False where the stack has none such."""
        for row in range(self.stack.count()):
            frame: Frame = self.stack.item(row).data(_FRAME)
            if (frame.file, frame.line) == (file, line):
                self.stack.setCurrentRow(row)
                return True
        return False

    def showOp(self, op: Op | None) -> None:
        """Show the stack of an op, and the source at the user's own frame of it."""
        self._op = op
        self._reader.forget(self)
        self.stack.blockSignals(True)
        self.stack.clear()
        for number, frame in enumerate(ordered(op.stack)[:_MOST_FRAMES] if op else []):
            self.stack.addItem(self._item(frame, first=number == 0))
        self.stack.setCurrentRow(0)
        self.stack.blockSignals(False)
        self.stack.setVisible(self.has_stack)
        self.read()

    def dress(self) -> None:
        """Wear the present theme and size of text."""
        self.code.dress()
        self.stack.setFont(code_font())
        self._arrange(self.width())
        for row in range(self.stack.count()):
            self._dress(self.stack.item(row), first=row == 0)

    def retranslate(self) -> None:
        """Speak the window's language, in its colours."""
        self.dress()
        left = self._side is Side.LEFT
        self.stack.setAccessibleName(self.tr("Left stack") if left else self.tr("Right stack"))
        self.code.setAccessibleName(self.tr("Left source") if left else self.tr("Right source"))
        self.locate.setText(self.tr("Where is it?…"))
        self.locate.setToolTip(
            self.tr("Choose the file here; its neighbours are then found by themselves")
        )
        self._say()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The stack stands beside the code where there is room, else above it."""
        super().resizeEvent(event)
        self._arrange(event.size().width())

    def _lay_out(self) -> None:
        trouble = styled(QWidget(), "sheet")
        column = in_column(trouble, self.message, margins=(14, 10, 14, 10))
        column.addWidget(self.locate, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch()
        self._pages.addWidget(self.code)
        self._pages.addWidget(trouble)
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(4)
        self._box.addWidget(self.stack)
        self._box.addWidget(self._pages, 1)

    def _arrange(self, width: int) -> None:
        beside = width >= _BESIDE_WIDTH
        direction = QBoxLayout.Direction
        self._box.setDirection(direction.LeftToRight if beside else direction.TopToBottom)
        line = self.stack.fontMetrics().height() + 4
        self.stack.setMaximumHeight(QWIDGETSIZE_MAX if beside else _LINES_ABOVE * line + 2)
        self.stack.setMinimumWidth(_STACK_WIDTH if beside else 0)
        self.stack.setMaximumWidth(_STACK_WIDTH if beside else QWIDGETSIZE_MAX)

    def _item(self, frame: Frame, *, first: bool) -> QListWidgetItem:
        item = QListWidgetItem(str(frame))
        item.setData(_FRAME, frame)
        item.setToolTip(tip(f"{frame.file}:{frame.line} {frame.function}"))
        self._dress(item, first=first)
        return item

    def _dress(self, item: QListWidgetItem, *, first: bool) -> None:
        font = QFont(self.stack.font())
        font.setBold(first)
        item.setFont(font)
        if not first and not is_users(item.data(_FRAME)):
            item.setForeground(current().dim)

    def read(self, *_: object) -> None:
        """Show the source at the chosen frame, also where other places are known now."""
        frame = self.frame()
        self._passage = None
        if frame is None:
            self._say()
            return
        path = self._sources.path_of(frame.file)
        mapped = path != frame.file
        self._reader.read(self, path, frame.line, self._show_passage, mapped=mapped)

    def _show_passage(self, passage: Passage) -> None:
        self._passage = passage
        if passage.excerpt is not None:
            self.code.showPassage(passage)
            self.code.setToolTip(tip(f"{passage.excerpt.path}:{passage.excerpt.line}"))
        self._say()

    def _say(self) -> None:
        passage, frame = self._passage, self.frame()
        trouble = passage.error if passage is not None else None
        self.locate.setVisible(trouble is not None)
        if frame is None:
            self.message.setText(self._why_no_stack())
        elif trouble is not None:
            self.message.setText(trouble.text(language()))
        self._pages.setCurrentIndex(1 if frame is None or trouble is not None else 0)

    def _why_no_stack(self) -> str:
        op = self._op
        if op is None:
            return ""
        if op.scope and op.mode != "eager":
            return self.tr("compiled graph, scope {0}: no stack was recorded").format(op.scope)
        return self.tr("no stack was recorded")

    def _open(self, *_: object) -> None:
        frame = self.frame()
        if frame is not None:
            self.openSource.emit(frame.file, frame.line)

    def _ask(self) -> None:
        frame = self.frame()
        if frame is not None:
            self._sources.ask_for(frame.file)
