"""Which rows a search finds, the field it is typed into, and the walk through what was found."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import translate

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit

from opdiff.compare import Comparison, Side
from opdiff.trace import Trace
from opdiff.trace.columns import Longs
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.look.theme import styled
from opdiff.ui.numbers import whole_number
from opdiff.ui.panes import ComparisonView
from opdiff.ui.store import Store

TYPING_PAUSE_MS = 180
_SOON_MS = 50
"""New traces are laid down one after the other, and painted, before they are searched."""


class SearchEdit(Retranslating, QLineEdit):
    """Signals: ``searched(text)`` once typing pauses, ``stepped(1 or -1)`` on (Shift+)Enter.

    ``left()`` on Esc.
    """

    searched = Signal(str)
    stepped = Signal(int)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("searchEdit")
        self.setClearButtonEnabled(True)
        self._count = styled(PlainLabel(parent=self), "dim", "small", name="searchCount")
        self._pause = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._pause.timeout.connect(self._search)
        self._searched = ""
        self.textChanged.connect(self._typed)
        self.retranslate()

    def showCount(self, place: int | None, total: int) -> None:
        """Say which hit of how many is shown."""
        if not self.text().strip():
            text = ""
        elif total == 0:
            text = self.tr("none")
        elif place is None:
            text = f"{total:,}"
        else:
            text = f"{place + 1:,} / {total:,}"
        self._count.setText(text)
        self._place_count()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes to the next hit, Shift+Enter to the previous one, Esc leaves."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._pause.stop()
            self._search()
            back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            self.stepped.emit(-1 if back else 1)
        elif event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the count at the right."""
        super().resizeEvent(event)
        self._place_count()

    def retranslate(self) -> None:
        """Say everything again."""
        self.setPlaceholderText(self.tr("Search op, scope, function, line"))
        self.setAccessibleName(self.tr("Search"))
        self.setToolTip(
            self.tr("Op type, scope, Python function, %id or line; * and ? stand for anything")
        )

    def _typed(self) -> None:
        self._count.clear()
        self._pause.start()

    def _search(self) -> None:
        if self.text() != self._searched:
            self._searched = self.text()
            self.searched.emit(self._searched)

    def _place_count(self) -> None:
        self._count.adjustSize()
        clear_button = 28 if self.text() else 8
        self._count.move(
            self.width() - self._count.width() - clear_button,
            (self.height() - self._count.height()) // 2,
        )


Hit = tuple[Side, int]


def rows_found(trace: Trace, text: str) -> Longs:
    """Rows whose op type, scope or a function of whose stack contains the text (or matches a glob).

    ``%412`` finds the rows that read or write that block; a number the op with that line.
    """
    text = text.strip()
    if not text:
        return np.empty(0, np.int64)
    number = whole_number(text.removeprefix("%"))
    if number is not None and text.startswith("%"):
        return _rows_of_memory(trace, number)
    if number is not None:
        row = trace.row_at(number)
        return np.array([] if row is None else [row], np.int64)
    pattern = _pattern(text)
    columns, tables = trace.columns, trace.tables
    # Distinct values are few: match those, then look the rows up.
    types = np.array([bool(pattern.search(name)) for name in trace.types], bool)
    scopes = np.array([bool(pattern.search(name)) for name in trace.scopes], bool)
    stacks = np.array(
        [any(pattern.search(frame.function) for frame in stack) for stack in tables.stacks], bool
    )
    return np.flatnonzero(types[trace.type] | scopes[trace.scope] | stacks[columns.stack])


@dataclass(frozen=True, slots=True)
class Hits:
    """What was found, from top to bottom; often very much, so a hit is made when asked for."""

    sides: Longs
    rows: Longs

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> Hit:
        return Side(int(self.sides[place])), int(self.rows[place])


NO_HITS = Hits(np.empty(0, np.int64), np.empty(0, np.int64))


def hits(left: Longs | None, right: Longs | None, comparison: Comparison | None) -> Hits:
    """The rows found on both sides as one walk from top to bottom; a pair is one hit."""
    left = np.empty(0, np.int64) if left is None else left
    right = np.empty(0, np.int64) if right is None else right
    place = right.astype(np.float64)
    if comparison is not None and len(right):
        partner = comparison.right.partner
        alone = ~np.isin(partner[right], left) | (partner[right] < 0)
        right = right[alone]
        # A row without a counterpart stands after the last one above it that has one.
        place = np.maximum.accumulate(partner)[right] + 0.5
    places = np.concatenate([left.astype(np.float64), place])
    sides = np.repeat([Side.LEFT.value, Side.RIGHT.value], [len(left), len(right)])
    rows = np.concatenate([left, right])
    # Of what has the same place, the left comes first, and rows ascend: they do so already.
    order = np.argsort(places, kind="stable")
    return Hits(sides[order], rows[order])


def _rows_of_memory(trace: Trace, memory: int) -> Longs:
    touching = [
        operands.rows()[operands.memory == memory] for operands in (trace.outputs, trace.inputs)
    ]
    return np.unique(np.concatenate(touching)).astype(np.int64)


def _pattern(text: str) -> re.Pattern[str]:
    if "*" in text or "?" in text:
        return re.compile(r"\A" + translate(text), re.IGNORECASE)
    return re.compile(re.escape(text), re.IGNORECASE)


class SearchWalk(QObject):
    """Signal: ``found()`` when there are other hits than before."""

    found = Signal()

    def __init__(self, store: Store, edit: SearchEdit, view: ComparisonView) -> None:
        super().__init__(edit)
        self._store = store
        self._edit = edit
        self._view = view
        self._hits = NO_HITS
        self._place: int | None = None
        edit.searched.connect(self.search)
        edit.stepped.connect(self.step)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(lambda: self.search(self._edit.text()))
        store.traceChanged.connect(self._search_again)
        store.comparisonChanged.connect(self._search_again)

    @property
    def any(self) -> bool:
        """Whether anything was found."""
        return len(self._hits) > 0

    def search(self, text: str) -> None:
        """Look for a text on both sides and mark what is found."""
        rows = {}
        for side in Side:
            trace = self._store.trace(side)
            if trace is not None:
                rows[side] = rows_found(trace, text)
                self._view.setSearchHits(side, rows[side])
        self._hits = hits(rows.get(Side.LEFT), rows.get(Side.RIGHT), self._store.comparison)
        self._place = None
        self._edit.showCount(None, len(self._hits))
        self.found.emit()

    def step(self, step: int) -> None:
        """Go to the next (1) or previous (-1) hit, round at the ends."""
        if not self.any:
            return
        if self._place is None:
            self._place = 0 if step > 0 else len(self._hits) - 1
        else:
            self._place = (self._place + step) % len(self._hits)
        side, row = self._hits[self._place]
        self._edit.showCount(self._place, len(self._hits))
        self._view.selectRow(side, row)

    def _search_again(self, *_: object) -> None:
        if self._edit.text().strip():
            self._hits, self._place = NO_HITS, None
            self._soon.start()
