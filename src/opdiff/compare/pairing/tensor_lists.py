"""Ops on lists of tensors, and the ops on single tensors that do the same work.

Optimizers update all parameters by one op (`aten::_fused_adamw_`), by one op a line of arithmetic
(`aten::_foreach_lerp_`), or parameter by parameter. An op on a list prints little of what it
writes, so names, order and what the tensors look like must do.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from opdiff.compare.matching import Block, Matching
from opdiff.compare.names.argument_texts import ARGUMENTS, same_numbers
from opdiff.compare.names.table import Table
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.columns import Ints
from opdiff.trace.traits import Trait

_BEGINNINGS = ("foreach", "fused")
_ON_LISTS = re.compile(r"^foreach(?=.)|^fused(?=ad|sgd)")
"""How the spellings of ops on lists begin."""
_LISTS = {
    "lerp": (2,), "addcmul": (3,), "addcdiv": (3,), "copy": (2,),
    "adam": (5, 6), "adamw": (5, 6), "sgd": (2, 3), "adagrad": (4,),
}  # fmt: skip
"""How many lists of tensors an op on lists takes, where it is not one or two."""


_SINGLES = {"norm": "linalgvectornorm"}
"""Ops on single tensors that are called otherwise."""


def single_of(spelling: str) -> str:
    """The op that does to one tensor what this one does to a list; empty where it is no such."""
    single = _ON_LISTS.sub("", spelling)
    return _SINGLES.get(single, single) if single != spelling else ""


def is_on_lists(spelling: str) -> bool:
    """Whether an op of this spelling works on lists of tensors."""
    return spelling.startswith(_BEGINNINGS) and bool(_ON_LISTS.match(spelling))


class TensorLists:
    """Finds blocks among the ops that are alone, in the matching it is given."""

    def __init__(
        self,
        sides: tuple[Prepared, Prepared],
        matching: Matching,
        table: Table,
        rows: tuple[Ints, Ints],
    ) -> None:
        self._sides = sides
        self._matching = matching
        self._table = table
        self._alone = tuple(np.sort(matching.alone(side, rows[side])) for side in (0, 1))

    def find(self) -> None:
        """Add a block for each op on lists, or line of them, that has singles on the other side."""
        for side in (0, 1):
            prepared = self._sides[side]
            types = [n for n, spelling in enumerate(prepared.spelling) if is_on_lists(spelling)]
            on_lists = prepared.of_types(self._alone[side], types).tolist()
            waiting: dict[str, list[int]] = {}
            for row in self._alone[1 - side].tolist() if on_lists else ():
                waiting.setdefault(self._spelled(1 - side, row), []).append(row)
            self._one_by_one(side, on_lists, waiting)
            self._lines(side, on_lists, waiting)

    def _one_by_one(self, side: int, rows: list[int], waiting: dict[str, list[int]]) -> None:
        """One op on a list against one on each tensor of it."""
        for row in tuple(rows):
            singles = waiting.get(single_of(self._spelled(side, row)), [])
            chosen = self._listed(side, row, singles, alike=True)
            if chosen:
                rows.remove(row)
                self._add(side, (row,), chosen, singles)

    def _lines(self, side: int, rows: list[int], waiting: dict[str, list[int]]) -> None:
        """Ops on lists that write out, one after the other, what the other side has one op for."""
        spelled = [single_of(self._spelled(side, row)) for row in rows]
        for name, singles in waiting.items():
            for lot in self._table.expansions.get(name, ()):
                for at in range(len(rows) - len(lot), -1, -1):
                    if tuple(spelled[at : at + len(lot)]) != lot:
                        continue
                    chosen = self._listed(side, rows[at], singles)
                    if chosen:
                        self._add(side, tuple(rows[at : at + len(lot)]), chosen, singles)
                        del rows[at : at + len(lot)], spelled[at : at + len(lot)]

    def _listed(self, side: int, row: int, singles: list[int], *, alike: bool = False) -> list[int]:
        """The single ops that do to each tensor of a list what this one does to all.

        Those that are *alike* take one tensor of each list.
        """
        operands = len(self._sides[side].read_by(row)) - self._one_for_all(side, row)
        counts = self._counts(side, row, operands)
        other = self._sides[1 - side]
        alike &= single_of(self._spelled(side, row)) not in _LISTS
        for count in counts:
            # A tensor for all, as clipping multiplies gradients by, each single op reads, too.
            each = operands // count + operands % count
            fitting = [one for one in singles if not alike or len(other.read_by(one)) == each]
            chosen = self._by_looks(side, row, fitting, count)
            if chosen:
                return chosen
        return []

    def _one_for_all(self, side: int, row: int) -> bool:
        """Whether the last input is a number that was made a tensor for this op."""
        trace = self._sides[side].trace
        last = int(trace.inputs.start[row + 1]) - 1
        made = last > trace.inputs.start[row] and trace.links.producer[last] == row - 1
        return bool(made and trace.traits[row - 1] & (Trait.VIEW | Trait.CONSTANT))

    def _by_looks(self, side: int, row: int, singles: list[int], count: int) -> list[int]:
        """The first of the single ops whose tensors look like those of a list.

        First come those that take the same tensors, then those that are told the same numbers,
        then those that write in place if this one does: it may write over a copy of its own.
        """
        prepared, other = self._sides[side], self._sides[1 - side]
        listed = prepared.places_in(row)[:count]
        looks = prepared.dense[prepared.trace.inputs.spec[listed]]
        same = set(self._matching.partner[side][prepared.value[listed]].tolist())
        writes = prepared.trace.traits[row] & Trait.IN_PLACE

        told = prepared.trace.op(row).attrs.get(ARGUMENTS, "")

        def unlike(single: int) -> tuple[bool, bool, bool]:
            in_place = other.trace.traits[single] & Trait.IN_PLACE
            numbers = other.trace.op(single).attrs.get(ARGUMENTS, "")
            apart = same.isdisjoint(other.read_by(single)[:1])
            return apart, not same_numbers((numbers,), (told,), told=True), bool(in_place != writes)

        by_look: dict[int, list[int]] = {}
        for single in sorted(singles, key=unlike):
            for place in other.places_in(single)[:1].tolist():
                look = int(other.dense[other.trace.inputs.spec[place]])
                by_look.setdefault(look, []).append(single)
        turns = Counter(looks.tolist())
        if any(len(by_look.get(look, ())) < turn for look, turn in turns.items()):
            return []
        return [single for look, turn in turns.items() for single in by_look[look][:turn]]

    def _counts(self, side: int, row: int, operands: int) -> list[int]:
        """How many tensors the first list of an op may hold, by all that it reads or writes."""
        single = single_of(self._spelled(side, row))
        written = int(self._sides[side].trace.outputs.counts()[row])
        if written and single not in _LISTS:
            return [written] if written <= operands else []
        return [
            operands // parts
            for parts in _LISTS.get(single, (1, 2))
            if operands and not operands % parts
        ]

    def _spelled(self, side: int, row: int) -> str:
        return self._sides[side].spelling[int(self._sides[side].trace.type[row])]

    def _add(self, side: int, rows: tuple[int, ...], chosen: list[int], singles: list[int]) -> None:
        both = (rows, tuple(sorted(chosen)))
        self._matching.blocks.append(Block(*(both if side == 0 else both[::-1])))
        gone = set(chosen)
        singles[:] = [single for single in singles if single not in gone]
