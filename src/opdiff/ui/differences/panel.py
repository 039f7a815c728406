"""The panel at the right: the heading, the order, and the list of differences itself."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QMenu,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from opdiff.ui import theme
from opdiff.ui.desk import Desk
from opdiff.ui.differences.delegate import DifferenceDelegate
from opdiff.ui.differences.model import DifferenceModel, Item, Role
from opdiff.ui.differences.order import Order
from opdiff.ui.next_step import next_step
from opdiff.ui.plain_text import PlainLabel


class DifferenceList(QTreeView):
    """Groups and their members. Signal: ``causeClicked(divergence)``."""

    causeClicked = Signal(int)

    def __init__(self, model: DifferenceModel) -> None:
        super().__init__()
        self._hint = ""
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
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Long titles need a second line, or no longer do."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the list, or what there is to say in its place."""
        super().paintEvent(event)
        if self.model().rowCount():
            return
        painter = QPainter(self.viewport())
        painter.setPen(theme.current().dim)
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(self.viewport().rect().adjusted(24, 28, -24, -24), flags, self._hint)

    def markGroup(self, row: int | None) -> None:
        """Draw one group as the current one."""
        self.setProperty("currentGroup", row)
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show that a link is one."""
        over = self._cause_at(event.position().toPoint()) is not None
        shape = Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape)
        super().mouseMoveEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Follow a link to a cause; fold and unfold the current group."""
        here = event.position().toPoint()
        cause = self._cause_at(here)
        if cause is not None:
            self.causeClicked.emit(cause)
            return
        index = self.indexAt(here)
        again = index.isValid() and index == self.currentIndex()
        super().mousePressEvent(event)
        if again and index.data(Role.ITEM) == Item.GROUP:
            self.setExpanded(index, not self.isExpanded(index))

    def _cause_at(self, point: QPoint) -> int | None:
        index = self.indexAt(point)
        if not index.isValid() or index.data(Role.ITEM) != Item.GROUP:
            return None
        inside = self.cards.cause_rect(self.visualRect(index), index).contains(point)
        return index.data(Role.CAUSE) if inside else None


class DifferencePanel(QWidget):
    """Keeps the list and the desk's current divergence in step."""

    orderChanged = Signal(object)

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self._desk = desk
        self._order = Order.NEAREST
        self._following = False
        self._running = False
        self.model = DifferenceModel(self)
        self.list = DifferenceList(self.model)
        self._heading = PlainLabel()
        self._heading.setProperty("heading", True)
        self._order_button = QToolButton()
        self._order_button.setObjectName("orderButton")
        self._order_button.setProperty("flat", True)
        self._order_button.setProperty("dim", True)
        self._order_button.setProperty("small", True)
        self._order_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._order_actions = self._make_orders()
        self._lay_out()
        self._retranslate()
        desk.visibleChanged.connect(self._fill)
        for signal in (desk.traceChanged, desk.workChanged):
            signal.connect(self._say_hint)
        desk.currentChanged.connect(self._follow)
        self.list.causeClicked.connect(desk.setCurrent)
        self.list.selectionModel().currentChanged.connect(self._selected)
        self.list.clicked.connect(self._clicked)
        self.list.activated.connect(self._clicked)

    @property
    def order(self) -> Order:
        """How the list is sorted."""
        return self._order

    def setOrder(self, order: Order) -> None:
        """Sort the list otherwise."""
        self._order_actions[order].setChecked(True)
        self._say_order()
        if order is not self._order:
            self._order = order
            self._say_order()
            self._fill()
            self.orderChanged.emit(order)

    def group_position(self) -> tuple[int, int] | None:
        """Which group of how many, in the order of the list, the current one is."""
        found = self._desk.current_divergence
        if found is None:
            return None
        index = self.model.group_index(found.group)
        return (index.row() + 1, self.model.rowCount()) if index.isValid() else None

    def setScale(self, scale: float) -> None:
        """Draw larger or smaller."""
        self.list.cards.setScale(scale)
        self.list.doItemsLayout()

    def changeEvent(self, event: QEvent) -> None:
        """Speak the window's language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self.model.retranslate()
        super().changeEvent(event)

    def _make_orders(self) -> dict[Order, QAction]:
        menu = QMenu(self)
        group = QActionGroup(self)
        actions = {}
        for order in Order:
            action = menu.addAction("")
            action.setCheckable(True)
            action.setObjectName(f"order-{order.value}")
            action.triggered.connect(lambda _=False, order=order: self.setOrder(order))
            group.addAction(action)
            actions[order] = action
        actions[Order.NEAREST].setChecked(True)
        self._order_button.setMenu(menu)
        return actions

    def _lay_out(self) -> None:
        header = QWidget()
        header.setProperty("panel", True)
        header.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(header)
        row.setContentsMargins(14, 3, 8, 3)
        row.addWidget(self._heading)
        row.addStretch()
        row.addWidget(self._order_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(self.list)

    def _retranslate(self) -> None:
        self._heading.setText(self.tr("Differences"))
        self.list.setAccessibleName(self.tr("Differences"))
        for order, text in (
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

    def _say_order(self) -> None:
        text = self._order_actions[self._order].text()
        comparison = self._desk.comparison
        anchored = comparison is None or comparison.left.anchor is not None
        if self._order is Order.NEAREST and not anchored:
            text = self.tr("from the top")
        self._order_button.setText(f"{text} ▾")

    def _fill(self) -> None:
        comparison = self._desk.comparison
        groups = self._desk.groups()
        self._say_hint()
        self._say_order()
        self._following = True
        self.model.show(comparison, groups, self._order)
        self._following = False
        self._follow(-1 if self._desk.current is None else self._desk.current)

    def setRunning(self, running: bool) -> None:
        """While something is under way there is nothing to do but wait."""
        self._running = running
        self._say_hint()

    def _say_hint(self, *_: object) -> None:
        comparison = self._desk.comparison
        if self._running:
            hint = ""
        elif comparison is None:
            hint = next_step(self._desk)
        elif comparison.divergences:
            hint = self.tr("All differences are hidden by the filters.")
        else:
            hint = self.tr("No differences: what was compared is the same on both sides.")
        self.list.setHint(hint)

    def _follow(self, current: int) -> None:
        """Show the desk's current divergence in the list, without answering back."""
        found = self._desk.current_divergence
        if found is None or current < 0:
            self.list.markGroup(None)
            return
        self._following = True
        index = self.model.member_index(current)
        self.list.markGroup(index.parent().row() if index.isValid() else None)
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
        if self._following or not index.isValid():
            return
        divergence = index.data(Role.DIVERGENCE)
        if divergence is None:
            return
        self._following = True
        self.list.markGroup(index.parent().row() if index.parent().isValid() else index.row())
        self._following = False
        self._desk.setCurrent(divergence)

    def _clicked(self, index: QModelIndex) -> None:
        if index.data(Role.ITEM) in (Item.MORE, Item.EARLIER):
            self.model.reveal(index)
