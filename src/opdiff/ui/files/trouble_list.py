"""What was wrong in a file and what was mended while reading it, line by line."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from opdiff.compare import Side
from opdiff.trace import Trace
from opdiff.ui.frame.boxes import in_column
from opdiff.ui.frame.dialog import Dialog
from opdiff.ui.look.language import spoken
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.look.theme import styled
from opdiff.ui.store import Store

MOST_LISTED = 1000
_ROW = Qt.ItemDataRole.UserRole


class TroubleList(Dialog):
    """Problems and repairs of one trace. Signal: ``goTo(side, row)`` for the op next to one."""

    goTo = Signal(int, int)

    def __init__(self, side: Side, trace: Trace, store: Store, parent: QWidget) -> None:
        super().__init__("troubleList", parent)
        self.setWindowTitle(self.tr("Problems and repairs"))
        self._side = side
        self._trace = trace
        self._store = store
        path = styled(PlainLabel(trace.source.path), "code")
        words = self.tr(
            "Some ops print their operands only at a Contiguous that runs later. They were "
            "put back where they belong; what could not be read is listed with its line."
        )
        why = PlainLabel(words, wrap=True)
        self._list = styled(QListWidget(), name="troubles")
        self._list.itemActivated.connect(self._go)
        self._list.itemClicked.connect(self._go)
        in_column(self, path, why, self._list)
        self._fill()
        self.resize(680, 420)
        store.traceChanged.connect(self._close_with_trace)

    def _close_with_trace(self) -> None:
        """The rows that are listed are none of another trace."""
        if self._store.trace(self._side) is not self._trace:
            self.close()

    def _fill(self) -> None:
        for problem in self._trace.problems[:MOST_LISTED]:
            place = self.tr("line {line}").format(line=problem.line)
            self._add(f"{place}: {spoken(problem.sentence)}", self._nearest(problem.line))
        for row in self._trace.repaired[:MOST_LISTED]:
            text = self.tr("line {line}: operands of {op} put back")
            op = self._trace.type_name(row)
            self._add(text.format(line=self._trace.line_of(row), op=op), int(row))

    def _add(self, text: str, row: int | None) -> None:
        item = QListWidgetItem(text)
        item.setData(_ROW, row)
        self._list.addItem(item)

    def _nearest(self, line: int) -> int | None:
        row = self._trace.row_at(line)
        near = [row] if row is not None else self._trace.rows_near(line, 1)
        return int(near[0]) if near else None

    def _go(self, item: QListWidgetItem) -> None:
        row = item.data(_ROW)
        if row is not None:
            self.goTo.emit(int(self._side), row)
