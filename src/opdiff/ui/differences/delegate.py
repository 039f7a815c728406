"""How a group of differences, and each of its members, is drawn."""

from __future__ import annotations

from typing import TypeAlias

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QFontMetricsF, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from opdiff.compare import Kind
from opdiff.ui import theme
from opdiff.ui.differences.model import Item, Role
from opdiff.ui.fonts import code_font, ui_font
from opdiff.ui.panes.glyphs import fitted_place

Index: TypeAlias = QModelIndex | QPersistentModelIndex

MARGIN = 6
"""Between the card and the edge of the list."""
PADDING = 10
ICON = 24
TEXT_LEFT = MARGIN + PADDING + ICON + 10
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class DifferenceDelegate(QStyledItemDelegate):
    """Draws cards: sign, title and count; the sentence; root, or what it is because of."""

    def __init__(self) -> None:
        super().__init__()
        self.setScale(1.0)

    def setScale(self, scale: float) -> None:
        """Draw larger or smaller."""
        self._title = ui_font(1.05 * scale, QFont.Weight.DemiBold)
        self._small = ui_font(0.9 * scale)
        self._link = ui_font(0.9 * scale, QFont.Weight.DemiBold)
        self._code = code_font(0.95 * scale)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """As tall as its lines; the list gives the width."""
        if index.data(Role.ITEM) == Item.GROUP:
            lines = self._lines(QRect(0, 0, _width(option), 0), index)
            return QSize(100, lines[2].bottom() + 1 + PADDING)
        last = self._ends_card(index)
        return QSize(100, QFontMetrics(self._code).height() + 6 + (PADDING if last else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_card(painter, option, index)
        if index.data(Role.ITEM) == Item.GROUP:
            self._paint_group(painter, option.rect, index)
        else:
            self._paint_member(painter, option, index)
        painter.restore()

    def cause_rect(self, rect: QRect, index: Index) -> QRect:
        """Where the link to the cause is within a group's rectangle; empty if there is none."""
        text = self._cause_text(index)
        if not text:
            return QRect()
        line = self._lines(rect, index)[2]
        width = QFontMetrics(self._link).horizontalAdvance(text)
        return QRect(line.left(), line.top(), min(width, line.width()), line.height())

    def _lines(self, rect: QRect, index: Index) -> tuple[QRect, QRect, QRect]:
        """The parts of a card: title of one line or two, sentence, standing."""
        room = rect.width() - 1 - TEXT_LEFT - MARGIN - PADDING
        title = self._title_height()
        if len(self._title_parts(index, room)) > 1:
            title += QFontMetrics(self._title).height()
        small = QFontMetrics(self._small).height()
        right = rect.right() - MARGIN - PADDING
        left, top = rect.left() + TEXT_LEFT, rect.top() + PADDING
        width = right - left
        return (
            QRect(left, top, width, title),
            QRect(left, top + title + 2, width, small),
            QRect(left, top + title + small + 4, width, small),
        )

    def _title_height(self) -> int:
        return max(QFontMetrics(self._title).height(), ICON - 4)

    def _title_parts(self, index: Index, room: int) -> list[str]:
        """The title in one line, or in two where it would be cut and can be broken."""
        text, metrics = str(index.data()), QFontMetrics(self._title)
        first = room - self._count_width(index.data(Role.COUNT))
        if metrics.horizontalAdvance(text) <= first:
            return [text]
        space = text.rfind(" ")
        while space > 0 and metrics.horizontalAdvance(text[:space]) > first:
            space = text.rfind(" ", 0, space)
        return [text[:space], text[space + 1 :]] if space > 0 else [text]

    def _paint_title(self, painter: QPainter, title: QRect, index: Index) -> None:
        ink = theme.current().dim if index.data(Role.GREYED) else theme.current().text
        line = QRect(title.left(), title.top(), title.width(), self._title_height())
        pill = self._paint_count(painter, line, index.data(Role.COUNT))
        parts = self._title_parts(index, title.width())
        self._text(painter, line.adjusted(0, 0, -pill, 0), parts[0], self._title, ink)
        if len(parts) > 1:
            rest = title.adjusted(0, line.height(), 0, 0)
            self._text(painter, rest, parts[1], self._title, ink)

    def _paint_card(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One background behind the current group and its members together."""
        colours = theme.current()
        view = option.widget
        group = index.parent() if index.parent().isValid() else index
        current = view.property("currentGroup") if view is not None else None
        shown = current is not None and current == group.row()
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if not shown and not hovered:
            return
        top = 0 if index.parent().isValid() else 2
        is_end = self._ends_card(index) or not (
            index.parent().isValid() or self._expanded(option, index)
        )
        card = option.rect.adjusted(MARGIN, top, -MARGIN, -2 if is_end else 0)
        radius = 8
        # A rounded corner is pushed out of sight where the card goes on above or below.
        grown = card.adjusted(0, 0 if top else -radius, 0, 0 if is_end else radius)
        painter.setClipRect(option.rect)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.selection if shown else colours.hover)
        painter.drawRoundedRect(grown, radius, radius)

    def _paint_group(self, painter: QPainter, rect: QRect, index: Index) -> None:
        colours = theme.current()
        title, sentence, standing = self._lines(rect, index)
        kind = Kind(index.data(Role.KIND))
        icon = QRect(rect.left() + MARGIN + PADDING, title.top(), ICON, ICON)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.tint(kind))
        painter.drawRoundedRect(icon, 6, 6)
        painter.setFont(self._title)
        painter.setPen(colours.ink(kind))
        painter.drawText(icon, Qt.AlignmentFlag.AlignCenter, theme.sign_of(kind))
        self._paint_title(painter, title, index)
        # What the user wrote says more to them than what they have read before.
        note = index.data(Role.NOTE)
        if note:
            words = f"✎ {note.splitlines()[0]}"
            self._text(painter, sentence, words, self._small, colours.text)
        else:
            self._text(painter, sentence, index.data(Role.SENTENCE), self._small, colours.dim)
        cause = self._cause_text(index)
        if cause:
            self._text(painter, standing, cause, self._link, colours.accent)
        else:
            self._text(painter, standing, self._root_text(index), self._small, colours.dim)

    def _paint_count(self, painter: QPainter, line: QRect, count: int) -> int:
        """The "× 61" at the right; returns the width it takes."""
        taken = self._count_width(count)
        if not taken:
            return 0
        text = _count_text(count)
        width, height = taken - 8, QFontMetrics(self._link).height() + 4
        pill = QRect(line.right() - width + 1, line.center().y() - height // 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.current().chip)
        painter.drawRoundedRect(pill, height / 2, height / 2)
        painter.setFont(self._link)
        painter.setPen(theme.current().text)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, text)
        return taken

    def _count_width(self, count: int) -> int:
        if count < 2:
            return 0
        return QFontMetrics(self._link).horizontalAdvance(_count_text(count)) + 16 + 8

    def _paint_member(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours = theme.current()
        height = QFontMetrics(self._code).height() + 6
        area = option.rect
        line = QRect(
            area.left() + TEXT_LEFT + 10,
            area.top(),
            area.width() - TEXT_LEFT - 10 - MARGIN - PADDING,
            height,
        )
        is_member = index.data(Role.ITEM) == Item.MEMBER
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.blend(colours.accent, colours.selection, 0.25))
            painter.drawRoundedRect(line.adjusted(-8, 1, 6, -1), 5, 5)
        text = index.data()
        font = self._code if is_member else self._small
        self._text(painter, line, text, font, colours.text if is_member else colours.dim)
        place = index.data(Role.PLACE) if is_member else None
        if place:
            taken = QFontMetrics(font).horizontalAdvance(text) + 12
            rest = line.adjusted(taken, 0, 0, 0)
            place = fitted_place(place, rest.width(), QFontMetricsF(self._small))
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

    def _cause_text(self, index: Index) -> str:
        cause = index.data(Role.CAUSE_TEXT)
        if cause is None:
            return ""
        named = f"{theme.sign_of(Kind(index.data(Role.CAUSE_KIND)))} {cause}"
        return QCoreApplication.translate("Differences", "because of {cause}").format(cause=named)

    def _root_text(self, index: Index) -> str:
        root = QCoreApplication.translate("Differences", "root")
        if index.data(Role.KNOWN):
            return f"{root} · " + QCoreApplication.translate("Differences", "known rename")
        return root

    def _ends_card(self, index: Index) -> bool:
        parent = index.parent()
        return parent.isValid() and index.row() == index.model().rowCount(parent) - 1

    def _expanded(self, option: QStyleOptionViewItem, index: Index) -> bool:
        return bool(option.state & QStyle.StateFlag.State_Open)


def _count_text(count: int) -> str:
    return f"× {count:,}"


def _width(option: QStyleOptionViewItem) -> int:
    """The width an item will have; Qt asks for its height before it says so."""
    view = option.widget
    return view.viewport().width() if isinstance(view, QAbstractItemView) else option.rect.width()
