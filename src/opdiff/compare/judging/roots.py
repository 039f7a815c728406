"""Which divergence explains which: from a difference upstream to those that follow from it."""

from __future__ import annotations

from itertools import chain

import numpy as np

from opdiff.compare.judging.regions import Stretch
from opdiff.compare.kinds import Kind
from opdiff.compare.records.findings import Columns
from opdiff.compare.sides.prepared import Prepared
from opdiff.structure import Phase
from opdiff.structure.phases import Phases
from opdiff.trace.columns import Flags, Ints, Longs
from opdiff.trace.sorting import among, distinct, owners_and_places, stable_order

_ONE_SIDED = {Kind.ONLY_LEFT: 2, Kind.ONLY_RIGHT: 2}
_EXPLAINED_BY: dict[Kind, dict[Kind, int]] = {
    Kind.DTYPE: {Kind.DTYPE: 3, Kind.OP_TYPE: 2, Kind.FUSED: 1, **_ONE_SIDED},
    Kind.SHAPE: {Kind.SHAPE: 3, Kind.OP_TYPE: 2, Kind.FUSED: 1, **_ONE_SIDED},
    Kind.LAYOUT_MISSING: {
        Kind.CONTIGUOUS: 3,
        Kind.OP_TYPE: 3,
        Kind.LAYOUT_MISSING: 2,
        Kind.FUSED: 1,
        **_ONE_SIDED,
    },
    Kind.LAYOUT: {Kind.LAYOUT: 3, Kind.CONTIGUOUS: 2, Kind.OP_TYPE: 2, **_ONE_SIDED},
    Kind.OPERANDS: {
        Kind.ONLY_LEFT: 3,
        Kind.ONLY_RIGHT: 3,
        Kind.CPU_FALLBACK: 2,
        Kind.FUSED: 2,
        Kind.OP_TYPE: 1,
    },
    Kind.DATAFLOW: {Kind.CPU_FALLBACK: 2, Kind.CONTIGUOUS: 1, Kind.MOVED: 1, **_ONE_SIDED},
    Kind.OP_TYPE: {Kind.OP_TYPE: 3},
    Kind.CPU_FALLBACK: {Kind.CPU_FALLBACK: 3},
    Kind.MOVED: {Kind.MOVED: 3},
    Kind.CONTIGUOUS: {Kind.CONTIGUOUS: 2},
    Kind.ONLY_LEFT: {Kind.ONLY_LEFT: 3, Kind.ONLY_RIGHT: 1},
    Kind.ONLY_RIGHT: {Kind.ONLY_RIGHT: 3, Kind.ONLY_LEFT: 1},
}
"""Of each kind, the kinds at a producer that explain it, and how well."""
_REGIONAL = (Kind.ONLY_LEFT, Kind.ONLY_RIGHT, Kind.CONTIGUOUS)
_MOST_READERS = 64
_SHOWN_BY_TYPE = (Kind.LAYOUT_MISSING, Kind.LAYOUT, Kind.DTYPE, Kind.SHAPE, Kind.OPERANDS)
"""What another op at the same place brings with it."""
_TOLD_BY_READERS = (Kind.LAYOUT.number, Kind.SHAPE.number)
_MIRRORED = np.array([min(kind.number, kind.mirrored.number) for kind in Kind])
"""A number for each kind that it shares with its mirror image."""


def causes(
    columns: Columns,
    sides: tuple[Prepared, Prepared],
    at: Longs,
    stretches: list[Stretch],
    harmless: Flags,
    cuts: dict[int, list[int]],
    told: tuple[Phases, Phases],
) -> Ints:
    """Of each divergence the one that explains it, or -1.

    One upstream or at the same pair; the first op of its region; the op of the forward whose
    values it reads in the backward; or what cut the backward off. Nothing that may change a value
    follows from what is *harmless*: views that turn out to be guilty are taken out of that.
    """
    cause = _nearby(columns, sides[0], sides[1], at)
    _within_regions(columns, sides, at, stretches, harmless, cause)
    _feeding_substitutes(columns, sides, stretches, cause)
    _echoes(columns, sides, at, told, cause)
    for stop, lost in cuts.items():
        cause[stop] = -1  # upstream, all is well
        for number in lost:
            top = _top(cause, number)
            if top != _top(cause, stop):  # else it explains the stop itself
                cause[top] = stop
    _blame_views(columns, cause, harmless)
    return _behind_harmless(cause, harmless)


