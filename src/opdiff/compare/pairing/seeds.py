"""Where two sequences of codes may come together again: stretches that both of them hold."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import NamedTuple

import numpy as np

from opdiff.trace.columns import Longs
from opdiff.trace.sorting import among, distinct
from opdiff.trace.words import Words

Places = Longs

_FACTORS = [np.uint64(0x9E3779B97F4A7C15 + 2 * step * 0x632BE59B) for step in range(8)]
_WINDOW = 4096
_CANDIDATES = 24
_FAR = 4096
_SHORTEST, _LONGEST = 3, 5
"""How often a single code is doubled to make the shortest and the longest stretch."""
_MOST_LANDMARKS = 200_000
_DENSE = 4
"""So many equal pairs a code make a sequence too dense for Hunt and Szymanski's way."""


def gram_words(codes: Words, doublings: int) -> Words:
    """A word a place for the ``2 ** doublings`` codes that start there."""
    words, length = codes, 1
    for step in range(doublings):
        words = (
            words[:-length] * _FACTORS[step] + words[length:] if len(words) > length else words[:0]
        )
        length *= 2
    return words


def run_length(a: Words, b: Words, x: int, y: int, most: int) -> int:
    """How many codes from (x, y) on are equal, at most *most*."""
    limit = min(most, len(a) - x, len(b) - y)
    done, step = 0, 64
    while done < limit:
        here = min(step, limit - done)
        differ = a[x + done : x + done + here] != b[y + done : y + done + here]
        first = int(differ.argmax())
        if differ[first]:
            return done + first
        done += here
        step = min(4 * step, 65536)
    return limit


class _Shared(NamedTuple):
    """The places on each side where a stretch starts that the other side holds too."""

    a: Places
    b: Places
    words_a: Words
    words_b: Words


class Seeds:
    """Stretches of codes that two sequences share, looked for from a point where they part."""

    def __init__(self, a: Words, b: Words) -> None:
        self._a, self._b = a, b

    @cached_property
    def _by_length(self) -> tuple[_Shared, ...]:
        """The longest first; a stretch can be shared only where both of its halves are."""
        a, b = np.arange(len(self._a)), np.arange(len(self._b))
        found: list[_Shared] = []
        for doublings in range(_SHORTEST - 1, _LONGEST + 1):
            words_a, words_b = gram_words(self._a, doublings), gram_words(self._b, doublings)
            if found:
                a, b = (_followed(places, 1 << doublings - 1) for places in (a, b))
            else:
                a, b = a[: len(words_a)], b[: len(words_b)]
            a = a[among(words_a[a], words_b[b])]
            b = b[among(words_b[b], words_a[a])]
            found.append(_Shared(a, b, words_a, words_b))
        return tuple(found[:0:-1])

    def nearest(self, x: int, y: int) -> tuple[int, tuple[int, int]] | None:
        """The best point to go on from, at or after (x, y), and what it gains.

        The gain is the length of the stretch that starts there less twice what is skipped.
        """
        best: tuple[int, int, int] | None = None
        for shared in self._by_length:
            for point in self._candidates(shared, x, y):
                skipped = point[0] - x + point[1] - y
                gain = run_length(self._a, self._b, *point, _FAR) - 2 * skipped
                if best is None or gain > best[0]:
                    best = (gain, *point)
            if best is not None and best[0] > 0:
                break
        return None if best is None else (best[0], best[1:])

    def _candidates(self, shared: _Shared, x: int, y: int) -> list[tuple[int, int]]:
        """Points where shared stretches start on both sides, one a diagonal, nearest first."""
        here = shared.a[np.searchsorted(shared.a, x) :][:_WINDOW]
        there = shared.b[np.searchsorted(shared.b, y) :][:_WINDOW]
        words, first_here = np.unique(shared.words_a[here], return_index=True)
        others, first_there = np.unique(shared.words_b[there], return_index=True)
        _, at, other_at = np.intersect1d(words, others, assume_unique=True, return_indices=True)
        place, other_place = here[first_here[at]], there[first_there[other_at]]
        order = np.lexsort((place, place - x + other_place - y))
        _, first = np.unique((other_place - place)[order], return_index=True)
        chosen = order[np.sort(first)[:_CANDIDATES]]
        return [(int(p), int(q)) for p, q in zip(place[chosen], other_place[chosen], strict=True)]


