"""Gathers records, in bulk or one by one, and makes the columns of a trace of them."""

from __future__ import annotations

import numpy as np

from opdiff.readers.tracker.bulk import Records, TextTables
from opdiff.trace import Operands, Tables, TraceColumns
from opdiff.trace.columns import Ints, Longs


class RecordStore:
    """All records of one file."""

    def __init__(self) -> None:
        self.tables = TextTables()
        self._bulk: list[tuple[Ints, Ints, Records]] = []
        self._singles: list[tuple[int, ...]] = []
        """Records read one by one, until they become arrays: a number a fact."""
        self._memory: list[int] = []
        """Their memory ids, one after the other."""

    def add_bulk(self, line: int, records: Records) -> None:
        """Plain records that follow each other, the first one's header at this line."""
        self._flush()
        first = line + 3 * np.arange(len(records.name), dtype=np.int32)
        self._bulk.append((first, first + np.int32(2), records))

    def add(
        self,
        lines: tuple[int, int],
        name: int,
        attrs: int,
        specs: int,
        stack: int,
        task: int,
        memory: list[int],
    ) -> None:
        """One record: its first and last line, indices into the tables, and its memory ids."""
        self._singles.append((*lines, name, attrs, specs, stack, task))
        self._memory += memory

    def _flush(self) -> None:
        if not self._singles:
            return
        facts = np.array(self._singles, np.int64).T
        first, last, name, attrs, specs, stack = facts[:-1].astype(np.int32)
        memory = np.array(self._memory, np.int64)
        records = Records(name, attrs, specs, stack, facts[-1].copy(), memory)
        self._bulk.append((first, last, records))
        self._singles, self._memory = [], []

    def __len__(self) -> int:
        return sum(len(first) for first, _, _ in self._bulk) + len(self._singles)

    def build(self) -> tuple[TraceColumns, Tables]:
        """The columns of all records, and the tables they point into."""
        self._flush()
        records = [records for _, _, records in self._bulk]
        columns = [np.concatenate(column) for column in zip(*records, strict=True)]
        name, attrs, specs, stack, task, memory = columns
        line = np.concatenate([first for first, _, _ in self._bulk])
        last_line = np.concatenate([last for _, last, _ in self._bulk])
        self._bulk.clear()
        outputs, inputs = self._operands(specs, memory)
        built = TraceColumns(
            line=line,
            last_line=last_line,
            name=name,
            outputs=outputs,
            inputs=inputs,
            attrs=attrs,
            stack=stack,
            task=task,
            mode=np.zeros(len(line), np.int8),
            graph=np.zeros(len(line), np.int32),
        )
        tables = self.tables
        return built, Tables(
            tables.names.names.values,
            tables.specs.specs.values,
            tables.attrs.attrs.values,
            tables.stacks.stacks,
        )

    def _operands(self, specs: Ints, memory: Longs) -> tuple[Operands, Operands]:
        """Both kinds of operands out of the ids as printed: of each row outputs, then inputs."""
        lines = self.tables.specs
        outputs_of_list, count_of_list = lines.sizes()
        counts = count_of_list[specs]
        outputs = outputs_of_list[specs]
        start = np.cumsum(counts) - counts
        list_start = np.cumsum(count_of_list) - count_of_list
        spec = lines.flat()[np.repeat(list_start[specs] - start, counts) + np.arange(len(memory))]
        runs = np.stack((outputs, counts - outputs), axis=1).ravel()
        written = np.repeat(np.tile([True, False], len(specs)), runs)
        return (
            Operands.counted(outputs, memory[written], spec[written]),
            Operands.counted(counts - outputs, memory[~written], spec[~written]),
        )