def _blame_views(columns: Columns, cause: Ints, harmless: Flags) -> None:
    """A view that lays out or shapes what its reader is suspected for is a suspect itself.

    Of views alone nobody can tell; their readers do.
    """
    told = (cause >= 0) & ~harmless & among(columns.kind, _TOLD_BY_READERS)
    reader: Longs = np.flatnonzero(told)
    while len(reader):
        view = cause[reader]
        view = view[harmless[view] & (columns.kind[view] == columns.kind[reader])]
        harmless[view] = False
        reader = distinct(view[cause[view] >= 0]).astype(np.int64)


def _behind_harmless(cause: Ints, harmless: Flags) -> Ints:
    """The causes of what may change a value looked for behind what cannot (pointer jumping)."""
    nowhere = len(cause)
    above = np.append(np.where(cause < 0, nowhere, cause), nowhere)
    behind = np.where(np.append(harmless, False), above, np.arange(nowhere + 1))
    for _ in range(nowhere.bit_length()):
        behind = behind[behind]
    found = behind[above[:-1]]
    # Harmless ones that explain each other in a ring lead nowhere.
    none = (found == nowhere) | np.append(harmless, True)[found] | (found == np.arange(nowhere))
    return np.where(harmless, cause, np.where(none, -1, found)).astype(np.int32)


def _top(cause: Ints, number: int) -> int:
    """The first cause of a divergence."""
    seen = {number}
    while cause[number] >= 0 and int(cause[number]) not in seen:
        number = int(cause[number])
        seen.add(number)
    return number


def _within_regions(
    columns: Columns,
    sides: tuple[Prepared, Prepared],
    at: Longs,
    stretches: list[Stretch],
    harmless: Flags,
    cause: Ints,
) -> None:
    """All of a region follow from its first op that may change a value, as they ran."""
    record_of = columns.by_row((len(sides[0].trace), len(sides[1].trace)), *_REGIONAL)
    several = [each for each in stretches if len(each.left) + len(each.right) > 1]
    members, owner = [], []
    for record, rows in zip(
        record_of, ([each.left for each in several], [each.right for each in several]), strict=True
    ):
        every = np.fromiter(chain.from_iterable(rows), np.int64)
        members.append(record[every])
        owner.append(np.repeat(np.arange(len(several)), [len(some) for some in rows]))
    number, of = np.concatenate(members), np.concatenate(owner)
    number, of = number[number >= 0], of[number >= 0]
    order = np.lexsort((number, at[number], harmless[number], of))
    number, of = number[order], of[order]
    first = np.flatnonzero(np.diff(of, prepend=-1))
    size = np.diff(first, append=len(of))
    cause[number] = np.where(
        np.repeat(size > 1, size), np.repeat(number[first], size), cause[number]
    )
    cause[number[first[size > 1]]] = -1


def _feeding_substitutes(
    columns: Columns,
    sides: tuple[Prepared, Prepared],
    stretches: list[Stretch],
    cause: Ints,
) -> None:
    """Ops on one side only that nobody reads but an op in the place of another are part of that.

    Nobody of their phase, that is: gradients follow from what is computed, whatever they read.
    """
    record_of = columns.by_row((len(sides[0].trace), len(sides[1].trace)), *_REGIONAL)
    known = np.array([detail.known for detail in columns.details], np.bool_)
    replaced = columns.of_kind(Kind.OP_TYPE)
    replaced = replaced[~known[columns.detail[replaced]]]
    of_row = [
        {int(rows[number]): int(number) for number in replaced.tolist()}
        for rows in (columns.left, columns.right)
    ]
    for stretch in stretches if len(replaced) else ():
        if bool(stretch.left) == bool(stretch.right):
            continue
        which = 0 if stretch.left else 1
        side, rows = sides[which], set(stretch.left or stretch.right)
        readers = {
            reader
            for row in rows
            for reader in side.readers(row)
            if reader not in rows and side.phase[reader] == side.phase[row]
        }
        records = record_of[which][[*rows]]
        number = of_row[which].get(readers.pop()) if len(readers) == 1 else None
        if number is None or _top(cause, number) in records:
            continue
        cause[records[records >= 0]] = number


