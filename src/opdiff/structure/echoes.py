"""Which layer a row of the backward or of the optimizer belongs to: by the values it reads.

What the forward of one layer alone made or read belongs to that layer, and so does what reads it
later. Rows that read no such value are where their neighbours are; between two layers the border is
where the fewest values cross.
"""

from __future__ import annotations

import numpy as np

from opdiff.structure.paths import Paths
from opdiff.structure.phases import Phase, Phases
from opdiff.trace import Trace
from opdiff.trace.columns import Flags, Ints, Longs

UNKNOWN = -1
_LONG = 8
_MOST = np.iinfo(np.int64).max


def crossings(trace: Trace, phase: Phases) -> Longs:
    """Of each row, how many values of its phase are made before it and read from it on."""
    rows = len(trace)
    values = trace.values
    reader, value = values.reader_row, values.source
    made = np.flatnonzero(value < rows)
    made = made[phase[value[made]] == phase[reader[made]]]
    here = np.arange(rows)
    last = here.copy()
    np.maximum.at(last, value[made], reader[made])
    open_ = last > here
    change = np.bincount(here[open_] + 1, minlength=rows + 2)
    change = change - np.bincount(last[open_] + 1, minlength=rows + 2)
    crossing: Longs = np.cumsum(change)[:rows]
    return crossing


class Echoes:
    """Carries keys (numbers from 0 on) of forward rows over to what reads their values."""

    def __init__(self, trace: Trace, phase: Phases, step: Ints, crossing: Longs) -> None:
        self._phase = phase
        self._step = step
        self._crossing = crossing
        self._rows = len(trace)
        self._source = trace.values.source
        self._reader = trace.values.reader_row
        self._count = trace.values.count

    def carried(self, key: Longs) -> Longs:
        """The keys of all rows; those of forward rows are given, 0 stands for none in special."""
        key = key.copy()
        forward = self._phase == Phase.FORWARD
        low, high = self._span_of_values(key, forward)
        backward = self._phase == Phase.BACKWARD
        key[backward] = self._filled(self._told(low, high, backward), backward, cut=True)
        made = np.flatnonzero(backward)
        low[made], high[made] = key[made], key[made]
        optimizer = self._phase == Phase.OPTIMIZER
        key[optimizer] = self._filled(self._told(low, high, optimizer), optimizer, cut=False)
        return key

    def _span_of_values(self, key: Longs, forward: Flags) -> tuple[Longs, Longs]:
        """The least and the greatest key of those that made or read a value in the forward."""
        low = np.full(self._count, _MOST, np.int64)
        high = np.full(self._count, UNKNOWN, np.int64)
        made = np.flatnonzero(forward & (key > 0))
        low[made], high[made] = key[made], key[made]
        reading = np.flatnonzero(forward[self._reader])
        np.minimum.at(low, self._source[reading], key[self._reader[reading]])
        np.maximum.at(high, self._source[reading], key[self._reader[reading]])
        return low, high

    def _told(self, low: Longs, high: Longs, asking: Flags) -> Longs:
        """Of the rows asking, the key that all values which tell one agree on."""
        sure = low == high
        telling = np.flatnonzero(asking[self._reader] & sure[self._source])
        least = np.full(self._rows, _MOST, np.int64)
        most = np.full(self._rows, UNKNOWN, np.int64)
        np.minimum.at(least, self._reader[telling], low[self._source[telling]])
        np.maximum.at(most, self._reader[telling], low[self._source[telling]])
        return np.where(least == most, least, UNKNOWN)[asking]

    def _filled(self, told: Longs, asking: Flags, *, cut: bool) -> Longs:
        """Rows that nothing tells of are where their neighbours of the same step are."""
        border = np.flatnonzero(np.diff(self._step[asking])) + 1
        crossing = self._crossing[asking].copy()
        # Where another phase ran for long, no value crosses that would tell more.
        ahead = np.diff(np.flatnonzero(asking), prepend=0) > _LONG
        crossing[ahead] = -1
        parts = zip(np.split(told, border), np.split(crossing, border), strict=True)
        return np.concatenate([_filled(part, by if cut else None) for part, by in parts])


def _filled(told: Longs, crossing: Longs | None) -> Longs:
    """Unknown ones as those before them; with crossings, borders lie where fewest values cross."""
    known = np.flatnonzero(told != UNKNOWN)
    if not len(known):
        return np.zeros(len(told), np.int64)
    before = np.maximum.accumulate(np.where(told != UNKNOWN, np.arange(len(told)), -1))
    filled = np.where(before >= 0, told[np.maximum(before, 0)], 0)
    if crossing is None:
        return filled
    borders = np.concatenate(([-1], known))
    keys = np.concatenate(([0], told[known]))
    for at in np.flatnonzero(keys[1:] != keys[:-1]).tolist():
        low, high = int(borders[at]) + 1, int(borders[at + 1])
        if high > low:
            best = low + int(np.argmin(crossing[low : high + 1]))
            filled[best:high] = keys[at + 1]
    return filled


def echoed_paths(trace: Trace, paths: Paths, phase: Phases, key: Longs, top: Ints) -> Ints:
    """Of each row of the backward, the path of what it answers; 0 where that is not told.

    That is where the forward of the same layer read or made the same values; *top* is of each row
    the path that its layer begins with.
    """
    source, reader = trace.values.source.astype(np.int64), trace.values.reader_row
    rows = len(trace)
    forward, backward = phase == Phase.FORWARD, phase == Phase.BACKWARD
    readings = np.flatnonzero(forward[reader])
    makers = np.flatnonzero(forward)
    toucher = np.concatenate((reader[readings], makers))
    value = np.concatenate((source[readings], makers))
    span = int(key.max(initial=0)) + 1
    if trace.values.count * span >= 2**62:  # numbers of layers that only scopes can print
        key = np.unique(key, return_inverse=True)[1].astype(np.int64)
        span = int(key.max(initial=0)) + 1
    touched, first = np.unique(value * span + key[toucher], return_index=True)
    place = paths.of_row[toucher[first]]
    asking = np.flatnonzero(backward[reader])
    wanted = source[asking] * span + key[reader[asking]]
    at = np.minimum(np.searchsorted(touched, wanted), max(len(touched) - 1, 0))
    hit = touched[at] == wanted if len(touched) else np.zeros(len(asking), np.bool_)
    asking, node = asking[hit], place[at[hit]]
    inside = paths.common(node, top[reader[asking]]) == top[reader[asking]]
    asking, node = asking[inside], node[inside]
    best = np.zeros(rows, np.int64)
    np.maximum.at(best, reader[asking], (paths.depth[node].astype(np.int64) << 32) | node)
    return _between(paths, (best & 0xFFFFFFFF).astype(np.int32), backward, key)


def _between(paths: Paths, found: Ints, asking: Flags, key: Longs) -> Ints:
    """Rows without a path are where those before and behind them are, within their layer."""
    rows = np.flatnonzero(asking)
    path, keys = found[rows], key[rows]
    place = np.arange(len(rows))
    before = np.maximum.accumulate(np.where(path > 0, place, -1))
    behind = np.minimum.accumulate(np.where(path > 0, place, len(rows))[::-1])[::-1]
    lost = np.flatnonzero((path == 0) & (before >= 0) & (behind < len(rows)))
    one, other = before[lost], behind[lost]
    same = (keys[one] == keys[lost]) & (keys[other] == keys[lost])
    lost, one, other = lost[same], one[same], other[same]
    path = path.copy()
    path[lost] = paths.common(path[one], path[other])
    filled: Ints = found.copy()
    filled[rows] = path
    return filled
