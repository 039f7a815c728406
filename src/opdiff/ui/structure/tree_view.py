"""The foldable tree of phases, layers and functions."""

from __future__ import annotations

from typing import Any, TypeAlias

from PySide6.QtCore import (
    QAbstractItemModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView

from opdiff.compare import Side
from opdiff.structure import ROOT
from opdiff.structure.part_names import name_of
from opdiff.trace import Trace
from opdiff.ui.look.fonts import bold, number_width
from opdiff.ui.look.language import spoken
from opdiff.ui.look.plain_text import tip
from opdiff.ui.structure.structures import OutlineIndex, PartCounts
from opdiff.wording.printable import printable

Index: TypeAlias = QModelIndex | QPersistentModelIndex
NAME, OPS, DIFFERENCES = range(3)
_ROOT = QModelIndex()
_FEW = 12
_INDENTATION = 12
"""Parts lie deep, and their names are long."""


class StructureModel(QAbstractItemModel):
    """Parts of one side; an index holds the number of its part."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.outline: OutlineIndex | None = None
        """What is shown."""
        self._trace: Trace | None = None
        self.side = Side.LEFT
        self.part_counts: PartCounts | None = None
        """How many differences are in each part: of others the view has only to be painted."""

    def show(self, side: Side, outline: OutlineIndex | None, trace: Trace | None) -> None:
        """Show the structure of a side, or none."""
        self.beginResetModel()
        self.side, self.outline, self._trace = side, outline, trace
        self.endResetModel()

    def largest(self, column: int) -> int:
        """The largest number of a column: that of a part, not of the whole trace."""
        if self.outline is None or (column == DIFFERENCES and self.part_counts is None):
            return 0
        if column == OPS or self.part_counts is None:
            return int(self.outline.structure.ops[ROOT + 1 :].max(initial=0))
        return int(self.part_counts.counts[self.side][ROOT + 1 :].max(initial=0))

    def index_of(self, node: int) -> QModelIndex:
        """Where a part is; invalid for the trace itself."""
        if self.outline is None or node <= ROOT:
            return _ROOT
        return self.createIndex(int(self.outline.place[node]), NAME, node)

    def index(self, row: int, column: int, parent: Index = _ROOT) -> QModelIndex:
        """A part of a part."""
        # Asked for thousands of times when a tree is unfolded: Qt's hasIndex takes twice as long.
        if self.outline is None or row < 0 or not 0 <= column <= DIFFERENCES:
            return _ROOT
        above = parent.internalId() if parent.isValid() else ROOT
        node = self.outline.part(above, row)
        return _ROOT if node is None else self.createIndex(row, column, node)

    def parent(self, index: Index = _ROOT) -> Any:
        """What a part is part of."""
        if self.outline is None or not index.isValid():
            return _ROOT
        return self.index_of(int(self.outline.structure.parent[int(index.internalId())]))

    def rowCount(self, parent: Index = _ROOT) -> int:
        """How many parts there are."""
        if self.outline is None or (parent.isValid() and parent.column() != NAME):
            return 0
        return self.outline.children(int(parent.internalId()) if parent.isValid() else ROOT)

    def hasChildren(self, parent: Index = _ROOT) -> bool:
        """Whether there are any parts; Qt would count columns besides, of every part."""
        return self.rowCount(parent) > 0

    def columnCount(self, _parent: Index = _ROOT) -> int:
        """Name, ops, differences."""
        return 3

    def headerData(
        self, section: int, _orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """What the columns are."""
        translate = QCoreApplication.translate  # lupdate knows calls by this name only
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                translate("StructureModel", "part"),
                translate("StructureModel", "ops"),
                translate("StructureModel", "differ"),
            )[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and section != NAME:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a part is called, how large it is, and how much differs in it."""
        outline = self.outline
        if outline is None or not index.isValid():
            return None
        node, column = int(index.internalId()), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(outline, node, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._text(outline, node, column) or "0"
        if role == Qt.ItemDataRole.TextAlignmentRole and column != NAME:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if role == Qt.ItemDataRole.FontRole and column == DIFFERENCES and self._suspects(node):
            return bold()
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(self._tooltip(outline, node))
        return None

    def _text(self, outline: OutlineIndex, node: int, column: int) -> str:
        if column == NAME:
            return printable(spoken(name_of(outline.structure.node(node))))
        if column == OPS:
            return f"{int(outline.structure.ops[node]):,}"
        count = self._count(node)
        return f"{count:,}" if count else ""

    def _tooltip(self, outline: OutlineIndex, node: int) -> str:
        translate = QCoreApplication.translate  # lupdate knows calls by this name only
        place = outline.names.of_part(node)
        words = [] if place is None else [spoken(place)]
        if self._trace is not None:
            part = outline.structure.node(node)
            lines = translate("StructureModel", "lines {first}–{last}")
            first, last = (self._trace.line_of(row) for row in (part.first_row, part.last_row))
            words.append(lines.format(first=first, last=last))
        if self._count(node):
            counts = translate(
                "StructureModel", "{count} differences, {suspects} may change a value"
            )
            words.append(counts.format(count=self._count(node), suspects=self._suspects(node)))
        return "\n".join(words)

    def _count(self, node: int) -> int:
        return 0 if self.part_counts is None else int(self.part_counts.counts[self.side][node])

    def _suspects(self, node: int) -> int:
        return 0 if self.part_counts is None else int(self.part_counts.suspects[self.side][node])


class StructureView(QTreeView):
    """Signal: ``goTo(side, row)`` when the user chooses a part."""

    goTo = Signal(int, int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("structureView")
        self._following = False
        self.tree = StructureModel(self)
        self.setModel(self.tree)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setIndentation(_INDENTATION)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAllColumnsShowFocus(True)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        for column in (OPS, DIFFERENCES):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
        self.selectionModel().currentChanged.connect(self._moved)
        self.retranslate()

    def retranslate(self) -> None:
        """Speak the present language."""
        self.setAccessibleName(self.tr("Structure of the trace"))
        self._fit()
        self.viewport().update()
        self.header().viewport().update()

    def changeEvent(self, event: QEvent) -> None:
        """Larger text needs wider columns, smaller text leaves more to names."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def show_outline(self, side: Side, outline: OutlineIndex | None, trace: Trace | None) -> None:
        """Show the structure of a side; what has few parts is unfolded."""
        self._following = True
        self.tree.show(side, outline, trace)
        self._following = False
        self._fit()
        if outline is not None and self.tree.rowCount() <= _FEW:
            self.expandToDepth(0)

    def _fit(self) -> None:
        """Columns as wide as the largest number in them: the rest is for names."""
        for column in (OPS, DIFFERENCES):
            title = str(self.tree.headerData(column, Qt.Orientation.Horizontal))
            most = f"{self.tree.largest(column):,}"
            self.header().resizeSection(column, number_width(self, most, title))

    def show_part_counts(self, part_counts: PartCounts | None) -> None:
        """Show how much differs in each part."""
        self.tree.part_counts = part_counts
        self._fit()
        self.viewport().update()

    def follow(self, row: int) -> None:
        """Unfold the tree where a row is."""
        outline = self.tree.outline
        if outline is None or not 0 <= row < len(outline.structure.of_row):
            return
        index = self.tree.index_of(int(outline.structure.of_row[row]))
        self._following = True
        self.setCurrentIndex(index)
        if index.isValid():
            self.scrollTo(index)
        self._following = False

    def _moved(self, index: QModelIndex, _before: QModelIndex) -> None:
        outline = self.tree.outline
        if index.isValid() and not self._following and outline is not None:
            first = outline.structure.first[int(index.internalId())]
            self.goTo.emit(int(self.tree.side), int(first))