def _followed(places: Places, distance: int) -> Places:
    """Those of the places that are followed by another one at a distance."""
    return places[among(places + distance, places)]


def landmarks(a: Words, b: Words) -> list[tuple[int, int]]:
    """Places that are certain to correspond: codes that occur once on either side, in one order.

    A code counts only together with an equal neighbour. Of landmarks that lie on one diagonal in
    a row only the first and the last are given: what lies between needs no help.
    """
    codes, place, count = np.unique(a, return_index=True, return_counts=True)
    others, other_place, other_count = np.unique(b, return_index=True, return_counts=True)
    codes, place = codes[count == 1], place[count == 1]
    others, other_place = others[other_count == 1], other_place[other_count == 1]
    _, at, other_at = np.intersect1d(codes, others, assume_unique=True, return_indices=True)
    x, y = place[at], other_place[other_at]
    inner = (x > 0) & (y > 0) & (x < len(a) - 1) & (y < len(b) - 1)
    x, y = x[inner], y[inner]
    near = (a[x - 1] == b[y - 1]) | (a[x + 1] == b[y + 1])
    order = np.argsort(x[near])
    x, y = x[near][order], y[near][order]
    if not len(x) or len(x) > _MOST_LANDMARKS:
        return []
    chain = np.array(longest_ascending(y.tolist()))
    x, y = x[chain], y[chain]
    turn = np.flatnonzero(np.diff(y - x) != 0)
    chosen = distinct(np.concatenate((turn, turn + 1)))
    return [(int(p), int(q)) for p, q in zip(x[chosen], y[chosen], strict=True)]


def longest_common(a: Words, b: Words, backward: bool) -> tuple[Places, Places] | None:
    """The places of a longest common subsequence, by Hunt and Szymanski: from all equal pairs.

    None where these are too many. Of several, that whose places lie nearest the start (or end).
    """
    if backward:
        found = longest_common(a[::-1], b[::-1], False)
        return found and (len(a) - 1 - found[0][::-1], len(b) - 1 - found[1][::-1])
    order = np.argsort(b, kind="stable")
    first, last = (np.searchsorted(b[order], a, side) for side in ("left", "right"))
    count = last - first
    if int(count.sum()) > _DENSE * (len(a) + len(b)):
        return None
    place = np.repeat(np.arange(len(a)), count)
    step = np.arange(len(place)) - np.repeat(np.cumsum(count) - count, count)
    # The equal places of one code descend: at most one of them is in an ascending sequence.
    other = order[np.repeat(last, count) - 1 - step]
    if not len(place):
        return place, other
    chain = np.array(longest_ascending(other.tolist()))
    return place[chain], other[chain]


def common_in_windows(a: Words, b: Words, backward: bool) -> tuple[Places, Places]:
    """The places of a long common subsequence, bit-parallel, a window after the other.

    Of each window only the nearer half is kept: what lies beyond may change the farther one.
    """
    if backward:
        found = common_in_windows(a[::-1], b[::-1], False)
        return len(a) - 1 - found[0][::-1], len(b) - 1 - found[1][::-1]
    from rapidfuzz.distance import LCSseq

    pairs = [np.zeros((0, 2), np.int64)]
    x = y = 0
    while x < len(a) and y < len(b):
        here, there = a[x : x + _WINDOW], b[y : y + _WINDOW]
        blocks = LCSseq.editops(here.tolist(), there.tolist()).as_matching_blocks()
        places = np.array([(p.a + s, p.b + s) for p in blocks for s in range(p.size)], np.int64)
        places = places.reshape(-1, 2)
        if x + len(here) < len(a) or y + len(there) < len(b):
            half = (len(here) + 1) // 2, (len(there) + 1) // 2
            places = places[(places < half).all(axis=1)]
            step = places[-1] + 1 if len(places) else half
        else:
            step = len(here), len(there)
        pairs.append(places + np.array((x, y)))
        x, y = x + int(step[0]), y + int(step[1])
    both = np.concatenate(pairs)
    return both[:, 0], both[:, 1]


def longest_ascending(values: list[int]) -> list[int]:
    """The places of a longest ascending subsequence."""
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(values)
    for place, value in enumerate(values):
        at = bisect_left(tails, value)
        before[place] = ends[at - 1] if at else -1
        tails[at : at + 1] = [value]
        ends[at : at + 1] = [place]
    chain, place = [], ends[-1]
    while place >= 0:
        chain.append(place)
        place = before[place]
    return chain[::-1]
