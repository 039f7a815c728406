"""Pairs that cross others: which of them changed their place in the order."""

from __future__ import annotations

import numpy as np

from opdiff.trace.columns import Flags, Ints, marked, places_among


def out_of_order(partner: Ints, later: Flags) -> Flags:
    """Of each row, whether its pair crosses others and is the one that moved.

    Of each tangle of crossing pairs the longest ascending part stays in place; of equally long
    ones that with the fewest pairs that were found *later* than by their order.
    """
    moved = np.zeros(len(partner), np.bool_)
    rows = np.flatnonzero(partner >= 0)
    if len(rows) < 2:
        return moved
    others = partner[rows]
    highest = np.maximum.accumulate(others)
    lowest = np.minimum.accumulate(others[::-1])[::-1]
    # A cut is clean where everything before lies below everything after.
    clean = np.concatenate(([True], highest[:-1] < lowest[1:], [True]))
    cuts = np.flatnonzero(clean)
    for at in np.flatnonzero(np.diff(cuts) > 1).tolist():
        here = slice(int(cuts[at]), int(cuts[at + 1]))
        stay = _staying(others[here], later[rows[here]])
        moved[rows[here][~stay]] = True
    return moved


def _staying(values: Ints, later: Flags) -> Flags:
    """Which are in the heaviest ascending subsequence; what was found later weighs a little less.

    What stands together in both orders stays or goes together: a run of it counts as one.
    """
    rank = places_among(len(values), np.argsort(values))
    begin = np.flatnonzero(np.diff(rank, prepend=-2) != 1)
    weight = np.add.reduceat(len(values) + 1 + ~later, begin)
    stay = marked(len(begin), heaviest_ascending(rank[begin].tolist(), weight.tolist()))
    return np.repeat(stay, np.diff(begin, append=len(values)))


def heaviest_ascending(values: list[int], weights: list[int]) -> list[int]:
    """The places of a heaviest ascending subsequence of distinct values, by a Fenwick tree."""
    rank = {value: place for place, value in enumerate(sorted(values), 1)}
    tree = [(0, -1)] * (len(values) + 1)
    before = [-1] * len(values)
    best, last = 0, -1
    for place, (value, weight) in enumerate(zip(values, weights, strict=True)):
        total, at = 0, rank[value] - 1
        while at:
            if tree[at][0] > total:
                total, before[place] = tree[at]
            at &= at - 1
        total += weight
        if total > best:
            best, last = total, place
        at = rank[value]
        while at <= len(values):
            if total > tree[at][0]:
                tree[at] = (total, place)
            at += at & -at
    chain = []
    while last >= 0:
        chain.append(last)
        last = before[last]
    return chain[::-1]
