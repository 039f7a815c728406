"""Groups of divergences in reading order: the cause first, what it explains under it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from opdiff.compare.comparison import Group, Region, Section, What
from opdiff.compare.judging.regions import Stretch
from opdiff.compare.kinds import Kind
from opdiff.compare.records import phrases
from opdiff.compare.records.findings import Columns
from opdiff.compare.sides.prepared import Prepared
from opdiff.compare.values.value_verdict import NEUTRAL, ValueVerdict
from opdiff.structure import Phase
from opdiff.structure.phases import Phases
from opdiff.trace.columns import Bytes, Flags, Ints, Longs, marked, places_among
from opdiff.trace.sorting import distinct, lots, stable_order, without
from opdiff.wording import Sentence

Tiers = Bytes
Key = tuple[object, ...]

_REGIONAL = (Kind.ONLY_LEFT, Kind.ONLY_RIGHT, Kind.CONTIGUOUS)


class Tier(IntEnum):
    """How early a divergence is read."""

    CAUSE = 0
    """Values show that it made numbers wrong."""
    SUSPECT = 1
    HARMLESS = 2
    NEUTRAL = 3
    """Values show that it changed none."""

    @property
    def section(self) -> Section:
        """The part of the list that it belongs to."""
        return Section(max(self - 1, 0))


def tiers(harmless: Flags, verdict: ValueVerdict | None) -> Tiers:
    """How early each divergence is read, by what is known of its sort and by what values say."""
    tier = np.where(harmless, Tier.HARMLESS, Tier.SUSPECT).astype(np.int8)
    if verdict is not None:
        tier[verdict.neutral == NEUTRAL] = Tier.NEUTRAL
        tier[verdict.leads] = Tier.CAUSE
    return tier


class Placed(NamedTuple):
    """Records with all that grouping looks at, a value a record."""

    columns: Columns
    at: Longs
    """The place in the order of execution."""
    cause: Ints
    harmless: Flags
    tier: Tiers
    """How early it is read, a :class:`Tier`."""
    follows: Flags
    """Whether it is a difference in values that follows from another one."""


@dataclass
class _Lot:
    """Records that make a group, before it is known where the group stands."""

    kind: Kind
    title: Sentence
    members: list[int]
    region: Region | None = None


def groups_of(
    placed: Placed,
    order: Longs,
    sides: tuple[Prepared, Prepared],
    stretches: list[Stretch],
    told: tuple[Phases, Phases],
) -> tuple[tuple[Group, ...], Ints]:
    """The groups in reading order, and the group of each record; *order* numbers the records.

    *told* are the phases of the rows as both sides together tell them.
    """
    lots = _lots(placed, sides, stretches)
    if not lots:
        return (), np.full(len(placed.at), -1, np.int32)
    index = places_among(len(order), order)
    sizes = [len(lot.members) for lot in lots]
    start = np.cumsum([0, *sizes[:-1]])
    lot_of = np.repeat(np.arange(len(lots)), sizes)
    members = np.array([member for lot in lots for member in lot.members], np.int64)
    members = members[np.lexsort((index[members], lot_of))]
    of_record = np.full(len(placed.at), -1, np.int32)
    of_record[members] = lot_of
    # A compiled graph runs parts of the backward early: the forward is read first all the same.
    at = placed.at + (_phases(placed.columns, told).astype(np.int64) << 56)
    first = np.minimum.reduceat(at[members], start)
    tier = [Tier(lowest) for lowest in np.minimum.reduceat(placed.tier[members], start).tolist()]
    known = np.array([detail.known for detail in placed.columns.details], np.bool_)
    every = [
        np.logical_and.reduceat(flags, start).tolist()
        for flags in (
            known[placed.columns.detail[members]],
            placed.harmless[members],
            placed.follows[members],
        )
    ]
    own = sides[0].phase, sides[1].phase
    phase = _phase_names(_phases(placed.columns, own)[members], start, own)
    parent = _parents(placed, lots, of_record, first, tier)
    reading = _reading_order(first, tier, parent)
    place_of = places_among(len(lots), reading)
    numbers, ends = index[members].tolist(), (start + sizes).tolist()
    groups = tuple(
        Group(
            place,
            lots[lot].kind,
            lots[lot].title,
            tuple(numbers[ends[lot] - sizes[lot] : ends[lot]]),
            lot not in parent,
            every[0][lot],
            every[1][lot],
            int(place_of[parent[lot]]) if lot in parent else None,
            lots[lot].region,
            phase[lot],
            tier[lot] is Tier.NEUTRAL,
            every[2][lot],
        )
        for place, lot in enumerate(reading)
    )
    return groups, place_of[of_record]


def _lots(placed: Placed, sides: tuple[Prepared, Prepared], stretches: list[Stretch]) -> list[_Lot]:
    columns = placed.columns
    found: dict[Key, _Lot] = {}
    taken = np.zeros(len(placed.at), np.bool_)
    counts = len(sides[0].trace), len(sides[1].trace)
    record_of = [records.tolist() for records in columns.by_row(counts, *_REGIONAL)]
    harmless, tier = placed.harmless.tolist(), placed.tier.tolist()
    copies = set(columns.of_kind(Kind.CONTIGUOUS).tolist())
    kinds, gone = columns.kind.tolist(), list[int]()
    for stretch in stretches:
        both: tuple[Sequence[int], ...] = (stretch.left, stretch.right)
        members = _members(record_of, both)
        if not members or (len(members) == 1 and stretch.region is None):
            continue
        if stretch.region is None and all(harmless[number] for number in members):
            continue  # views and copies: by name, as ever
        if stretch.region is None and (copies or len(members) < sum(map(len, both))):
            # Dense copies come and go: what they stand beside is the same without them.
            both = tuple(
                [row for row in rows if records[row] >= 0 and records[row] not in copies]
                for rows, records in zip(both, record_of, strict=True)
            )
            members = _members(record_of, both)
        key, lot = _regional(sides, stretch, both, members, {kinds[number] for number in members})
        settled = min(tier[number] for number in members)
        if settled in (Tier.CAUSE, Tier.NEUTRAL):
            key = (*key, settled)
        gone += members
        if key in found:
            found[key].members += members
        else:
            found[key] = lot
    taken[gone] = True
    _hosted(placed, sides, found, taken)
    _schedule(placed, found, taken)
    _consequences(placed, found, taken)
    _by_title(placed, sides, found, np.flatnonzero(~taken))
    return list(found.values())


def _members(record_of: Sequence[list[int]], both: Sequence[Sequence[int]]) -> list[int]:
    """The records of rows of both sides, of those that have any."""
    return [
        records[row]
        for records, rows in zip(record_of, both, strict=True)
        for row in rows
        if records[row] >= 0
    ]


def _by_title(
    placed: Placed, sides: tuple[Prepared, Prepared], found: dict[Key, _Lot], rest: Longs
) -> None:
    """What is no part of anything larger: by what it is, and by the phase where that matters."""
    if not len(rest):
        return
    own = sides[0].phase, sides[1].phase
    details = placed.columns.details
    numbers: dict[tuple[Kind, Sentence], int] = {}
    used, of = np.unique(placed.columns.detail[rest], return_inverse=True)
    chosen = [details[detail] for detail in used.tolist()]
    of_detail = [numbers.setdefault((each.kind, each.title), len(numbers)) for each in chosen]
    what = np.array(of_detail, np.int64)[of]
    phase = np.where(placed.harmless[rest], -1, _phases(placed.columns, own)[rest])
    sort = (what << 16) + ((phase.astype(np.int64) + 1) << 8) + placed.tier[rest]
    sorts, first, of = np.unique(sort, return_index=True, return_inverse=True)
    members = rest[stable_order(of)].tolist()
    ends, counts = np.cumsum(np.bincount(of)).tolist(), np.bincount(of).tolist()
    titles, numbered = list(numbers), sorts.tolist()
    for at in np.argsort(first).tolist():
        kind, title = titles[numbered[at] >> 16]
        key: Key = ("title", numbered[at])
        found[key] = _Lot(kind, title, members[ends[at] - counts[at] : ends[at]])


def _regional(
    sides: tuple[Prepared, Prepared],
    stretch: Stretch,
    both: Sequence[Sequence[int]],
    members: list[int],
    kinds: set[int],
) -> tuple[Key, _Lot]:
    region = stretch.region
    every = tuple(
        tuple(map(side.trace.type_name, rows)) for side, rows in zip(sides, both, strict=True)
    )
    names = tuple(
        tuple(name for name, row in zip(named, rows, strict=True) if not side.passes[row])
        for side, named, rows in zip(sides, every, both, strict=True)
    )
    phase = _phase_of(sides, stretch)
    what = None if region is None else region.what
    title = phrases.region(what, names, every, None if region is None else region.of, phase)
    if region is not None and region.parts is not None and region.counts is not None:
        title = phrases.uneven(region.parts, region.counts, region.ops)
    kind = next(kind for kind in _REGIONAL if kind.number in kinds)
    key: Key = ("region", what, title, phase)
    if what is What.END:
        key = ("region", what, stretch.left[:1], stretch.right[:1])
    return key, _Lot(kind, title, list(members), region)


def _phase_of(sides: tuple[Prepared, Prepared], stretch: Stretch) -> int:
    for side, rows in zip(sides, (stretch.left, stretch.right), strict=True):
        if rows:
            return int(side.phase[rows[0]])
    return 0


def _hosted(
    placed: Placed, sides: tuple[Prepared, Prepared], found: dict[Key, _Lot], taken: Flags
) -> None:
    """Ops on the host by the function that they belong to."""
    columns = placed.columns
    by_function: dict[Key, list[int]] = {}
    for number in columns.of_kind(Kind.CPU_FALLBACK).tolist():
        left, right = int(columns.left[number]), int(columns.right[number])
        side = 0 if sides[0].bare[left] else 1
        frame = sides[side].trace.user_frame((left, right)[side])
        if frame is None:
            frame = sides[1 - side].trace.user_frame((left, right)[1 - side])
        if frame is not None:
            by_function.setdefault(("host", side, frame.file, frame.function), []).append(number)
    for key, members in by_function.items():
        titles = {columns.details[columns.detail[number]].title for number in members}
        if len(titles) < 2:
            continue
        side, function = int(str(key[1])), str(key[3])
        left_rows = tuple(sorted(columns.left[members].tolist()))
        right_rows = tuple(sorted(columns.right[members].tolist()))
        region = Region(What.HOST, left_rows, right_rows, len(members))
        taken[members] = True
        found[key] = _Lot(Kind.CPU_FALLBACK, phrases.hosted(function, side), members, region)


def _schedule(placed: Placed, found: dict[Key, _Lot], taken: Flags) -> None:
    """All that only moved and changed no value, in one group: the order is one difference."""
    columns = placed.columns
    here = columns.of_kind(Kind.MOVED)
    here = here[placed.harmless[here]]
    titles = {columns.details[number].title for number in columns.detail[here].tolist()}
    if len(titles) > 1:
        found["schedule",] = _Lot(Kind.MOVED, phrases.schedule(), here.tolist())
        taken[here] = True


def _consequences(placed: Placed, found: dict[Key, _Lot], taken: Flags) -> None:
    """All that follows from one sort of cause, in one group."""
    columns = placed.columns
    here = np.flatnonzero(placed.follows)
    for places in lots(placed.cause[here]):
        members, cause = here[places].tolist(), int(placed.cause[here[places[0]]])
        title = columns.details[columns.detail[cause]].title if cause >= 0 else None
        lot = _Lot(Kind.VALUE, columns.details[columns.detail[members[0]]].title, [])
        found.setdefault(("follows", title), lot).members += members
    taken[here] = True


def _phases(columns: Columns, told: tuple[Phases, Phases]) -> Ints:
    """The phase of each record, by its left row where it has any."""
    phase = np.zeros(len(columns.detail), np.int32)
    for phases, rows in ((told[1], columns.right), (told[0], columns.left)):
        here = rows >= 0
        phase[here] = phases[rows[here]]
    return phase


def _phase_names(phase: Ints, start: Longs, own: tuple[Phases, Phases]) -> list[str | None]:
    """The phase of each group, None where there is but one, or its members are of several."""
    lowest, highest = np.minimum.reduceat(phase, start), np.maximum.reduceat(phase, start)
    told = (lowest == highest) & any(bool(phases.any()) for phases in own)
    names = {number: str(Phase(number)) for number in distinct(lowest).tolist()}
    return [
        names[number] if one else None
        for number, one in zip(lowest.tolist(), told.tolist(), strict=True)
    ]


def _parents(
    placed: Placed, lots: list[_Lot], of_record: Ints, first: Longs, tier: list[Tier]
) -> dict[int, int]:
    """Of each group all of whose members follow from others, the group that explains most of it."""
    found: dict[int, int] = {}
    # A group of which a member that may change values has no cause is its own.
    own = marked(len(lots), of_record[(placed.cause < 0) & ~placed.harmless])
    for number in without(of_record[placed.cause >= 0], np.flatnonzero(own)).tolist():
        lot = lots[number]
        causes = placed.cause[lot.members]
        above = of_record[causes[causes >= 0]]
        above = above[above != number]
        if not len(above):
            continue
        counts = Counter(sorted(above.tolist()))
        likely = [(at, count) for at, count in counts.most_common() if tier[at] <= tier[number]]
        # The commonest that begins no later; a later one only where it explains most.
        earlier = [(at, count) for at, count in likely if first[at] <= first[number]]
        if earlier or (likely and 2 * likely[0][1] > len(lot.members)):
            found[number] = (earlier or likely)[0][0]
    _break_rings(found)
    return found


def _break_rings(parents: dict[int, int]) -> None:
    """What is explained by each other, around a ring: the first of these is explained by none."""
    settled: set[int] = set()
    for number in list(parents):
        seen: dict[int, None] = {}
        here: int | None = number
        while here is not None and here not in seen and here not in settled:
            seen[here] = None
            here = parents.get(here)
        if here is not None and here in seen:
            path = list(seen)
            del parents[min(path[path.index(here) :])]
        settled.update(seen)


def _reading_order(first: Longs, tier: list[Tier], parent: dict[int, int]) -> list[int]:
    """Causes first, then what may change values, in the order in which it ran; then the rest.

    Each is followed by what it explains, within its part of the list.
    """
    children: dict[int, list[int]] = {}
    roots = []
    for number in sorted(range(len(first)), key=lambda n: (tier[n], int(first[n]), n)):
        above = parent.get(number)
        if above is None or tier[above].section != tier[number].section:
            roots.append(number)
        else:
            children.setdefault(above, []).append(number)
    found: list[int] = []
    waiting = roots[::-1]
    while waiting:
        here = waiting.pop()
        found.append(here)
        waiting += children.get(here, [])[::-1]
    return found
