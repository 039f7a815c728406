"""What one side computes each time anew and the other once: common subexpressions.

Eager code makes the same mask in every layer; a compiler makes it once. Numbers are not printed
everywhere, so the same op on the same values may be another one. It is the same if its arguments
are told, or if the same line of code ran both, unless it takes a part, as ``x[:, step]`` in a loop
does; where a graph reads one of both, also if the same function did.
"""

from __future__ import annotations

from dataclasses import replace
from operator import is_

from opdiff.compare.matching import Matching
from opdiff.compare.names.argument_texts import ARGUMENTS
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.columns import Flags, Ints, marked
from opdiff.trace.sorting import among, distinct

_MOST_READERS = 64


def shared(sides: tuple[Prepared, Prepared], matching: Matching, which: int, rows: Ints) -> Flags:
    """Of rows without counterpart, those instead of which the other side reads another one's."""
    side, other = sides[which], sides[1 - which]
    partner = matching.partner[which]
    same = _same_as(sides, partner, which, rows)
    compared = marked(len(side.trace), side.rows)
    found: set[int] = set()
    for row in sorted(same, reverse=True):  # readers before what they read
        wanted = int(partner[same[row]])
        readers = [reader for reader in side.readers(row) if compared[reader]]
        if readers and all(
            reader in found
            or any(wanted in other.read_by(each) for each in matching.counterparts(which, reader))
            for reader in readers
        ):
            found.add(row)
    return among(rows, list(found))


def merged(
    sides: tuple[Prepared, Prepared], matching: Matching
) -> tuple[Prepared, Prepared] | None:
    """The sides, with what a graph computes once known as one value; None if nothing asks for it.

    Where all that reads such a value has a counterpart, nothing does.
    """
    found = list(sides)
    for which, (side, other) in enumerate((sides, sides[::-1])):
        if not any(other.trace.scopes):
            continue
        alone = [matching.alone(at, each.rows) for at, each in enumerate(sides)]
        free = [set(rows.tolist()) for rows in alone]
        partner = matching.partner[which]
        same = _same_as(sides, partner, which, alone[which])
        agreeing = {
            row: first
            for row, first in same.items()
            if _readers_agree(side, other, partner, row, int(partner[first]), free[1 - which])
        }
        waiting = free[which] - same.keys()
        if any(reader in waiting for row in agreeing for reader in side.readers(row)):
            found[which] = replace(side, twin=_known_as_one(side, agreeing))
    return None if all(map(is_, found, sides)) else (found[0], found[1])


def _readers_agree(
    side: Prepared, other: Prepared, partner: Ints, row: int, wanted: int, free: set[int]
) -> bool:
    """Whether all that reads a row has a counterpart that reads *wanted*, or may have one."""
    near = set(other.readers(wanted)[:_MOST_READERS])
    alike = {int(other.family[reader]) for reader in near & free}
    return all(
        int(partner[reader]) in near if partner[reader] >= 0 else int(side.family[reader]) in alike
        for reader in side.readers(row)
    )


def _known_as_one(side: Prepared, same: dict[int, int]) -> Ints:
    twin: Ints = side.twin.copy()
    lots: dict[int, list[int]] = {}
    for row, other in same.items():
        lots.setdefault(other, [other]).append(row)
    for lot in lots.values():
        twin[lot] = min(lot)
    return twin


def _same_as(
    sides: tuple[Prepared, Prepared], partner: Ints, which: int, rows: Ints
) -> dict[int, int]:
    """Of each row that computes what a paired one computes too, that one."""
    side, other = sides[which], sides[1 - which]
    same: dict[int, int] = {}
    if len(side.trace.tables.stacks) < 2:
        return same
    alone = set(rows.tolist())
    waiting = distinct(rows[side.repeated[rows]])[::-1].tolist()
    while waiting:
        row = waiting.pop()
        alike = _alike(side, partner, row, same)
        in_graph = [bool(other.trace.scope[partner[each]]) for each in alike]
        found = _surest(side, row, alike, in_graph) if alike else None
        if found is not None:
            same[row] = found
            # What reads it may in turn be what reads the other one, once more.
            waiting += [
                reader
                for reader in side.readers(row)
                if reader in alone and reader not in same and not side.passes[reader]
            ]
    return same


def _alike(side: Prepared, partner: Ints, row: int, same: dict[int, int]) -> list[int]:
    """The paired rows that do the same to the same values."""
    read = tuple(same.get(value, value) for value in side.read_by(row))
    attrs = side.trace.columns.attrs
    return [
        reader
        for reader in dict.fromkeys(side.readers(read[0])[:_MOST_READERS] if read else ())
        if reader != row
        and partner[reader] >= 0
        and side.type[reader] == side.type[row]
        and side.layout[reader] == side.layout[row]
        and attrs[reader] == attrs[row]
        and side.read_by(reader) == read
    ]


def _surest(side: Prepared, row: int, alike: list[int], in_graph: list[bool]) -> int | None:
    """The one of these that a row computes once more, as far as can be told."""
    trace = side.trace
    if any(key == ARGUMENTS for key, _ in trace.tables.attrs[trace.columns.attrs[row]]):
        return alike[0]
    frame = trace.user_frame(row)
    if frame is None:
        return None
    near = None
    for each, merged in zip(alike, in_graph, strict=True):
        there = trace.user_frame(each)
        if there == frame:
            return each
        if merged and there and (there.file, there.function) == (frame.file, frame.function):
            near = each if near is None else near
    return near
