"""MindSpore's ``tracker_graph.ir``: one record of three lines an op, in the order of execution."""

from __future__ import annotations

import re

from opdiff.errors import OpdiffError
from opdiff.readers.formats import Input
from opdiff.readers.problems import Problems
from opdiff.readers.tracker.blocks import TrackerBlock, TrackerBlocks
from opdiff.readers.tracker.bulk import read_plain
from opdiff.readers.tracker.careful import CarefulReader
from opdiff.readers.tracker.records import RecordStore
from opdiff.readers.tracker.repair import move_operands_back
from opdiff.readers.tracker.task_csv import add_modes, task_csv_beside
from opdiff.trace import Source, Trace

__all__ = ["FORMAT", "read", "sniff"]

FORMAT = "mindspore-tracker"
_RECORD = re.compile(rb"\), task_info: [0-9]+, attrs \{")
_FEWEST, _MOST = 64, 1 << 20
"""How many records the fast way is offered: few behind one that was not plain, then ever more."""
_LONGEST_CARE = 256
"""So many records in a row go the careful way before the fast one is tried again."""


def sniff(head: bytes) -> bool:
    """Whether a first line of a record is in sight."""
    return _RECORD.search(head) is not None


def read(source: Input) -> Trace:
    """The whole trace; what cannot be read becomes its problems."""
    reader = _TrackerReader(source.problems)
    blocks = TrackerBlocks(source)
    for block in blocks:
        blocks.keep_from(block, reader.read(block, final=False))
    reader.read(blocks.rest(), final=True)
    if not len(reader.store):
        raise OpdiffError("reading.no-ops", path=source.path)
    for sentence in source.cut:
        reader.problems.add_at(reader.line - 1, sentence)
    columns, tables = reader.store.build()
    columns, repaired = move_operands_back(columns, tables)
    task_csv = task_csv_beside(source.path)
    columns, tables, notes = add_modes(columns, tables, task_csv, source.progress)
    return Trace(
        Source(source.path, FORMAT, companions=() if task_csv is None else (str(task_csv),)),
        columns,
        tables,
        problems=reader.problems.all(),
        repaired=repaired,
        notes=notes,
    )


class _TrackerReader:
    """Takes the fast way where records are plain and the careful one where they are not."""

    def __init__(self, problems: Problems) -> None:
        self.store = RecordStore()
        self.problems = problems
        self.line = 1
        """The number of the first line that is not read yet."""
        self._offered = _MOST
        self._care = 1

    def read(self, block: TrackerBlock, *, final: bool) -> int:
        """Read what can be read of these lines; returns the place of the first not read yet."""
        base, place = self.line, 0
        careful = CarefulReader(block, base, self.store, self.problems, final=final)
        while place < len(block):
            records, plain = read_plain(block, place, self._offered, self.store.tables, final=final)
            taken = len(records.name)
            if taken:
                self.problems.close()
                self.store.add_bulk(base + place, records)
                place += 3 * taken
            self._adapt(taken, plain=plain)
            if plain and taken and place + 6 <= len(block):
                continue
            if plain and not final:
                break
            behind = careful.read(place, self._care)
            if behind == place:
                break
            place = behind
        self.line = base + place
        return place

    def _adapt(self, taken: int, *, plain: bool) -> None:
        """Go the way that has got on."""
        if plain or taken >= _FEWEST:
            self._offered, self._care = min(self._offered * 8, _MOST), 1
        elif taken < _FEWEST // 4:
            self._offered, self._care = _FEWEST, min(self._care * 2, _LONGEST_CARE)
