"""Rows of a trace as a short list of lines, to choose an anchor from."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from opdiff.compare import Candidate
from opdiff.trace import Trace
from opdiff.trace.columns import Ints
from opdiff.ui.language import spoken
from opdiff.ui.plain_text import tip

Index: TypeAlias = QModelIndex | QPersistentModelIndex
MOST_LISTED = 4000
"""A list of all rows of a large trace would take seconds to open; this much is plenty."""

ROW_ROLE = Qt.ItemDataRole.UserRole


def row_text(trace: Trace, row: int) -> str:
    """``523  Concat  BFloat16 [4096, 1, 32, 128]  rope.py:104 apply_rotary_pos_emb``."""
    op = trace.op(row)
    output = op.outputs[0].spec.text if op.outputs else ""
    frame = trace.user_frame(row)
    place = str(frame) if frame is not None else op.scope
    return f"{op.line:>7}  {op.type:<22}  {output:<34}  {place}"


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
