"""Lists of layers that scopes name: ``layers.0``, ``layers.1``, … of one parent."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from opdiff.structure.paths import Paths
from opdiff.trace.columns import Flags, Ints

_SEPARATED = re.compile(r"[._-]\d+$")
_CALLED_SO = re.compile(r"(?:layer|block|stage|cell|unit|encoder|decoder)s?$", re.IGNORECASE)
_LEAST_OPS = 4
_COVERED = 0.5


class Named(NamedTuple):
    """A list of layers by its parent in the trie of paths, and its name there."""

    parent: int
    name: str


def named_lists(paths: Paths, counted: Flags) -> tuple[list[Named], Ints, Ints]:
    """The lists, and of each node of the trie which list and which of its layers it is in, or -1.

    Sequences of single ops have numbers too (``features.3``, ``conv2``): of a list, most members
    have several ops. *counted* are the rows that count.
    """
    nodes = len(paths.parent)
    ops = np.bincount(paths.of_row[counted], minlength=nodes)
    for node in range(nodes - 1, 0, -1):  # children come after their parents
        ops[paths.parent[node]] += ops[node]
    members: dict[Named, dict[int, int]] = {}
    for node in range(1, nodes):
        segment = paths.segments[node]
        if segment.number >= 0 and _like_a_layer(segment.name, segment.list):
            named = Named(int(paths.parent[node]), segment.list)
            by_number = members.setdefault(named, {})
            by_number[segment.number] = by_number.get(segment.number, 0) + int(ops[node])
    lists = [named for named, sizes in members.items() if _is_list(list(sizes.values()))]
    index = {named: place for place, named in enumerate(lists)}
    which = np.full(nodes, -1, np.int32)
    number = np.full(nodes, -1, np.int32)
    for node in range(1, nodes):
        parent, segment = int(paths.parent[node]), paths.segments[node]
        which[node], number[node] = which[parent], number[parent]
        if which[parent] < 0 and segment.number >= 0:
            place = index.get(Named(parent, segment.list), -1)
            if place >= 0:
                which[node], number[node] = place, segment.number
    return lists, which, number


def covering(paths: Paths, which: Ints, counted: Flags) -> bool:
    """Whether lists by scopes hold so much that nothing else need be asked."""
    rows = paths.of_row[counted]
    return bool(len(rows)) and float((which[rows] >= 0).mean()) >= _COVERED


def _like_a_layer(name: str, its_list: str) -> bool:
    return bool(_SEPARATED.search(name) or _CALLED_SO.search(its_list))


def _is_list(sizes: list[int]) -> bool:
    usual = sorted(sizes)[len(sizes) // 2]
    alike = sum(usual <= 2 * size and size <= 2 * usual for size in sizes)
    return len(sizes) > 1 and usual >= _LEAST_OPS and 2 * alike >= len(sizes)
