"""Some lines of source with their numbers, in colours, the line that is meant marked."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent, Qt, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from opdiff.ui.fonts import code_font
from opdiff.ui.main_thread import next_turn
from opdiff.ui.source.reading import Ink, Passage
from opdiff.ui.theme import Theme, blend

MARK = "▸"
_MARKED_SHARE = 0.16


class CodeView(QPlainTextEdit):
    """Read only; the text can be selected and copied."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._passage: Passage | None = None
        self.setReadOnly(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setScale(1.0)

    def setScale(self, scale: float) -> None:
        """Make the text so much larger than normal."""
        self.document().setDefaultFont(code_font(scale))
        self.setFont(code_font(scale))

    def setTheme(self, theme: Theme) -> None:
        """Wear other colours."""
        self._theme = theme
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
        style.setForeground(ink.colour(self._theme))
        return style

    def _mark(self, block: int) -> None:
        cursor = QTextCursor(self.document().findBlockByNumber(block))
        selection = QTextEdit.ExtraSelection()
        selection.cursor = cursor
        style = QTextCharFormat()
        style.setBackground(blend(self._theme.accent, self._theme.background, _MARKED_SHARE))
        style.setProperty(QTextFormat.Property.FullWidthSelection, True)
        selection.format = style
        self.setExtraSelections([selection])
        self.setTextCursor(cursor)
        self._centre()
        next_turn(self, self._centre)  # the first time its height is not known yet
