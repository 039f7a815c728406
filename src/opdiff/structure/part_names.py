"""Names of parts: ``layer 7 › attention › rope, backward``, ``all 4 layers › attention``."""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from opdiff.structure.runs import runs_text
from opdiff.structure.tree import KINDS, ROOT, NodeKind, Structure, StructureNode
from opdiff.trace.columns import Ints, Longs
from opdiff.trace.sorting import distinct
from opdiff.wording import Sentence

_LAYERS = (NodeKind.LAYER, NodeKind.REPEAT)
_BY_NAME = (NodeKind.MODULE, NodeKind.FUNCTION)
_FORWARD = Sentence.of("structure.forward")
_PLURAL = {NodeKind.LAYER: "layers", NodeKind.REPEAT: "repeats"}


def name_of(node: StructureNode) -> Sentence:
    """What a part is called by itself."""
    return _name(node.what, node.name, node.number)


@lru_cache(maxsize=1 << 12)
def _name(what: NodeKind, name: str, number: int) -> Sentence:
    """The same; parts of a few names and numbers come again in every layer and pass."""
    if what is NodeKind.PHASE:
        return Sentence.of(f"structure.{name}")
    if what in _BY_NAME:
        return Sentence.of("structure.named", name=name)
    if what is NodeKind.LIST:
        return Sentence.of("structure.list", name=name)
    return Sentence.of(f"structure.{what}", number=number)


def _inside(outer: Sentence, inner: Sentence) -> Sentence:
    return Sentence.of("structure.inside", outer=outer, inner=inner)


def _in_phase(place: Sentence, phase: Sentence) -> Sentence:
    return Sentence.of("structure.in-phase", place=place, phase=phase)


class _Place:
    """Where a part is: its path but for the phase, and the phase."""

    def __init__(self, inner: Sentence | None = None, phase: Sentence | None = None) -> None:
        self._inner, self._phase = inner, phase

    @cached_property
    def said(self) -> Sentence | None:
        """Both in one; a forward is not mentioned."""
        inner, phase = self._inner, self._phase
        if phase is None or (inner is not None and phase == _FORWARD):
            return inner
        return phase if inner is None else _in_phase(inner, phase)

    def part(self, name: Sentence) -> _Place:
        """A part of it."""
        inner = self._inner
        return _Place(name if inner is None else _inside(inner, name), self._phase)

    def within_phase(self, phase: Sentence) -> _Place:
        """What of it belongs to a phase: the outermost counts."""
        return _Place(self._inner, phase) if self._phase is None else self.part(phase)


_Key = tuple[NodeKind, str, int]
"""What a part is, its name, its number: parts that are alike in these are called the same."""


class _Places:
    """Places by what they are in: layers come again in every pass, and in the other trace."""

    def __init__(self) -> None:
        self.all = _Place()
        self._parts: dict[tuple[_Place, _Key], _Place] = {}

    def inside(self, outer: _Place, key: _Key) -> _Place:
        """The place of a part."""
        found = self._parts.get((outer, key))
        if found is None:
            add = outer.within_phase if key[0] is NodeKind.PHASE else outer.part
            found = self._parts[outer, key] = add(_name(*key))
        return found


