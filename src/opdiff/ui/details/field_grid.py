"""Fields as a table of labels: selectable, tinted where something differs, links walked by key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QGridLayout, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from opdiff.compare import Kind, Side
from opdiff.ui.details.table import NEW_LINE, Cell, DetailRow, OpenSource, Span, cell_text
from opdiff.ui.look.fonts import code_font, ui_font
from opdiff.ui.look.plain_text import PlainLabel, tip
from opdiff.ui.look.theme import blend, current, draw_box
from opdiff.ui.panes.glyphs import fitted_place
from opdiff.wording.printable import printable_lines

_RADIUS = 4.0
_STRONG_SHARE = 0.42
"""How much of a kind's colour stands behind the very part that differs."""

_JOINER = "\u2060"
"""Takes no room, and no line breaks at it."""
_WIDE = re.compile(r"[\u2e80-\uffef](?=.)")
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_Left: -1}
_FOLLOWING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
_MARGIN = 24
"""Pixels around a marked link's cell that are brought into view with it."""


def _line_height() -> int:
    """The height of a line, the same whether Chinese stands in it or not."""
    return QFontMetrics(ui_font()).height() + 1


def _paragraph() -> str:
    """The style of a cell's text."""
    height = f"line-height: {_line_height()}px; -qt-line-height-type: fixed"
    return f"margin: 0; font-size: {code_font().pixelSize()}px; {height}"


