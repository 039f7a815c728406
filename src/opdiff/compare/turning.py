"""Aligning the same way whichever trace is left, so that swapping them gives the mirror image."""

from __future__ import annotations

import numpy as np

from opdiff.compare.align import HERE, Aligner, Alignment, Block
from opdiff.compare.codes import Ints, Vocabulary, mixed
from opdiff.compare.request import Direction, Request
from opdiff.compare.rules import Equivalent
from opdiff.compare.scope import Scope
from opdiff.compare.segments import Segment
from opdiff.compare.sides import Ready
from opdiff.compare.table import Table
from opdiff.progress import Progress


def align_either_way(
    sides: tuple[Ready, Ready],
    scope: Scope,
    words: Vocabulary,
    table: Table,
    request: Request,
    progress: Progress,
) -> Alignment:
    """Align with the lesser trace first: ties are then broken alike for both orders."""
    rows = _aligned_rows(sides, scope, request)
    decreed = scope.decreed
    equivalent = request.rules.equivalent
    blocks = _blocks_by_decree(request, decreed)
    turned = _weight(sides[1]) < _weight(sides[0])
    if turned:
        sides, rows = (sides[1], sides[0]), (rows[1], rows[0])
        decreed = tuple((right, left) for left, right in decreed)
        equivalent = tuple(Equivalent(rule.right, rule.left) for rule in equivalent)
        blocks = tuple(Block(block.right, block.left, HERE) for block in blocks)
        progress = _Turned(progress)
    anchor = _anchor_place(request, turned)
    segments = _segments(rows, decreed, request.direction, anchor)
    aligner = Aligner(sides[0], sides[1], rows, words, table, equivalent, progress)
    alignment = aligner.align(segments, decreed, blocks)
    return _turned_back(alignment) if turned else alignment


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


def _weight(side: Ready) -> tuple[int, bytes, bytes]:
    """A value of the trace's content that orders two traces."""
    face = mixed(side.type) + side.layout * np.uint64(3) + side.upward + side.downward
    return len(side.trace), face.tobytes(), side.producer.tobytes()


def _aligned_rows(sides: tuple[Ready, Ready], scope: Scope, request: Request) -> tuple[Ints, Ints]:
    """The rows whose counterparts are looked for: not those of which the user has decided."""
    decided: tuple[set[int], set[int]] = (set(request.alone_left), set(request.alone_right))
    for left_row, right_row in scope.decreed:
        decided[0].add(left_row)
        decided[1].add(right_row)
    for block in _blocks_by_decree(request, scope.decreed):
        decided[0].update(block.left)
        decided[1].update(block.right)
    left, right = (
        ready.rows[~np.isin(ready.rows, list(rows))] if rows else ready.rows
        for ready, rows in zip(sides, decided, strict=True)
    )
    return left, right


def _anchor_place(request: Request, turned: bool) -> int | None:
    return request.right_anchor if turned else request.left_anchor


def _segments(
    rows: tuple[Ints, Ints],
    decreed: tuple[tuple[int, int], ...],
    direction: Direction,
    anchor: int | None,
) -> list[Segment]:
    """The stretches between decreed pairs, nearest the anchor first, each walked away from it."""
    cuts = [
        (int(np.searchsorted(rows[0], row)), int(np.searchsorted(rows[1], other)), row)
        for row, other in decreed
    ]
    starts = [(0, 0), *((here, there) for here, there, _ in cuts)]
    ends = [(here, there) for here, there, _ in cuts] + [(len(rows[0]), len(rows[1]))]
    below = [False, *(anchor is not None and row >= anchor for *_, row in cuts)]
    segments = [
        Segment(
            range(start[0], end[0]),
            range(start[1], end[1]),
            backward=direction is Direction.UP or (anchor is not None and not after),
        )
        for start, end, after in zip(starts, ends, below, strict=True)
    ]
    return segments[::-1] if direction is Direction.UP else segments


def _turned_back(alignment: Alignment) -> Alignment:
    partner, other_partner = alignment.partner
    moved = np.zeros(len(other_partner), np.bool_)
    moved[partner[np.flatnonzero(alignment.moved)]] = True
    return Alignment(
        (other_partner, partner),
        moved,
        tuple(Block(block.right, block.left, block.rule) for block in alignment.blocks),
    )


class _Turned(Progress):
    """Tells of pairs with the sides swapped."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def report(self, stage: str, done: int, total: int) -> None:
        self._progress.report(stage, done, total)

    def linked(self, left_rows: Ints, right_rows: Ints) -> None:
        self._progress.linked(right_rows, left_rows)