class PartNames:
    """Names parts of one trace, each once; *known* are those of the other trace."""

    def __init__(self, structure: Structure, known: PartNames | None = None) -> None:
        self.structure = structure
        self._places: _Places = _Places() if known is None else known._places
        self._known: dict[int, _Place] = {ROOT: self._places.all}

    def of_part(self, node: int) -> Sentence | None:
        """Where a part is: its layer and what is inside of that, then its phase.

        None for the whole trace. A forward is not mentioned: that is where most places are.
        """
        return self._place(node).said

    def _place(self, node: int) -> _Place:
        kinds, labels, numbers, parents = self._columns
        names, path = self.structure.names, []
        while node not in self._known:
            path.append(node)
            node = parents[node]
        found = self._known[node]
        for node in reversed(path):
            key = (KINDS[kinds[node]], names[labels[node]], numbers[node])
            found = self._places.inside(found, key)
            self._known[node] = found
        return found

    @cached_property
    def _columns(self) -> tuple[list[int], ...]:
        """Plain lists: numpy hands numbers out one by one slowly."""
        parts = self.structure
        return tuple(
            each.tolist() for each in (parts.kind, parts.label, parts.number, parts.parent)
        )

    def of_row(self, row: int) -> Sentence | None:
        """Where an op is."""
        return self.of_part(int(self.structure.of_row[row]))

    def of_rows(self, first: int, last: int) -> Sentence | None:
        """Where a stretch of ops is, from the first to the last."""
        structure, here = self.structure, self.structure.of_row[first : last + 1]
        runs = self._runs[slice(*np.searchsorted(self._runs, (first, last + 1)))]
        # Few of the parts stand for all: each layer and phase has one, and so have both ends. What
        # these do not share, all do not.
        ends = np.array((here[0], here.min(), here.max()), np.int32)
        few = distinct(np.concatenate((structure.of_row[runs], ends)))
        layer = self._layer[few]
        shared = bool((layer >= 0).all()) and _shared(structure, few, layer)
        return self.of_parts(_distinct(here) if shared else few)

    def prepare(self) -> None:
        """Work out now what would be worked out when first asked for."""
        _ = self._layer, self._phase, self._runs

    def of_parts(self, nodes: Ints) -> Sentence | None:
        """Where several parts are, in few words; None where nothing can be said."""
        structure = self.structure
        if len(nodes) == 1:
            return self.of_part(int(nodes[0]))
        layer = self._layer[nodes]
        if not len(nodes) or (layer < 0).any():
            return self.of_part(_common(structure, nodes)) if len(nodes) else None
        place = _layers_in_words(structure, _distinct(layer))
        if place is None:
            return None
        for node in _shared(structure, nodes, layer):
            place = _inside(place, name_of(structure.node(node)))
        phases = distinct(structure.label[_distinct(self._phase[nodes])])
        phase = structure.names[phases[0]]
        if len(phases) > 1 or phase in ("", "forward"):
            return place
        return _in_phase(place, Sentence.of(f"structure.{phase}"))

    @cached_property
    def _layer(self) -> Ints:
        """Of each part, the layer it is in, or -1."""
        return self.structure.enclosing(*_LAYERS)

    @cached_property
    def _phase(self) -> Ints:
        """Of each part, the phase it is in; the trace itself where it has none."""
        phase: Ints = np.maximum(self.structure.enclosing(NodeKind.PHASE), np.int32(ROOT))
        return phase

    @cached_property
    def _runs(self) -> Longs:
        """The rows at which another layer or phase begins."""
        of_row = self.structure.of_row
        layer, phase = self._layer[of_row], self._phase[of_row]
        return np.flatnonzero((layer[1:] != layer[:-1]) | (phase[1:] != phase[:-1])) + 1


def _distinct(nodes: Ints) -> Ints:
    """Each node once, ascending; there may be very many, so none are sorted."""
    return np.flatnonzero(np.bincount(nodes)).astype(np.int32)


def _shared(structure: Structure, nodes: Ints, layer: Ints) -> list[int]:
    """The nodes below the first layer by whose names all parts agree, outermost first."""
    inside = structure.depth[nodes] - structure.depth[layer]
    levels = []
    for level in range(int(inside.min()), 0, -1):
        while (deeper := inside > level).any():
            nodes = np.where(deeper, structure.parent[nodes], nodes)
            inside = inside - deeper
        levels.append(
            (int(nodes[0]), bool((structure.label[nodes] == structure.label[nodes[0]]).all()))
        )
    shared = []
    for node, agreed in reversed(levels):
        if not agreed:
            break
        shared.append(node)
    return shared


def _common(structure: Structure, nodes: Ints) -> int:
    """The innermost part that holds all of these."""
    low, high = int(nodes.min()), int(nodes.max())
    while low != ROOT and high >= structure.end[low]:
        low = int(structure.parent[low])
    return low


def _layers_in_words(structure: Structure, layers: Ints) -> Sentence | None:
    """``all 4 layers``, ``layers 0–2, 5``; None where they are of several lists."""
    kinds = distinct(structure.kind[layers])
    above = structure.parent[layers]
    lists = distinct(structure.label[above[structure.kind[above] == KINDS.index(NodeKind.LIST)]])
    if len(kinds) > 1 or len(lists) > 1:
        return None
    numbers = distinct(structure.number[layers]).tolist()
    if len(numbers) == 1:
        return name_of(structure.node(int(layers[0])))
    what = KINDS[kinds[0]]
    every = distinct(structure.number[structure.kind == kinds[0]])
    if len(every) == len(numbers):
        return Sentence.of(f"structure.all-{_PLURAL[what]}", count=len(numbers))
    return Sentence.of(f"structure.some-{_PLURAL[what]}", numbers=runs_text(numbers))
