"""Everything the window can do or go to, found by a few letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem

from opdiff.compare import Side
from opdiff.report.listing import times
from opdiff.trace import Trace
from opdiff.trace.stacks import is_no_stack, user_frame
from opdiff.ui.commands.actions import enter, keys_text, plain, translated
from opdiff.ui.frame.boxes import in_column
from opdiff.ui.frame.dialog import Dialog
from opdiff.ui.look.language import spoken
from opdiff.ui.look.theme import sign_of, styled
from opdiff.ui.moving.search import Hit

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

MOST_FOUND = 40
MOST_LISTED = 200
"""Where nothing is asked: all actions, and what comes first of the rest."""
MOST_GROUPS = 2_000
"""In reading order; looking through more would be felt with every letter."""
_MOST_FUNCTIONS = 2_000
_LEAST_LIKENESS = 72.0
"""Of a hundred: below it nobody sees what the words have in common."""
_SHORT = 5
"""Letters: of fewer any text holds something like them."""
_LINE = re.compile(r"(?P<side>[lr左右]?)\s*:?\s*(?P<line>\d{1,12})", re.IGNORECASE)
_SIDES = {"l": (Side.LEFT,), "左": (Side.LEFT,), "r": (Side.RIGHT,), "右": (Side.RIGHT,)}
_ENTRY = Qt.ItemDataRole.UserRole
_BELOW_TOP = 60
_SELF, _SEARCH = "palette", "search"
_MOVES = frozenset({Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """Something to choose: what is said of it, its key or number, and what choosing it does."""

    text: str
    do: Callable[[], object]
    aside: str = ""
    also: str = ""
    """Further words by which it is found."""


def matching(entries: Sequence[PaletteEntry], query: str) -> list[PaletteEntry]:
    """The entries that a query means, the likeliest first; the first where nothing is asked."""
    wanted = " ".join(query.casefold().split())
    if not wanted:
        return list(entries[:MOST_LISTED])
    from rapidfuzz import fuzz  # takes a moment: nobody waits for it at start

    found = []
    for place, entry in enumerate(entries):
        text = f"{entry.text} {entry.also}".casefold()
        at = text.find(wanted)
        if at >= 0:
            likeness = 200.0 - min(at, 50)
        elif all(word in text for word in wanted.split()):
            likeness = 120.0
        else:
            likeness = fuzz.partial_ratio(wanted, text) if len(wanted) >= _SHORT else 0.0
        if likeness >= _LEAST_LIKENESS:
            found.append((-likeness, place, entry))
    return [entry for _, _, entry in sorted(found, key=lambda each: each[:2])][:MOST_FOUND]


def lines_named(query: str, traces: Sequence[Trace | None]) -> Iterator[Hit]:
    """The ops at a line: ``463`` on both sides, ``L463`` or ``R 463`` on one."""
    match = _LINE.fullmatch(query.strip())
    if match is None:
        return
    for side in _SIDES.get(match["side"].lower(), tuple(Side)):
        trace = traces[side]
        row = None if trace is None else trace.row_at(int(match["line"]))
        if row is not None:
            yield side, row


def functions_of(trace: Trace, side: Side) -> Iterator[tuple[str, str, Hit]]:
    """Each function of the user's code: its name, its file, and its first op."""
    seen: dict[tuple[str, str], int] = {}
    for stack, row in zip(trace.tables.stacks, _first_uses(trace), strict=True):
        if row < 0:
            continue
        frame = None if is_no_stack(stack) else user_frame(stack)
        if frame is None or frame.function.startswith("<"):
            continue
        file = str(frame).partition(":")[0]
        key = (frame.function, file)
        seen[key] = min(row, seen.get(key, row))
    for (function, file), row in sorted(seen.items(), key=lambda each: each[1])[:_MOST_FUNCTIONS]:
        yield function, file, (side, row)


def _first_uses(trace: Trace) -> list[int]:
    """The first row of every stack of the table, -1 where it is not used."""
    first = np.full(len(trace.tables.stacks), -1, np.int64)
    # Of several rows with the same stack the one written last holds: the first of the trace.
    first[trace.columns.stack[::-1]] = np.arange(len(trace))[::-1]
    return first.tolist()