class FieldCell(QLabel):
    """One cell of the table. Signals: ``followed(link)`` when one of its links is activated."""

    followed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._links: list[Span] = []
        self._tint: QColor | None = None
        self._marked: int | None = None
        self._shown: tuple[Cell, Kind | None] = ((), None)
        self.setProperty("code", True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setContentsMargins(6, 1, 6, 1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.linkActivated.connect(lambda address: self.follow(int(address)))
        self.linkHovered.connect(self._tell_target)

    def chosen_text(self) -> str:
        """What is selected, as it reads."""
        return self.selectedText().replace("\u00a0", " ").replace(_JOINER, "")

    def show_cell(self, cell: Cell, kind: Kind | None, name: str) -> None:
        """Show spans, tinted by a kind; *name* is what a screen reader says before the text."""
        self._links = [span for span in cell if span.link is not None]
        self._tint = current().tint(kind) if kind is not None and cell else None
        self._marked = None
        self._shown = (cell, kind)
        self._write()
        allowed = Qt.TextInteractionFlag
        flags = allowed.TextSelectableByMouse if cell else allowed.NoTextInteraction
        if self._links:
            # By key they are walked all together: see LinkWalk.
            flags |= allowed.LinksAccessibleByMouse
        self.setTextInteractionFlags(flags)
        self.setAccessibleName(f"{name}: {cell_text(cell)}" if cell else "")
        self.update()

    @property
    def link_count(self) -> int:
        """How many links it holds; none while it is hidden."""
        return 0 if self.isHidden() else len(self._links)

    def mark(self, link: int | None) -> None:
        """Show one of its links as the one that Enter follows, or none."""
        if link != self._marked:
            self._marked = link
            self._write()

    def _write(self) -> None:
        (cell, kind), room = self._shown, self.contentsRect().width()
        numbers = iter(range(len(self._links)))
        spans = "".join(_html(span, kind, numbers, self._marked, room) for span in cell)
        text = f'<p style="{_paragraph()}">{spans}</p>' if cell else ""
        if text != self.text():
            self.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A link is as long as there is room."""
        super().resizeEvent(event)
        if self._links and event.size().width() != event.oldSize().width():
            self._write()

    def follow(self, link: int) -> None:
        """Follow one of its links."""
        self.followed.emit(self._links[link].link)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The tint, then the text."""
        if self._tint is not None:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw_box(painter, self.rect(), _RADIUS, self._tint)
            painter.end()
        super().paintEvent(event)

    def _tell_target(self, address: str) -> None:
        told = []
        for span in [self._links[int(address)]] if address else []:
            words = printable_lines(span.text)
            if _fitted(words, span, self.contentsRect().width()) != words:
                told.append(words)
            if isinstance(span.link, OpenSource):
                told.append(f"{span.link.file}:{span.link.line}")
        self.setToolTip(tip("\n".join(told)))


def _fitted(words: str, span: Span, room: int) -> str:
    """The words of a link in one line; of a place its line is what must not be lost."""
    font = ui_font() if span.words else code_font()
    font.setPixelSize(code_font().pixelSize())
    letters = QFontMetricsF(font)
    words = fitted_place(words, room - 1, letters)
    return letters.elidedText(words, Qt.TextElideMode.ElideMiddle, room - 1)


def _html(
    span: Span, kind: Kind | None, numbers: Iterator[int], marked: int | None, room: int
) -> str:
    theme = current()
    if span.text == NEW_LINE:
        return "<br/>"
    words = printable_lines(span.text)
    if span.link is not None:
        words = _fitted(words, span, room)
    text = escape(words).replace("  ", "&nbsp; ")
    styles = []
    if span.words:
        families = ", ".join(f"'{family}'" for family in ui_font().families())
        styles.append(f"font-family: {families}")
    if span.ink is not None:
        styles.append(f"color: {theme.ink(span.ink).name()}; font-weight: 600")
    if span.dim:
        styles.append(f"color: {theme.dim.name()}")
    if span.strong and kind is not None:
        behind = blend(theme.full(kind), theme.background, _STRONG_SHARE)
        styles.append(f"background-color: {behind.name()}")
    if span.link is not None:
        # A link is kept in one piece where lines break; Chinese may break between any two signs.
        text = text.replace(" ", "&nbsp;")
        text = _WIDE.sub(rf"\g<0>{_JOINER}", text)
        number = next(numbers)
        colour = theme.dim if span.dim else theme.accent
        if number == marked:
            styles.append(f"background-color: {theme.accent.name()}")
            colour = theme.on_accent
        styles.append(f"color: {colour.name()}; text-decoration: none")
        return f'<a href="{number}" style="{"; ".join(styles)}">{text}</a>'
    return f'<span style="{"; ".join(styles)}">{text}</span>' if styles else text


class FieldGrid(QWidget):
    """A row a field: its label, the left cell, the right cell.

    Signals: ``followed(link)`` when a link of a cell is activated.
    """

    followed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("sheet", True)
        self._rows: list[tuple[PlainLabel, FieldCell, FieldCell]] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 5, 14, 8)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(2, 1)
        column.addLayout(self._grid)
        column.addStretch(1)

    def showFields(self, fields: Sequence[DetailRow]) -> None:
        """Show these fields and no others."""
        while len(self._rows) < len(fields):
            self._add_row()
        heading = ""
        for index, widgets in enumerate(self._rows):
            if index < len(fields):
                # What has no label of its own belongs to the field above.
                heading = fields[index].label or heading
                self._fill(index, fields[index], heading)
            else:
                for widget in widgets:
                    widget.clear()
                    widget.hide()

    def cells(self) -> list[FieldCell]:
        """The cells from left to right and from top to bottom."""
        return [cell for _, left, right in self._rows for cell in (left, right)]

    def _fill(self, index: int, field: DetailRow, heading: str) -> None:
        label, left, right = self._rows[index]
        self._grid.removeWidget(left)
        self._grid.addWidget(left, index, *((0, 1, 3) if field.wide else (1, 1, 1)))
        label.setText(field.label)
        label.setFont(ui_font())
        label.setFixedHeight(_line_height() + 2)
        names = (f"{heading}, " + self.tr("left"), f"{heading}, " + self.tr("right"))
        for cell, side in ((left, Side.LEFT), (right, Side.RIGHT)):
            name = self.tr("difference") if field.wide else names[side]
            cell.show_cell(field.cell(side), field.kind, name)
        left.show()
        for widget in (label, right):
            widget.setVisible(not field.wide)

    def _add_row(self) -> None:
        label, left, right = PlainLabel(), FieldCell(), FieldCell()
        label.setProperty("dim", True)
        row = len(self._rows)
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(left, row, 1)
        self._grid.addWidget(right, row, 2)
        for cell in (left, right):
            cell.followed.connect(self.followed)
        self._rows.append((label, left, right))


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
