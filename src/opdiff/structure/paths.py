"""Where in the program an op was called: modules by scopes, functions by stacks, as one trie.

Compiled graphs print scopes (``Default/network-Net/layers-CellList/7-Layer/attention``), eager runs
print stacks. Both become a path of segments, outermost first; equal beginnings share nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.structure.numbering import numbered
from opdiff.trace import Frame, Trace
from opdiff.trace.columns import Flags, Ints
from opdiff.trace.sorting import distinct
from opdiff.trace.stacks import innermost_first, is_users

MOST_SEGMENTS = 24
"""Deeper paths end here, so that no file makes a tree that is deeper than it is long."""
_GENERIC = frozenset({"forward", "construct", "__call__", "call", "<lambda>", "wrapper"})
_ENTRIES = frozenset({"<module>"})
_NOT_A_MODULE = re.compile(
    r"(?:recompute_)?(?:Default|Gradients)|Expand|[Gg]rad_?[A-Z]\w*|_[A-Z]\w*|"
    r"kernel_graph[\d_-]*|\d*"
)
_CLASS = re.compile(r"-[A-Za-z_]\w*$")
_LIST = re.compile(r"(?P<list>.*\w(?=[._-])|.*[A-Za-z])[._-]?(?P<number>\d{1,9})")
_TIED_COUNTER = re.compile(r"[A-Za-z]\d+[A-Za-z]")
_SEPARATED = re.compile(r"[._-]\d+$")
_CALLED_SO = re.compile(r"(?:layer|block|stage|cell|unit|encoder|decoder)s?$", re.IGNORECASE)
_LEAST_OPS = 4
_COVERED = 0.5


class PathSegment(NamedTuple):
    """One step of a path."""

    what: str
    """``module`` or ``function``."""
    name: str
    site: int
    """The line of the caller, which tells several calls of one function apart; 0 for modules."""
    file: str = ""
    list: str = ""
    """Of a module that is one of a list, the name of the list."""
    number: int = -1


class Paths(NamedTuple):
    """The paths of a trace: a trie, whose node 0 is the empty path."""

    segments: tuple[PathSegment, ...]
    parent: Ints
    depth: Ints
    of_row: Ints
    """Of each row, its node."""
    line: Ints
    """Of each row, the line of the user's own code that called the op; 0 where that is unknown."""

    def chain(self, node: int) -> list[int]:
        """The nodes from the outermost to this one, without the empty path."""
        found = []
        while node:
            found.append(node)
            node = int(self.parent[node])
        return found[::-1]

    def common(self, one: Ints, other: Ints) -> Ints:
        """Of each pair of nodes, where their paths part."""
        one, other = one.copy(), other.copy()
        for _ in range(2 * MOST_SEGMENTS):
            apart = one != other
            if not apart.any():
                break
            deeper = apart & (self.depth[one] >= self.depth[other])
            other_deeper = apart & (self.depth[other] >= self.depth[one])
            one = np.where(deeper, self.parent[one], one)
            other = np.where(other_deeper, self.parent[other], other)
        return one

    def common_of(self, nodes: Ints) -> int:
        """Where the paths of all these nodes part."""
        found = numbered(nodes)[0].astype(np.int32)
        while len(found) > 1:
            half = len(found) // 2
            pairs = self.common(found[:half], found[half : 2 * half])
            found = distinct(np.concatenate((pairs, found[2 * half :])))
        return int(found[0]) if len(found) else 0

    def below(self, nodes: Ints, top: int) -> NDArray[np.bool_]:
        """Of each node, whether its path begins with that of *top*."""
        several, number = numbered(nodes)
        inside = self.common(several.astype(np.int32), np.full(len(several), top, np.int32)) == top
        return np.asarray(inside[number])


class _Trie:
    def __init__(self) -> None:
        self.segments: list[PathSegment] = [PathSegment("", "", 0)]
        self.parent = [0]
        self.depth = [0]
        self._child: dict[tuple[int, PathSegment], int] = {}

    def node(self, segments: Iterator[PathSegment]) -> int:
        node = 0
        for _, segment in zip(range(MOST_SEGMENTS), segments, strict=False):
            child = self._child.get((node, segment))
            if child is None:
                child = self._child[node, segment] = len(self.segments)
                self.segments.append(segment)
                self.parent.append(node)
                self.depth.append(self.depth[node] + 1)
            node = child
        return node


