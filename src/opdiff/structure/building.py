"""The tree of a trace put together once, level by level, from what each row belongs to."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from opdiff.structure.numbering import Grouped
from opdiff.structure.paths import Paths, PathSegment
from opdiff.structure.phases import Phase
from opdiff.structure.tree import KINDS, NodeKind, Structure
from opdiff.structure.units import Units, units_of
from opdiff.trace import Trace
from opdiff.trace.columns import Ints, Longs

_BY_PATH = (KINDS.index(NodeKind.MODULE), KINDS.index(NodeKind.FUNCTION))
_NO_LABEL = 0
_known: WeakKeyDictionary[Trace, Structure] = WeakKeyDictionary()


class _Lots(NamedTuple):
    """Rows that belong to the same in everything are one lot: the tree is made of lots."""

    of_row: Longs
    sample: Longs
    """Of each lot, its first row."""
    last: Longs
    ops: Longs


def build(units: Units) -> Structure:
    """The tree of all rows."""
    return _TreeBuilder(units).build()


class _TreeBuilder:
    def __init__(self, units: Units) -> None:
        self._units = units
        self._lots = _lots_of(units)
        self._nodes = _Nodes(len(units.phase))
        self._at = np.zeros(len(self._lots.sample), np.int64)
        self._names: dict[str, int] = {"": _NO_LABEL}

    def build(self) -> Structure:
        units, sample = self._units, self._lots.sample
        for numbers, what in (
            (units.step, NodeKind.STEP),
            (units.update, NodeKind.UPDATE),
            (units.batch, NodeKind.BATCH),
        ):
            if len(numbers) and numbers.max() > 0:
                self._level(numbers[sample], what, numbered=True)
        if len(units.phase) and (units.phase != units.phase[0]).any():
            self._level(
                units.phase[sample].astype(np.int32),
                NodeKind.PHASE,
                names=[str(each) for each in Phase],
            )
        names = [each.name for each in units.lists]
        if any(names):
            self._level(units.list[sample], NodeKind.LIST, names=names)
        self._layers()
        self._paths()
        return self._nodes.structure(self._at[self._lots.of_row], self._names)

    def _layers(self) -> None:
        """Layers, each by its number; instances that share their parameters are called repeats."""
        units, sample = self._units, self._lots.sample
        for what in (NodeKind.LAYER, NodeKind.REPEAT):
            so = np.array([each.what == what for each in units.lists] + [False], np.bool_)
            number = np.where(so[units.list[sample]], units.layer[sample], -1)
            self._level(number, what, numbered=True)

    def _level(
        self,
        value: Ints | Longs,
        what: NodeKind,
        *,
        numbered: bool = False,
        names: list[str] | None = None,
    ) -> None:
        inside = np.flatnonzero(value >= 0)
        labels = [self._name(name) for name in names or [""]]
        label = np.array(labels, np.int64)[value[inside] if names else np.zeros_like(inside)]
        number = value[inside] if numbered else np.full(len(inside), -1)
        kind = np.full(len(inside), KINDS.index(what))
        self._descend(inside, value[inside].astype(np.int64), _NodeFacts(kind, number, label))

    def _descend(self, inside: Longs, value: Longs, look: _NodeFacts) -> None:
        lots = self._lots
        size = (lots.ops[inside], lots.sample[inside], lots.last[inside])
        self._at[inside] = self._nodes.add(self._at[inside], value, look, size)

    def _paths(self) -> None:
        """Modules and functions below all else, one level after the other."""
        units, sample = self._units, self._lots.sample
        chains, of_lot = _chains(units, sample)
        depth = max((len(chain) for chain in chains), default=0)
        table = np.full((len(chains), depth), -1, np.int64)
        for place, chain in enumerate(chains):
            table[place, : len(chain)] = chain
        segments = units.paths.segments
        kind = np.array([_kind(segment) for segment in segments], np.int64)
        label = np.array([self._name(name) for name in _told_apart(units.paths)], np.int64)
        for level in range(depth):
            value = table[of_lot, level]
            inside = np.flatnonzero(value >= 0)
            here = value[inside]
            self._descend(inside, here, _NodeFacts(kind[here], np.full(len(here), -1), label[here]))

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))


def _told_apart(paths: Paths) -> list[str]:
    """The names of all nodes of the trie; with the line where several are called: ``rope@64``."""
    seen = Counter(
        (parent, segment.name)
        for parent, segment in zip(paths.parent.tolist(), paths.segments, strict=True)
    )
    return [
        f"{segment.name}@{segment.site}"
        if segment.site and seen[parent, segment.name] > 1
        else segment.name
        for parent, segment in zip(paths.parent.tolist(), paths.segments, strict=True)
    ]


def _kind(segment: PathSegment) -> int:
    return _BY_PATH[0] if segment.what == "module" else _BY_PATH[1]


def _lots_of(units: Units) -> _Lots:
    rows = len(units.phase)
    key = np.zeros(rows, np.int64)
    for column in (
        units.step,
        units.update,
        units.batch,
        units.phase,
        units.list,
        units.layer,
        units.path,
    ):
        if not rows or (column == column[0]).all():
            continue
        value = column.astype(np.int64) - int(column.min())
        span = int(value.max()) + 1
        if (int(key.max()) + 1) * span >= 2**62:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            value = np.unique(value, return_inverse=True)[1].astype(np.int64)
            span = int(value.max()) + 1
        key = key * span + value
    lots = Grouped(key)
    rows_of = np.arange(rows)
    ends = np.append(lots.start[1:], rows)
    return _Lots(lots.group, lots.first, lots.most(rows_of), ends - lots.start)


def _chains(units: Units, sample: Longs) -> tuple[list[list[int]], Longs]:
    """The paths of lots from where they part on, each once; and which of them each lot has."""
    paths = units.paths
    forward = units.phase == Phase.FORWARD
    apart = paths.common_of(units.path[forward]) if forward.any() else 0
    tops = np.array([each.top for each in units.lists] + [apart], np.int64)
    top = tops[units.list[sample]]
    node = units.path[sample].astype(np.int64)
    distinct, of_lot = np.unique(node * len(paths.parent) + top, return_inverse=True)
    chains = []
    for pair in distinct.tolist():
        node_here, top_here = divmod(pair, len(paths.parent))
        chains.append(_below(paths, node_here, top_here))
    return chains, of_lot


def _below(paths: Paths, node: int, top: int) -> list[int]:
    """The path below *top*; all of it where it does not lead there. Layers have nodes of theirs."""
    chain = paths.chain(node)
    if top in chain:
        chain = chain[chain.index(top) + 1 :]
    return [each for each in chain if paths.parent[each] != top or paths.segments[each].number < 0]


class _NodeFacts(NamedTuple):
    """What nodes to be made look like, a value a lot."""

    kind: Longs
    number: Longs | Ints
    label: Longs


class _Nodes:
    """Nodes in the making; node 0 is the trace."""

    def __init__(self, rows: int) -> None:
        one = np.zeros(1, np.int64)
        self._columns: dict[str, Longs] = {
            "parent": one - 1,
            "depth": one,
            "kind": one + KINDS.index(NodeKind.TRACE),
            "label": one + _NO_LABEL,
            "number": one - 1,
            "value": one - 1,
            "ops": one + rows,
            "first": one,
            "last": one + rows - 1,
        }

    def add(
        self, at: Longs, value: Longs, look: _NodeFacts, size: tuple[Longs, Longs, Longs]
    ) -> Longs:
        """The nodes of lots one level below those they are *at*, made where they are new.

        A function that is all of its parent is no part of it: it gives a function its own name, and
        is left out of a layer.
        """
        if not len(at):
            return at
        made = Grouped(at * (int(value.max()) + 1) + value)
        sample = made.first
        known = self._columns
        parent, kind, label = at[sample], look.kind[sample], look.label[sample]
        ops = made.sums(size[0])
        whole = (kind >= _BY_PATH[0]) & (ops == known["ops"][parent])
        renamed = whole & (known["kind"][parent] >= _BY_PATH[0])
        known["label"][parent[renamed]] = label[renamed]
        known["kind"][parent[renamed]] = kind[renamed]
        new = {
            "parent": parent,
            "depth": known["depth"][parent] + 1,
            "kind": kind,
            "label": label,
            "number": look.number[sample],
            "value": value[sample],
            "ops": ops,
            "first": made.least(size[1]),
            "last": made.most(size[2]),
        }
        number = np.cumsum(~whole) - 1 + len(known["parent"])
        kept = np.flatnonzero(~whole)
        if len(kept):
            for name, column in new.items():
                known[name] = np.concatenate((known[name], column[kept]))
        return np.where(whole, parent, number)[made.group]

    def structure(self, of_row: Longs, names: dict[str, int]) -> Structure:
        """The nodes renumbered so that each comes before its parts."""
        known = self._columns
        enter, end = self._preorder()
        order = np.argsort(enter)
        parent = np.where(known["parent"] >= 0, enter[known["parent"]], -1)[order]
        return Structure(
            of_row=enter[of_row].astype(np.int32),
            parent=parent.astype(np.int32),
            end=end[order].astype(np.int32),
            depth=known["depth"][order].astype(np.int32),
            kind=known["kind"][order].astype(np.int8),
            number=known["number"][order].astype(np.int32),
            label=known["label"][order].astype(np.int32),
            names=tuple(names),
            ops=known["ops"][order],
            first=known["first"][order],
            last=known["last"][order],
        )

    def _preorder(self) -> tuple[Longs, Longs]:
        """Of each node its number in preorder, siblings as they begin; and where it ends."""
        known = self._columns
        above, depth, first = known["parent"], known["depth"], known["first"]
        # Gradients are often cleared ahead of all: the optimizer comes last all the same.
        late = (known["kind"] == KINDS.index(NodeKind.PHASE)) & (known["value"] == Phase.OPTIMIZER)
        begin = np.where(late, known["last"], first)
        size = np.ones(len(above), np.int64)
        by_depth = np.argsort(depth, kind="stable")
        levels = np.split(by_depth, np.flatnonzero(np.diff(depth[by_depth])) + 1)
        for level in reversed(levels[1:]):
            np.add.at(size, above[level], size[level])
        enter = np.zeros(len(size), np.int64)
        for level in levels[1:]:
            level = level[np.lexsort((begin[level], above[level]))]
            parent = above[level]
            before = np.cumsum(size[level]) - size[level]
            start = np.searchsorted(parent, parent)
            enter[level] = enter[parent] + 1 + before - before[start]
        return enter, enter + size


def structure_of(trace: Trace) -> Structure:
    """What a trace is made of; asked again of the same trace, the same."""
    found = _known.get(trace)
    if found is None:
        found = _known[trace] = build(units_of(trace))
    return found


def remember_structure(trace: Trace, structure: Structure) -> None:
    """What has been found elsewhere of a trace."""
    _known.setdefault(trace, structure)
