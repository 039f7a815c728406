"""How many differences of each kind are in each layer, or in each function: the first answer.

Layers that are alike in all that differs are one statement: "the same 14 differences in all 44
layers; layer 9 is different".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from opdiff.compare import Comparison, Kind, Side
from opdiff.report.places import PlaceNames
from opdiff.structure import NodeKind, Structure
from opdiff.structure.runs import runs_text
from opdiff.structure.tree import KINDS
from opdiff.trace.columns import Ints, Longs, places_among
from opdiff.trace.sorting import among, distinct
from opdiff.wording import Sentence

_LAYERS = (NodeKind.LAYER, NodeKind.REPEAT)
_OTHERS = (NodeKind.MODULE, NodeKind.FUNCTION)
_LAYER_KINDS = [KINDS.index(what) for what in _LAYERS]
_OTHER_KINDS = [KINDS.index(what) for what in _OTHERS]
_ELSEWHERE = "elsewhere"
_LEAST_LAYERS = 2

Made = tuple[tuple[int, int], ...]
"""Groups and how many members of them: what differs in a layer."""


class SummaryPlace(NamedTuple):
    """One row of the table: a layer, a function, or all else."""

    name: Sentence
    what: str
    """``layer``, ``repeat``, ``function``, ``phase`` or ``elsewhere``."""
    number: int | None
    ops: tuple[int, int]
    """How many ops it has, on the left and on the right."""


class SummaryTable(NamedTuple):
    """Counts of differences, a row a place and a column a kind."""

    kinds: tuple[Kind, ...]
    places: tuple[SummaryPlace, ...]
    counts: Longs
    """Of each place and kind."""
    suspect: Longs
    """Of each place, how many may change a value."""
    place_of: Ints
    """Of each difference, its place."""
    said: Sentence | None
    """What is the same in most layers, and which are different."""

    @property
    def tells(self) -> bool:
        """Whether it says where anything is."""
        return any(place.what != _ELSEWHERE for place in self.places)


def summary_table(
    comparison: Comparison, listed: Sequence[int] | Longs | None = None
) -> SummaryTable:
    """The table of a comparison, or of some of its differences.

    By phases where all of these are outside of layers and functions, or it would say nothing.
    """
    table = _SummaryBuilder(comparison, listed).table()
    if table.tells or not table.places:
        return table
    return _SummaryBuilder(comparison, listed, by_phase=True).table()


class _Key(NamedTuple):
    """What parts of both sides may have in common: a layer's number, a function's name."""

    what: str
    name: str
    number: int = -1
    side: int = -1
    """Of layers that the other side does not have."""


class _SummaryBuilder:
    """A table in the making."""

    def __init__(
        self,
        comparison: Comparison,
        listed: Sequence[int] | Longs | None,
        by_phase: bool = False,
    ) -> None:
        self._comparison, self._by_phase = comparison, by_phase
        every = range(len(comparison.divergences)) if listed is None else listed
        self._listed = np.array(every, np.int64)
        self._keys: dict[_Key, int] = {}
        self._group, self._kind = comparison.group_of, comparison.kinds
        sides = [comparison.side(side).structure for side in Side]
        self._layered = any(among(side.kind, _LAYER_KINDS).any() for side in sides)

    def table(self) -> SummaryTable:
        of_node = [self._places(self._comparison.side(side).structure) for side in Side]
        of_node[Side.RIGHT] = self._as_on_the_left(of_node)
        of_row = [
            places[self._comparison.side(side).structure.of_row]
            for side, places in zip(Side, of_node, strict=True)
        ]
        place = self._of_differences(of_node)
        width = len(Kind)
        here = self._listed
        flat = place[here].astype(np.int64) * width + self._kind[here]
        counts = np.bincount(flat, minlength=len(self._keys) * width).reshape(-1, width)
        suspects = here[self._comparison.suspect[here]]
        suspect = np.bincount(place[suspects], minlength=len(self._keys))
        kept = self._kept(of_row, counts)
        renumbered = places_among(len(self._keys), kept)
        kinds = [number for number in range(width) if counts[:, number].any()]
        return SummaryTable(
            tuple(list(Kind)[number] for number in kinds),
            tuple(self._made(of_row, kept)),
            counts[kept][:, kinds],
            suspect[kept],
            renumbered[place],
            self._said(of_row, place),
        )

    def _places(self, structure: Structure) -> Ints:
        """Of each part of one side, the place it counts for."""
        places = np.full(len(structure), self._number(_Key(_ELSEWHERE, "")), np.int32)
        if self._by_phase:
            phase = structure.enclosing(NodeKind.PHASE)
            for node in distinct(phase[phase >= 0]).tolist():
                name = structure.names[int(structure.label[node])]
                places[phase == node] = self._number(_Key(str(NodeKind.PHASE), name))
            return places
        layer = structure.enclosing(*_LAYERS)
        called = structure.enclosing(*_OTHERS)
        if not self._layered:  # the functions themselves are what there is
            called = np.where(among(structure.kind, _OTHER_KINDS), np.arange(len(structure)), -1)
        label = np.where(called >= 0, structure.label[np.maximum(called, 0)], -1)
        for number in distinct(label[(label >= 0) & (layer < 0)]).tolist():
            name = structure.names[number].partition("@")[0]
            places[label == number] = self._number(_Key("function", name))
        nodes = np.flatnonzero(layer == np.arange(len(structure)))
        above = structure.parent[nodes]
        named = structure.kind[above] == KINDS.index(NodeKind.LIST)
        label = np.where(named, structure.label[above], 0)
        for node, end, kind, name, number in zip(
            nodes.tolist(),
            structure.end[nodes].tolist(),
            structure.kind[nodes].tolist(),
            label.tolist(),
            structure.number[nodes].tolist(),
            strict=True,
        ):
            key = _Key(str(KINDS[kind]), structure.names[name], number)
            places[node:end] = self._number(key)
        return places

    def _number(self, key: _Key) -> int:
        return self._keys.setdefault(key, len(self._keys))

    def _as_on_the_left(self, of_node: list[Ints]) -> Ints:
        """Places of the right by the numbers of the left: layers are one as their ops are paired.

        A layer of the right that no layer of the left answers is a place of its own.
        """
        left, right = (self._comparison.side(side) for side in Side)
        rows = np.flatnonzero(left.partner >= 0)
        mine = of_node[Side.LEFT][left.structure.of_row[rows]].astype(np.int64)
        theirs = of_node[Side.RIGHT][right.structure.of_row[left.partner[rows]]]
        keys = list(self._keys)
        numbered = np.array([key.number >= 0 for key in keys], np.bool_)
        both = numbered[mine] & numbered[theirs]
        span = len(keys)
        pairs, counts = np.unique(theirs[both] * span + mine[both], return_counts=True)
        answer: dict[int, int] = {}
        taken: set[int] = set()
        for pair in pairs[np.argsort(-counts, kind="stable")].tolist():
            other, one = divmod(pair, span)
            if other not in answer and one not in taken:
                answer[other] = one
                taken.add(one)
        table = np.arange(span, dtype=np.int32)
        for place in distinct(of_node[Side.RIGHT]).tolist():
            key = keys[place]
            if place in answer:
                table[place] = answer[place]
            elif key.number >= 0:
                table[place] = self._number(key._replace(side=int(Side.RIGHT)))
        return table[of_node[Side.RIGHT]]

    def _of_differences(self, of_node: list[Ints]) -> Ints:
        """Of each difference, its place: that on the left where it is there."""
        nodes = PlaceNames(self._comparison).nodes
        place = np.full(len(self._comparison.divergences), 0, np.int32)
        for side in (Side.RIGHT, Side.LEFT):
            here = np.flatnonzero(nodes[side] >= 0)
            place[here] = of_node[side][nodes[side][here]]
        return place

    def _kept(self, of_row: list[Ints], counts: Longs) -> list[int]:
        """The places to list: layers, and others that differ; in the order in which they run."""
        first = np.full(len(self._keys), np.iinfo(np.int64).max)
        for side in (Side.RIGHT, Side.LEFT):
            rows = np.flatnonzero(self._comparison.side(side).compared)[::-1]
            first[of_row[side][rows]] = rows  # the first of each comes last, and stays
        differ = counts.sum(axis=1) > 0
        order = np.argsort(first, kind="stable").tolist()
        keys = list(self._keys)
        runs = first < np.iinfo(np.int64).max
        some = [
            place for place in order if differ[place] or (keys[place].number >= 0 and runs[place])
        ]
        return sorted(some, key=lambda place: keys[place].what == _ELSEWHERE)

    def _made(self, of_row: list[Ints], kept: list[int]) -> Iterator[SummaryPlace]:
        keys = list(self._keys)
        ops = [np.bincount(rows, minlength=len(keys)) for rows in of_row]
        for place in kept:
            key = keys[place]
            number = key.number if key.number >= 0 else None
            left, right = (int(side[place]) for side in ops)
            yield SummaryPlace(_name(key), key.what, number, (left, right))

    def _said(self, of_row: list[Ints], place: Ints) -> Sentence | None:
        """What is the same in all layers, and which are different.

        A layer that was compared in part is no different for that.
        """
        keys = list(self._keys)
        result = self._comparison.left
        looked, counted = (
            np.bincount(of_row[Side.LEFT][rows & ~result.noise], minlength=len(keys))
            for rows in (result.compared, np.ones_like(result.compared))
        )
        whole = looked == counted
        layers = [
            number
            for number, key in enumerate(keys)
            if key.what == str(NodeKind.LAYER) and key.side < 0 and looked[number]
        ]
        lists = {keys[layer].name for layer in layers}
        # Layers that a run did not come to are no different: it ended before them.
        if any(note.code == "ends-early" for note in self._comparison.notes):
            return None
        added = any(keys[number].side >= 0 for number in distinct(place[self._listed]).tolist())
        if len(lists) != 1 or added:
            return None
        suspect = self._listed[self._comparison.suspect[self._listed]]
        telling = bool(among(place[suspect], layers).any())
        made = self._made_of(place, suspect if telling else self._listed, layers)
        usual = Counter(what for layer, what in made.items() if whole[layer]).most_common(1)
        return _alike(
            {
                keys[layer].number: what
                for layer, what in made.items()
                if whole[layer] or (usual and what == usual[0][0])
            },
            telling,
        )

    def _made_of(self, place: Ints, records: Longs, layers: list[int]) -> dict[int, Made]:
        """Of each layer, which groups have how many members in it."""
        span = len(self._comparison.groups) + 1
        pairs = place[records].astype(np.int64) * span + self._group[records]
        made: dict[int, list[tuple[int, int]]] = {layer: [] for layer in layers}
        for pair, count in zip(
            *(each.tolist() for each in np.unique(pairs, return_counts=True)), strict=True
        ):
            layer, group = divmod(pair, span)
            if layer in made:
                made[layer].append((group, count))
        return {layer: tuple(what) for layer, what in made.items()}


def _name(key: _Key) -> Sentence:
    if key.what == _ELSEWHERE:
        return Sentence.of("structure.elsewhere")
    if key.what == NodeKind.PHASE:
        return Sentence.of(f"structure.{key.name}")
    if key.number < 0:
        return Sentence.of("structure.named", name=key.name)
    name = Sentence.of(f"structure.{key.what}", number=key.number)
    if key.name:
        outer = Sentence.of("structure.list", name=key.name)
        name = Sentence.of("structure.inside", outer=outer, inner=name)
    return Sentence.of("structure.on-the-right", place=name) if key.side > 0 else name


def _alike(layers: dict[int, Made], telling: bool) -> Sentence | None:
    """One sentence of what layers have in common; None where they have little.

    *telling*: it is about what may change a value.
    """
    if len(layers) < _LEAST_LAYERS:
        return None
    counted = Counter(layers.values())
    usual, same = max(counted.items(), key=lambda each: (each[1], not each[0]))
    odd = sorted(number for number, what in layers.items() if what != usual)
    # Half of the layers are no rule, but half without any difference are worth a word.
    rule = 2 * same > len(layers) or (not usual and 2 * same == len(layers))
    if not rule or (not usual and not odd) or (usual and same == 1):
        return None
    total = sum(count for _, count in usual)
    word = "suspects" if telling else "differences"
    differences = Sentence.of(f"structure.{word if total != 1 else 'one-' + word}", count=total)
    if not usual:
        return Sentence.of(
            "structure.nowhere-but",
            layers=len(layers),
            odd=_odd(odd, "has"),
            differences=Sentence.of(f"structure.some-{word}"),
        )
    if not odd:
        return Sentence.of("structure.same-everywhere", differences=differences, layers=len(layers))
    return Sentence.of(
        "structure.same-but",
        differences=differences,
        same=same,
        layers=len(layers),
        odd=_odd(odd, "is"),
    )


def _odd(numbers: list[int], verb: str) -> Sentence:
    code = {"is": ("is-odd", "are-odd"), "has": ("has-some", "have-some")}[verb]
    return Sentence.of(f"structure.{code[len(numbers) > 1]}", numbers=runs_text(numbers))
