"""The outcome put together: divergences made on demand, groups, and what each row shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar, overload

import numpy as np

from opdiff.compare.comparison import Divergence, LostLink, SideResult, State, state_of
from opdiff.compare.kinds import Kind
from opdiff.compare.records.findings import AnyDetail, Columns
from opdiff.compare.sides.prepared import Prepared
from opdiff.compare.values.value_verdict import GUILTY, NEUTRAL, UNKNOWN, ValueVerdict
from opdiff.trace import Trace
from opdiff.trace.columns import Flags, Ints, Longs, marked, places_among, starts_of

_T = TypeVar("_T")
_NEUTRAL = {UNKNOWN: None, GUILTY: False, NEUTRAL: True}


class Swept(NamedTuple):
    """Some divergences, column by column, each column in the same order."""

    detail: Ints
    """Of each, its place among :attr:`Divergences.details`."""
    first: tuple[Ints, Ints]
    """Its first row on either side, -1 where it has none."""
    several: Mapping[int, tuple[tuple[int, ...], tuple[int, ...]]]
    """All rows of those that have several on a side, by their places here."""
    group: Ints
    caused_by: Sequence[int | None]
    lost_links: Mapping[int, tuple[LostLink, ...]]
    """Of those that have any, by their places here."""
    harmless: Flags
    neutral: Sequence[bool | None]
    value_pair: Sequence[int | None]


class Divergences(Sequence[Divergence]):
    """Divergences in order, each made when it is asked for: there may be very many."""

    def __init__(
        self,
        columns: Columns,
        order: Longs,
        group: Ints,
        cause: Ints,
        harmless: Flags,
        verdict: ValueVerdict | None = None,
    ) -> None:
        self._columns = columns
        self._verdict = verdict
        self._harmless = harmless
        self._order = order
        self._group = group
        place = places_among(len(order), order)
        self._cause = np.where(cause >= 0, place[np.maximum(cause, 0)], -1) if len(order) else cause

    @property
    def kinds(self) -> Longs:
        """Of each, the number of its kind."""
        return self._columns.kind[self._order]

    @property
    def settled(self) -> Flags:
        """Of each, whether it cannot change a value, or did not."""
        settled = self._harmless
        if self._verdict is not None:
            settled = settled | (self._verdict.neutral == NEUTRAL)
        return settled[self._order]

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, index: int) -> Divergence: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Divergence]: ...
    def __getitem__(self, index: int | slice) -> Divergence | Sequence[Divergence]:
        if isinstance(index, slice):
            return list(self._each(self._order[index]))
        return self._make(int(self._order[index]))

    def __iter__(self) -> Iterator[Divergence]:
        return self._each(self._order)

    @property
    def details(self) -> tuple[AnyDetail, ...]:
        """What divergences of the same sort have in common."""
        return self._columns.details

    def sweep(self, indices: Sequence[int]) -> Swept:
        """Some of them column by column: that is how reports of all of them are made quickly."""
        whole = isinstance(indices, range) and indices.step == 1
        if whole and len(indices):
            return self._swept(self._order[indices[0] : indices[-1] + 1])
        return self._swept(self._order[np.asarray(indices, np.int64)])

    def _swept(self, order: Longs) -> Swept:
        columns = self._columns
        last = columns.left[order], columns.right[order]
        several = dict(self._found(order, columns.more))
        first = last[0].copy(), last[1].copy()
        for place, sides in several.items():
            for rows, here in zip(first, sides, strict=True):
                rows[place] = here[0] if here else -1
        neutral, pairs = self._said(order)
        return Swept(
            columns.detail[order],
            first,
            several,
            self._group[order],
            [each if each >= 0 else None for each in self._cause[order].tolist()],
            dict(self._found(order, columns.lost)),
            self._harmless[order],
            neutral,
            pairs,
        )

    def _each(self, order: Longs) -> Iterator[Divergence]:
        """Some of them one after the other, faster than each by itself."""
        found, details = self._swept(order), self.details
        detail, sentences = found.detail.tolist(), [each.sentence for each in details]
        sides: list[list[tuple[int, ...]]] = [
            [(row,) if row >= 0 else () for row in rows.tolist()] for rows in found.first
        ]
        for place, both in found.several.items():
            for rows, here in zip(sides, both, strict=True):
                rows[place] = here
        lost: list[tuple[LostLink, ...]] = [()] * len(order)
        for place, links in found.lost_links.items():
            lost[place] = links
        facts = zip(
            [details[each].kind for each in detail],
            *sides,
            [sentences[each] for each in detail],
            found.group.tolist(),
            found.caused_by,
            [details[each].known for each in detail],
            lost,
            found.harmless.tolist(),
            found.neutral,
            found.value_pair,
            strict=True,
        )
        return map(partial(tuple.__new__, Divergence), facts)

    def _found(self, order: Longs, known: Mapping[int, _T]) -> Iterator[tuple[int, _T]]:
        """What is known of few: their places in order, and what it is."""
        if not known:
            return
        among = marked(len(self._order), list(known))
        for place in np.flatnonzero(among[order]).tolist():
            yield place, known[int(order[place])]

    def _said(self, order: Longs) -> tuple[Sequence[bool | None], Sequence[int | None]]:
        """What values say of each, in order: whether it is neutral, and its pair."""
        verdict = self._verdict
        if verdict is None:
            return [None] * len(order), [None] * len(order)
        return (
            [_NEUTRAL[said] for said in verdict.neutral[order].tolist()],
            [pair if pair >= 0 else None for pair in verdict.pair[order].tolist()],
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return NotImplemented if not isinstance(other, Sequence) else False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]  # sequences of this length are no keys

    def _make(self, number: int) -> Divergence:
        columns = self._columns
        detail = columns.details[columns.detail[number]]
        cause = int(self._cause[number])
        left, right = columns.rows(number)
        return Divergence(
            detail.kind,
            left,
            right,
            detail.sentence,
            int(self._group[number]),
            cause if cause >= 0 else None,
            detail.known,
            columns.lost.get(number, ()),
            bool(self._harmless[number]),
            None if self._verdict is None else _NEUTRAL[int(self._verdict.neutral[number])],
            None
            if self._verdict is None or self._verdict.pair[number] < 0
            else int(self._verdict.pair[number]),
        )


def side_result(
    trace: Trace,
    ready: Prepared,
    anchor: int | None,
    compared: Flags,
    partner: Ints,
    columns: Columns,
    order: Longs,
    side: int,
    swallowed: Sequence[int],
) -> SideResult:
    """What the comparison says of one trace, as it was given."""
    count = len(trace)
    state = np.full(count, State.OUTSIDE, np.uint8)
    state[compared] = State.EQUAL
    state[compared & ready.noise] = State.NOISE
    state[list(swallowed)] = State.SWALLOWED
    rows, records = _rows_with_records(columns, order, side)
    quiet = np.array([detail.quiet for detail in columns.details], np.bool_)
    by_kind = np.array([state_of(kind) for kind in Kind], np.uint8)
    severity = np.where(quiet[columns.detail], np.uint8(State.EQUAL), by_kind[columns.kind])
    if len(rows):
        np.maximum.at(state, rows, severity[order[records]])
    by_row = np.lexsort((records, rows))
    start = starts_of(np.bincount(rows, minlength=count))
    return SideResult(
        trace,
        anchor,
        compared,
        ready.noise,
        partner,
        state,
        start,
        records[by_row].astype(np.int32),
        ready.kept,
    )


def _rows_with_records(columns: Columns, order: Longs, side: int) -> tuple[Longs, Longs]:
    """Every row that has a divergence, once for each; and the divergence's place in the order."""
    single = (columns.left, columns.right)[side][order].astype(np.int64)
    place = places_among(len(order), order)
    records = np.flatnonzero(single >= 0)
    rows = single[records]
    extra = [
        (row, int(place[number]))
        for number, both in columns.more.items()
        for row in both[side][:-1]
    ]
    if extra:
        more = np.array(extra, np.int64)
        rows, records = np.concatenate((rows, more[:, 0])), np.concatenate((records, more[:, 1]))
    return rows, records
