"""Several ops that do the work of one: known expansions, proven on the value graph.

One op and several of the other side are the same work if the same values go in, the same come
out, and the names are known: by the table, by a kernel's name that lists its parts, or, where a
name only says that it is fused, by everything between the two borders.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from opdiff.compare.matching import Block, Matching
from opdiff.compare.names.kernel_names import parts_of
from opdiff.compare.names.table import CONSTANTS, HANDING, Table
from opdiff.compare.pairing.tensor_lists import is_on_lists, single_of
from opdiff.compare.sides.prepared import Prepared
from opdiff.structure import Phase
from opdiff.trace.columns import Ints, marked
from opdiff.trace.traits import Trait

_FUSED = re.compile(r"fus(?:ed|ion)|graphkernel|rotary|flashattention|addn$|grad$")
"""In names in small letters: to search for both sorts takes three times as long."""
_ROUNDS = 4
_MOST_READERS = 256
_LARGEST = 64
"""How many ops a name that lists nothing may stand for."""


class _Named(NamedTuple):
    """What a name says of how an op may be expanded."""

    lots: list[tuple[str, ...]]
    """The names that together do its work, one lot a way of doing it."""
    in_table: bool
    single: str
    """The op on one tensor, where the name is that of an op on lists; else empty."""
    fused: bool
    """Whether the name only says that it is fused."""


class Expansions:
    """Finds blocks among the ops that are alone, in the matching it is given."""

    def __init__(
        self,
        sides: tuple[Prepared, Prepared],
        matching: Matching,
        table: Table,
        rows: tuple[Ints, Ints],
        *,
        phased: bool,
    ) -> None:
        """With *phased* both sides tell their phases."""
        self._sides = sides
        self._matching = matching
        self._table = table
        self._phased = phased
        self._first = tuple(matching.alone(side, rows[side]) for side in (0, 1))
        self._alone = tuple(set(rows.tolist()) for rows in self._first)
        self._compared = tuple(
            marked(side.trace.values.count, some).data
            for side, some in zip(sides, rows, strict=True)
        )
        self._updates = tuple(side.trace.has_trait(Trait.OPTIMIZER) for side in sides)
        self._late = tuple((side.phase > Phase.FORWARD).data for side in sides)
        self._kind = tuple(np.ascontiguousarray(side.trace.type).data for side in sides)
        self._mate = matching.mate
        self._passes = tuple(side.passes.data for side in sides)
        self._outside = tuple(side.outside.data for side in sides)
        self._names: dict[str, _Named] = {}
        self._fitting: dict[tuple[int, tuple[int, ...], tuple[str, ...], bool, bool], bool] = {}
        self._made: tuple[dict[int, frozenset[int]], dict[int, frozenset[int]]] = ({}, {})
        for block in matching.blocks:
            self._note(block)

    def find(self) -> None:
        """Add every block that is proven; what one block makes may feed the next."""
        waiting = sorted(
            (row, side)
            for side in (0, 1)
            for row in self._named_so(side).tolist()
            if self._may_expand(side, row)
        )
        for _ in range(_ROUNDS):
            left = []
            for row, side in waiting:
                if row in self._alone[side] and not self._expand(side, row):
                    left.append((row, side))
            if len(left) == len(waiting):
                break
            waiting = left

    def _named_so(self, side: int) -> Ints:
        """Ops whose names say that they may be expanded; one that lists its parts is fused."""
        prepared, known = self._sides[side], self._table.expansions
        names = zip(prepared.trace.types, prepared.spelling, strict=True)
        types = [
            number
            for number, (name, spelling) in enumerate(names)
            if spelling in known or is_on_lists(spelling) or _FUSED.search(name.lower())
        ]
        return prepared.of_types(self._first[side], types)

    def _may_expand(self, side: int, row: int) -> bool:
        prepared = self._sides[side]
        known = self._named(prepared.trace.type_name(row))
        if self._passes[side][row] and not known.in_table:
            return False
        return known.fused or bool(self._lots(side, row))

    def _lots(self, side: int, row: int) -> list[tuple[str, ...]]:
        """The names that together do the work of an op, one lot a way of doing it."""
        known = self._named(self._sides[side].trace.type_name(row))
        if not known.single:
            return known.lots
        lots = list(known.lots)
        written_out = self._table.expansions.get(known.single, ())
        lots += [tuple(f"foreach{each}" for each in lot) for lot in written_out]
        for count in self._counts(side, row):
            lots += [lot * count for lot in ((known.single,), *written_out)]
        return lots

    def _named(self, name: str) -> _Named:
        """What is known of all ops of a name."""
        if name not in self._names:
            spelling = self._table.spelling(name)
            table = self._table.expansions.get(spelling, ())
            parts = tuple(self._table.spelling(part) for part in parts_of(name))
            lots = [*table, parts] if parts else list(table)
            fused = bool(_FUSED.search(name.lower()))
            self._names[name] = _Named(lots, bool(table), single_of(spelling), fused)
        return self._names[name]

    def _counts(self, side: int, row: int) -> Iterator[int]:
        """How many tensors a list of tensors may hold."""
        trace = self._sides[side].trace
        for operands in (trace.outputs, trace.inputs):
            count = int(operands.start[row + 1] - operands.start[row])
            yield from (count // parts for parts in (1, 2, 3, 4) if count and not count % parts)

    def _expand(self, side: int, row: int) -> bool:
        read = self._counterparts(side, self._sides[side].read_by(row))
        if read is None:
            return False
        chosen = self._found(side, row, read)
        fitting = bool(chosen) and self._in_phase(side, row, chosen)
        fitting = fitting and self._adds_up(side, row, chosen)
        return fitting and self._add(side, row, chosen)

    def _adds_up(self, side: int, row: int, chosen: list[int]) -> bool:
        """Whether additions that do the work of one add each value that is known as often."""
        one, many = self._sides[side], self._sides[1 - side]
        adding = [other for other in chosen if not self._passes[1 - side][other]]
        if not adding or not one.adds[row] or not many.adds[adding].all():
            return True
        times, terms = Counter({adding[-1]: 1}), Counter[int]()
        for other in reversed(adding):
            for value in many.read_by(other):
                (times if value in adding else terms)[value] += times[other]
        wanted = Counter(self._mate[side][value] for value in one.read_by(row))
        known = {value: count for value, count in terms.items() if self._mate[1 - side][value] >= 0}
        del wanted[-1]
        return dict(wanted) == known

    def _in_phase(self, side: int, row: int, chosen: list[int]) -> bool:
        """No op of the forward alone does the work of one of the backward.

        What a kernel itself says that it fuses is its work wherever it ran: where the backward
        begins is not told by its name.
        """
        fused = self._named(self._sides[side].trace.type_name(row)).fused
        if not self._phased or self._updates[side][row] or fused:
            return True
        late, others = self._late[side][row], self._late[1 - side]
        return any(others[other] == late for other in chosen)

    def _found(self, side: int, row: int, read: set[int]) -> list[int]:
        """The ops that do the work of one which reads these values."""
        lots, ends = self._lots(side, row), self._read_instead(side, row)
        trace = self._sides[side].trace
        on_list = self._named(trace.type_name(row)).single
        exact = bool(on_list) or bool(self._updates[side][row])
        cones = list(self._cones(1 - side, ends, read))
        for chosen, shared in cones:
            for lot in lots:
                if self._is(1 - side, chosen, lot, shared=shared, exact=exact):
                    return self._with_handing(1 - side, chosen, read, lot)
        for lot in lots:
            chosen = [] if ends else self._grown(1 - side, read, lot)
            fits = self._is(1 - side, chosen, lot, exact=exact)
            if fits and self._looks_alike(side, row, chosen):
                return self._with_handing(1 - side, chosen, read, lot)
            if not _telling(lot) and len(read) == 1 and self._handed_on(side, row, read):
                return self._with_handing(1 - side, [], read, lot)
        if self._named(trace.type_name(row)).fused and not exact:
            return next((chosen for chosen, _ in cones if len(chosen) > 1), [])
        return []

    def _read_instead(self, side: int, row: int) -> list[int]:
        """What the other side's readers read in the place of an op's result, as far as alone."""
        one, many = self._sides[side], self._sides[1 - side]
        partner, rows = self._mate[side], len(many.trace)
        found: dict[int, None] = {}
        for reader, place in one.read_where(row)[:_MOST_READERS]:
            other = partner[reader]
            if not 0 <= other < rows:
                continue
            read = many.read_by(other)
            if len(read) == len(one.read_by(reader)):
                read = read[place : place + 1]
            found.update(dict.fromkeys(value for value in read if value in self._alone[1 - side]))
        return list(found)

    def _handed_on(self, side: int, row: int, read: set[int]) -> bool:
        """Whether the other side's readers read what goes into an op in the place of its result."""
        one, many = self._sides[side], self._sides[1 - side]
        readers = one.readers(row)
        for reader in readers[:_MOST_READERS]:
            other = self._mate[side][reader]
            if 0 <= other < len(many.trace) and read.isdisjoint(many.read_by(other)):
                return False
        return bool(readers)

    def _with_handing(
        self, side: int, chosen: list[int], read: set[int], lot: tuple[str, ...]
    ) -> list[int]:
        """The ops of an expansion, and the views and copies between them that it names."""
        found = list(chosen)
        inside = set(chosen)
        named = _handing(lot)
        handers = self._handers(side, inside, read) if named else []
        wanted = Counter(named)
        for value, row in handers:
            if not wanted:
                break
            spelled = self._wanted(self._sides[side].trace.type_name(row), wanted)
            if spelled is None or (value in read and not self._leads_into(side, row, inside)):
                continue
            _take(wanted, spelled)
            found.append(row)
        return sorted(found)

    def _handers(self, side: int, inside: set[int], read: set[int]) -> list[tuple[int, int]]:
        """The ops that are alone and only hand one of these values on, with the value."""
        handers, alone = self._sides[side].handers, self._alone[side]
        return [
            (value, row)
            for value in sorted(inside | read)
            for row in handers(value)[:_MOST_READERS]
            if row in alone and row not in inside
        ]

    def _leads_into(self, side: int, row: int, inside: set[int]) -> bool:
        """Whether what a view or copy hands on is read by the ops of an expansion alone."""
        readers, passes = self._sides[side].trace.consumers(row), self._passes[side]
        return not inside or all(reader in inside or passes[reader] for reader in readers)

    def _cones(
        self, side: int, ends: list[int], read: set[int]
    ) -> Iterator[tuple[list[int], bool]]:
        """All ops that are alone between the values and the ends: of all ends, or of one.

        With each, whether it shares what another expansion has computed already.
        """
        for some in [ends, *([end] for end in ends if len(ends) > 1)]:
            chosen, shared = self._cone(side, some, read)
            if chosen:
                yield chosen, shared

    def _cone(self, side: int, ends: list[int], read: set[int]) -> tuple[list[int], bool]:
        """The ops that are alone above some ends, if nothing but the values goes in."""
        prepared = self._sides[side]
        chosen: set[int] = set()
        touched = shared = False
        waiting = list(ends)
        while waiting:
            value = waiting.pop()
            if value in chosen:
                continue
            if value in read:
                touched = True
            elif value in self._alone[side] and not self._passes[side][value]:
                chosen.add(value)
                if len(chosen) > _LARGEST:
                    return [], False
                waiting += prepared.read_by(value)
            elif value in self._made[side]:
                shared = True
            elif self._is_made(side, value):
                return [], False
        return (sorted(chosen) if touched or shared or not read else []), shared

    def _is(
        self,
        side: int,
        chosen: list[int],
        lot: tuple[str, ...],
        *,
        shared: bool = False,
        exact: bool = False,
    ) -> bool:
        """Whether ops are those of an expansion: all its names, none more often than there.

        What is computed twice in an expansion a compiler computes once; what is *shared* with
        another expansion it does not compute here at all, but the last op is there. What is done
        to every tensor of a list is done as often as that, and a state is written once: *exact*.
        """
        if not chosen or not _telling(lot):
            return False
        # Only the names count, and these are the same in every layer.
        kinds = tuple([self._kind[side][row] for row in chosen])
        key = (side, kinds, lot, shared, exact)
        if key not in self._fitting:
            names = [self._sides[side].trace.types[kind] for kind in kinds]
            self._fitting[key] = self._fits(names, lot, shared, exact)
        return self._fitting[key]

    def _fits(self, names: list[str], lot: tuple[str, ...], shared: bool, exact: bool) -> bool:
        telling = _telling(lot)
        wanted = Counter([name for name in lot if name not in HANDING])
        for name in names:
            spelled = self._wanted(name, wanted)
            if spelled is None:
                if self._table.spelling(name) in CONSTANTS:
                    continue
                return False
            wanted[spelled] -= 1
        first = Counter(telling)
        if exact:
            return not any(wanted[name] for name in first)
        if shared:
            return wanted[telling[-1]] < first[telling[-1]]
        return all(wanted[name] < count for name, count in first.items())

    def _add(self, side: int, row: int, chosen: list[int]) -> bool:
        self._alone[side].discard(row)
        self._alone[1 - side].difference_update(chosen)
        both = ((row,), tuple(sorted(chosen)))
        block = Block(*(both if side == 0 else both[::-1]))
        self._matching.blocks.append(block)
        self._note(block)
        return True

    def _note(self, block: Block) -> None:
        for side in (0, 1):
            there = frozenset(block.rows(1 - side))
            for row in block.rows(side):
                self._made[side][row] = there

    def _counterparts(self, side: int, values: tuple[int, ...]) -> set[int] | None:
        """What the values are on the other side; None where that is not known of one of them.

        Of what is on the other side of the anchor nothing is known, and nothing is asked.
        """
        partner = self._mate[side]
        found: set[int] = set()
        for value in values:
            if partner[value] >= 0:
                found.add(partner[value])
            elif value in self._made[side]:
                found |= self._made[side][value]
            elif self._is_made(side, value):
                return None
        return found

    def _is_made(self, side: int, value: int) -> bool:
        """Whether compared ops make a value of others: then it is known, or it is another one."""
        made = self._compared[side][value] and self._sides[side].read_by(value)
        return bool(made) and not self._outside[side][value]

    def _grown(self, side: int, read: set[int], lot: tuple[str, ...]) -> list[int]:
        """Ops that are alone, of the wanted names, which read these values and each other.

        For an op whose readers tell nothing: from what goes in, in the order in which they ran.
        """
        prepared = self._sides[side]
        wanted = Counter(name for name in lot if name not in HANDING)
        chosen: list[int] = []
        known = set(read)
        waiting = sorted(self._readers(side, read))
        while waiting and wanted.total():
            row = waiting.pop(0)
            spelled = self._wanted(prepared.trace.type_name(row), wanted)
            if spelled is None or row in known or prepared.passes[row]:
                continue
            unknown = dict.fromkeys(v for v in prepared.read_by(row) if v not in known)
            made = [value for value in unknown if not prepared.outside[value]]
            if not all(self._from_outside(side, value, known) for value in made):
                continue
            for value in made:
                # Made from nothing or from a state: a part of the expansion if its name is wanted.
                name = self._wanted(prepared.trace.type_name(value), wanted)
                if name is not None and value in self._alone[side]:
                    _take(wanted, name)
                    chosen.append(value)
                known.add(value)
            _take(wanted, spelled)
            chosen.append(row)
            known.add(row)
            waiting = sorted({*waiting, *self._readers(side, {row, *made})})
        return chosen

    def _from_outside(self, side: int, value: int, known: set[int]) -> bool:
        """Whether nothing but what is known or from outside went into a value."""
        prepared = self._sides[side]
        return all(read in known or prepared.outside[read] for read in prepared.read_by(value))

    def _wanted(self, name: str, wanted: Counter[str]) -> str | None:
        spelling = self._table.spelling(name)
        if wanted[spelling] > 0:
            return spelling
        others = self._table.spellings(name)
        return next((other for other in sorted(wanted) if other in others), None)

    def _readers(self, side: int, values: set[int]) -> set[int]:
        readers, alone = self._sides[side].readers, self._alone[side]
        rows = (row for value in values for row in readers(value)[:_MOST_READERS])
        return alone.intersection(rows)

    def _looks_alike(self, side: int, row: int, chosen: list[int]) -> bool:
        one, many = self._sides[side], self._sides[1 - side]
        specs = {_spec(one, row)} - {None}
        return not specs or any(_spec(many, other) in specs for other in chosen)


@lru_cache(4096)
def _telling(lot: tuple[str, ...]) -> list[str]:
    """The names of an expansion that are no views, copies or constants."""
    return [name for name in lot if name not in HANDING and name not in CONSTANTS]


@lru_cache(4096)
def _handing(lot: tuple[str, ...]) -> list[str]:
    """Those that are views or copies."""
    return [name for name in lot if name in HANDING]


def _take(wanted: Counter[str], name: str) -> None:
    """One of these is found."""
    wanted[name] -= 1
    if not wanted[name]:
        del wanted[name]


def _spec(side: Prepared, row: int) -> int | None:
    """Dtype and shape of what an op makes first."""
    outputs = side.trace.outputs
    if outputs.start[row] == outputs.start[row + 1]:
        return None
    return int(side.dense[outputs.spec[outputs.start[row]]])
