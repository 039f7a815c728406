"""Frame time of the painted panes against a QTableView and a plain editor with the same rows."""

from __future__ import annotations

import os
import time
from statistics import median

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QPlainTextEdit,
    QTableView,
    QWidget,
)

from opdiff.compare import Side, State, kind_of
from opdiff.trace import ColumnsBuilder, Frame, Operand, Source, TensorSpec, Trace
from opdiff.trace.columns import Operands, TraceColumns
from opdiff.ui.look.theme import LIGHT, apply_theme, sign_of
from opdiff.ui.panes import ComparisonView, TracePane
from opdiff.ui.panes.metrics import metrics
from opdiff.ui.panes.scene import Scene
from opdiff.ui.panes.texts import origin_text, output_text, row_text

FRAMES = 120
SIZE = (490, 545)
"""One pane of a window of 1440 x 900."""

Index = QModelIndex | QPersistentModelIndex


def run(ops: list[int]) -> None:
    """Print the time of a frame for traces of so many ops."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    apply_theme(app, LIGHT)
    for count in ops:
        trace, state = _trace(count), _states(count)
        began = time.perf_counter()
        window = QWidget()
        pane = _pane(trace, state, window)
        opened = time.perf_counter()
        table = _table(trace, state)
        table_opened = time.perf_counter() - opened
        editor = _editor(trace)
        editor_opened = time.perf_counter() - opened - table_opened
        ours, theirs, plain = _frames(pane, table, editor)
        print(
            f"painting {count:>9,} rows: pane {ours * 1e3:5.2f} ms a frame, QTableView"
            f" {theirs * 1e3:5.2f} ms: {ours / theirs:.0%}, QPlainTextEdit {plain * 1e3:5.2f} ms:"
            f" {ours / plain:.0%} (opened in {(opened - began) * 1e3:.0f} ms,"
            f" {table_opened * 1e3:.0f} ms and {editor_opened * 1e3:.0f} ms)"
        )
        view = _view(trace)
        [whole] = _frames(view.leftPane, whole=view)
        print(f"painting {count:>9,} rows: both panes, links and overview {whole * 1e3:5.2f} ms")


def _frames(*areas: QAbstractScrollArea, whole: QWidget | None = None) -> list[float]:
    """The median time of a frame of each area, at places all over the trace, two near each other.

    The areas take turns, so that whatever else the machine does falls on all of them alike.
    """
    times: list[list[float]] = [[] for _ in areas]
    for part in np.linspace(0.0, 0.99, FRAMES // 2):
        for near in (0, 3):
            for area, measured in zip(areas, times, strict=True):
                bar, widget = area.verticalScrollBar(), whole or area
                picture = QPixmap(widget.size())
                began = time.perf_counter()
                bar.setValue(int(part * bar.maximum()) + near)
                widget.render(picture)
                measured.append(time.perf_counter() - began)
    return [median(measured) for measured in times]


def _trace(count: int) -> Trace:
    """A trace of repeated layers; its columns are tiled rather than built op by op."""
    builder = ColumnsBuilder()
    kinds = "MatMulExt Reshape Slice Cos Sin Mul SplitTensorView Neg Concat Add Softmax".split()
    period = 997
    for number in range(period):
        spec = TensorSpec("BFloat16", (4096, 1, 32, 64 + number % 13))
        stack = [Frame("/model/attention.py", 100 + number % 50, f"forward_{number % 9}")]
        builder.add(kinds[number % len(kinds)], [Operand(number, spec)], stack=stack)
    columns, tables = builder.build()
    at = np.arange(count) % period
    operands = Operands(
        np.arange(count + 1, dtype=np.int64),
        np.arange(count, dtype=np.int64),
        columns.outputs.spec[at],
    )
    none = Operands(np.zeros(count + 1, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32))
    line = (3 * np.arange(count) + 1).astype(np.int32)
    tiled = TraceColumns(
        line=line,
        last_line=line + np.int32(2),
        name=columns.name[at],
        outputs=operands,
        inputs=none,
        attrs=columns.attrs[at],
        stack=columns.stack[at],
        task=columns.task[at],
        mode=columns.mode[at],
        graph=columns.graph[at],
    )
    return Trace(Source("made", "mindspore-tracker"), tiled, tables)


def _states(count: int) -> np.ndarray:
    """Every fifth row differs, in all kinds."""
    state = np.full(count, State.EQUAL, np.uint8)
    state[::5] = State.DIFFERENT + np.arange(len(state[::5])) % 14
    return state


def _pane(trace: Trace, state: np.ndarray, window: QWidget) -> TracePane:
    scene = Scene()
    scene.set_trace(Side.LEFT, trace)
    scene.side(Side.LEFT).state = state
    scene.rebuild()
    pane = TracePane(Side.LEFT, scene, window)
    pane.resize(*SIZE)
    window.resize(*SIZE)
    window.show()
    pane.show()
    pane.resetSelection()
    pane.refresh()
    return pane


def _view(trace: Trace) -> ComparisonView:
    view = ComparisonView()
    view.resize(1080, SIZE[1])
    view.show()
    for side in Side:
        view.setTrace(side, trace)
    rows = np.arange(len(trace), dtype=np.int32)
    view.addLinks(rows, rows)
    return view


class _TableModel(QAbstractTableModel):
    """The same columns as the pane has, as an item model."""

    def __init__(self, trace: Trace, state: np.ndarray) -> None:
        super().__init__()
        self._trace = trace
        self._state = state

    def rowCount(self, _parent: Index | None = None) -> int:  # noqa: N802  Qt's name
        return len(self._trace)

    def columnCount(self, _parent: Index | None = None) -> int:  # noqa: N802  Qt's name
        return 5

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | QColor | None:
        row, trace = index.row(), self._trace
        if role == Qt.ItemDataRole.DisplayRole:
            kind = kind_of(int(self._state[row]))
            match index.column():
                case 0:
                    return str(trace.columns.line[row])
                case 1:
                    return "" if kind is None else sign_of(kind)
                case 2:
                    return trace.type_name(row)
                case 3:
                    return output_text(trace, row)
                case _:
                    return origin_text(trace, row)
        if role == Qt.ItemDataRole.BackgroundRole:
            kind = kind_of(int(self._state[row]))
            return None if kind is None else LIGHT.tint(kind)
        return None


def _table(trace: Trace, state: np.ndarray) -> QTableView:
    table = QTableView()
    table.setModel(_TableModel(trace, state))
    sizes = metrics()
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(sizes.row)
    table.horizontalHeader().hide()
    table.setShowGrid(False)
    for column, width in enumerate((50, 30, 130, 190, 90)):
        table.setColumnWidth(column, width)
    table.resize(*SIZE)
    table.setFont(sizes.code)
    table.show()
    # Kept alive by the table: Qt does not own a model.
    table.model().setParent(table)
    return table


def _editor(trace: Trace) -> QPlainTextEdit:
    """The same words, a row a line, without colours and columns."""
    editor = QPlainTextEdit()
    editor.setReadOnly(True)
    editor.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    editor.setFont(metrics().code)
    editor.resize(*SIZE)
    editor.setPlainText("\n".join(row_text(trace, row) for row in range(len(trace))))
    editor.show()
    return editor


if __name__ == "__main__":
    run([10_000, 1_000_000])
