"""The short stretches between equal runs: a heaviest common subsequence of each.

Besides pairs, sequences may go together that a rule calls equivalent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from opdiff.compare.names.vocabulary import Vocabulary
from opdiff.compare.pairing.scores import Scores, pair_scores
from opdiff.compare.rules import Equivalent
from opdiff.compare.sides.prepared import Prepared, codes_of
from opdiff.trace.columns import Ints, Longs
from opdiff.trace.words import Words, mixed

MOST_CELLS = 4_000_000
_MOST_FOR_BLOCKS = 400_000
_BY_RULE = 40.0
_DETOUR, _WORST_DETOUR = 1 / 64, 0.5
_PLAIN = 10.0
_AGREE, _DISAGREE = 4.0, 0.25
"""What is added where all known inputs are the same, and what remains where they are not."""


@dataclass(frozen=True, slots=True)
class Move:
    """*length* ops here and *other_length* there that go together, from a place on either side."""

    start: int
    length: int
    other_start: int
    other_length: int
    score: float
    rule: int
    """The entry of the equivalent rules that says so."""


class Solved(NamedTuple):
    """What goes together in one gap: places relative to the start of the gap."""

    pairs: Longs
    """Two columns, one a side."""
    blocks: tuple[Move, ...]


class Gaps:
    """Solves gaps; the same gap of another layer is solved once."""

    def __init__(
        self,
        left: Prepared,
        right: Prepared,
        words: Vocabulary,
        equivalent: tuple[Equivalent, ...],
    ) -> None:
        self._left, self._right = left, right
        self._words = words
        self._equivalent = equivalent
        self._faces = (_faces(left), _faces(right))
        self._code = codes_of(left, right)[0]
        self._known: tuple[Words, Words] | None = None
        self._solved: dict[tuple[bytes, ...], Solved] = {}

    def learn(self, known: tuple[Words, Words]) -> None:
        """Hear of the inputs that are paired, a word a row: see ``known_inputs``."""
        self._known = known if known[0].any() or known[1].any() else None

    def pairs_only(self, rows: Ints, others: Ints, backward: bool) -> Longs:
        """The best pairing without any blocks, for stretches that are seen once."""
        return nearest_heaviest(self._scores(rows, others, exact=True), (), backward).pairs

    def solve(self, rows: Ints, others: Ints, backward: bool, *, exact: bool = False) -> Solved:
        """The best pairing of two short stretches of rows; *exact* ones are alike in all specs."""
        faces = self._faces[0][rows], self._faces[1][others]
        pattern = b"" if self._known is None else self._pattern(rows, others)
        key = (bytes([backward, exact]), faces[0].tobytes(), faces[1].tobytes(), pattern)
        solved = self._solved.get(key)
        if solved is None:
            solved = self._solved[key] = self._solve(rows, others, backward, exact)
        return solved

    def _pattern(self, rows: Ints, others: Ints) -> bytes:
        """Which rows have the same known inputs: the same for the same gap of another layer."""
        assert self._known is not None
        words = np.concatenate((self._known[0][rows], self._known[1][others]))
        if not words.any():
            return b""
        number = {0: 0}
        pattern = [number.setdefault(word, len(number)) for word in words.tolist()]
        return np.array(pattern, np.int32).tobytes()

    def _solve(self, rows: Ints, others: Ints, backward: bool, exact: bool) -> Solved:
        scores = self._scores(rows, others, exact)
        blocks = tuple(self._blocks(rows, others)) if scores.size <= _MOST_FOR_BLOCKS else ()
        return nearest_heaviest(scores, blocks, backward)

    def _scores(self, rows: Ints, others: Ints, exact: bool) -> Scores:
        scores = pair_scores(self._left, self._right, rows, others, self._words)
        if exact:
            scores *= self._code[0][rows][:, None] == self._code[1][others][None, :]
        if self._known is not None:
            mine, theirs = self._known[0][rows][:, None], self._known[1][others][None, :]
            told = (mine != 0) & (theirs != 0)
            scores += np.where(told & (mine == theirs) & (scores > 0), _AGREE, 0.0)
            scores *= np.where(told & (mine != theirs), _DISAGREE, 1.0)
        detours = _detours(len(rows), len(others)) * np.minimum(scores / _PLAIN, 1.0)
        scores -= np.where(scores > 0, detours, 0.0)
        return scores

    def _blocks(self, rows: Ints, others: Ints) -> Iterator[Move]:
        types, other_types = (
            [self._words.types[kind] for kind in side.type[chosen].tolist()]
            for side, chosen in ((self._left, rows), (self._right, others))
        )
        for index, rule in enumerate(self._equivalent):
            for start in _occurrences(types, rule.left):
                for other in _occurrences(other_types, rule.right):
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
    return Solved(
        np.array((count - 1, other_count - 1)) - solved.pairs[::-1],
        tuple(_reversed(move, count, other_count) for move in solved.blocks[::-1]),
    )


def _reversed(move: Move, count: int, other_count: int) -> Move:
    return replace(
        move,
        start=count - move.start - move.length,
        other_start=other_count - move.other_start - move.other_length,
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
    return Solved(np.array(pairs, np.int64).reshape(-1, 2), tuple(blocks))


def _faces(side: Prepared) -> Words:
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
