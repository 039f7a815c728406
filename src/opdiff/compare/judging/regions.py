"""Connected ops that stand on one side only: one statement each, not one an op.

Components of the value graph, by pointer jumping. What a component is shows in what it is made of:
a block that repeats elsewhere, values computed again, the end of a trace, a function on the host,
or ops in the place of others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from opdiff.compare.comparison import Region, What
from opdiff.compare.components import joined
from opdiff.compare.judging.batches import uneven_parts
from opdiff.compare.judging.repeats_of_blocks import RepeatsOfBlocks
from opdiff.compare.matching import Matching
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.columns import Ints, marked
from opdiff.trace.sorting import lots

_LEAST_END = 8
_LEAST_BLOCK = 3
Rows = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """Connected ops without counterpart of one phase and side."""

    side: int
    rows: Rows


class Stretch(NamedTuple):
    """A region found: its rows a side, and what it is."""

    left: Rows
    right: Rows
    region: Region | None


class Regions:
    """Finds the regions of a comparison."""

    def __init__(
        self, sides: tuple[Prepared, Prepared], matching: Matching, alone: tuple[Ints, Ints]
    ) -> None:
        self._sides = sides
        self._matching = matching
        self._alone = alone
        # The same memory, asked row by row without numpy's scalars.
        self._mate = matching.mate[0]
        self._passes = (sides[0].passes.data, sides[1].passes.data)
        self._twin = (sides[0].twin.data, sides[1].twin.data)

    def find(self) -> list[Stretch]:
        """All of them; micro-batches and ends of traces first: no other region takes their rows."""
        uneven = uneven_parts(self._sides, self._alone)
        found = [Stretch(region.left_rows, region.right_rows, region) for region in uneven]
        components: list[list[Component]] = []
        for side in (0, 1):
            taken = {row for each in found for row in (each.left, each.right)[side]}
            end = None if taken else self._end(side)
            if end is not None:
                found.append(end)
                taken = set(end.left or end.right)
            rows = self._alone[side]
            if taken:
                rows = np.setdiff1d(rows, np.array(sorted(taken), np.int32), assume_unique=True)
            components.append(list(self._components(side, rows)))
        replaced = dict(self._replaced(*components))
        for component in components[0]:
            other = replaced.get(component)
            if other is not None:
                ops = len(component.rows) + len(other.rows)
                region = Region(What.REPLACED, component.rows, other.rows, ops, None)
                found.append(Stretch(component.rows, other.rows, region))
            else:
                found.append(self._one_sided(component))
        partners = set(replaced.values())
        found += [self._one_sided(c) for c in components[1] if c not in partners]
        return found

    def _components(self, side: int, rows: Ints) -> Iterator[Component]:
        """Rows that hand values to each other within a phase."""
        prepared = self._sides[side]
        count = len(prepared.trace)
        alone = marked(count, rows)
        producer, reader = prepared.trace.links.producer, prepared.trace.values.reader_row
        linked = (producer >= 0) & alone[reader] & alone[np.maximum(producer, 0)]
        linked &= prepared.phase[np.maximum(producer, 0)] == prepared.phase[reader]
        for lot in lots(joined(count, producer[linked], reader[linked])[rows]):
            yield Component(side, tuple(rows[lot].tolist()))

    def _one_sided(self, component: Component) -> Stretch:
        region = self._what(component)
        if component.side == 0:
            return Stretch(component.rows, (), region)
        return Stretch((), component.rows, region)

    def _what(self, component: Component) -> Region | None:
        passes, twin = self._passes[component.side], self._twin[component.side]
        kernels = [row for row in component.rows if not passes[row]]
        none: Rows = ()
        left, right = (component.rows, none) if component.side == 0 else (none, component.rows)
        idle = self._sides[component.side].idle
        again = any(twin[row] != row for row in kernels)
        if again and all(idle[row] or twin[row] != row for row in kernels):
            return Region(What.AGAIN, left, right, len(component.rows), None)
        if len(kernels) >= RepeatsOfBlocks.LEAST:
            repeats = self._blocks[component.side].count(kernels)
            if repeats > 1:
                return Region(What.REPEAT, left, right, len(component.rows), repeats)
        return None

    @cached_property
    def _blocks(self) -> tuple[RepeatsOfBlocks, RepeatsOfBlocks]:
        left, right = self._sides
        return RepeatsOfBlocks.of(left), RepeatsOfBlocks.of(right)

    def _end(self, side: int) -> Stretch | None:
        """What one side still does after the other trace has ended."""
        rows, others = self._matching.paired()
        here, there = (rows, others) if side == 0 else (others, rows)
        mine, theirs = self._alone[side], self._alone[1 - side]
        other = self._sides[1 - side]
        # Pairs that were decreed may be all there is of a side.
        if not len(here) or not len(mine) or not len(other.rows):
            return None
        if (~other.noise[other.rows[-1] + 1 :]).any():
            return None  # the comparison ends there, not the trace
        tail = mine[mine > here.max()]
        if len(tail) < _LEAST_END or (theirs > there.max()).any():
            return None
        if int(self._sides[side].rows[-1]) != int(tail[-1]):
            return None
        rows_of: Rows = tuple(tail.tolist())
        none: Rows = ()
        left, right = (rows_of, none) if side == 0 else (none, rows_of)
        return Stretch(left, right, Region(What.END, left, right, len(tail), None))

    def _replaced(
        self, left: list[Component], right: list[Component]
    ) -> Iterator[tuple[Component, Component]]:
        """Components of both sides that are read by the same op at the same place."""
        of_reading: dict[tuple[int, int], Component] = {}
        for component in right:
            for reading in self._readings(component):
                of_reading.setdefault(reading, component)
        blocks: defaultdict[bytes, list[Component]] = defaultdict(list)
        for component in reversed(right):
            if len(component.rows) >= _LEAST_BLOCK:
                blocks[self._faces(component)].append(component)
        taken: set[Component] = set()
        for component in left:
            for reader, place in self._readings(component):
                partner = self._mate[reader]
                other = of_reading.get((partner, place)) if partner >= 0 else None
                if (
                    other is not None
                    and other not in taken
                    and (self._same_sources(component, other) or self._alike(component, other))
                ):
                    taken.add(other)
                    yield component, other
                    break
            else:
                twin = self._same_block(component, blocks, taken)
                if twin is not None:
                    taken.add(twin)
                    yield component, twin

    def _same_block(
        self, component: Component, others: Mapping[bytes, list[Component]], taken: set[Component]
    ) -> Component | None:
        """The same ops at another place: a block that ran earlier or later."""
        if len(component.rows) < _LEAST_BLOCK:
            return None
        lot = others.get(self._faces(component), [])
        while lot and lot[-1] in taken:
            lot.pop()
        return lot[-1] if lot else None

    def _faces(self, component: Component) -> bytes:
        """What the ops of a component look like."""
        return bytes(self._sides[component.side].faces[list(component.rows)].data)

    def _same_sources(self, component: Component, other: Component) -> bool:
        """Whether two components read a value in common, or one of them reads none."""
        left, right = self._sides
        mine = {v for row in component.rows for v in left.read_by(row)}
        partners = {self._mate[value] for value in mine} - {-1}
        theirs = {v for row in other.rows for v in right.read_by(row)} - set(other.rows)
        return not partners or not theirs or bool(partners & theirs)

    def _alike(self, component: Component, other: Component) -> bool:
        """Whether two components are ops of the same jobs, dtypes and shapes."""
        looks = [
            self._sides[each.side].looks[list(each.rows)].tolist() for each in (component, other)
        ]
        return sorted(looks[0]) == sorted(looks[1])

    def _readings(self, component: Component) -> list[tuple[int, int]]:
        """The ops that compute and read a component, with the place of the input."""
        rows, passes = set(component.rows), self._passes[component.side]
        return [
            (reader, place)
            for row in component.rows
            if not passes[row]
            for reader, place in self._sides[component.side].read_where(row)
            if reader not in rows
        ]
