"""The finder: an op to anchor at, by type, scope or Python function, or by its counterpart."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeAlias

import numpy as np
from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSignalBlocker,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFormLayout,
    QLineEdit,
    QListView,
    QPushButton,
    QSpinBox,
    QWidget,
)

from opdiff.compare import Side
from opdiff.compare.pairing.counterparts import Candidate, counterparts
from opdiff.trace import Trace
from opdiff.trace.columns import Ints
from opdiff.trace.search import find_rows, functions
from opdiff.ui.frame.boxes import in_column, in_row
from opdiff.ui.frame.dialog import Dialog
from opdiff.ui.look.language import spoken
from opdiff.ui.look.plain_text import PlainLabel, tip
from opdiff.ui.look.theme import styled
from opdiff.ui.main_thread import aside
from opdiff.ui.panes.texts import origin_text
from opdiff.ui.store import Store
from opdiff.wording.printable import printable

Index: TypeAlias = QModelIndex | QPersistentModelIndex
MOST_LISTED = 4000
"""A list of all rows of a large trace would take seconds to open; this much is plenty."""

ROW_ROLE = Qt.ItemDataRole.UserRole
MOST_NAMES = 400
"""How many op types or functions are offered for choice; any other can be typed."""


def row_text(trace: Trace, row: int) -> str:
    """``523  Concat  BFloat16 [4096, 1, 32, 128]  rope.py:104 apply_rotary_pos_emb``."""
    op = trace.op(row)
    output = op.outputs[0].spec.text if op.outputs else ""
    # A long type takes of the output's room: the places stay below one another.
    made = printable(f"{op.type:<22}  {output}")
    return f"{op.line:>7}  {made:<58}  {printable(origin_text(trace, row))}"


class FoundRows(QAbstractListModel):
    """The rows a search found; of very many, those around a chosen one."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._trace: Trace | None = None
        self._rows: Ints = np.empty(0, np.int32)
        self._start = 0

    @property
    def found(self) -> int:
        """How many rows there are in all."""
        return len(self._rows)

    def show(self, trace: Trace | None, rows: Ints) -> None:
        """List these rows of a trace."""
        self.beginResetModel()
        self._trace, self._rows, self._start = trace, rows, 0
        self.endResetModel()

    def index_of(self, occurrence: int) -> QModelIndex:
        """Where an occurrence is, counted from 0; listed now if it was not."""
        if not self._start <= occurrence < self._start + self.rowCount():
            self.beginResetModel()
            self._start = max(0, min(occurrence - MOST_LISTED // 2, self.found - MOST_LISTED))
            self.endResetModel()
        return self.index(occurrence - self._start)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  # as Qt declares it
        """How many rows are listed."""
        return 0 if parent.isValid() else min(MOST_LISTED, self.found - self._start)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The line, or the row itself."""
        if not index.isValid() or self._trace is None:
            return None
        row = int(self._rows[self._start + index.row()])
        if role == Qt.ItemDataRole.DisplayRole:
            return row_text(self._trace, row)
        return row if role == ROW_ROLE else None


class LikelyRows(FoundRows):
    """Candidates for a counterpart, the likeliest first, each with its reason."""

    def offer(self, trace: Trace | None, candidates: list[Candidate]) -> None:
        """List these candidates among the rows of a trace."""
        self._candidates = candidates
        self.show(trace, np.array([each.row for each in candidates], np.int32))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The line with why it is likely, or the row itself."""
        line = super().data(index, role)
        if line is not None and role == Qt.ItemDataRole.DisplayRole:
            candidate = self._candidates[index.row()]
            return f"{line}\n{candidate.score:>7.0%}   {spoken(candidate.reason)}"
        if index.isValid() and role == Qt.ItemDataRole.ToolTipRole:
            return tip(spoken(self._candidates[index.row()].reason))
        return line


class Finder(Dialog):
    """Finds a row of one side and makes it the anchor.

    Signals: ``anchored(side, row)``, ``compareWanted()`` where it is to be compared at once.
    """

    anchored = Signal(int, int)
    compareWanted = Signal()

    def __init__(self, store: Store, side: Side, parent: QWidget) -> None:
        super().__init__("finder", parent)
        self._store = store
        self._side = side
        self._op = _name_combo("finderOp")
        self._scope = styled(QLineEdit(), name="finderScope")
        self._function = _name_combo("finderFunction")
        self._occurrence = styled(QSpinBox(), name="finderOccurrence")
        self._first = QPushButton(self.tr("First"))
        self._last = QPushButton(self.tr("Last"))
        self._count = styled(PlainLabel(), "dim", name="finderCount")
        self._found = FoundRows(self)
        self._likely = LikelyRows(self)
        self._found_list = _row_list("finderRows", self._found)
        self._likely_list = _row_list("finderCounterparts", self._likely)
        self._used = self._found_list
        self._found_list.setAccessibleName(self.tr("Ops found"))
        self._likely_list.setAccessibleName(self.tr("Most likely counterparts"))
        self._likely_title = styled(PlainLabel(), "heading")
        self._anchor = styled(QPushButton(self.tr("Anchor here")), "primary", name="finderAnchor")
        self._anchor.setDefault(True)
        self._go_on = styled(
            QPushButton(self.tr("Anchor here, then find its counterpart")),
            name="finderAnchorAndGoOn",
        )
        self._compare = styled(
            QPushButton(self.tr("Anchor and compare upward")), name="finderAnchorAndCompare"
        )
        self._compare.setToolTip(
            self.tr("Where the other side has no anchor, its likeliest counterpart is taken")
        )
        self._cleared = styled(PlainLabel(wrap=True), name="finderCleared")
        self._lay_out()
        self._connect()
        self._turn_to(side)
        store.traceChanged.connect(self._look_again)
        self.resize(840, 720)

    def chosen(self) -> int | None:
        """The row that would become the anchor."""
        index = self._used.currentIndex()
        return int(index.data(ROW_ROLE)) if index.isValid() else None

    def _use(self, view: QListView) -> None:
        """Let the row chosen in one list count, and only that one look chosen."""
        self._used = view
        other = self._found_list if view is self._likely_list else self._likely_list
        other.clearSelection()
        if view.currentIndex().isValid():
            view.selectionModel().select(
                view.currentIndex(), QItemSelectionModel.SelectionFlag.ClearAndSelect
            )
        self._offer_buttons()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.addRow(self.tr("Op type"), self._op)
        form.addRow(self.tr("Scope"), self._scope)
        form.addRow(self.tr("Python function"), self._function)
        for combo, name in (
            (self._op, self.tr("Op type")),
            (self._function, self.tr("Python function")),
        ):
            line = combo.lineEdit()
            if line is not None:
                line.setAccessibleName(name)
                line.setPlaceholderText(self.tr("any; type a part of it, or with * and ?"))
        self._scope.setPlaceholderText(self.tr("part of a scope, or with * and ?"))
        number = PlainLabel(self.tr("Occurrence"))
        number.setBuddy(self._occurrence)
        walk = in_row(None, self._count, 0, self._first, number, self._occurrence, self._last)
        buttons = in_row(None, 0, self._go_on, self._compare, self._anchor)
        in_column(
            self,
            self._likely_title,
            (self._likely_list, 2),
            form,
            self._cleared,
            walk,
            (self._found_list, 3),
            buttons,
            spacing=10,
        )

    def _connect(self) -> None:
        self._op.currentTextChanged.connect(self._search)
        self._scope.textChanged.connect(self._search)
        self._function.currentTextChanged.connect(self._search)
        self._occurrence.valueChanged.connect(self._show_occurrence)
        self._first.clicked.connect(lambda: self._occurrence.setValue(1))
        self._last.clicked.connect(lambda: self._occurrence.setValue(self._found.found))
        self._anchor.clicked.connect(self._take)
        self._go_on.clicked.connect(self._take_and_go_on)
        self._compare.clicked.connect(self._take_and_compare)
        for view in (self._found_list, self._likely_list):
            view.installEventFilter(self)
            view.activated.connect(self._take)
            view.clicked.connect(lambda _, view=view: self._use(view))
            view.selectionModel().currentChanged.connect(lambda *_, view=view: self._use(view))

    def _turn_to(self, side: Side) -> None:
        """Look at the other trace, with everything it offers."""
        self._side = side
        left = side is Side.LEFT
        self.setWindowTitle(
            self.tr("Find the left anchor") if left else self.tr("Find the right anchor")
        )
        trace = self._store.trace(side)
        if trace is None:
            return
        occurrences = np.bincount(trace.type, minlength=len(trace.types)).tolist()
        common = sorted(zip(trace.types, occurrences, strict=True), key=lambda pair: -pair[1])
        _offer(self._op, dict(common))
        _offer(self._function, functions(trace))
        self._show_likely()
        self._drop_unfit(trace)
        self._search()
        self._use(self._likely_list if self._likely.rowCount() else self._found_list)

    def _look_again(self) -> None:
        """Another trace was opened: what is listed, and what is likely, was of the one before."""
        self._turn_to(self._side)

    def _show_likely(self) -> None:
        """The likely counterparts of the other side's anchor, where there is one."""
        trace, other = self._store.trace(self._side), self._store.trace(self._side.other)
        row = self._store.work.anchor(self._side.other)
        likely = []
        if trace is not None and other is not None and row is not None:
            likely = aside(partial(counterparts, other, row, trace))
        for widget in (self._likely_title, self._likely_list):
            widget.setVisible(bool(likely))
        self._likely.offer(trace, likely)
        if other is None or row is None or not likely:
            return
        name = f"{other.line_of(row)} {other.type_name(row)}"
        left = self._side.other is Side.LEFT
        text = (
            self.tr("Most likely counterparts of left {op}")
            if left
            else self.tr("Most likely counterparts of right {op}")
        )
        self._likely_title.setText(text.format(op=name))
        # All of them can be seen at once: there are but a few.
        tall = self._likely_list.sizeHintForRow(0) * len(likely)
        self._likely_list.setMinimumHeight(tall + 2 * self._likely_list.frameWidth() + 2)
        self._likely_list.setCurrentIndex(self._likely.index(0))
        self._likely_list.setFocus()

    def _drop_unfit(self, trace: Trace) -> None:
        """Clear what was asked of the other side and finds nothing here, and say so."""
        fields = {
            "op": (self.tr("Op type"), self._op.lineEdit()),
            "scope": (self.tr("Scope"), self._scope),
            "function": (self.tr("Python function"), self._function.lineEdit()),
        }
        cleared = []
        for alone in (True, False):  # each by itself, then what fits by itself but not together
            for name, (title, field) in fields.items():
                if field is None or not field.text().strip():
                    continue
                asked = {name: _glob(field.text())} if alone else self._asked()
                if not len(find_rows(trace, **asked)):
                    cleared.append(f"{title} = {field.text()}")
                    field.clear()
        text = self.tr("Cleared, as nothing on this side fits: {what}")
        self._cleared.setText(text.format(what=", ".join(cleared)))
        self._cleared.setVisible(bool(cleared))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What is typed while a list has the focus is meant for the op type."""
        line = self._op.lineEdit()
        typed = event.text() if isinstance(event, QKeyEvent) else ""
        if not typed.strip() or not typed.isprintable() or line is None:
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.KeyPress:
            line.setFocus()
            line.setText(typed)
        event.accept()  # no letter is a key of the window here
        return True

    def _asked(self) -> dict[str, str | None]:
        """What the fields ask for."""
        return {
            "op": _glob(self._op.currentText()),
            "scope": _glob(self._scope.text()),
            "function": _glob(self._function.currentText()),
        }

    def _search(self) -> None:
        trace = self._store.trace(self._side)
        if trace is None:
            return
        rows = find_rows(trace, **self._asked())
        self._found.show(trace, rows)
        self._count.setText(
            self.tr("{n} ops").format(n=f"{len(rows):,}") if len(rows) else self._why_none(trace)
        )
        with QSignalBlocker(self._occurrence):
            self._occurrence.setRange(min(1, len(rows)), len(rows))
        for each in (self._occurrence, self._first, self._last):
            each.setEnabled(len(rows) > 0)
        self._show_occurrence(self._occurrence.value())
        self._offer_buttons()

    def _why_none(self, trace: Trace) -> str:
        """What to say where nothing is found: what was typed may be the name of something else."""
        asked = self._asked()
        name = asked.pop("op")
        if name is None or any(asked.values()):
            return self.tr("No op fits.")
        count = len(find_rows(trace, function=name))
        if not count:
            return self.tr("No op type fits.")
        text = self.tr("No op type fits, but Python functions of that name do, with {n} ops.")
        return text.format(n=f"{count:,}")

    def _offer_buttons(self) -> None:
        """There must be an op to anchor at."""
        for button in (self._anchor, self._go_on, self._compare):
            button.setEnabled(self.chosen() is not None)

    def _show_occurrence(self, number: int) -> None:
        if self._found.found:
            index: QModelIndex = self._found.index_of(number - 1)
            self._found_list.setCurrentIndex(index)
            self._found_list.scrollTo(index)

    def _set_anchor(self) -> bool:
        row = self.chosen()
        if row is not None:
            self._store.setAnchor(self._side, row)
            self.anchored.emit(int(self._side), row)
        return row is not None

    def _take(self) -> None:
        if self._set_anchor():
            self.accept()

    def _take_and_go_on(self) -> None:
        if not self._set_anchor():
            return
        if self._store.trace(self._side.other) is None:
            self.accept()  # there is nothing to find a counterpart in
        else:
            self._turn_to(self._side.other)

    def _take_and_compare(self) -> None:
        if self._set_anchor():
            self.accept()
            self.compareWanted.emit()


def _offer(combo: QComboBox, counts: dict[str, int]) -> None:
    """Offer names with how often they occur; what is typed already stays."""
    typed = combo.currentText()
    combo.blockSignals(True)
    combo.clear()
    combo.addItems(list(counts)[:MOST_NAMES])
    for place, name in enumerate(list(counts)[:MOST_NAMES]):
        combo.setItemData(place, f"{counts[name]:,}", Qt.ItemDataRole.ToolTipRole)
    combo.setEditText(typed)
    combo.blockSignals(False)


def _glob(text: str) -> str | None:
    """What is typed as a glob; a plain word may stand anywhere in the name."""
    text = text.strip()
    if not text:
        return None
    return text if "*" in text or "?" in text else f"*{text}*"


def _name_combo(name: str) -> QComboBox:
    combo = styled(QComboBox(), name=name)
    combo.setEditable(True)
    combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    return combo


def _row_list(name: str, model: FoundRows) -> QListView:
    view = styled(QListView(), "code", name=name)
    view.setModel(model)
    view.setUniformItemSizes(True)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    return view
