"""Idiom recognition: ops that together do the work of one are taken for that one op.

Compiled graphs hold what ops expand into. Where one side has an op and the other its expansion, the
expansion is found by its value graph (homomorphism: what an expansion computes twice, a compiler
computes once) and the trace is *raised*: one row stands for all. Both traces then speak of the same
ops and are matched as if they came from the same mode. What finds no counterpart is lowered again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import groupby
from math import prod
from typing import NamedTuple

import numpy as np

from opdiff.compare.matching import Block, Matching
from opdiff.compare.names.argument_texts import ARGUMENTS
from opdiff.compare.names.idioms import CONSTANT, Idiom, expanded, handing_sort, rooted
from opdiff.compare.names.kernel_names import expanded_op
from opdiff.compare.names.spelling import canonical
from opdiff.compare.names.table import Table
from opdiff.compare.names.vocabulary import Vocabulary, vocabulary
from opdiff.compare.pairing.rotations import ROLL, Rotation, rotation_by_index, rotation_told
from opdiff.compare.request import Request
from opdiff.compare.sides.hostdata import host_memory
from opdiff.compare.sides.prepared import Prepared, prepare
from opdiff.compare.sides.preparing import ready_at_once
from opdiff.compare.sides.recompute import with_twins
from opdiff.compare.sides.scope import Scope
from opdiff.trace import Operands, Trace
from opdiff.trace.columns import Flags, Ints, Longs, marked, starts_of
from opdiff.trace.sorting import among, distinct, stable_order
from opdiff.trace.traits import Trait

_BACKWARD = "backward"
_FEW, _FAR_MORE = 16, 2
"""So many expansions, and so many times as many as ops are lacking, may be ones."""
_MOST_READERS = 64
_SPREADING = {"expand", "broadcastindim", "broadcastto"}
_MOST_TRIES = 200
"""Steps of one search: expansions that read their inputs in many orders are left alone."""


class Called(NamedTuple):
    """The ops of one spelling that the other side runs."""

    name: str
    """The first of their names."""
    ops: int
    calls: frozenset[tuple[int, str]]
    """How many inputs some of them print, and what arguments."""

    def may_be(self, idiom: Idiom) -> bool:
        """Whether one of them takes what an idiom takes, and is told to do what it does."""
        return any(
            (not inputs or idiom.arguments <= inputs)
            and (not told or not idiom.is_told or idiom.does_what_is_told(told))
            for inputs, told in self.calls
        )


Asked = dict[str, Called]
"""By their spelling, ops that the other side has and this one hardly any of."""


@dataclass(frozen=True)
class Cluster:
    """Rows that do the work of one op."""

    idiom: Idiom
    name: str
    """The type of that op on the other side."""
    row: int
    """The row that stands for all."""
    nodes: dict[int, int]
    """Of the idiom's nodes, the rows; those of another cluster may be among them."""
    rows: tuple[int, ...]
    """All that are its own, ascending: also views between them, and what is computed again."""
    reads: tuple[int, ...]
    """The input operands that lead into it, in the order of the op's arguments."""
    makes: tuple[int, ...]
    """The rows whose results are results of the op."""
    turned: Rotation | None = None
    """What is turned, if that is what they do."""


