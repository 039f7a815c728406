"""``task.csv`` beside a trace: which ops ran eagerly, which in a graph, and in which one.

Its fields are not quoted, so a stack breaks it as CSV; only what stands before the stack is read.
A row counts if its time stamp and its node name are those of a record.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np

from opdiff.errors import system_reason
from opdiff.progress import Progress
from opdiff.readers.formats import Input
from opdiff.readers.tracker.blocks import TrackerBlock, TrackerBlocks
from opdiff.trace import Tables, TraceColumns
from opdiff.trace.columns import EAGER, GRAPH, UNKNOWN_MODE, Interner, Ints, Longs
from opdiff.wording import Sentence

_GRAPH_TASK = re.compile(
    rb"[0-9]+_.*|Graph|kernel_graph.*|PrepareDataForSequenceAndScalarValue", re.DOTALL
)
_ROW = re.compile(rb"[0-9]{1,18},")


def task_csv_beside(trace_path: str) -> Path | None:
    """The file that belongs to a trace, if there is one."""
    path = Path(trace_path).parent / "task.csv"
    return path if path.is_file() else None


def add_modes(
    columns: TraceColumns, tables: Tables, path: Path | None, progress: Progress
) -> tuple[TraceColumns, Tables, tuple[Sentence, ...]]:
    """The columns with mode and graph, where there is such a file; a note if it is of no use."""
    if path is None:
        return columns, tables, ()
    try:
        with Input.opened(path, progress) as source:
            join = _Join(columns, tables)
            for block in TrackerBlocks(source):
                join.read(block)
    except OSError as error:
        reason = system_reason(error)
        return columns, tables, (Sentence.of("reading.task-csv-unreadable", reason=reason),)
    if not join.is_of_this_run:
        return columns, tables, (Sentence.of("reading.task-csv-foreign"),)
    return (
        replace(columns, mode=join.mode, graph=join.graph),
        replace(tables, graphs=join.graphs.values),
        (),
    )


class _Join:
    """Finds the record of each row by its time stamp."""

    def __init__(self, columns: TraceColumns, tables: Tables) -> None:
        self.mode = np.zeros(len(columns.line), np.int8)
        self.graph = np.zeros(len(columns.line), np.int32)
        self.graphs: Interner[str] = Interner([""])
        self._order = np.argsort(columns.task, kind="stable")
        self._tasks = columns.task[self._order]
        self._name = columns.name
        self._nodes = [b"," + name.encode("utf-8", "replace") + b"," for name in tables.names]
        self._found = self._missed = 0

    @property
    def is_of_this_run(self) -> bool:
        """Whether most rows are those of records; memory events have rows of their own."""
        return self._found > 0 and self._found >= self._missed

    def read(self, lines: TrackerBlock) -> None:
        """Take some lines in; those that are the rest of a broken row are passed over."""
        rows = [line for line in lines if _ROW.match(line)]
        stamps = np.array([int(line[: line.index(b",")]) for line in rows], np.int64)
        for line, row in zip(rows, self._rows(stamps).tolist(), strict=True):
            if row >= 0:
                self._take(line, row)

    def _rows(self, stamps: Longs) -> Ints:
        place = np.minimum(np.searchsorted(self._tasks, stamps), len(self._tasks) - 1)
        rows = np.where(self._tasks[place] == stamps, self._order[place], -1)
        return rows.astype(np.int32)

    def _take(self, line: bytes, row: int) -> None:
        node = self._nodes[self._name[row]]
        first = line.index(b",")
        place = line.find(node, line.find(b",", first + 1))
        if place < 0:
            self._missed += 1
            return
        self._found += 1
        task = line[first + 1 : place]
        graph = line[place + len(node) :].partition(b",")[0]
        mode = _mode(task)
        self.mode[row] = mode
        if mode == GRAPH and graph:
            self.graph[row] = self.graphs(graph.decode("utf-8", "backslashreplace"))


def _mode(task: bytes) -> int:
    if task == b"PyNative":
        return EAGER
    return GRAPH if _GRAPH_TASK.fullmatch(task) else UNKNOWN_MODE
