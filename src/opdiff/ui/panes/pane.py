"""One trace as rows, painted by hand: only what is in view is ever touched."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from opdiff.compare import Side
from opdiff.errors import OpdiffError
from opdiff.ui.look.plain_text import tip
from opdiff.ui.look.theme import current
from opdiff.ui.panes.columns import ColumnShares, ColumnSpans, ColumnWishes
from opdiff.ui.panes.empty_pane import EmptyPane
from opdiff.ui.panes.layout import Fold, fold_index
from opdiff.ui.panes.metrics import metrics
from opdiff.ui.panes.row_area import RowArea
from opdiff.ui.panes.row_painter import RowPainter, Touch, Viewport
from opdiff.ui.panes.scene import Scene
from opdiff.ui.panes.selection import Selection, row_to_stand_on, step_from
from opdiff.ui.panes.texts import fold_text, row_text, tooltip
from opdiff.ui.values.error_column import room_for_errors


class TracePane(RowArea):
    """The rows of one side.

    Signals: ``cursorMoved(row)`` when a row is made current (-1: none),
    ``contextMenuRequested(row, position)``, ``foldToggled(row, open)`` for the stretch around a
    row, ``crossed()`` when the user wants to go on in the other pane, ``strolled()`` before
    ``cursorMoved`` where it was the user who moved the cursor here, by key or mouse,
    ``openRequested()`` where an empty pane is to be filled.
    """

    cursorMoved = Signal(int)
    contextMenuRequested = Signal(int, QPoint)
    foldToggled = Signal(int, bool)
    crossed = Signal()
    strolled = Signal()
    openRequested = Signal()

    def __init__(self, side: Side, scene: Scene, parent: QWidget) -> None:
        super().__init__(side, scene, parent)
        self._wishes = ColumnWishes()
        self._shares: ColumnShares | None = None
        self._painter = RowPainter(side)
        self._fold_texts: dict[Fold, str] = {}
        """The words of each fold that has come into view."""
        self._selection = Selection()
        self._hovered: int | None = None
        self._empty = EmptyPane(side, self.viewport())
        self._empty.openRequested.connect(self.openRequested)
        self._drop_target = False
        self.setObjectName("rightPane" if side else "leftPane")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.retranslate()

    # What it shows

    def resetSelection(self) -> None:
        """Forget the selection: another trace is shown."""
        self._selection = Selection(len(self.side_scene))
        self.cursorMoved.emit(-1)

    def refresh(self) -> None:
        """Take over a changed scene."""
        self._hovered = None
        self._refresh_empty()
        self.updateRange()
        self.renameFolds()

    def renameFolds(self) -> None:
        """What folded stretches are called has changed, and nothing else."""
        self._fold_texts.clear()
        self._describe()
        self.viewport().update()

    def dress(self) -> None:
        """Paint in other colours or sizes."""
        self._painter = RowPainter(self.side)
        self.row_height = metrics().row
        self.refresh()

    def setColumns(self, wishes: ColumnWishes, shares: ColumnShares | None) -> None:
        """Make the columns as wide as their text wants, or share the room as the user did."""
        self._wishes, self._shares = wishes, shares
        self.viewport().update()

    def retranslate(self) -> None:
        """Speak the present language."""
        self.setAccessibleName(self.tr("Right trace") if self.side else self.tr("Left trace"))
        self._refresh_empty()
        self.renameFolds()

    # Rows and lines

    def currentRow(self) -> int | None:
        """The current row; None where there is none, or a folded stretch is current."""
        return None if self._fold_is_current() else self._selection.cursor

    def currentLine(self) -> int | None:
        """The line of the current op."""
        row, trace = self.currentRow(), self.side_scene.trace
        return None if row is None or trace is None else int(trace.line_of(row))

    def selectedRows(self) -> list[int]:
        """All selected rows, ascending."""
        return self._selection.rows()

    def cursor_row(self) -> int | None:
        """The row the cursor is at, also inside a folded stretch."""
        return self._selection.cursor

    def rowText(self, row: int) -> str:
        """A row as one line of text."""
        trace = self.side_scene.trace
        return "" if trace is None else row_text(trace, row)

    def select(self, rows: list[int], *, announce: bool = True) -> None:
        """Select rows, the first becoming current; none clears the selection."""
        if rows:
            self._selection.select(rows[0], rows[1:])
        else:
            self._selection.clear()
        self._moved(announce)

    def held_row(self, view: int) -> int | None:
        """The row to keep in view when the view changes: the current one, else the anchor."""
        held = self.row_in_view(self._selection.cursor, view)
        return super().held_row(view) if held is None else held

    def _fold_is_current(self) -> bool:
        height = self._cursor_height()
        return height is not None and self.column.fold_at(height) is not None

    def _cursor_height(self) -> int | None:
        cursor = self._selection.cursor
        hidden = cursor is None or not self.column.shows(cursor)
        return None if cursor is None or hidden else self.column.height_of(cursor)

    def _moved(self, announce: bool = True) -> None:
        self.viewport().update()
        self._describe()
        if announce:
            cursor = self._selection.cursor
            self.cursorMoved.emit(-1 if cursor is None else cursor)

    def _describe(self) -> None:
        """Let screen readers know the current row."""
        height, trace = self._cursor_height(), self.side_scene.trace
        if height is None or trace is None:
            self.setAccessibleDescription("")
            return
        index = fold_index(int(self.column.cells[height])) if len(self.column) else None
        cursor = self._selection.cursor
        if index is not None:
            self.setAccessibleDescription(self._fold_text(index))
        elif cursor is not None:
            kinds = tooltip(self._scene, self.side, cursor, facts=False)
            text = row_text(trace, cursor).replace("\t", ", ")
            self.setAccessibleDescription(f"{text}. {kinds}" if kinds else text)

    # Painting

    def leastWidth(self) -> int:
        """How wide it must be for the types of its ops to be seen whole."""
        return ceil(self._wishes.least() + self._error_room())

    def spans(self) -> ColumnSpans:
        """Where the columns stand now."""
        return self._wishes.spans(self.viewport().width(), self._shares, self._error_room())

    def _error_room(self) -> float:
        return 0.0 if self.side_scene.errors is None else room_for_errors()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint what is in view."""
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), current().background)
        first, last = self.visible_heights()
        place = Viewport(
            self.column, first, last, self.y_of(first), self.viewport().width(), self.spans()
        )
        touch = Touch(
            self._hovered, self._cursor_height(), self.hasFocus(), self._selection.__contains__
        )
        shown = self._scene.options.swallowed_shown
        self._painter.paint(painter, self.side_scene, place, touch, self._fold_text, shown)
        if self.side_scene.trace is None:
            self._empty.paint(painter)
        if self._drop_target:
            painter.setPen(QPen(current().accent, 3))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -2, -2))
        painter.end()

    @property
    def reading(self) -> tuple[str, int] | None:
        """The file that is being read, and how far that is."""
        return self._empty.reading

    def setReading(self, name: str, permille: int | None) -> None:
        """Say in an empty pane that a file is being read, and how far; None: no more."""
        self._empty.reading = None if permille is None else (name, permille)
        self._refresh_empty()
        if self.side_scene.trace is None:
            self.viewport().update()

    def setTrouble(self, error: OpdiffError | None) -> None:
        """Say in an empty pane why its file is not shown, and what to do; None: no more."""
        self._empty.trouble = error
        self._refresh_empty()
        self.viewport().update()

    def setDropTarget(self, target: bool) -> None:
        """Show that what is being dragged would be opened here."""
        self._drop_target = target
        self.viewport().update()

    def _refresh_empty(self) -> None:
        self._empty.refresh(self.side_scene.trace is None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the button in the middle."""
        super().resizeEvent(event)
        self._refresh_empty()

    def _fold_text(self, index: int) -> str:
        fold = self.column.folds[index]
        if fold not in self._fold_texts:
            self._fold_texts[fold] = fold_text(self._scene, fold, self.side)
        return self._fold_texts[fold]

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the ring; begin at the top of the view where nothing is current yet."""
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the ring."""
        super().focusOutEvent(event)
        self.viewport().update()

    # Mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select, extend, toggle; open or close a fold."""
        height = self.height_at(int(event.position().y()))
        if event.button() != Qt.MouseButton.LeftButton or height is None:
            return
        if self._toggle_fold(height):
            return
        row = self.column.row_at(height)
        if row is not None:
            self._go_to(row, event.modifiers())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the mouse; a drag selects a range."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            row = self.row_under(event.position().y())
            if row is not None and row != self._selection.cursor:
                self._go_to(row, Qt.KeyboardModifier.ShiftModifier)
        self._hover(self.height_at(int(event.position().y())))

    def leaveEvent(self, event: QEvent) -> None:
        """Forget the mouse."""
        super().leaveEvent(event)
        self._hover(None)

    def _hover(self, height: int | None) -> None:
        if height == self._hovered:
            return
        self._hovered = height
        on_fold = height is not None and self.column.fold_at(height) is not None
        shape = Qt.CursorShape.PointingHandCursor if on_fold else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        self.viewport().update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu of the row under the mouse, or of the current one."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            height = self._cursor_height()
            position = QPoint(int(self.spans().op[0]), self.y_of(height or 0) + self.row_height)
        else:
            height, position = self.height_at(event.pos().y()), event.pos()
        row = None if height is None else self.column.row_at(height)
        if row is None:
            return
        if row not in self._selection:
            self._go_to(row, Qt.KeyboardModifier.NoModifier)
        self.contextMenuRequested.emit(row, self.viewport().mapToGlobal(position))

    def viewportEvent(self, event: QEvent) -> bool:
        """Answer to tooltips."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self._tooltip_at(self.height_at(event.pos().y()))
            QToolTip.showText(event.globalPos(), text, self.viewport())
            return True
        return super().viewportEvent(event)

    def _tooltip_at(self, height: int | None) -> str:
        if height is None:
            return ""
        row, fold = self.column.row_at(height), fold_index(int(self.column.cells[height]))
        if row is not None:
            return tip(tooltip(self._scene, self.side, row))
        return "" if fold is None else self._fold_text(fold)

    # Keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk, select, fold."""
        key, page = event.key(), max(1, self.viewport().height() // self.row_height - 1)
        steps = {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Home: -len(self.column),
            Qt.Key.Key_End: len(self.column),
        }
        step = steps.get(Qt.Key(key))
        shift = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        if step is not None:
            self._walk(step, event.modifiers())
        elif key == Qt.Key.Key_F10 and shift:
            # Many keyboards have no key for menus, and under X11 Qt knows of no other.
            keyboard = QContextMenuEvent.Reason.Keyboard
            self.contextMenuEvent(QContextMenuEvent(keyboard, QPoint(), QPoint()))
        elif not self._press(Qt.Key(key), event.modifiers()):
            super().keyPressEvent(event)

    def _walk(self, step: int, modifiers: Qt.KeyboardModifier) -> None:
        if not len(self.column):
            return
        cursor = self._selection.cursor
        if cursor is not None:
            height = step_from(self.column, self.column.height_of(cursor), step)
        else:
            # The first key only takes up where one is; Home and End mean what they say.
            far = abs(step) == len(self.column)
            height = step_from(self.column, self._first_stand(), step if far else 0)
        row = None if height is None else row_to_stand_on(self.column, height, self.side)
        if row is not None:
            self._go_to(row, modifiers & Qt.KeyboardModifier.ShiftModifier)

    def _first_stand(self) -> int:
        """Beside the row that is current in the other pane, if it is in view; else at the top."""
        first, last = self.visible_heights()
        if not isinstance(self.beside, TracePane) or not self._scene.options.aligned:
            return first
        height = self.beside._cursor_height()
        return first if height is None or not first <= height <= last else height

    def _press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier) -> bool:
        row, cursor = self.currentRow(), self._selection.cursor
        alt = modifiers & Qt.KeyboardModifier.AltModifier
        if key == Qt.Key.Key_A and modifiers == Qt.KeyboardModifier.ControlModifier:
            self._selection.everything(self.column)
            self.viewport().update()
        elif cursor is None:
            return False
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and row is None:
            self.foldToggled.emit(cursor, True)
        elif key == Qt.Key.Key_Space:
            self._selection.toggle(cursor)
            self.viewport().update()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right) and not alt:
            self._sideways(cursor, 1 if key == Qt.Key.Key_Right else -1)
        else:
            return False
        return True

    def _sideways(self, cursor: int, direction: int) -> None:
        """Right opens a fold, Left closes it again; else they lead to the other pane."""
        if direction > 0 and self.currentRow() is None:
            self.foldToggled.emit(cursor, True)
        elif direction < 0 and self.side_scene.opened[cursor]:
            self.foldToggled.emit(cursor, False)
        elif (direction > 0) == (self.side is Side.LEFT):
            self.crossed.emit()

    def _toggle_fold(self, height: int) -> bool:
        found = self.column.fold_at(height)
        span = None if found is None else found.span(self.side)
        if found is None or span is None:
            return False
        self.foldToggled.emit(span[0], not found.opened)
        return True

    def _go_to(self, row: int, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._selection.extend(row, self.column)
        elif modifiers & Qt.KeyboardModifier.ControlModifier:
            self._selection.toggle(row)
        else:
            self._selection.select(row)
        self.reveal(self.column.height_of(row))
        self.strolled.emit()
        self._moved()
