"""Aligning the same way whichever trace is left, so that swapping them gives the mirror image."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from opdiff.compare.matching import HERE, Block
from opdiff.compare.names.table import Table
from opdiff.compare.request import Direction, Request
from opdiff.compare.rules import Equivalent
from opdiff.compare.sides.prepared import Prepared
from opdiff.compare.sides.scope import Scope
from opdiff.progress import Progress
from opdiff.trace.columns import Ints
from opdiff.trace.sorting import among
from opdiff.trace.words import mixed


@dataclass(frozen=True)
class Task:
    """What is to be aligned: two sides, and all that the user has decided of them."""

    left: Prepared
    right: Prepared
    rows: tuple[Ints, Ints]
    """The rows whose counterparts are looked for: not those of which the user has decided."""
    decreed: tuple[tuple[int, int], ...]
    """Anchors and pins, ascending."""
    blocks: tuple[Block, ...]
    """What the user called equivalent here."""
    equivalent: tuple[Equivalent, ...]
    table: Table
    direction: Direction
    anchor: int | None
    """The left row of the anchor."""
    progress: Progress

    @property
    def sides(self) -> tuple[Prepared, Prepared]:
        """Both sides."""
        return self.left, self.right

    def turned(self) -> Task:
        """The same with the sides swapped."""
        anchor = next((other for row, other in self.decreed if row == self.anchor), None)
        return replace(
            self,
            left=self.right,
            right=self.left,
            rows=self.rows[::-1],
            decreed=tuple((right, left) for left, right in self.decreed),
            blocks=tuple(Block(block.right, block.left, HERE) for block in self.blocks),
            equivalent=tuple(Equivalent(rule.right, rule.left) for rule in self.equivalent),
            anchor=anchor,
            progress=_Turned(self.progress),
        )

    @property
    def lesser_is_right(self) -> bool:
        """Whether the right trace comes first in an order of traces by their content."""
        return _weight(self.right) < _weight(self.left)


def task_of(
    sides: tuple[Prepared, Prepared],
    scope: Scope,
    request: Request,
    table: Table,
    progress: Progress,
) -> Task:
    """The task that a request sets."""
    blocks = _blocks_by_decree(request, scope.decreed)
    decided: tuple[set[int], set[int]] = (set(request.alone_left), set(request.alone_right))
    for left_row, right_row in scope.decreed:
        decided[0].add(left_row)
        decided[1].add(right_row)
    for block in blocks:
        decided[0].update(block.left)
        decided[1].update(block.right)
    left, right = (
        side.rows[~among(side.rows, list(rows))] if rows else side.rows
        for side, rows in zip(sides, decided, strict=True)
    )
    return Task(
        *sides,
        (left, right),
        scope.decreed,
        blocks,
        request.rules.equivalent,
        table,
        request.direction,
        request.left_anchor,
        progress,
    )


def _blocks_by_decree(request: Request, decreed: tuple[tuple[int, int], ...]) -> tuple[Block, ...]:
    """What the user called equivalent; anchors and pins in it stay the pairs they are."""
    pinned = {row for row, _ in decreed}, {row for _, row in decreed}
    blocks = []
    for rows in request.equivalent_here:
        left, right = (
            tuple(row for row in side if row not in taken)
            for side, taken in zip(rows, pinned, strict=True)
        )
        if left and right:
            blocks.append(Block(left, right, HERE))
    return tuple(blocks)


def _weight(side: Prepared) -> tuple[int, bytes, bytes]:
    """A value of the trace's content that orders two traces."""
    face = mixed(side.type) + side.layout * np.uint64(3) + side.upward + side.downward
    return len(side.trace), face.tobytes(), side.origin.tobytes()


class _Turned(Progress):
    """Tells of pairs with the sides swapped."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def report(self, stage: str, done: int, total: int) -> None:
        self._progress.report(stage, done, total)

    def linked(self, left_rows: Ints, right_rows: Ints) -> None:
        self._progress.linked(right_rows, left_rows)