def _echoes(
    columns: Columns,
    sides: tuple[Prepared, Prepared],
    at: Longs,
    told: tuple[Phases, Phases],
    cause: Ints,
) -> None:
    """Ops of the backward on one side only follow from ops of the forward on that side only.

    From those whose values they read, or which read the same; else from the first of that sort.
    """
    for side, kind in ((0, Kind.ONLY_LEFT), (1, Kind.ONLY_RIGHT)):
        prepared, rows = sides[side], (columns.left, columns.right)[side]
        mine = columns.of_kind(kind)
        mine = mine[~prepared.passes[rows[mine]]]
        late = told[side][rows[mine]] > Phase.FORWARD
        if not late.any():
            continue
        early = mine[~late & (prepared.twin[rows[mine]] == rows[mine])]
        forward = {int(rows[n]): int(n) for n in early[np.argsort(at[early])].tolist()}
        if not forward:
            continue
        by_type: dict[int, int] = {}
        for row, number in forward.items():
            by_type.setdefault(int(prepared.type[row]), number)
        # All of a region speak for its first op.
        speaking: dict[int, list[int]] = {}
        for number in mine[late].tolist():
            speaking.setdefault(_top(cause, number), []).append(int(rows[number]))
        for top, members in speaking.items():
            if cause[top] >= 0 or int(rows[top]) in forward:
                continue
            leader = _leader(prepared, members, forward)
            if leader is None:
                leader = by_type.get(int(prepared.type[members[0]]))
            if leader is not None and _top(cause, leader) != top:
                cause[top] = _top(cause, leader)


def _leader(prepared: Prepared, rows: list[int], forward: dict[int, int]) -> int | None:
    """The first divergence of the forward that makes or reads what one of the rows reads."""
    for row in rows:
        read = prepared.read_by(row)
        found = next((forward[value] for value in read if value in forward), None)
        if found is None:
            found = _reader_of(prepared, read, forward)
        if found is not None:
            return found
    return None


def _reader_of(prepared: Prepared, values: tuple[int, ...], forward: dict[int, int]) -> int | None:
    """A divergence of the forward at an op that reads one of the values."""
    reader = prepared.trace.values.reader_row
    for value in values:
        for operand in prepared.readings(value)[:_MOST_READERS].tolist():
            if int(reader[operand]) in forward:
                return forward[int(reader[operand])]
    return None


def _nearby(columns: Columns, left: Prepared, right: Prepared, at: Longs) -> Ints:
    """Of each divergence one upstream that explains it, or one at the same pair."""
    kind = columns.kind
    cause = np.full(len(columns.detail), -1, np.int32)
    edges = [
        _upstream(columns, side, rows)
        for side, rows in ((left, columns.left), (right, columns.right))
    ]
    follower = np.concatenate([edge[0] for edge in edges])
    leader = np.concatenate([edge[1] for edge in edges])
    rank = _ranks()[kind[follower], kind[leader]]
    good = (rank > 0) & (at[leader] < at[follower])
    follower, leader, rank = follower[good], leader[good], rank[good]
    # The best explanation, then the nearest; what is left is the same whichever side is left.
    line = np.maximum(columns.left, columns.right)
    order = np.lexsort((line[leader], _MIRRORED[kind[leader]], at[leader], rank, follower))
    follower, leader = follower[order], leader[order]
    last = np.flatnonzero(np.diff(follower, append=-1))
    cause[follower[last]] = leader[last]
    _same_pair(columns, cause)
    return cause


def _ranks() -> Longs:
    ranks = np.zeros((len(Kind), len(Kind)), np.int64)
    for follower, leaders in _EXPLAINED_BY.items():
        for leader, rank in leaders.items():
            ranks[follower.number, leader.number] = rank
    return ranks


def _upstream(columns: Columns, ready: Prepared, rows: Ints) -> tuple[Longs, Longs]:
    """Divergences and those at the producers of their rows, on one side."""
    follows = np.array([detail.from_inputs for detail in columns.details], np.bool_)
    follower = np.flatnonzero((rows >= 0) & follows[columns.detail])
    start = ready.trace.inputs.start
    reading = rows[follower]
    own, place = owners_and_places(start[reading + 1] - start[reading])
    operand = start[reading][own] + place
    follower, writer = follower[own], ready.trace.links.producer[operand]
    known = (writer >= 0) & ready.kept[operand]
    follower, writer = follower[known], writer[known]
    # The divergences of each row, as a table to join with.
    owner = np.flatnonzero(rows >= 0)
    owner = owner[stable_order(rows[owner])]
    first = np.searchsorted(rows[owner], writer, side="left")
    last = np.searchsorted(rows[owner], writer, side="right")
    own, place = owners_and_places(last - first)
    return follower[own], owner[first[own] + place]


def _same_pair(columns: Columns, cause: Ints) -> None:
    """Where another op runs, what its operands show follows from that."""
    owner = columns.of_kind(Kind.OP_TYPE)
    owner = owner[stable_order(columns.left[owner])]
    follower = columns.of_kind(*_SHOWN_BY_TYPE)
    follower = follower[(columns.left[follower] >= 0) & (columns.right[follower] >= 0)]
    if not len(owner) or not len(follower):
        return
    place = np.minimum(np.searchsorted(columns.left[owner], columns.left[follower]), len(owner) - 1)
    hit = columns.left[owner[place]] == columns.left[follower]
    cause[follower[hit]] = owner[place[hit]]
