"""Everything the window can do or go to, found by a few letters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QDialog,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from opdiff.compare import Side
from opdiff.report.listing import times
from opdiff.ui.actions import keys_text, plain, translated
from opdiff.ui.feature import Handlers
from opdiff.ui.language import spoken
from opdiff.ui.palette_entries import (
    Entry,
    Place,
    functions_of,
    groups_of,
    lines_named,
    matching,
)
from opdiff.ui.theme import sign_of

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

_ENTRY = Qt.ItemDataRole.UserRole
_BELOW_TOP = 60
_SELF = "palette"
_MOVES = frozenset({Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})


class CommandPalette(QDialog):
    """A field and what it finds; arrows choose, Enter does it, Esc closes."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self.setObjectName("commandPalette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window = window
        self._entries = [*self._actions(), *self._groups(), *self._functions()]
        self.edit = QLineEdit()
        self.edit.setObjectName("paletteEdit")
        self.edit.setPlaceholderText(self.tr("Action, line, function or difference"))
        self.edit.setAccessibleName(self.tr("Action, line, function or difference"))
        self.edit.textChanged.connect(self._find)
        self.edit.installEventFilter(self)
        self.list = QTreeWidget()
        self.list.setObjectName("paletteList")
        self.list.setAccessibleName(self.tr("What was found"))
        self.list.setColumnCount(2)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.list.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.list.itemActivated.connect(lambda *_: self.choose())
        self.list.itemClicked.connect(lambda *_: self.choose())
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.edit)
        column.addWidget(self.list)
        self._place()
        self.list.ensurePolished()  # all rows are as high as the first, which has to know its style
        self._find("")
        self.edit.setFocus()

    def choose(self) -> None:
        """Do what is chosen."""
        item = self.list.currentItem()
        entry = item.data(0, _ENTRY) if item is not None else None
        self.close()
        if isinstance(entry, Entry):
            entry.do()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The keys of the list work while the field has the focus."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in _MOVES:
                self.list.keyPressEvent(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.choose()
                return True
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        room = self._window.rect()
        width = min(640, room.width() - 40)
        self.resize(width, min(440, room.height() - 2 * _BELOW_TOP))
        corner = self._window.mapToGlobal(room.topLeft())
        self.move(corner.x() + (room.width() - width) // 2, corner.y() + _BELOW_TOP)

    def _find(self, query: str) -> None:
        self.list.clear()
        desk = self._window.desk
        traces = [desk.trace(side) for side in Side]
        lines = [self._op(place) for place in lines_named(query, traces)]
        for entry in [*lines, *matching(self._entries, query)]:
            item = QTreeWidgetItem(self.list, [entry.text, entry.aside])
            item.setForeground(1, self._window.palette().placeholderText())
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight)
            item.setData(0, _ENTRY, entry)
        self.list.setCurrentIndex(self.list.model().index(0, 0))

    def _actions(self) -> list[Entry]:
        commands = self._window.commands
        return [
            Entry(
                plain(commands[spec.name].text()).rstrip("…"),
                commands[spec.name].trigger,
                keys_text(spec),
                f"{translated(spec.tip)} {plain(spec.text)}",
            )
            for spec in commands.specs
            if commands[spec.name].isEnabled() and spec.name != _SELF
        ]

    def _groups(self) -> list[Entry]:
        desk = self._window.desk
        comparison = desk.comparison
        if comparison is None:
            return []
        entries = []
        for id_, member in groups_of(comparison, desk.work.shows):
            group = comparison.groups[id_]
            title = f"{sign_of(group.kind)} {spoken(group.title)}"
            often = f"× {times(group.title, group.count):,}"
            entries.append(Entry(title, partial(desk.setCurrent, member), often))
        return entries

    def _functions(self) -> list[Entry]:
        entries = []
        for side in Side:
            trace = self._window.desk.trace(side)
            name = self.tr("left") if side is Side.LEFT else self.tr("right")
            for function, file, place in functions_of(trace, side) if trace is not None else ():
                entries.append(self._going(f"{function}()", f"{file} · {name}", place))
        return entries

    def _op(self, place: Place) -> Entry:
        trace = self._window.desk.trace(place.side)
        assert trace is not None, "lines are looked for in traces that are there"
        name = self.tr("left") if place.side is Side.LEFT else self.tr("right")
        line = trace.line_of(place.row)
        return self._going(f"{line} {trace.type_name(place.row)}", name, place)

    def _going(self, text: str, aside: str, place: Place) -> Entry:
        view = self._window.frame.view
        return Entry(text, lambda: view.selectRow(place.side, place.row), aside)


class PaletteAction(QObject):
    """Opens the palette."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def handlers(self) -> Handlers:
        """Open it."""
        return {_SELF: self.open}

    def possible(self) -> frozenset[str]:
        """At any time."""
        return frozenset()

    def open(self) -> QWidget:
        """Show the palette over the window."""
        palette = CommandPalette(self._window)
        palette.show()
        return palette