class CommandPalette(Dialog):
    """A field and what it finds; arrows choose, Enter does it, Esc closes."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__("commandPalette", window, Qt.WindowType.Popup)
        self._window = window
        self._entries = [*self._actions(), *self._groups(), *self._functions()]
        self.edit = styled(QLineEdit(), name="paletteEdit")
        self.edit.setPlaceholderText(self.tr("Action, line, function or difference"))
        self.edit.setAccessibleName(self.tr("Action, line, function or difference"))
        self.edit.textChanged.connect(self._find)
        self.edit.installEventFilter(self)
        self.list = styled(QTreeWidget(), name="paletteList")
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
        in_column(self, self.edit, self.list, margins=(8, 8, 8, 8))
        self._place()
        self.list.ensurePolished()  # all rows are as high as the first, which has to know its style
        self._find("")
        self.edit.setFocus()

    def choose(self) -> None:
        """Do what is chosen."""
        item = self.list.currentItem()
        entry = item.data(0, _ENTRY) if item is not None else None
        self.close()
        if isinstance(entry, PaletteEntry):
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
        store = self._window.store
        traces = [store.trace(side) for side in Side]
        lines = [self._op(place) for place in lines_named(query, traces)]
        found = [*lines, *matching(self._entries, query)]
        if query.strip() and store.paths():
            found.append(self._searching(query.strip()))
        for entry in found:
            item = QTreeWidgetItem(self.list, [entry.text, entry.aside])
            item.setForeground(1, self._window.palette().placeholderText())
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight)
            item.setData(0, _ENTRY, entry)
        if not found:
            QTreeWidgetItem(self.list, [self.tr("Nothing is called so")]).setDisabled(True)
        self.list.setCurrentIndex(self.list.model().index(0, 0))

    def _actions(self) -> list[PaletteEntry]:
        commands = self._window.commands
        return [
            PaletteEntry(
                plain(commands[spec.name].text()).rstrip("…"),
                commands[spec.name].trigger,
                keys_text(spec),
                f"{translated(spec.tip)} {plain(spec.text)}",
            )
            for spec in commands.specs
            if commands[spec.name].isEnabled() and spec.name != _SELF
        ]

    def _groups(self) -> list[PaletteEntry]:
        store = self._window.store
        groups = () if store.comparison is None else store.comparison.groups
        return [
            PaletteEntry(
                f"{sign_of(group.kind)} {spoken(group.title)}",
                partial(store.setCurrent, group.members[0]),
                f"× {times(group.title, group.count):,}",
            )
            for group in islice(filter(store.work.shows, groups), MOST_GROUPS)
        ]

    def _functions(self) -> list[PaletteEntry]:
        entries = []
        for side in Side:
            trace = self._window.store.trace(side)
            name = self.tr("left") if side is Side.LEFT else self.tr("right")
            for function, file, place in functions_of(trace, side) if trace is not None else ():
                entries.append(self._going(f"{function}()", f"{file} · {name}", place, file))
        return entries

    def _op(self, place: Hit) -> PaletteEntry:
        side, row = place
        trace = self._window.store.trace(side)
        assert trace is not None, "lines are looked for in traces that are there"
        name = self.tr("left") if side is Side.LEFT else self.tr("right")
        return self._going(f"{trace.line_of(row)} {trace.type_name(row)}", name, place)

    def _going(self, text: str, aside: str, place: Hit, also: str = "") -> PaletteEntry:
        view = self._window.frame.view
        return PaletteEntry(text, lambda: view.selectRow(*place), aside, also)

    def _searching(self, query: str) -> PaletteEntry:
        """What is left where nothing is called so: ops of the traces may be."""
        field = self._window.frame.top.search

        def search() -> None:
            field.setText(query)
            enter(field)

        spec = next(spec for spec in self._window.commands.specs if spec.name == _SEARCH)
        text = self.tr("Search the traces for {text}").format(text=query)
        return PaletteEntry(text, search, keys_text(spec))
