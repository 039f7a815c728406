"""Where differences are, by layer and function: ``layer 7 › attention › rope, backward``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from opdiff.compare import Comparison, Divergence, Side
from opdiff.report.runs import runs_text
from opdiff.structure import ROOT, Structure, What
from opdiff.structure.naming import name_of, place_of
from opdiff.structure.tree import KINDS
from opdiff.wording import Sentence

Ints = NDArray[np.int32]

_LAYERS = (What.LAYER, What.REPEAT)
_PLURAL = {What.LAYER: "layers", What.REPEAT: "repeats"}


class Places:
    """Names the places of a comparison's differences, of each part of a trace once."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison
        self._said: dict[tuple[Side, int], Sentence | None] = {}
        self._layers: dict[Side, Ints] = {}
        self._phases: dict[Side, Ints] = {}

    def of_row(self, side: Side, row: int) -> Sentence | None:
        """Where an op is; None where its trace shows no parts."""
        return self.of_node(side, int(self._comparison.side(side).structure.of_row[row]))

    def of_node(self, side: Side, node: int) -> Sentence | None:
        """Where a part is."""
        if (side, node) not in self._said:
            structure = self._comparison.side(side).structure
            self._said[side, node] = place_of(structure, node)
        return self._said[side, node]

    def of(self, divergence: Divergence, side: Side) -> Sentence | None:
        """Where a difference is on one side; None where it is not on that side."""
        rows = divergence.rows(side)
        return self.of_row(side, rows[0]) if rows else None

    @cached_property
    def nodes(self) -> tuple[Ints, Ints]:
        """Of each difference, its part on the left and on the right; -1 where it has none."""
        left, right = (self._nodes(side) for side in Side)
        return left, right

    def _nodes(self, side: Side) -> Ints:
        result = self._comparison.side(side)
        first = result.first_rows(len(self._comparison.divergences))
        if not len(result.structure.of_row):
            return first
        return np.where(first >= 0, result.structure.of_row[np.maximum(first, 0)], -1)

    def of_members(self, members: Sequence[int]) -> Sentence | None:
        """Where the members of a group are, in few words; None where nothing can be said."""
        here = np.asarray(members)
        for side in Side:
            nodes = self.nodes[side][here]
            if (nodes >= 0).all():
                return self._of_parts(side, np.unique(nodes))
        return None

    def _of_parts(self, side: Side, nodes: Ints) -> Sentence | None:
        structure = self._comparison.side(side).structure
        if len(nodes) == 1:
            return self.of_node(side, int(nodes[0]))
        layer = self._layer_of(side)[nodes]
        if (layer < 0).any():
            return self.of_node(side, _common(structure, nodes))
        place = _layers_in_words(structure, np.unique(layer))
        if place is None:
            return None
        for node in _shared(structure, nodes, layer):
            inner = name_of(structure.node(node))
            place = Sentence.of("structure.inside", outer=place, inner=inner)
        phases = np.unique(structure.label[self._phase_of(side)[nodes]])
        phase = structure.names[phases[0]]
        if len(phases) > 1 or phase in ("", "forward"):
            return place
        return Sentence.of(
            "structure.in-phase", place=place, phase=Sentence.of(f"structure.{phase}")
        )

    def _layer_of(self, side: Side) -> Ints:
        """Of each part, the layer it is in, or -1."""
        if side not in self._layers:
            self._layers[side] = self._comparison.side(side).structure.enclosing(*_LAYERS)
        return self._layers[side]

    def _phase_of(self, side: Side) -> Ints:
        """Of each part, the phase it is in; the trace itself where it has none."""
        if side not in self._phases:
            phases = self._comparison.side(side).structure.enclosing(What.PHASE)
            self._phases[side] = np.maximum(phases, ROOT)
        return self._phases[side]


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
    kinds = np.unique(structure.kind[layers])
    above = structure.parent[layers]
    lists = np.unique(structure.label[above[structure.kind[above] == KINDS.index(What.LIST)]])
    if len(kinds) > 1 or len(lists) > 1:
        return None
    numbers = np.unique(structure.number[layers]).tolist()
    if len(numbers) == 1:
        return name_of(structure.node(int(layers[0])))
    what = KINDS[kinds[0]]
    every = np.unique(structure.number[structure.kind == kinds[0]])
    if len(every) == len(numbers):
        return Sentence.of(f"structure.all-{_PLURAL[what]}", count=len(numbers))
    return Sentence.of(f"structure.some-{_PLURAL[what]}", numbers=runs_text(numbers))
