"""How a group of differences, and each of its members, is drawn."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from opdiff.ui.differences.cards import Card, GroupCard, Style, Tag, card_of
from opdiff.ui.differences.rows import Index, Item
from opdiff.ui.look import theme
from opdiff.ui.look.fonts import code_font, ui_font, wrapped
from opdiff.ui.look.theme import draw_box
from opdiff.ui.panes.glyphs import fitted_place

MARGIN = 6
"""Between the card and the edge of the list."""
PADDING = 10
ICON = 24
TEXT_LEFT = MARGIN + PADDING + ICON + 10
STEP = 18
"""How far a card stands to the right of the one that explains it."""
DEEPEST = 4
"""From here on cards stand no further to the right: their text needs the room."""
MOST_LINES = 3
"""Of a sentence: what is longer is cut, and told by the tooltip."""
_GAP = 6
_LEAST_TAG = "because of…"
"""What is left of a tag that is cut: with less room it is left out."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class DifferenceDelegate(QStyledItemDelegate):
    """Draws cards: sign, title and count; the sentence; how the group stands among the others."""

    def __init__(self) -> None:
        super().__init__()
        self.dress()

    def dress(self) -> None:
        """Draw in the present size of text."""
        self._title = ui_font(1.05, QFont.Weight.DemiBold)
        self._small = ui_font(0.9)
        self._link = ui_font(0.9, QFont.Weight.DemiBold)
        self._code = code_font(0.95)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """As tall as its lines; the list gives the width."""
        card = card_of(index)
        if card.item is Item.SECTION:
            count = len(self._section_parts(card, _width(option)))
            return QSize(100, QFontMetrics(self._link).height() * count + 2 * PADDING)
        if isinstance(card, GroupCard):
            lines = self._lines(QRect(0, 0, _width(option), 0), card)
            lowest = lines[2] if card.is_tagged else lines[1]
            return QSize(100, lowest.bottom() + 1 + PADDING)
        last = self._ends_card(index)
        return QSize(100, QFontMetrics(self._code).height() + 6 + (PADDING if last else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = card_of(index)
        if card.item is Item.SECTION:
            self._paint_section(painter, option, card)
        else:
            self._paint_card(painter, option, index, card)
            self._paint_branch(painter, option.rect, card)
            if isinstance(card, GroupCard):
                self._paint_group(painter, option, card)
            else:
                self._paint_member(painter, option, card)
        painter.restore()

    def tag_boxes(self, rect: QRect, card: GroupCard) -> Iterator[tuple[Tag, QRect]]:
        """The tags of a card from left to right, as far as there is room."""
        line = self._lines(rect, card)[2]
        x = line.left()
        for tag in card.tags:
            metrics = QFontMetrics(self._font_of(tag))
            width = metrics.horizontalAdvance(tag.words) + (2 if tag.is_link else 2 * _GAP)
            room = line.right() - x
            if room < min(width, metrics.horizontalAdvance(_LEAST_TAG)):
                return
            width = min(width, room)
            yield tag, QRect(x, line.top(), width, line.height())
            x += width + _GAP

    def _font_of(self, tag: Tag) -> QFont:
        return self._small if tag.style is Style.PLAIN else self._link

    def _lines(self, rect: QRect, card: GroupCard) -> tuple[QRect, QRect, QRect]:
        """The parts of a card: title of one line or two, sentence of some lines, standing."""
        left, top = rect.left() + TEXT_LEFT + _indent(card), rect.top() + PADDING
        width = rect.right() - MARGIN - PADDING - left
        title = self._title_height()
        if len(self._title_parts(card, width)) > 1:
            title += QFontMetrics(self._title).height()
        small = QFontMetrics(self._small).height()
        sentence = small * len(self._sentence_parts(card, width))
        return (
            QRect(left, top, width, title),
            QRect(left, top + title + 2, width, sentence),
            QRect(left, top + title + sentence + 5, width, small + 2),
        )

    def _title_height(self) -> int:
        return max(QFontMetrics(self._title).height(), ICON - 4)

    def _title_parts(self, card: GroupCard, room: int) -> list[str]:
        """The title in one line, or in two where it would be cut."""
        first = room - self._count_width(card.times)
        return wrapped(card.words, self._title, room, first=first, most=2)

    def _sentence_parts(self, card: GroupCard, room: int) -> list[str]:
        """What a card says below its title, in as many lines as it takes, within reason."""
        # What the user wrote says more to them than what they have read before.
        words = f"✎ {card.note.splitlines()[0]}" if card.note else card.sentence
        return wrapped(words, self._small, room, most=MOST_LINES)

    def _paint_title(self, painter: QPainter, title: QRect, card: GroupCard) -> None:
        # Known by its name stays readable; only what the user has put aside is dimmed.
        ink = theme.current().dim if card.greyed else theme.current().text
        line = QRect(title.left(), title.top(), title.width(), self._title_height())
        pill = self._paint_count(painter, line, card.times)
        first, *more = self._title_parts(card, title.width())
        self._text(painter, line.adjusted(0, 0, -pill, 0), first, self._title, ink)
        self._texts(painter, title.adjusted(0, line.height(), 0, 0), more, self._title, ink)

    def _paint_card(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, card: Card
    ) -> None:
        """One background behind the current group and its members together."""
        colours = theme.current()
        view = option.widget
        current = view.property("currentGroup") if view is not None else None
        shown = card.group is not None and current == card.group.id
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if not shown and not hovered:
            return
        top = 0 if index.parent().isValid() else 2
        is_end = self._ends_card(index) or not (
            index.parent().isValid() or option.state & QStyle.StateFlag.State_Open
        )
        rect = option.rect.adjusted(MARGIN + _indent(card), top, -MARGIN, -2 if is_end else 0)
        radius = 8
        # A rounded corner is pushed out of sight where the card goes on above or below.
        grown = rect.adjusted(0, 0 if top else -radius, 0, 0 if is_end else radius)
        painter.setClipRect(option.rect)
        draw_box(painter, grown, radius, colours.selection if shown else colours.hover)

    def _paint_branch(self, painter: QPainter, rect: QRect, card: Card) -> None:
        """A line down the left for each cause that this card stands under."""
        painter.setPen(QPen(theme.blend(theme.current().dim, theme.current().line, 0.35), 1))
        for step in range(_indent(card) // STEP):
            x = rect.left() + MARGIN + PADDING + ICON // 2 + step * STEP
            painter.drawLine(x, rect.top(), x, rect.bottom() + 1)

    def _paint_section(self, painter: QPainter, option: QStyleOptionViewItem, card: Card) -> None:
        """The heading of what cannot change values."""
        colours, rect = theme.current(), option.rect
        painter.setPen(QPen(colours.line, 1))
        painter.drawLine(rect.left(), rect.top(), rect.right(), rect.top())
        touched = option.state & (
            QStyle.StateFlag.State_MouseOver | QStyle.StateFlag.State_Selected
        )
        if touched:
            draw_box(painter, rect.adjusted(MARGIN, 3, -MARGIN, -3), 8, colours.hover)
        lines = rect.translated(MARGIN + PADDING, PADDING)
        parts = self._section_parts(card, rect.width())
        self._texts(painter, lines, parts, self._link, colours.dim)
        if option.state & QStyle.StateFlag.State_HasFocus:
            ring = rect.adjusted(MARGIN, 3, -MARGIN, -3)
            draw_box(painter, ring, 8, edge=colours.accent, width=1.5)

    def _section_parts(self, card: Card, width: int) -> list[str]:
        """The words of the heading in as many lines as they take."""
        sign = "▾" if card.is_open else "▸"
        room = width - 2 * (MARGIN + PADDING)
        return wrapped(f"{sign}  {card.words}", self._link, room, most=2)

    def _paint_group(
        self, painter: QPainter, option: QStyleOptionViewItem, card: GroupCard
    ) -> None:
        colours, rect, kind = theme.current(), option.rect, card.group.kind
        title, sentence, _ = self._lines(rect, card)
        icon = QRect(rect.left() + MARGIN + PADDING + _indent(card), title.top(), ICON, ICON)
        draw_box(painter, icon, 6, colours.tint(kind))
        painter.setFont(self._title)
        painter.setPen(colours.ink(kind))
        painter.drawText(icon, Qt.AlignmentFlag.AlignCenter, theme.sign_of(kind))
        self._paint_title(painter, title, card)
        ink, parts = colours.text if card.note else colours.dim, self._sentence_parts
        self._texts(painter, sentence, parts(card, sentence.width()), self._small, ink)
        for tag, box in self.tag_boxes(rect, card):
            self._paint_tag(painter, tag, box)
        focus = QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_Selected
        if option.state & focus == focus:
            ring = rect.adjusted(MARGIN + _indent(card), 2, -MARGIN, -2)
            draw_box(painter, ring, 8, edge=colours.accent, width=1.5)

    def _paint_tag(self, painter: QPainter, tag: Tag, box: QRect) -> None:
        colours, font = theme.current(), self._font_of(tag)
        if tag.is_link:
            self._text(painter, box, tag.words, font, colours.accent)
            return
        is_root = tag.style is Style.ROOT
        edge = colours.accent if is_root else theme.blend(colours.dim, colours.chip, 0.3)
        fill = colours.accent if is_root else colours.chip
        draw_box(painter, box, box.height() / 2, fill, edge)
        ink = colours.on_accent if is_root else colours.text
        self._text(painter, box, tag.words, font, ink, Qt.AlignmentFlag.AlignCenter)

    def _paint_count(self, painter: QPainter, line: QRect, count: int) -> int:
        """The "× 61" at the right; returns the width it takes."""
        taken = self._count_width(count)
        if not taken:
            return 0
        text = _count_text(count)
        width, height = taken - 8, QFontMetrics(self._link).height() + 4
        pill = QRect(line.right() - width + 1, line.center().y() - height // 2, width, height)
        draw_box(painter, pill, height / 2, theme.current().chip)
        painter.setFont(self._link)
        painter.setPen(theme.current().text)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)
        return taken

    def _count_width(self, count: int) -> int:
        if count < 2:
            return 0
        return QFontMetrics(self._link).horizontalAdvance(_count_text(count)) + 16 + 8

    def _paint_member(self, painter: QPainter, option: QStyleOptionViewItem, card: Card) -> None:
        colours = theme.current()
        height = QFontMetrics(self._code).height() + 6
        line = option.rect.adjusted(TEXT_LEFT + 10 + _indent(card), 0, -MARGIN - PADDING, 0)
        line.setHeight(height)
        is_member = card.item is Item.MEMBER
        if option.state & QStyle.StateFlag.State_Selected:
            chosen = theme.blend(colours.accent, colours.selection, 0.25)
            draw_box(painter, line.adjusted(-8, 1, 6, -1), 5, chosen)
        font = self._code if is_member else self._small
        self._text(painter, line, card.words, font, colours.text if is_member else colours.dim)
        if card.place:
            taken = QFontMetrics(font).horizontalAdvance(card.words) + 12
            rest = line.adjusted(taken, 0, 0, 0)
            place = fitted_place(card.place, rest.width(), QFontMetricsF(self._small))
            self._text(painter, rest, place, self._small, colours.dim, _RIGHT)

    def _text(
        self,
        painter: QPainter,
        rect: QRect,
        text: str,
        font: QFont,
        colour: QColor,
        align: Qt.AlignmentFlag = _LEFT,
    ) -> None:
        painter.setFont(font)
        painter.setPen(colour)
        elided = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(rect, align, elided)

    def _texts(
        self, painter: QPainter, rect: QRect, parts: list[str], font: QFont, colour: QColor
    ) -> None:
        """Lines one below the other."""
        height = QFontMetrics(font).height()
        line = QRect(rect.left(), rect.top(), rect.width(), height)
        for words in parts:
            self._text(painter, line, words, font, colour)
            line.translate(0, height)

    def _ends_card(self, index: Index) -> bool:
        parent = index.parent()
        return parent.isValid() and index.row() == index.model().rowCount(parent) - 1


def _indent(card: Card) -> int:
    return STEP * min(DEEPEST, card.depth)


def _count_text(count: int) -> str:
    return f"× {count:,}"


def _width(option: QStyleOptionViewItem) -> int:
    """The width an item will have; Qt asks for its height before it says so."""
    view = option.widget
    return view.viewport().width() if isinstance(view, QAbstractItemView) else option.rect.width()