def paths_of(trace: Trace) -> Paths:
    """The path of every row."""
    stacks = len(trace.tables.stacks)
    key = trace.scope.astype(np.int64) * stacks + trace.columns.stack
    several, number = numbered(key)
    trie = _Trie()
    modules = [tuple(modules_in(scope)) for scope in trace.scopes]
    frames = [_own_frames(stack) for stack in trace.tables.stacks]
    node, line = [], []
    for scope, stack in (divmod(int(pair), stacks) for pair in several.tolist()):
        node.append(trie.node(_segments(modules[scope], frames[stack])))
        line.append(frames[stack][-1].line if frames[stack] else 0)
    of_row = np.array(node, np.int32)[number] if node else np.zeros(0, np.int32)
    lines = np.array(line, np.int64)[number] if line else np.zeros(0, np.int64)
    return Paths(
        tuple(trie.segments),
        np.array(trie.parent, np.int32),
        np.array(trie.depth, np.int32),
        of_row,
        np.clip(lines, 0, np.iinfo(np.int32).max).astype(np.int32),
    )


def modules_in(scope: str) -> Iterator[PathSegment]:
    """The modules that a scope names; what belongs to the framework is left out."""
    names: list[str] = []
    for part in re.split(r"[/\\]", scope):
        part = _CLASS.sub("", part)
        if part.isascii() and part.isdigit() and names:
            names[-1] = f"{names[-1]}.{part}"
        elif not _NOT_A_MODULE.fullmatch(part):
            names += _dotted(part)
    for name in names:
        found = _LIST.fullmatch(name)
        if found is None or _TIED_COUNTER.search(name):
            yield PathSegment("module", name, 0)
        else:
            yield PathSegment("module", name, 0, "", found["list"], int(found["number"]))


def _dotted(part: str) -> list[str]:
    """``blocks.0.attn`` as ``blocks.0``, ``attn``."""
    names: list[str] = []
    for piece in part.split("."):
        if piece.isascii() and piece.isdigit() and names:
            names[-1] = f"{names[-1]}.{piece}"
        elif piece:
            names.append(piece)
    return names


def _own_frames(stack: tuple[Frame, ...]) -> list[Frame]:
    """The frames of the user's own code, outermost first."""
    return [
        frame
        for frame in reversed(innermost_first(stack))
        if is_users(frame) and frame.function not in _ENTRIES
    ]


def _segments(modules: tuple[PathSegment, ...], frames: list[Frame]) -> Iterator[PathSegment]:
    """Modules, then the functions within the innermost; without modules, all functions."""
    yield from modules
    first = 0
    if modules:
        generic = [place for place, frame in enumerate(frames) if frame.function in _GENERIC]
        first = generic[-1] + 1 if generic else len(frames)
    for place in range(first, len(frames)):
        frame = frames[place]
        caller = frames[place - 1] if place else None
        yield PathSegment(
            "function", _label(frame, caller), caller.line if caller else 0, frame.file
        )


def _label(frame: Frame, caller: Frame | None) -> str:
    """The function's name; where every module has one of that name, that of its file."""
    own = frame.function and frame.function not in _GENERIC
    if own or (frame.function and caller is not None and caller.file == frame.file):
        return frame.function
    stem = frame.file.replace("\\", "/").rsplit("/", 1)[-1]
    return stem.removesuffix(".py") or frame.function or "?"


class NamedList(NamedTuple):
    """A list of layers by its parent in the trie of paths, and its name there."""

    parent: int
    name: str


def named_lists(paths: Paths, counted: Flags) -> tuple[list[NamedList], Ints, Ints]:
    """Lists of layers that scopes name: ``layers.0``, ``layers.1``, … of one parent.

    And of each node of the trie which list and which of its layers it is in, or -1. Sequences of
    single ops have numbers too (``features.3``, ``conv2``): of a list, most members have several
    ops. *counted* are the rows that count.
    """
    nodes = len(paths.parent)
    ops = np.bincount(paths.of_row[counted], minlength=nodes)
    for node in range(nodes - 1, 0, -1):  # children come after their parents
        ops[paths.parent[node]] += ops[node]
    members: dict[NamedList, dict[int, int]] = {}
    for node in range(1, nodes):
        segment = paths.segments[node]
        if segment.number >= 0 and _like_a_layer(segment.name, segment.list):
            named = NamedList(int(paths.parent[node]), segment.list)
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
            place = index.get(NamedList(parent, segment.list), -1)
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
