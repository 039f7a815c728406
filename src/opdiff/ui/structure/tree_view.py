"""The foldable tree of phases, layers and functions."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from opdiff.compare import Side
from opdiff.trace import Trace
from opdiff.ui.structure.number_width import number_width
from opdiff.ui.structure.outline_index import Findings, OutlineIndex
from opdiff.ui.structure.tree_model import DIFFERENCES, NAME, OPS, StructureModel

_FEW = 12
_INDENTATION = 12
"""Parts lie deep, and their names are long."""


class StructureView(QTreeView):
    """Signal: ``goTo(side, row)`` when the user chooses a part."""

    goTo = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("structureView")
        self._outline: OutlineIndex | None = None
        self._side = Side.LEFT
        self._following = False
        self.tree = StructureModel(self)
        self.setModel(self.tree)
        self.setUniformRowHeights(True)
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
        self._side, self._outline = side, outline
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

    def show_findings(self, findings: Findings | None) -> None:
        """Show how much differs in each part."""
        self.tree.setFindings(findings)
        self._fit()
        self.viewport().update()

    def follow(self, row: int) -> None:
        """Unfold the tree where a row is."""
        if self._outline is None or not 0 <= row < len(self._outline.structure.of_row):
            return
        index = self.tree.index_of(int(self._outline.structure.of_row[row]))
        self._following = True
        self.setCurrentIndex(index)
        if index.isValid():
            self.scrollTo(index)
        self._following = False

    def _moved(self, index: QModelIndex, _before: QModelIndex) -> None:
        node = self.tree.node_at(index)
        if node is not None and not self._following and self._outline is not None:
            self.goTo.emit(int(self._side), int(self._outline.structure.first[node]))
