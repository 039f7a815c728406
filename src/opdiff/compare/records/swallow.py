"""What rules make vanish, and a note of it, so that it can be shown again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from opdiff.compare.comparison import Swallowed
from opdiff.compare.matching import FUSION, Matching
from opdiff.compare.names.table import Table
from opdiff.compare.records.findings import Columns
from opdiff.compare.request import Request
from opdiff.compare.sides.noise import ignored_by
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.columns import Flags, Ints

_BY_REQUEST = -1
_NOT_IGNORED = -2


class Swallower(NamedTuple):
    """Applies ``ignore``, and tells what ``ignore``, ``same`` and ``equivalent`` swallowed."""

    sides: tuple[Prepared, Prepared]
    matching: Matching
    table: Table
    request: Request
    compared: tuple[Flags, Flags]

    def apply(self, columns: Columns) -> tuple[Columns, tuple[Swallowed, ...]]:
        """The divergences that remain, and what was swallowed."""
        request = self.request
        if request.ancestors:
            columns = columns.only(columns.touching(*self.compared))
        if not (request.rules.ignore or request.ignored_left or request.ignored_right):
            return columns, (*self._same(), *self._equivalent())
        verdicts = self._verdicts()
        ignored = columns.touching(*(verdict != _NOT_IGNORED for verdict in verdicts))
        entries = [
            *self._ignored(columns, ignored, verdicts),
            *self._same(),
            *self._equivalent(),
        ]
        return columns.only(~ignored), tuple(entries)

    def _verdicts(self) -> tuple[Ints, Ints]:
        """Of each row the rule that ignores it: its number, -1 for the request, -2 for none."""
        left, right = (
            _verdict(ready, self.request, rows)
            for ready, rows in zip(
                self.sides, (self.request.ignored_left, self.request.ignored_right), strict=True
            )
        )
        return left, right

    def _ignored(
        self, columns: Columns, ignored: Flags, verdicts: tuple[Ints, Ints]
    ) -> list[Swallowed]:
        by_rule: dict[int, tuple[set[int], set[int]]] = {}
        for number in np.flatnonzero(ignored).tolist():
            rows = columns.rows(number)
            rule = max(int(verdicts[side][row]) for side in (0, 1) for row in rows[side])
            both = by_rule.setdefault(rule, (set(), set()))
            for side in (0, 1):
                both[side].update(rows[side])
        return [_entry("ignore", rule, *both) for rule, both in sorted(by_rule.items())]

    def _same(self) -> list[Swallowed]:
        if not self.table.same:
            return []
        left, right = self.sides
        rows, others = self.matching.paired()
        by_rule: dict[int, tuple[set[int], set[int]]] = {}
        for at in np.flatnonzero(left.type[rows] != right.type[others]).tolist():
            row, other = int(rows[at]), int(others[at])
            rule = self.table.same_rule(left.trace.type_name(row), right.trace.type_name(other))
            if rule is not None:
                both = by_rule.setdefault(rule, (set(), set()))
                both[0].add(row)
                both[1].add(other)
        return [_entry("same", rule, *both) for rule, both in sorted(by_rule.items())]

    def _equivalent(self) -> list[Swallowed]:
        return [
            _entry("equivalent", max(block.rule, _BY_REQUEST), block.left, block.right)
            for block in self.matching.blocks
            if block.rule != FUSION
        ]


def _verdict(ready: Prepared, request: Request, rows: Iterable[int]) -> Ints:
    by_rule = ignored_by(ready.trace, request.rules.ignore)
    verdict = np.where(by_rule >= 0, by_rule, np.int32(_NOT_IGNORED))
    verdict[list(rows)] = _BY_REQUEST
    return verdict


def _entry(rule: str, index: int, left: Iterable[int], right: Iterable[int]) -> Swallowed:
    return Swallowed(rule, index, tuple(sorted(left)), tuple(sorted(right)))