class Search:
    """Finds clusters on one side."""

    def __init__(
        self, side: Prepared, names: Asked, spoken_of: dict[int, str], table: Table
    ) -> None:
        self._side = side
        self._trace = side.trace
        self._spoken_of = spoken_of
        """Rows of which the user decided, and the spelling of what an anchor or pin is to be."""
        self._spelled = [
            frozenset((canonical(name), *table.spellings(name))) for name in side.trace.types
        ]
        """Of each type, the spellings under which idioms know its job."""
        self._expanded = [expanded_op(scope) for scope in side.trace.scopes]
        """Of each scope, the spelling of the op that was expanded into it."""
        self._constant = side.constant
        # Memory asked row by row, without numpy's scalars.
        self._type = np.ascontiguousarray(side.trace.type).data
        self._passes, self._constant_at = side.passes.data, self._constant.data
        self._commutative = side.trace.has_trait(Trait.COMMUTATIVE).data
        self._copies = side.trace.has_trait(Trait.COPY).data
        self._rows = len(side.trace)
        self.inputs = side.inputs_of
        """The values that an op reads, and the operands by which it does."""
        self._free: Flags = marked(len(side.trace), side.rows)
        self._part_of: dict[int, str] = {}
        """Of rows that are no longer free, the spelling of the op that they do the work of."""
        self._names = names
        self._fed: dict[_Made, Flags] = {}
        self._duplicates = self._computed_again()

    def clusters(self) -> list[Cluster]:
        """All of them: the largest idioms first."""
        by_name = rooted(set(self._names))
        if not by_name:
            return []
        types = self._trace.type
        candidates: list[tuple[tuple[int, int], int, Idiom, int]] = []
        for kind, spelled in enumerate(self._spelled):
            known = [
                each
                for name in sorted(spelled)
                for each in by_name.get(name, ())
                if self._names[each[0].one].may_be(each[0])
            ]
            rows = self._side.rows[types[self._side.rows] == kind] if known else self._side.rows
            for idiom, number in known:
                size = len(idiom.cone(number)), len(idiom.nodes)
                fit = self._plausible(rows, idiom, number)
                candidates += [(size, row, idiom, number) for row in fit.tolist()]
        candidates.sort(key=lambda each: (-each[0][0], -each[0][1], each[1]))
        found: list[Cluster] = []
        for _, lot in groupby(candidates, key=lambda each: each[0][0]):
            # A part of a large expansion may look like another that is found whole.
            parts = [one for one in lot if not self._take(found, *one[1:], parts=False)]
            for _, row, idiom, number in parts:
                self._take(found, row, idiom, number, parts=True)
        return self._with_constants(self._without_shared(found))

    def _take(
        self, found: list[Cluster], row: int, idiom: Idiom, number: int, *, parts: bool
    ) -> bool:
        """Add the cluster that ends there, if any; False if it is a part, and these are to wait."""
        cluster = self._cluster(row, idiom, number) if self._free[row] else None
        if cluster is None:
            return True
        if not parts and idiom.results[0] not in cluster.nodes:
            return False
        self._free[list(cluster.rows)] = False
        self._part_of.update(dict.fromkeys(cluster.rows, idiom.one))
        found.append(cluster)
        return True

    def _with_constants(self, clusters: list[Cluster]) -> list[Cluster]:
        """The clusters with the constants that only they read: a compiler makes these once."""
        of = {row: number for number, cluster in enumerate(clusters) for row in cluster.rows}
        given = {int(self._side.value[at]) for cluster in clusters for at in cluster.reads}
        more: dict[int, list[int]] = {}
        last = int(self._side.rows[-1]) if len(self._side.rows) else -1
        waiting = [int(row) for row in np.flatnonzero(self._constant & self._free)[::-1]]
        for row in waiting if of else ():
            # What comes after an anchor reads what it likes.
            readers = [each for each in self._trace.consumers(row) if each <= last]
            if row in self._spoken_of or row in given or not readers:
                continue
            if all(each in of for each in readers):
                of[row] = min(of[each] for each in readers)
                more.setdefault(of[row], []).append(row)
        return [
            replace(cluster, rows=tuple(sorted({*cluster.rows, *more.get(number, ())})))
            for number, cluster in enumerate(clusters)
        ]

    def _plausible(self, rows: Ints, idiom: Idiom, number: int) -> Ints:
        """Those of the rows that what must feed the node may feed: arc consistency."""
        rows = rows[self._free[rows]]
        for feeder in _feeders(idiom, number):
            if len(rows):
                rows = rows[self._fed_by(feeder)[rows]]
        return rows

    def _fed_by(self, made: _Made) -> Flags:
        """Of each row, whether what may have been made like that is one of its inputs."""
        if made not in self._fed:
            fed = np.zeros(len(self._trace), np.bool_)
            kinds = np.array([made.name in names for names in self._spelled], np.bool_)
            makers = kinds[self._trace.type]
            for feeder in made.feeders:
                if makers.any():
                    makers &= self._fed_by(feeder)
            if makers.any():
                inside = self._side.value < len(self._trace)
                from_it = inside & makers[np.where(inside, self._side.value, 0)]
                fed[self._trace.values.reader_row[from_it]] = True
            self._fed[made] = fed
        return self._fed[made]

    def _cluster(self, row: int, idiom: Idiom, number: int) -> Cluster | None:
        match = _Match(self, idiom)
        if not match.take(number, row):
            return None
        match.follow()
        nodes = {number: self._free_one(value) for number, value in match.nodes.items()}
        taken = set(nodes.values())
        turned = None
        if idiom.one == ROLL:
            turned = rotation_by_index(self._side, (nodes[each] for each in sorted(nodes)))
            if turned is None:
                return None
        arguments = set(match.arguments.values())
        ready = max((value for value in arguments if value < len(self._trace)), default=-1)
        own = self._own(taken, ready, row)
        # The backward may read what the forward computed on its way; an op is more than its end.
        if 2 * len(own) <= len(taken) - self._done_alike(taken - own, row, idiom):
            return None
        own |= {
            copy
            for at in own
            for copy in self._duplicates.get(at, ())
            if self._goes_with(copy, at, own)
        }
        if row not in own or arguments & taken:
            return None
        if any(self._spoken_of.get(at, idiom.one) != idiom.one for at in own):
            return None
        own |= self._between(own, arguments) | (self._handing_on(own, idiom) - arguments)
        place = self._place(own, ready)
        makes = [nodes[at] for at in idiom.results if nodes.get(at) in own]
        reads = tuple(match.operands[at] for at in sorted(match.operands))
        if place is None or self._reused(own, makes, reads):
            return None
        own |= {reader for at in own for reader in self._trace.consumers(at) if reader < place}
        return Cluster(
            idiom,
            self._names[idiom.one].name,
            place,
            nodes,
            tuple(sorted(own)),
            reads,
            tuple(dict.fromkeys(makes)),
            turned,
        )

    def _done_alike(self, rows: set[int], end: int, idiom: Idiom) -> int:
        """How many of the rows a compiler did once for two ops of a kind, or for op and gradient.

        Two losses of one target share its mask, and a gradient shares that of its op. What the
        forward did is no part of another op of the kind in the backward.
        """
        phase, one = self._side.phase, idiom.one
        of = one.removesuffix(_BACKWARD)
        return sum(
            (part == one and phase[row] == phase[end]) or (part == of != one)
            for row in rows
            if (part := self._part_of.get(row))
        )

    def _free_one(self, row: int) -> int:
        """A row, or one that computes it again, where it is another's already."""
        if self._free[row]:
            return row
        return next((copy for copy in self._duplicates.get(row, ()) if self._free[copy]), row)

    def _goes_with(self, copy: int, first: int, own: set[int]) -> bool:
        """Whether what computes a row again has no readers of its own in the same phase.

        Two ops that compute one value on their way are two, though a compiler might do it once.
        """
        phase = self._side.phase
        return phase[copy] != phase[first] or own.issuperset(self._trace.consumers(copy))

    def _own(self, taken: set[int], ready: int, end: int) -> set[int]:
        """Of the rows of an idiom, those that ran when all was *ready*, or were made for these.

        The others belong to somebody else: compilers share what several ops compute.
        """
        phase = self._side.phase
        own: set[int] = set()
        for row in sorted(taken, reverse=True):
            at_its_turn = row > ready and phase[row] == phase[end]
            if self._free[row] and (at_its_turn or (own and own >= self._readers_itself(row))):
                own.add(row)
        return own

    def _readers_itself(self, row: int) -> set[int]:
        """The rows that compute with what this very row makes, not with what makes it once more."""
        found: set[int] = set()
        waiting = [row]
        while waiting and len(found) < _MOST_READERS:
            new = set(self._trace.consumers(waiting.pop())) - found
            found |= new
            waiting += [each for each in new if self._passes[each]]
        return {each for each in found if not self._passes[each]}

    def _without_shared(self, clusters: list[Cluster]) -> list[Cluster]:
        """The clusters without what is no result and yet read by an op that is part of none.

        The op did the same by itself, and a compiler did it once; the backward may read all.
        """
        phase, found = self._side.phase, []
        for cluster in clusters:
            rows, nodes = set(cluster.rows), set(cluster.nodes.values())
            for row in sorted((rows & nodes).difference(cluster.makes), reverse=True):
                if any(
                    self._free[reader] and phase[reader] == phase[row] and not self._copies[reader]
                    for reader in self._readers_itself(row)
                ):
                    self._free[row] = True
                    rows.discard(row)
            place = min(row for row in rows & nodes if row >= cluster.row)
            found.append(replace(cluster, row=place, rows=tuple(sorted(rows))))
        return found

    def _between(self, own: set[int], arguments: set[int]) -> set[int]:
        """Views, copies and constants that only lead from one of these ops to another.

        An argument may be a constant: it is none of these, nor is what it is made from.
        """
        found: set[int] = set()
        trace, side = self._trace, self._side
        waiting = sorted(own)
        while waiting:
            row = waiting.pop()
            for producer in trace.producers(row):
                if producer is None or producer in own or producer in found:
                    continue
                if producer in arguments:
                    continue
                if not self._free[producer] or producer in self._spoken_of:
                    continue
                if self._readings(producer) > _MOST_READERS:
                    continue
                hands_on = side.passes[producer] and self._comes_from(producer, own)
                constant = self._constant[producer]
                readers = {int(reader) for reader in trace.consumers(producer)}
                if (hands_on or constant) and readers <= own | found:
                    found.add(producer)
                    waiting.append(producer)
        return found

    def _readings(self, row: int) -> int:
        start = self._trace.links.start
        return int(start[row + 1] - start[row])

    def _handing_on(self, own: set[int], idiom: Idiom) -> set[int]:
        """Casts and copies of what these ops make, where the idiom has such."""
        found: set[int] = set()
        waiting = sorted(own)
        while waiting:
            for reader in self._trace.consumers(waiting.pop()):
                if reader in found or not self._free[reader] or reader in self._spoken_of:
                    continue
                sort = handing_sort(self._trace.type_name(reader))
                if self._side.passes[reader] and sort in idiom.handing:
                    found.add(reader)
                    waiting.append(reader)
        return found

    def _comes_from(self, row: int, own: set[int]) -> bool:
        start = self._trace.inputs.start
        first = int(start[row])
        return first < start[row + 1] and int(self._side.origin[first]) in own

    def _place(self, own: set[int], ready: int) -> int | None:
        """The first of the rows when all was ready; None where somebody reads a result before."""
        place = next((row for row in sorted(own) if row > ready), None)
        if place is None:
            return None
        for row in own:
            for reader in self._trace.consumers(row):
                if reader not in own and reader < place and not self._is_dead_view(reader):
                    return None
        return place

    def _is_dead_view(self, row: int) -> bool:
        free = self._free[row] and row not in self._spoken_of
        return bool(free and self._side.passes[row]) and not len(self._trace.consumers(row))

    def _reused(self, own: set[int], makes: list[int], reads: tuple[int, ...]) -> bool:
        """Whether somebody else writes where these ops keep what is no result.

        A state that is given and written over is nobody's own.
        """
        given = set(self._trace.inputs.memory[list(reads)].tolist())
        outputs, viewed = self._trace.outputs, self._trace.values.viewed
        for row in own.difference(makes):
            if viewed[row] >= 0:
                continue
            for memory in outputs.memory[outputs.start[row] : outputs.start[row + 1]].tolist():
                if memory not in given and not own.issuperset(self._writers_of(memory)):
                    return True
        return False

    def _writers_of(self, memory: int) -> list[int]:
        """The rows that write into a block of memory."""
        blocks, rows = self._writers
        first, last = np.searchsorted(blocks, (memory, memory + 1))
        found: list[int] = rows[first:last].tolist()
        return found

    @cached_property
    def _writers(self) -> tuple[Longs, Ints]:
        """All blocks that are written, in ascending order, and the rows that do."""
        outputs, rows = self._trace.outputs, self._trace.outputs.rows()
        writing = np.flatnonzero(self._trace.values.viewed[rows] < 0)
        writing = writing[stable_order(outputs.memory[writing])]
        return outputs.memory[writing], rows[writing]

    def _computed_again(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        twin = self._side.twin[: len(self._trace)]
        rows = np.flatnonzero(twin != np.arange(len(twin)))
        for first, row in zip(twin[rows].tolist(), rows.tolist(), strict=True):
            found.setdefault(first, []).append(row)
        return found

    # What a match asks

    def does(self, row: int, name: str) -> bool:
        """Whether an op does the job of that spelling."""
        return name in self._spelled[self._type[row]]

    def computes(self, value: int) -> bool:
        """Whether a value is made by an op that may be part of an idiom."""
        return value < self._rows and not self._passes[value]

    def is_constant(self, value: int) -> bool:
        """Whether a value depends on no tensor."""
        return value < self._rows and bool(self._constant_at[value])

    def copied_for(self, value: int, operand: int, one: str) -> bool:
        """Whether a copy that prints no operands made a value for the expansion of that op."""
        reader = self._trace.values.reader_row[operand]
        return value in self._side.hidden and self._expanded[self._trace.scope[reader]] == one

    def readers(self, value: int) -> Iterable[int]:
        """The rows that read a value and compute something."""
        return dict.fromkeys(self._side.readers(value)[:_MOST_READERS])

    def commutes(self, row: int) -> bool:
        """Whether the order of an op's inputs does not matter."""
        return bool(self._commutative[row])

    def is_free(self, row: int) -> bool:
        """Whether a row is compared and part of no cluster."""
        return bool(self._free[row])


class _Match:
    """One idiom laid upon the value graph of a trace."""

    def __init__(self, search: Search, idiom: Idiom) -> None:
        self._search = search
        self._idiom = idiom
        self.nodes: dict[int, int] = {}
        self.arguments: dict[int, int] = {}
        self.operands: dict[int, int] = {}
        self._tries = 0

    def take(self, number: int, row: int) -> bool:
        """Lay a node and all that it is made from upon a row and what it reads."""
        self._tries += 1
        node = self._idiom.nodes[number - self._idiom.arguments]
        if self._tries > _MOST_TRIES or not self._search.does(row, node.name):
            return False
        for reads, given in self._orders(row, node.reads):
            before = dict(self.nodes), dict(self.arguments), dict(self.operands)
            self.nodes[number] = row
            if all(self._read(at, *each) for at, each in zip(reads, given, strict=True)):
                return True
            self.nodes, self.arguments, self.operands = before
        return False

    def _orders(
        self, row: int, reads: tuple[int, ...]
    ) -> Iterator[tuple[tuple[int, ...], list[tuple[int, int]]]]:
        """What a node reads beside what a row reads."""
        inputs = self._search.inputs(row)
        for wanted in _listed(reads):
            if len(wanted) == len(inputs):
                yield wanted, inputs
                if len(inputs) == 2 and self._search.commutes(row):
                    yield wanted, inputs[::-1]

    def _read(self, at: int, value: int, operand: int) -> bool:
        if at == CONSTANT:
            return self._search.is_constant(value)
        if at < self._idiom.arguments:
            return self._read_argument(at, value, operand)
        if at in self.nodes:
            return self.nodes[at] == value
        return self._search.computes(value) and self.take(at, value)

    def _read_argument(self, at: int, value: int, operand: int) -> bool:
        """Whether this may be that argument: another name of it, where nobody sees what was copied.

        Each op of an expansion reads a dense copy of its own; all of them are of one argument.
        """
        known = self.arguments.setdefault(at, value)
        before = self.operands.setdefault(at, operand)
        if known == value or self._search.copied_for(value, operand, self._idiom.one):
            return True
        if not self._search.copied_for(known, before, self._idiom.one):
            return False
        self.arguments[at], self.operands[at] = value, operand
        return True

    def follow(self) -> None:
        """Lay the nodes that lead to other results upon readers; a compiler may leave them out."""
        for place, node in enumerate(self._idiom.nodes):
            number = place + self._idiom.arguments
            if number in self.nodes:
                continue
            known = [value for at in node.reads if (value := self._value(at)) is not None]
            if not known:
                continue
            taken = set(self.nodes.values())
            for row in self._search.readers(known[0]):
                if self._search.is_free(row) and row not in taken and self.take(number, row):
                    break

    def _value(self, at: int) -> int | None:
        if at == CONSTANT:
            return None
        return self.arguments.get(at) if at < self._idiom.arguments else self.nodes.get(at)


class _Made(NamedTuple):
    """What a node of an idiom is, and what it is made from, as far as ops make it."""

    name: str
    feeders: frozenset[_Made]


@cache
def _feeders(idiom: Idiom, number: int) -> frozenset[_Made]:
    """What must feed a node of an idiom: its arguments may come from anywhere."""
    feeders = set()
    for at in idiom.nodes[number - idiom.arguments].reads:
        if at >= idiom.arguments:
            name = idiom.nodes[at - idiom.arguments].name
            feeders.add(_Made(name, _feeders(idiom, at)))
    return frozenset(feeders)


@cache
def _listed(reads: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """What a node reads, and the same without numbers that are no tensors: these are not listed."""
    computed = tuple(at for at in reads if at != CONSTANT)
    return (reads,) if computed == reads else (reads, computed)


Clusters = tuple[tuple[Cluster, ...], tuple[Cluster, ...]]


class Raised(NamedTuple):
    """Both sides raised."""

    sides: tuple[Prepared, Prepared]
    words: Vocabulary
    clusters: Clusters

    def asked(self, scope: Scope, request: Request) -> tuple[Scope, Request]:
        """What the user asked, in terms of the rows that stand for others."""
        stands = tuple(
            {row: cluster.row for cluster in each for row in cluster.rows} for each in self.clusters
        )
        decreed = tuple(
            (stands[0].get(left, left), stands[1].get(right, right))
            for left, right in scope.decreed
        )
        left, right = request.left_anchor, request.right_anchor
        moved = replace(
            request,
            left_anchor=None if left is None else stands[0].get(left, left),
            right_anchor=None if right is None else stands[1].get(right, right),
        )
        return replace(scope, decreed=decreed), moved

    def with_partner(self, matching: Matching) -> Clusters:
        """The clusters that found a counterpart, or are one that did once more."""
        found = []
        for side in (0, 1):
            met = self._met(matching, side)
            met[self._unlike(matching, side)] = False
            twin = self.sides[side].twin
            found.append(
                tuple(each for each in self.clusters[side] if met[each.row] or met[twin[each.row]])
            )
        return found[0], found[1]

    def _unlike(self, matching: Matching, which: int) -> list[int]:
        """The rows whose counterpart is an op that does another work, as far as it tells."""
        side, other = self.sides[which], self.sides[1 - which]
        raised_there = {cluster.row for cluster in self.clusters[1 - which]}
        counts = other.trace.inputs.counts().data
        found = []
        for cluster in self.clusters[which]:
            row = int(matching.partner[which][cluster.row])
            if row < 0 or row in raised_there:
                continue
            made = other.constant  # what is made of nothing may be folded in
            reads = {value for value in other.read_by(row) if value >= len(made) or not made[value]}
            here, every = len({*side.read_by(cluster.row)}), counts[row]
            other_reads = len(reads) > cluster.idiom.arguments or here > every
            told = other.trace.op(row).attrs.get(ARGUMENTS)
            rank = len(other.shape_read(row))
            otherwise = cluster.turned is not None and cluster.turned != rotation_told(other, row)
            otherwise |= bool(told) and not self._as_told(which, cluster, told or "", rank)
            otherwise |= self._takes_turned(matching, which, cluster, row)
            if other_reads or otherwise or self._makes_other_sizes(which, cluster, row):
                found.append(cluster.row)
        return found

    def _takes_turned(self, matching: Matching, which: int, cluster: Cluster, row: int) -> bool:
        """Whether rows take all that an op takes, and the one argument for the other.

        Arguments that an expansion treats alike may change places.
        """
        mine = [*dict.fromkeys(self.sides[which].read_by(cluster.row))]
        theirs = [*dict.fromkeys(self.sides[1 - which].read_by(row))]
        met = matching.partner[which][mine].tolist()
        if len(mine) != cluster.idiom.arguments or {*met} != {*theirs}:
            return False
        uses = cluster.idiom.uses
        return any(uses[at] != uses[theirs.index(value)] for at, value in enumerate(met))

    def _as_told(self, which: int, cluster: Cluster, told: str, rank: int) -> bool:
        """Whether rows do what one op with these arguments does to values of so many axes."""
        idiom, trace = cluster.idiom, self.sides[which].trace
        if idiom.is_told and not idiom.does_what_is_told(told):
            return False
        names = {row: idiom.nodes[at - idiom.arguments].name for at, row in cluster.nodes.items()}
        constant = self.sides[which].constant
        filled = {made for row in names for made in trace.producers(row) if made and constant[made]}
        calls = [
            (
                names.get(row) or canonical(trace.type_name(row)),
                dict(trace.tables.attrs[trace.columns.attrs[row]]).get(ARGUMENTS, ""),
            )
            for row in sorted({*names, *cluster.rows, *filled})
        ]
        whole = idiom.results[0] in cluster.nodes
        return (
            idiom.takes_numbers(told, calls)
            and idiom.runs_along(told, rank, calls)
            and (not whole or idiom.holds_numbers(told, calls))
        )

    def _makes_other_sizes(self, which: int, cluster: Cluster, row: int) -> bool:
        """Whether a result of some rows has as many elements as none of an op has.

        The statistics of a norm over other axes, or of other groups. What is spread at the end of
        an expansion is larger than what was computed.
        """
        if cluster.idiom.handing & _SPREADING:
            return False
        made, wanted = (
            {prod(specs[at].shape) for at in some.spec[some.start[one] : some.start[one + 1]]}
            for some, specs, one in (
                (side.trace.outputs, side.trace.tables.specs, at)
                for side, at in (
                    (self.sides[which], cluster.row),
                    (self.sides[1 - which], row),
                )
            )
        )
        return bool(wanted) and not made <= wanted

    @staticmethod
    def _met(matching: Matching, side: int) -> Flags:
        """Rows that have a counterpart."""
        met: Flags = matching.partner[side][: matching.rows[side]] >= 0
        return met | matching.blocked(side)

    def lowered(
        self,
        matching: Matching,
        sides: tuple[Prepared, Prepared],
        decreed: Iterable[tuple[int, int]],
    ) -> Matching:
        """What was found, said of the traces as they are."""
        whole = tuple(
            _with_copies(self.clusters[side], self.sides[side].twin, self._met(matching, side))
            for side in (0, 1)
        )
        return _lowered(matching, sides, self.sides, (whole[0], whole[1]), decreed)


def _with_copies(clusters: tuple[Cluster, ...], twin: Ints, met: Flags) -> tuple[Cluster, ...]:
    """The clusters, those that are another once more and have no counterpart taken into it."""
    by_row = {cluster.row: cluster for cluster in clusters}
    for cluster in clusters:
        first = None if met[cluster.row] else by_row.get(int(twin[cluster.row]))
        if first is not None and first.row != cluster.row:
            rows = tuple(sorted({*first.rows, *cluster.rows}))
            by_row[first.row] = replace(first, rows=rows)
            del by_row[cluster.row]
    return tuple(by_row.values())


def find_clusters(
    sides: tuple[Prepared, Prepared], scope: Scope, request: Request, table: Table
) -> Clusters:
    """What each side has expanded and the other has not."""
    spoken_of: tuple[dict[int, str], dict[int, str]] = ({}, {})
    for side, rows in ((0, request.alone_left), (1, request.alone_right)):
        spoken_of[side].update(dict.fromkeys(rows, ""))
    for both in request.equivalent_here:
        for side in (0, 1):
            spoken_of[side].update(dict.fromkeys(both[side], ""))
    for pair in scope.decreed:
        for side in (0, 1):
            name = sides[1 - side].trace.type_name(pair[1 - side])
            spoken_of[side][pair[side]] = canonical(name)
    spelled = _called(sides[0]), _called(sides[1])
    names = [_missing(*spelled), _missing(*spelled[::-1])]
    found = [
        _credible(_clusters(sides[side], names[side], spoken_of[side], table), spelled, side)
        for side in (0, 1)
    ]
    # Where an expansion stands for an op on one side, the other may hold it beside the op itself.
    for number in (0, 1):
        met = {each.idiom.one for each in found[1 - number]} - names[number].keys()
        if met:
            names[number].update({one: spelled[number][one] for one in met})
            found[number] = _clusters(sides[number], names[number], spoken_of[number], table)
    return found[0], found[1]


def _credible(
    clusters: tuple[Cluster, ...], spelled: tuple[Asked, Asked], which: int
) -> tuple[Cluster, ...]:
    """Without those of an op of which there are far more than the other side has more of the op.

    What so many look like is what both sides do: a product and a sum are often nothing else.
    """
    counts = Counter(cluster.idiom.one for cluster in clusters)
    here, there = spelled[which], spelled[1 - which]
    lacking = {one: there[one].ops - (here[one].ops if one in here else 0) for one in counts}
    credible = {one for one in counts if counts[one] <= _FEW + _FAR_MORE * lacking[one]}
    return tuple(cluster for cluster in clusters if cluster.idiom.one in credible)


def _clusters(
    side: Prepared, names: Asked, spoken_of: dict[int, str], table: Table
) -> tuple[Cluster, ...]:
    return tuple(Search(side, names, spoken_of, table).clusters()) if names else ()


def raised(
    sides: tuple[Prepared, Prepared], clusters: Clusters, table: Table, *, alone: bool = False
) -> Raised:
    """Both sides with one row for each cluster; *alone*: copies of this process may help."""
    left, right = (
        _with_clusters(side.trace, each) for side, each in zip(sides, clusters, strict=True)
    )
    traces = left, right
    words = vocabulary(left, right, table)

    def ready(number: int) -> Prepared:
        side, trace = sides[number], traces[number]
        gone = {row for cluster in clusters[number] for row in cluster.rows if row != cluster.row}
        rows = side.rows[~among(side.rows, list(gone))]
        unseen = host_memory(trace, traces[1 - number])
        apart = side.taken_apart
        return with_twins(
            prepare(trace, number, words, rows, side.noise, unseen, taken_apart=apart)
        )

    return Raised(ready_at_once(traces, ready, alone=alone), words, clusters)


def _missing(here: Asked, there: Asked) -> Asked:
    """Ops that the other side has, this one hardly any of."""
    return {
        spelled: each
        for spelled, each in there.items()
        if spelled not in here or each.ops > here[spelled].ops
    }


def _called(side: Prepared) -> Asked:
    """The ops of a side that idioms know, by their spelling."""
    trace, known = side.trace, expanded()
    types = [number for number, spelled in enumerate(side.spelling) if spelled in known]
    rows = side.of_types(side.rows, types)
    ops = np.bincount(trace.type[rows], minlength=len(trace.types)).tolist()
    told = [dict(attrs).get(ARGUMENTS, "") for attrs in trace.tables.attrs]
    inputs, many = trace.inputs.counts()[rows], len(trace.tables.attrs)
    wide = int(inputs.max(initial=0)) + 1
    key = trace.type[rows].astype(np.int64) * many + trace.columns.attrs[rows]
    calls: dict[int, set[tuple[int, str]]] = {}
    for each in distinct(key * wide + inputs).tolist():
        kind, attrs = divmod(each // wide, many)
        calls.setdefault(kind, set()).add((each % wide, told[attrs]))
    found: Asked = {}
    for kind, some in calls.items():
        here = Called(trace.types[kind], ops[kind], frozenset(some))
        before = found.get(side.spelling[kind], here)
        if before is not here:
            name, every = min(here.name, before.name), here.calls | before.calls
            here = Called(name, here.ops + before.ops, every)
        found[side.spelling[kind]] = here
    return found


def _with_clusters(trace: Trace, clusters: Sequence[Cluster]) -> Trace:
    """The trace with one row for each cluster; the other rows of it hold nothing."""
    gone = np.zeros(len(trace), np.bool_)
    names = list(trace.tables.names)
    number = {name: at for at, name in enumerate(names)}
    name = trace.columns.name.copy()
    memory: dict[int, int] = {}
    inputs: dict[int, tuple[list[int], list[int]]] = {}
    outputs: dict[int, tuple[list[int], list[int]]] = {}
    for cluster in clusters:
        gone[list(cluster.rows)] = True
        if cluster.name not in number:
            number[cluster.name] = len(names)
            names.append(cluster.name)
        name[cluster.row] = number[cluster.name]
        inputs[cluster.row] = _at(trace.inputs, list(cluster.reads))
        written = outputs[cluster.row] = _at(
            trace.outputs, [int(trace.outputs.start[row]) for row in cluster.makes]
        )
        # Whoever reads a value on the way to a result reads the op.
        for row in cluster.rows:
            if trace.values.viewed[row] >= 0:
                continue
            here = slice(trace.outputs.start[row], trace.outputs.start[row + 1])
            for block in trace.outputs.memory[here].tolist():
                if block not in written[0] and block not in inputs[cluster.row][0]:
                    memory[block] = written[0][0]
    columns = replace(
        trace.columns,
        name=name,
        inputs=_rewritten(trace.inputs, gone, inputs, memory),
        outputs=_rewritten(trace.outputs, gone, outputs, memory),
    )
    hidden = {
        block: replace(copy, sources=tuple(memory.get(each, each) for each in copy.sources))
        for block, copy in trace.hidden_copies.items()
    }
    return Trace(trace.source, columns, replace(trace.tables, names=names), hidden=hidden)


def _at(operands: Operands, places: list[int]) -> tuple[list[int], list[int]]:
    return operands.memory[places].tolist(), operands.spec[places].tolist()


def _rewritten(
    operands: Operands,
    gone: Flags,
    new: dict[int, tuple[list[int], list[int]]],
    renamed: dict[int, int],
) -> Operands:
    """The operands without those of the rows that are gone, with new ones; memory renamed."""
    counts = np.where(gone, 0, operands.counts())
    for row, (memory, _) in new.items():
        counts[row] = len(memory)
    start = starts_of(counts)
    memory_column = np.zeros(int(start[-1]), np.int64)
    spec_column = np.zeros(int(start[-1]), np.int32)
    kept = ~gone[operands.rows()]
    rows = operands.rows()[kept]
    place = np.flatnonzero(kept) - operands.start[rows] + start[rows]
    memory_column[place] = operands.memory[kept]
    spec_column[place] = operands.spec[kept]
    for row, (memory, spec) in new.items():
        memory_column[start[row] : start[row + 1]] = memory
        spec_column[start[row] : start[row + 1]] = spec
    if renamed and len(memory_column):
        blocks, inverse = np.unique(memory_column, return_inverse=True)
        blocks = np.array([renamed.get(block, block) for block in blocks.tolist()], np.int64)
        memory_column = blocks[inverse]
    return Operands(start, memory_column, spec_column)


def _lowered(
    matching: Matching,
    sides: tuple[Prepared, Prepared],
    raised_sides: tuple[Prepared, Prepared],
    clusters: Clusters,
    decreed: Iterable[tuple[int, int]],
) -> Matching:
    """What was found of raised traces, said of the traces themselves."""
    values = tuple(side.trace.values for side in sides)
    result = Matching((values[0].count, values[1].count), matching.rows)
    result.coarse = matching.coarse
    by_row = tuple({cluster.row: cluster for cluster in each} for each in clusters)
    rows, others = matching.paired()
    plain = ~among(rows, list(by_row[0])) & ~among(others, list(by_row[1]))
    result.pair_all(rows[plain], others[plain])
    result.late[rows[plain]] = matching.late[rows[plain]]
    for row, other in zip(rows[~plain].tolist(), others[~plain].tolist(), strict=True):
        _lower_pair(result, sides, by_row[0].get(row), by_row[1].get(other), row, other)
    for block in matching.blocks:
        left, right = (
            tuple(sorted({at for row in block.rows(side) for at in _all_of(by_row[side], row)}))
            for side in (0, 1)
        )
        result.blocks.append(Block(left, right, block.rule))
    result.decree(decreed)
    _lower_outside(matching, result, sides, raised_sides)
    return result


def _all_of(by_row: dict[int, Cluster], row: int) -> tuple[int, ...]:
    cluster = by_row.get(row)
    return (row,) if cluster is None else cluster.rows


def _lower_pair(
    result: Matching,
    sides: tuple[Prepared, Prepared],
    left: Cluster | None,
    right: Cluster | None,
    row: int,
    other: int,
) -> None:
    """One pair of which at least one is a cluster.

    Of two expansions of one form each op is paired, and each view and cast between them.
    """
    if left is not None and right is not None and left.idiom == right.idiom:
        for number, mine in left.nodes.items():
            theirs = right.nodes.get(number, -1)
            if mine in left.rows and theirs in right.rows and result.partner[0][mine] < 0:
                result.pair(mine, theirs)
        waiting = [each for each in right.rows if result.partner[1][each] < 0]
        for mine in (each for each in left.rows if result.partner[0][each] < 0):
            sort = handing_sort(sides[0].trace.type_name(mine))
            for theirs in waiting:
                if handing_sort(sides[1].trace.type_name(theirs)) == sort:
                    result.pair(mine, theirs)
                    waiting.remove(theirs)
                    break
        return
    rows = (row,) if left is None else left.rows
    others = (other,) if right is None else right.rows
    result.blocks.append(Block(rows, others))


def _lower_outside(
    matching: Matching,
    result: Matching,
    sides: tuple[Prepared, Prepared],
    raised_sides: tuple[Prepared, Prepared],
) -> None:
    """Pairs of values from outside: each side numbers them by the memory that it reads."""
    partner = matching.partner[0][matching.rows[0] :]
    mine = np.flatnonzero(partner >= matching.rows[1])
    places = []
    for side, number in ((0, mine), (1, partner[mine] - matching.rows[1])):
        memory = raised_sides[side].trace.values.outside[number]
        outside = sides[side].trace.values.outside
        place = np.searchsorted(outside, memory)
        found = place < len(outside)
        found[found] = outside[place[found]] == memory[found]
        places.append(np.where(found, place + matching.rows[side], -1))
    both = (places[0] >= 0) & (places[1] >= 0)
    result.partner[0][places[0][both]] = places[1][both]
    result.partner[1][places[1][both]] = places[0][both]
