"""The panel at the right: the heading, the order, and the list of differences itself."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QMenu, QToolButton, QTreeView, QWidget

from opdiff.compare import Side
from opdiff.ui.differences.cards import GroupCard, Style, card_of
from opdiff.ui.differences.delegate import DifferenceDelegate
from opdiff.ui.differences.model import DifferenceModel
from opdiff.ui.differences.outline import Order
from opdiff.ui.differences.rows import Item
from opdiff.ui.differences.verdict_line import VerdictLine
from opdiff.ui.frame.boxes import NONE, in_column, in_row
from opdiff.ui.look import theme
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import ElidedLabel
from opdiff.ui.main_thread import next_turn
from opdiff.ui.store import Store

_OPENING: dict[Qt.Key, bool | None] = {
    Qt.Key.Key_Right: True,
    Qt.Key.Key_Left: False,
    Qt.Key.Key_Return: None,
    Qt.Key.Key_Enter: None,
    Qt.Key.Key_Space: None,
}
"""What a key does to a heading: open it, close it, or (None) the one that it is not."""


class DifferenceList(QTreeView):
    """Groups and their members. Signal: ``causeClicked(divergence)``."""

    causeClicked = Signal(int)

    def __init__(self, model: DifferenceModel) -> None:
        super().__init__()
        self._hint = ""
        self._keeping = False
        """Whether the current row will be scrolled into sight."""
        self._differences = model
        self.setObjectName("differenceList")
        self.setModel(model)
        self.cards = DifferenceDelegate()
        self.setItemDelegate(self.cards)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setMouseTracking(True)
        self.setExpandsOnDoubleClick(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setUniformRowHeights(False)

    def setHint(self, text: str) -> None:
        """What to say while the list is empty."""
        self._hint = text
        self.setAccessibleDescription(text)
        if not self.model().rowCount():
            self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Long titles need a second line, or no longer do."""
        self.keep_in_sight(QRect(QPoint(), event.oldSize()))
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def keep_in_sight(self, seen: QRect | None = None) -> None:
        """Before something grows or shrinks: the current row stays in sight, where it is seen."""
        index = self.currentIndex()
        seen = self.viewport().rect() if seen is None else seen
        if not self._keeping and index.isValid() and seen.intersects(self.visualRect(index)):
            self._keeping = True
            next_turn(self, self._bring_back)

    def _bring_back(self) -> None:
        self._keeping = False
        index = self.currentIndex()
        if index.isValid():
            self.scrollTo(index.parent())
            self.scrollTo(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the list, or what there is to say in its place."""
        super().paintEvent(event)
        if self.model().rowCount():
            return
        painter = QPainter(self.viewport())
        painter.setPen(theme.current().dim)
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(self.viewport().rect().adjusted(24, 28, -24, -24), flags, self._hint)

    def markGroup(self, group: int | None) -> None:
        """Draw one group, named by its id, as the current one."""
        self.setProperty("currentGroup", group)
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show that a link is one."""
        over = self._tag_at(event.position().toPoint()) is not None
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        super().mouseMoveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Follow a link to a cause; fold and unfold headings, effects and the current group."""
        here = event.position().toPoint()
        index, tag = self.indexAt(here), self._tag_at(here)
        card = card_of(index)
        if event.button() != Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
        elif tag is Style.CAUSE and isinstance(card, GroupCard):
            self.causeClicked.emit(card.cause)
        elif tag is Style.EXPLAINS:
            self._differences.set_effects_shown(index, not card.is_open)
        elif card.item is Item.SECTION:
            self._differences.set_section_open(not card.is_open)
        else:
            again = index.isValid() and index == self.currentIndex()
            super().mousePressEvent(event)
            if again and card.item is Item.GROUP:
                self.setExpanded(index, not self.isExpanded(index))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open and close as in any tree: what is explained, members, the heading."""
        index, key = self.currentIndex(), Qt.Key(event.key())
        card = card_of(index)
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or not index.isValid():
            super().keyPressEvent(event)
        elif card.item is Item.SECTION and key in _OPENING:
            wanted = _OPENING[key]
            self._differences.set_section_open(not card.is_open if wanted is None else wanted)
        elif card.item is Item.GROUP and key == Qt.Key.Key_Right:
            self._open(index, event)
        elif card.item is Item.GROUP and key == Qt.Key.Key_Left:
            self._close(index, event)
        else:
            super().keyPressEvent(event)

    def _open(self, index: QModelIndex, event: QKeyEvent) -> None:
        if card_of(index).is_open is False:
            self._differences.set_effects_shown(index, True)
        else:
            super().keyPressEvent(event)

    def _close(self, index: QModelIndex, event: QKeyEvent) -> None:
        above = self._differences.group_above(index)
        if self.isExpanded(index):
            super().keyPressEvent(event)
        elif card_of(index).is_open:
            self._differences.set_effects_shown(index, False)
        elif above.isValid():
            self.setCurrentIndex(above)

    def _tag_at(self, point: QPoint) -> Style | None:
        """The tag at a point that can be clicked."""
        index = self.indexAt(point)
        card = card_of(index)
        if not isinstance(card, GroupCard):
            return None
        boxes = self.cards.tag_boxes(self.visualRect(index), card)
        return next((tag.style for tag, box in boxes if tag.is_link and box.contains(point)), None)


class DifferencePanel(Retranslating, QWidget):
    """Keeps the list and the store's current divergence in step.

    Signal: ``wanted(divergence)`` when the user chooses a cause, or what is current already.
    """

    wanted = Signal(int)

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._following = False
        self._under_way: str | None = None
        """What is being done and how far it is; None where nothing is."""
        self.model = DifferenceModel(self)
        self.list = DifferenceList(self.model)
        self._heading = theme.styled(ElidedLabel(), "heading")
        self._order_button = theme.styled(QToolButton(), "flat", "dim", "small", name="orderButton")
        self._order_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._order_actions = self._make_orders()
        self._lay_out()
        self.retranslate()
        for signal in (store.visibleChanged, store.orderChanged):
            signal.connect(self._fill)
        for signal in (store.traceChanged, store.workChanged):
            signal.connect(self._say_hint)
        store.currentChanged.connect(self._follow)
        self.list.causeClicked.connect(self.wanted)
        self.list.selectionModel().currentChanged.connect(self._selected)
        self.list.clicked.connect(self._clicked)
        self.list.activated.connect(self._clicked)

    def dress(self) -> None:
        """Draw in the present size of text."""
        self.list.keep_in_sight()
        self.list.cards.dress()
        self.list.doItemsLayout()

    def _make_orders(self) -> dict[Order, QAction]:
        menu = QMenu(self)
        group = QActionGroup(self)
        actions = {}
        for order in Order:
            action = menu.addAction("")
            action.setCheckable(True)
            action.setObjectName(f"order-{order.value}")
            action.triggered.connect(lambda _=False, order=order: self._store.setOrder(order))
            group.addAction(action)
            actions[order] = action
        self._order_button.setMenu(menu)
        return actions

    def _lay_out(self) -> None:
        header = theme.styled(QWidget(), "panel", filled=True)
        in_row(header, (self._heading, 1), self._order_button, margins=(14, 3, 8, 3))
        in_column(self, header, VerdictLine(self._store), self.list, margins=NONE, spacing=0)

    def retranslate(self) -> None:
        """Say everything again."""
        self._heading.setWholeText(self.tr("Differences"))
        self.list.setAccessibleName(self.tr("Differences"))
        for order, text in (
            (Order.CAUSE, self.tr("causes first")),
            (Order.NEAREST, self.tr("nearest the anchor first")),
            (Order.SEVERITY, self.tr("most severe first")),
            (Order.COUNT, self.tr("most frequent first")),
            (Order.FILE, self.tr("in the order of the file")),
        ):
            self._order_actions[order].setText(text)
        self._order_button.setToolTip(self.tr("The order of the list"))
        self._order_button.setAccessibleName(self.tr("The order of the list"))
        self._say_order()
        self._say_hint()
        self.model.retranslate()

    def _say_order(self) -> None:
        order = self._store.outline.order
        self._order_actions[order].setChecked(True)
        text = self._order_actions[order].text()
        comparison = self._store.comparison
        anchored = comparison is None or comparison.left.anchor is not None
        if order is Order.NEAREST and not anchored:
            text = self.tr("from the top")
        self._order_button.setText(f"{text} ▾")

    def _fill(self) -> None:
        self._say_hint()
        self._say_order()
        self._following = True
        self.model.show(self._store.outline)
        self._following = False
        self._follow(-1 if self._store.current is None else self._store.current)

    def setRunning(self, running: bool) -> None:
        """While something is under way there is nothing to do but wait."""
        comparing = self._store.both() is not None
        words = self.tr("Comparing…") if comparing else self.tr("Reading…")
        self._under_way = words if running else None
        self._say_hint()

    def setProgress(self, stage: str, how_far: str) -> None:
        """Say what is being done, and how far it is."""
        comparing = "" if stage == "reading" else self.tr("Comparing…")
        self._under_way = f"{comparing} {how_far}".strip()
        self._say_hint()

    def _say_hint(self, *_: object) -> None:
        comparison = self._store.comparison
        if self._under_way is not None:
            what = self.tr("What differs will be listed here; Esc stops it.")
            hint = f"{self._under_way}\n{what}"
        elif comparison is None:
            hint = next_step(self._store)
        elif comparison.divergences:
            hint = self.tr("All differences are hidden by the filters.")
        else:
            hint = self.tr("No differences: what was compared is the same on both sides.")
            if comparison.values is None:
                hint = "\n".join((hint, self.tr("Values were not compared.")))
        self.list.setHint(hint)

    def _follow(self, current: int) -> None:
        """Show the store's current divergence in the list, without answering back."""
        found = self._store.current_divergence
        if found is None or current < 0:
            self.list.markGroup(None)
            return
        self._following = True
        index = self.model.member_index(current)
        self.list.markGroup(found.group if index.isValid() else None)
        # A selected group stands for its first member: moving on into it would trap the Up key.
        at_group = self.list.hasFocus() and self.list.currentIndex() == index.parent()
        on_group = at_group and index.row() == 0
        if index.isValid():
            self.list.expand(index.parent())
            if not on_group:
                self.list.setCurrentIndex(index)
            self.list.scrollTo(index.parent())
            self.list.scrollTo(index)
        self._following = False

    def _selected(self, index: QModelIndex, _before: QModelIndex) -> None:
        card = card_of(index)
        if self._following or card.divergence is None:
            return
        self.list.markGroup(None if card.group is None else card.group.id)
        self._store.setCurrent(card.divergence)

    def _clicked(self, index: QModelIndex) -> None:
        card = card_of(index)
        if card.item in (Item.MORE, Item.EARLIER):
            self._reveal(index)
        elif card.divergence == self._store.current is not None:
            self.wanted.emit(self._store.current)

    def _reveal(self, index: QModelIndex) -> None:
        more = card_of(index).item is Item.MORE
        beside = card_of(index.siblingAtRow(index.row() + (-1 if more else 1))).group
        among_groups = not index.parent().isValid()
        self.model.reveal(index)
        if among_groups and beside is not None:
            # What comes at one end pushes out what was at the other.
            hint = QAbstractItemView.ScrollHint
            where = hint.PositionAtBottom if more else hint.PositionAtTop
            index = self.model.group_index(beside.id)
            # The keys go on from here; what is looked at stays what it is.
            self._following = True
            self.list.setCurrentIndex(index)
            self._following = False
            self.list.scrollTo(index, where)


def next_step(store: Store) -> str:
    """One sentence on the way from an empty window to the first comparison."""
    # By this very name, and with the texts spelled out: only so does lupdate find them.
    translate = QCoreApplication.translate
    if store.both() is None:
        if store.trace(Side.LEFT) is None:
            return translate("NextStep", "Open the left trace, or drop it on its pane.")
        return translate("NextStep", "Open the right trace, or drop it on its pane.")
    anchored = [side for side in Side if store.work.anchor(side) is not None]
    if len(anchored) == 2:
        return translate("NextStep", "Both sides are anchored: compare upward (F5).")
    if anchored == [Side.LEFT]:
        return translate(
            "NextStep",
            "Compare upward (F5) from the op that is offered at the right field; "
            "⌕ beside it lists others.",
        )
    if anchored == [Side.RIGHT]:
        return translate(
            "NextStep",
            "Compare upward (F5) from the op that is offered at the left field; "
            "⌕ beside it lists others.",
        )
    return translate(
        "NextStep",
        "Anchor both traces at the same op: select it and press A, or search with ⌕. "
        "Then compare upward. Where all of both should be the same, compare the whole traces (F7).",
    )
