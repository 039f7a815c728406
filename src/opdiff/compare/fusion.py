"""Several ops on one side that do the work of one op on the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from opdiff.compare.codes import Ints, Vocabulary
from opdiff.compare.sides import Ready
from opdiff.compare.table import Table

Specs = tuple[tuple[int, int], ...]
Face = tuple[str, tuple[int, ...], tuple[int, ...]]

LONGEST, LONGEST_HINTED = 8, 24
"""Blocks found by their boundary alone are no longer than this, or with a name that says so."""
_MOST_FOR_LONG = 400
BY_NAME, EACH_NAME, BY_BOUNDARY = 8.0, 6.0, 7.0
_GRAPH_KERNEL = re.compile(r"^GraphKernel_(.*?)_?(?:fusion|split|parallel)?(?:_?\d+)?$")
_FUSED_HINT = re.compile(
    r"fus(?:ed|ion)|GraphKernel|Rotary|FlashAttention|AddN|Grad$", re.IGNORECASE
)
_COPYING = frozenset("Cast Contiguous TensorMove Clone InplaceCopy".split())


@dataclass(frozen=True, slots=True)
class Fusion:
    """A block ``start:start + length`` of one stretch that does the work of *one* of the other."""

    start: int
    length: int
    one: int
    score: float
    skipped: tuple[int, ...] = ()
    """Places within the block that are no part of it: dense copies that stand in between."""


@cache
def parts_of(name: str) -> tuple[str, ...]:
    """The op types that a fused kernel's name lists; empty for other names."""
    match = _GRAPH_KERNEL.match(name)
    if not match:
        return ()
    parts = tuple(part for part in match[1].split("_") if part and not part.isdigit())
    return parts if len(parts) > 1 else ()


class Boundaries:
    """What goes into and comes out of blocks of one stretch of rows."""

    def __init__(self, side: Ready, rows: Ints, words: Vocabulary) -> None:
        trace = side.trace
        self.rows = rows.tolist()
        self.types = [words.types[kind] for kind in side.type[rows].tolist()]
        self._place = {row: place for place, row in enumerate(self.rows)}
        self._reads: list[list[tuple[int, int, int]]] = []
        self._writes: list[list[tuple[int, int]]] = []
        self._readers: list[set[int]] = []
        for row in self.rows:
            first, last = int(trace.inputs.start[row]), int(trace.inputs.start[row + 1])
            self._reads.append(
                [
                    (
                        self._place.get(int(side.producer[k]), -1),
                        int(trace.inputs.memory[k]),
                        int(side.dense[trace.inputs.spec[k]]),
                    )
                    for k in range(first, last)
                    if side.kept[k]
                ]
            )
            first, last = int(trace.outputs.start[row]), int(trace.outputs.start[row + 1])
            self._writes.append(
                [
                    (int(trace.outputs.memory[k]), int(side.dense[trace.outputs.spec[k]]))
                    for k in range(first, last)
                ]
            )
            self._readers.append({self._place.get(int(c), -1) for c in trace.consumers(row)})

    def inputs(self, start: int, length: int) -> Counter[int]:
        """Specs that the block reads from outside, each block of memory once."""
        inside = range(start, start + length)
        return Counter(
            spec
            for _, spec in {
                (memory, spec)
                for place in inside
                for writer, memory, spec in self._reads[place]
                if writer not in inside
            }
        )

    def outputs(self, start: int, length: int) -> Counter[int]:
        """Specs that the block writes for others, or for nobody into memory nobody else reads."""
        inside = set(range(start, start + length))
        read = [place for place in inside if self._readers[place] - inside]
        shared = {memory for place in read for memory, _ in self._writes[place]}
        found = Counter(spec for place in read for _, spec in self._writes[place])
        found.update(
            spec
            for place in inside
            if not self._readers[place]
            for memory, spec in self._writes[place]
            if memory not in shared
        )
        return found

    def connected(self, start: int, length: int) -> bool:
        """Whether every op but the last hands something on within the block."""
        inside = set(range(start, start + length))
        return all(self._linked(place, inside) for place in inside)

    def _linked(self, place: int, inside: set[int]) -> bool:
        feeds = bool(self._readers[place] & inside - {place})
        fed = any(writer in inside and writer != place for writer, _, _ in self._reads[place])
        shares = any(
            memory == other
            for _, memory, _ in self._reads[place]
            for neighbour in inside - {place}
            for _, other, _ in self._reads[neighbour]
        )
        return feeds or fed or shares

    def face(self, place: int) -> Face:
        """Name and specs of an op."""
        return (
            self.types[place],
            tuple(spec for _, _, spec in self._reads[place]),
            tuple(spec for _, spec in self._writes[place]),
        )

    @cached_property
    def faces(self) -> Counter[Face]:
        """How many ops there are of each name and specs."""
        return Counter(self.face(place) for place in range(len(self.rows)))

    def bare(self, place: int) -> bool:
        """Whether the op prints no operands."""
        return not self._reads[place] and not self._writes[place]


