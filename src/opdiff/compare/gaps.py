"""The short stretches between equal runs: the heaviest pairing that keeps the order.

Besides pairs, blocks may go together: several ops and the one that does their work, or sequences
that a rule calls equivalent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from opdiff.compare.codes import Ints, Vocabulary, Words, mixed
from opdiff.compare.fusion import Boundaries, Fusion, fusions
from opdiff.compare.rules import Equivalent
from opdiff.compare.scores import Scores, pair_scores
from opdiff.compare.sides import Ready
from opdiff.compare.table import Table

MOST_CELLS = 4_000_000
_MOST_FOR_BLOCKS = 400_000
_BY_RULE = 40.0
_DETOUR, _WORST_DETOUR = 1 / 64, 0.5


@dataclass(frozen=True, slots=True)
class Move:
    """*length* ops here and *other_length* there that go together, from a place on either side."""

    start: int
    length: int
    other_start: int
    other_length: int
    score: float
    rule: int = -1
    """The entry of the equivalent rules that says so, -1 for a fusion or a pair."""
    skipped: tuple[int, ...] = ()
    """Places here within the block that are no part of it."""
    other_skipped: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Solved:
    """What goes together in one gap: places relative to the start of the gap."""

    pairs: tuple[tuple[int, int], ...]
    blocks: tuple[Move, ...]


class Gaps:
    """Solves gaps; the same gap of another layer is solved once."""

    def __init__(
        self,
        left: Ready,
        right: Ready,
        words: Vocabulary,
        table: Table,
        equivalent: tuple[Equivalent, ...],
    ) -> None:
        self._left, self._right = left, right
        self._words, self._table = words, table
        self._equivalent = equivalent
        self._faces = (_faces(left), _faces(right))
        self._solved: dict[tuple[bytes, ...], Solved] = {}

    def pairs_only(self, rows: Ints, others: Ints, backward: bool) -> tuple[tuple[int, int], ...]:
        """The best pairing without any blocks, for stretches that are seen once."""
        return nearest_heaviest(self._scores(rows, others), (), backward).pairs

    def solve(self, rows: Ints, others: Ints, backward: bool) -> Solved:
        """The best pairing of two short stretches of rows."""
        key = (
            bytes([backward]),
            self._faces[0][rows].tobytes(),
            self._faces[1][others].tobytes(),
            _wiring(self._left, rows),
            _wiring(self._right, others),
        )
        solved = self._solved.get(key)
        if solved is None:
            solved = self._solved[key] = self._solve(rows, others, backward)
        return solved

    def _solve(self, rows: Ints, others: Ints, backward: bool) -> Solved:
        scores = self._scores(rows, others)
        blocks = tuple(self._blocks(rows, others)) if scores.size <= _MOST_FOR_BLOCKS else ()
        return nearest_heaviest(scores, blocks, backward)

    def _scores(self, rows: Ints, others: Ints) -> Scores:
        scores = pair_scores(self._left, self._right, rows, others, self._words)
        scores -= np.where(scores > 0, _detours(len(rows), len(others)), 0.0)
        return scores

    def _blocks(self, rows: Ints, others: Ints) -> Iterator[Move]:
        here = Boundaries(self._left, rows, self._words)
        there = Boundaries(self._right, others, self._words)
        for fusion in fusions(here, there, self._table):
            yield Move(
                fusion.start, fusion.length, fusion.one, 1, fusion.score, skipped=fusion.skipped
            )
        for fusion in fusions(there, here, self._table):
            yield _turned(fusion)
        for index, rule in enumerate(self._equivalent):
            for start in _occurrences(here.types, rule.left):
                for other in _occurrences(there.types, rule.right):
                    size = len(rule.left) + len(rule.right)
                    yield Move(
                        start, len(rule.left), other, len(rule.right), _BY_RULE + 20 * size, index
                    )


def _detours(count: int, other_count: int) -> Scores:
    """A little off for pairs that lead away from the straight way: layers stay with their like."""
    shift = np.arange(other_count)[None, :] - np.arange(count)[:, None]
    low, high = sorted((0, other_count - count))
    away = np.maximum(low - shift, 0) + np.maximum(shift - high, 0)
    detours: Scores = np.minimum(_DETOUR * away, _WORST_DETOUR)
    return detours


def _turned(fusion: Fusion) -> Move:
    return Move(
        fusion.one, 1, fusion.start, fusion.length, fusion.score, other_skipped=fusion.skipped
    )


def _occurrences(types: list[str], pattern: tuple[str, ...]) -> list[int]:
    return [
        start
        for start in range(len(types) - len(pattern) + 1)
        if all(
            fnmatchcase(kind, glob)
            for kind, glob in zip(types[start : start + len(pattern)], pattern, strict=True)
        )
    ]


def nearest_heaviest(scores: Scores, blocks: tuple[Move, ...], backward: bool) -> Solved:
    """The heaviest selection; of equal ones that which pairs what is nearest the start (or end)."""
    if not backward:
        return heaviest(scores, blocks)
    count, other_count = scores.shape
    solved = heaviest(
        scores[::-1, ::-1], tuple(_reversed(move, count, other_count) for move in blocks)
    )
    pairs = [(count - 1 - here, other_count - 1 - there) for here, there in solved.pairs]
    return Solved(
        tuple(pairs[::-1]),
        tuple(_reversed(move, count, other_count) for move in solved.blocks[::-1]),
    )


def _reversed(move: Move, count: int, other_count: int) -> Move:
    return replace(
        move,
        start=count - move.start - move.length,
        other_start=other_count - move.other_start - move.other_length,
        skipped=tuple(count - 1 - place for place in move.skipped[::-1]),
        other_skipped=tuple(other_count - 1 - place for place in move.other_skipped[::-1]),
    )


def heaviest(scores: Scores, blocks: tuple[Move, ...]) -> Solved:
    """The selection of pairs and blocks with the greatest score; earlier pairs win ties."""
    count, other_count = scores.shape
    best = np.zeros((count + 1, other_count + 1))
    starting: dict[int, list[Move]] = {}
    for block in blocks:
        starting.setdefault(block.start, []).append(block)
    for place in range(count - 1, -1, -1):
        row = best[place + 1].copy()
        paired = best[place + 1][1:] + scores[place]
        np.maximum(row[:-1], np.where(scores[place] > 0, paired, 0), out=row[:-1])
        for block in starting.get(place, ()):
            gain = best[place + block.length, block.other_start + block.other_length] + block.score
            row[block.other_start] = max(row[block.other_start], gain)
        best[place] = np.maximum.accumulate(row[::-1])[::-1]
    return _chosen(best, scores, starting)


def _chosen(
    best: Scores,
    scores: Scores,
    starting: dict[int, list[Move]],
) -> Solved:
    pairs: list[tuple[int, int]] = []
    blocks: list[Move] = []
    here = there = 0
    count, other_count = scores.shape
    while here < count and there < other_count:
        value = best[here, there]
        score = scores[here, there]
        block = next(
            (
                move
                for move in starting.get(here, ())
                if move.other_start == there
                and value == best[here + move.length, there + move.other_length] + move.score
            ),
            None,
        )
        if block is not None:
            blocks.append(block)
            here, there = here + block.length, there + block.other_length
        elif score > 0 and value == best[here + 1, there + 1] + score:
            pairs.append((here, there))
            here, there = here + 1, there + 1
        elif value == best[here + 1, there]:
            here += 1
        else:
            there += 1
    return Solved(tuple(pairs), tuple(blocks))


def _faces(side: Ready) -> Words:
    """A word a row for all that the scores look at."""
    face: Words = (
        mixed(side.type)
        + side.outputs
        + side.inputs
        + side.upward
        + side.downward * np.uint64(3)
        + side.bare.astype(np.uint64)
        + side.layout * np.uint64(5)
    )
    return face


def _wiring(side: Ready, rows: Ints) -> bytes:
    """Who feeds whom within a stretch: what finding blocks looks at besides the faces."""
    if not len(rows):
        return b""
    inputs = side.trace.inputs
    here = slice(int(inputs.start[rows[0]]), int(inputs.start[rows[-1] + 1]))
    inner: Ints = np.maximum(side.producer[here] - rows[0], -1)
    _, memory = np.unique(inputs.memory[here], return_inverse=True)
    return inner.tobytes() + memory.tobytes()
