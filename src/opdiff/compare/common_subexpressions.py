"""What one side computes each time anew and the other once: common subexpressions.

Eager code makes the same mask in every layer; a compiler makes it once. Numbers are not printed
everywhere, so the same op on the same values may be another one. It is the same if the same line
of code ran both, unless it takes a part, as ``x[:, step]`` in a loop does.
"""

from __future__ import annotations

import numpy as np

from opdiff.compare.matching import Matching
from opdiff.compare.prepared import Prepared
from opdiff.trace.columns import Flags, Ints
from opdiff.trace.sorting import among, common, first_equal
from opdiff.trace.words import Words, mixed, operand_words, row_sums

_MOST_READERS = 64


def shared(sides: tuple[Prepared, Prepared], matching: Matching, which: int, rows: Ints) -> Flags:
    """Of rows without counterpart, those instead of which the other side reads an earlier one's."""
    side, other = sides[which], sides[1 - which]
    partner = matching.partner[which]
    first = _first_of(side, partner, rows)
    compared = np.zeros(len(side.trace), np.bool_)
    compared[side.rows] = True
    found: set[int] = set()
    for row in sorted(first, reverse=True):  # readers before what they read
        wanted = int(partner[first[row]])
        readers = [reader for reader in side.readers(row) if compared[reader]]
        if readers and all(
            reader in found
            or (partner[reader] >= 0 and wanted in other.read_by(int(partner[reader])))
            for reader in readers
        ):
            found.add(row)
    return among(rows, list(found))


def _first_of(side: Prepared, partner: Ints, rows: Ints) -> dict[int, int]:
    """Of each row that computes what a paired one has computed before, that one."""
    first: dict[int, int] = {}
    if len(side.trace.tables.stacks) < 2:
        return first
    alone = set(rows.tolist())
    waiting = _repeated(side, rows)[::-1].tolist()
    while waiting:
        row = waiting.pop()
        before = _before(side, partner, row, first)
        if before is not None:
            first[row] = before
            # What reads it may in turn be what reads the first one, once more.
            waiting += [
                reader
                for reader in side.readers(row)
                if reader in alone and reader not in first and not side.passes[reader]
            ]
    return first


def _repeated(side: Prepared, rows: Ints) -> Ints:
    """Rows that compute and look like an earlier one that reads the very same values."""
    every = side.rows[~side.passes[side.rows]]
    repeated = first_equal(_words(side)[every]) < np.arange(len(every))
    return common(every[repeated], rows)


def _words(side: Prepared) -> Words:
    """What each row is, and which values it reads."""
    inputs = side.trace.inputs
    reading = operand_words(inputs, side.kept, side.value, 8)
    attrs = mixed(side.trace.columns.attrs.astype(np.int64) + (7 << 40))
    return mixed(side.type) + side.layout + attrs + row_sums(inputs.start, reading)


def _before(side: Prepared, partner: Ints, row: int, first: dict[int, int]) -> int | None:
    """The paired row that computed the same before, by the same line."""
    read = tuple(first.get(value, value) for value in side.read_by(row))
    if not read:
        return None
    attrs = side.trace.columns.attrs
    for reader in dict.fromkeys(side.readers(read[0])[:_MOST_READERS]):
        if (
            reader < row
            and partner[reader] >= 0
            and side.type[reader] == side.type[row]
            and side.layout[reader] == side.layout[row]
            and attrs[reader] == attrs[row]
            and side.read_by(reader) == read
        ):
            frame = side.trace.user_frame(row)
            if frame is not None and side.trace.user_frame(reader) == frame:
                return reader
    return None