def fusions(many: Boundaries, single: Boundaries, table: Table) -> Iterator[Fusion]:
    """All blocks of *many* that may stand for one op of *single*."""
    bounded = _Bounded(many, table)
    for one, name in enumerate(single.types):
        parts = parts_of(name)
        sequences = table.expansions.get(name, ())
        if not single.bare(one):
            yield from bounded.like(single, one)
        if not parts and not sequences:
            continue
        for start in range(len(many.rows)):
            if parts:
                yield from _by_parts(many, start, single, one, parts, table)
            for sequence in sequences:
                types = many.types[start : start + len(sequence)]
                if (
                    name not in types
                    and _named(types, sequence, table)
                    and _same_outputs(many, start, len(sequence), single, one)
                ):
                    score = BY_NAME + EACH_NAME * len(sequence)
                    yield Fusion(start, len(sequence), one, score)


def _by_parts(
    many: Boundaries,
    start: int,
    single: Boundaries,
    one: int,
    parts: tuple[str, ...],
    table: Table,
) -> Iterator[Fusion]:
    """The block that starts here and holds the parts of a fused kernel's name, in order."""
    place, found, skipped = start, 0, []
    while found < len(parts) and place < len(many.types):
        if table.may_pair(many.types[place], parts[found]):
            found += 1
        elif found and many.types[place] in _COPYING:
            skipped.append(place)
        else:
            return
        place += 1
    length = place - start
    printed = not single.bare(one) and not any(many.bare(p) for p in range(start, place))
    if printed and many.inputs(start, length).total() != single.inputs(one, 1).total():
        return  # other ops of these names, farther apart, are meant
    if found == len(parts):
        yield Fusion(start, place - start, one, BY_NAME + EACH_NAME * found, tuple(skipped))


def _named(types: list[str], names: tuple[str, ...], table: Table) -> bool:
    return len(types) == len(names) and all(
        table.may_pair(kind, name) for kind, name in zip(types, names, strict=True)
    )


def _same_outputs(many: Boundaries, start: int, length: int, single: Boundaries, one: int) -> bool:
    if single.bare(one) or any(many.bare(place) for place in range(start, start + length)):
        return True
    return many.connected(start, length) and many.outputs(start, length) == single.outputs(one, 1)


class _Bounded:
    """Blocks by what they read and write."""

    def __init__(self, many: Boundaries, table: Table) -> None:
        self._many, self._table = many, table

    @cached_property
    def _short(self) -> dict[tuple[Specs, Specs], list[tuple[int, int]]]:
        return self._by_boundary(range(2, LONGEST + 1))

    @cached_property
    def _long(self) -> dict[tuple[Specs, Specs], list[tuple[int, int]]]:
        return self._by_boundary(range(LONGEST + 1, LONGEST_HINTED + 1))

    def _by_boundary(self, lengths: range) -> dict[tuple[Specs, Specs], list[tuple[int, int]]]:
        found: dict[tuple[Specs, Specs], list[tuple[int, int]]] = {}
        many = self._many
        for start in range(len(many.rows)):
            for length in range(lengths.start, min(lengths.stop, len(many.rows) - start + 1)):
                key = (_frozen(many.inputs(start, length)), _frozen(many.outputs(start, length)))
                found.setdefault(key, []).append((start, length))
        return found

    def like(self, single: Boundaries, one: int) -> Iterator[Fusion]:
        """Blocks that read and write what the single op reads and writes."""
        name = single.types[one]
        hinted = bool(_FUSED_HINT.search(name))
        key = (_frozen(single.inputs(one, 1)), _frozen(single.outputs(one, 1)))
        blocks = self._short.get(key, [])
        if hinted and len(self._many.rows) <= _MOST_FOR_LONG:
            blocks = [*blocks, *self._long.get(key, [])]
        for start, length in blocks:
            block = list(range(start, start + length))
            copies = tuple(p for p in block[1:-1] if self._many.types[p] == "Contiguous")
            parts = [place for place in block if place not in copies]
            if len(parts) < 2 or name in (self._many.types[place] for place in parts):
                continue
            if not hinted and not self._left_over(parts, single, one):
                continue
            if self._many.connected(start, length):
                score = BY_BOUNDARY + 0.5 * len(parts)
                yield Fusion(start, length, one, score, copies)

    def _left_over(self, block: list[int], single: Boundaries, one: int) -> bool:
        """Whether neither the block's ops nor the single one have a counterpart of their own."""
        many, name = self._many, single.types[one]
        if single.types.count(name) <= many.types.count(name):
            return False
        return not any(
            many.types[place] in _COPYING
            or self._table.may_pair(many.types[place], name)
            or many.faces[many.face(place)] <= single.faces[many.face(place)]
            for place in block
        )


def _frozen(specs: Counter[int]) -> Specs:
    return tuple(sorted(specs.items()))
