"""Which ops of two traces are the same: runs, then gaps, then what is left over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from opdiff.compare.codes import Flags, Ints, Vocabulary, Words
from opdiff.compare.gaps import MOST_CELLS, Gaps
from opdiff.compare.moves import Moves, out_of_order
from opdiff.compare.namesakes import Namesakes
from opdiff.compare.relatives import Relatives
from opdiff.compare.rules import Equivalent
from opdiff.compare.seeds import landmarks
from opdiff.compare.segments import (
    Gap,
    Segment,
    gaps_between,
    nearer_pairs,
    nearest_part,
    placed,
    still_to_do,
)
from opdiff.compare.sides import Ready, codes_of, paired_inputs
from opdiff.compare.slides import slide
from opdiff.compare.sources import let_sources_decide
from opdiff.compare.table import Table
from opdiff.compare.untangle import Untangle
from opdiff.compare.walk import Known, Run, Walk
from opdiff.progress import Progress

_MARGIN = 2
_LOOSE_FROM = 40_000
_AT_ONCE = 400_000
_SHORTEST = 4
_MANY_CROSSED = 200


FUSION, HERE = -1, -2


@dataclass(frozen=True, slots=True)
class Block:
    """Rows of both sides that do the same work together."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    rule: int = FUSION
    """The entry of the equivalent rules that says so, HERE where the user said it of these rows."""


@dataclass(frozen=True)
class Alignment:
    """Who is whose counterpart."""

    partner: tuple[Ints, Ints]
    moved: Flags
    """Of each left row, whether its pair crosses others."""
    blocks: tuple[Block, ...]


class Aligner:
    """Aligns the rows of two sides that are ready."""

    def __init__(
        self,
        left: Ready,
        right: Ready,
        rows: tuple[Ints, Ints],
        words: Vocabulary,
        table: Table,
        equivalent: tuple[Equivalent, ...],
        progress: Progress,
    ) -> None:
        self._left, self._right = left, right
        self._rows, self._others = rows
        self._progress = progress
        self._table, self._words = table, words
        self._gaps = Gaps(left, right, words, table, equivalent)
        strict, loose = codes_of(left, right)
        self._strict = (strict[0][rows[0]], strict[1][rows[1]])
        self._loose = (loose[0][rows[0]], loose[1][rows[1]])
        self._same_codes = strict is loose
        self._partner = np.full(len(left.trace), -1, np.int32)
        self._other_partner = np.full(len(right.trace), -1, np.int32)
        self._blocks: list[Block] = []
        self._done = 0
        self._known: dict[int, Known] = {8: {}, 12: {}}

    def align(
        self,
        segments: list[Segment],
        decreed: tuple[tuple[int, int], ...],
        blocks: tuple[Block, ...] = (),
    ) -> Alignment:
        """Pairs and blocks of all segments, and what moved between them."""
        self._align_once(segments, decreed, blocks)
        crossed = self._crossed()
        if crossed > _MANY_CROSSED:
            # Layers that cannot be told apart were paired with their neighbours. From the other
            # end the same walk may meet what tells them apart in time.
            kept = self._partner.copy(), self._other_partner.copy(), self._blocks
            other_way = [Segment(s.here, s.there, not s.backward) for s in segments[::-1]]
            self._align_once(other_way, decreed, blocks)
            if 2 * self._crossed() > crossed:
                self._partner[:], self._other_partner[:], self._blocks = kept
        added = self._leftovers(frozenset(row for row, _ in decreed))
        moved = out_of_order(self._partner, added)
        return Alignment((self._partner, self._other_partner), moved, tuple(self._blocks))

    def _align_once(
        self,
        segments: list[Segment],
        decreed: tuple[tuple[int, int], ...],
        blocks: tuple[Block, ...],
    ) -> None:
        self._partner[:] = -1
        self._other_partner[:] = -1
        self._blocks = list(blocks)
        self._done = 0
        for row, other in decreed:
            self._pair(np.array([row]), np.array([other]))
        for segment in segments:
            self._segment(segment)

    def _crossed(self) -> int:
        """How many inputs of pairs come from ops that are paired, but not with each other."""
        rows = np.flatnonzero(self._partner >= 0).astype(np.int32)
        here, there, _ = paired_inputs(self._left, self._right, rows, self._partner[rows])
        writer, other_writer = self._left.producer[here], self._right.producer[there]
        both = (writer >= 0) & (other_writer >= 0)
        writer, other_writer = writer[both], other_writer[both]
        paired = (self._partner[writer] >= 0) & (self._other_partner[other_writer] >= 0)
        return int((paired & (self._partner[writer] != other_writer)).sum())

    def _pair(self, rows: Ints, others: Ints) -> None:
        self._partner[rows] = others
        self._other_partner[others] = rows

    def _pair_places(self, rows: Ints, others: Ints, pairs: tuple[tuple[int, int], ...]) -> None:
        if pairs:
            places = np.array(pairs)
            self._pair(rows[places[:, 0]], others[places[:, 1]])

    def _segment(self, segment: Segment) -> None:
        if len(segment.here) * len(segment.there) <= _AT_ONCE:
            runs = self._weigh(segment)
        else:
            parts = self._parts(segment)
            runs = [run for part in parts for run in self._walk(part, self._strict, tell=True)]
            runs.sort()
        for gap in gaps_between(runs, segment):
            self._gap(gap, loose=not self._same_codes)

    def _parts(self, segment: Segment) -> list[Segment]:
        """A long segment cut at what occurs once on either side; a cut begins the part below."""
        marks = landmarks(
            self._strict[0][segment.here.start : segment.here.stop],
            self._strict[1][segment.there.start : segment.there.stop],
        )
        cuts = [(segment.here.start + x, segment.there.start + y) for x, y in marks]
        starts = [(segment.here.start, segment.there.start), *cuts]
        ends = [*cuts, (segment.here.stop, segment.there.stop)]
        parts = [
            Segment(range(here, end), range(there, other_end), segment.backward)
            for (here, there), (end, other_end) in zip(starts, ends, strict=True)
        ]
        return parts[::-1] if segment.backward else parts

    def _weigh(self, segment: Segment) -> list[Run]:
        """The runs of equal ops in the heaviest pairing of a short segment."""
        rows = self._rows[segment.here.start : segment.here.stop]
        others = self._others[segment.there.start : segment.there.stop]
        runs: list[Run] = []
        for place, other in self._gaps.pairs_only(rows, others, segment.backward):
            x, y = segment.here.start + place, segment.there.start + other
            if self._strict[0][x] != self._strict[1][y]:
                continue
            last = runs[-1] if runs else Run(-1, -1, 0)
            if (last.x + last.length, last.y + last.length) == (x, y):
                runs[-1] = Run(last.x, last.y, last.length + 1)
            else:
                runs.append(Run(x, y, 1))
        runs = [run for run in runs if run.length >= _SHORTEST]
        self._pair(*self._rows_of(runs))
        return runs

    def _walk(self, segment: Segment, codes: tuple[Words, Words], tell: bool) -> list[Run]:
        """The equal runs of a segment, paired, as ascending places."""
        a = codes[0][segment.here.start : segment.here.stop]
        b = codes[1][segment.there.start : segment.there.stop]
        if segment.backward:
            a, b = a[::-1].copy(), b[::-1].copy()
        found: list[Run] = []

        def hear(runs: list[Run]) -> None:
            here = [placed(run, segment) for run in runs]
            found.extend(here)
            rows, others = self._rows_of(here)
            self._pair(rows, others)
            if tell:
                self._done += sum(run.length for run in here)
                self._progress.linked(rows, others)
                self._progress.report("aligning", self._done, len(self._rows))

        trust = 8 if tell else 12
        Walk(a, b, trust, self._known[trust]).runs(hear)
        return sorted(found)

    def _rows_of(self, runs: list[Run]) -> tuple[Ints, Ints]:
        if not runs:
            return np.zeros(0, np.int32), np.zeros(0, np.int32)
        here = np.concatenate([np.arange(run.x, run.x + run.length) for run in runs])
        there = np.concatenate([np.arange(run.y, run.y + run.length) for run in runs])
        return self._rows[here], self._others[there]

    def _gap(self, gap: Gap, loose: bool) -> None:
        here, there = gap.segment.here, gap.segment.there
        if not here or not there:
            if here or there:
                self._one_sided(gap)
            return
        if loose and len(here) * len(there) > _LOOSE_FROM:
            for inner in gaps_between(
                self._walk(gap.segment, self._loose, tell=False), gap.segment
            ):
                self._gap(inner, loose=False)
        elif len(here) * len(there) <= MOST_CELLS:
            self._solve(gap)
        else:
            self._solve_by_windows(gap)

    def _solve_by_windows(self, gap: Gap) -> None:
        """Solve a gap too large for one go piece by piece, away from where walking starts.

        Of each piece only the nearer part is kept: what lies beyond may change the farther one.
        """
        here, there, backward = gap.segment.here, gap.segment.there, gap.segment.backward
        while here and there:
            window = Segment(nearest_part(here, backward), nearest_part(there, backward), backward)
            self._progress.report("aligning", self._done, len(self._rows))
            rows = self._rows[window.here.start : window.here.stop]
            others = self._others[window.there.start : window.there.stop]
            pairs = self._gaps.solve(rows, others, backward).pairs
            if len(window.here) < len(here) or len(window.there) < len(there):
                pairs = nearer_pairs(pairs, len(rows), len(others), backward)
            self._pair_places(rows, others, pairs)
            here = still_to_do(here, window.here, [place for place, _ in pairs], backward)
            there = still_to_do(there, window.there, [other for _, other in pairs], backward)

    def _solve(self, gap: Gap) -> None:
        """Pair within a gap, the nearest equal ops around it reconsidered."""
        before, after = min(_MARGIN, gap.before), min(_MARGIN, gap.after)
        here, there = gap.segment.here, gap.segment.there
        rows = self._rows[here.start - before : here.stop + after]
        others = self._others[there.start - before : there.stop + after]
        self._partner[rows] = -1
        self._other_partner[others] = -1
        solved = self._gaps.solve(rows, others, gap.segment.backward)
        self._pair_places(rows, others, solved.pairs)
        for move in solved.blocks:
            self._blocks.append(
                Block(
                    _rows_in(rows, move.start, move.length, move.skipped),
                    _rows_in(others, move.other_start, move.other_length, move.other_skipped),
                    move.rule,
                )
            )

    def _one_sided(self, gap: Gap) -> None:
        """Shift ops that stand on one side only to where they fit best."""
        sides = [
            (self._left, self._rows, self._strict[0], gap.segment.here, self._partner),
            (self._right, self._others, self._strict[1], gap.segment.there, self._other_partner),
        ]
        if not gap.segment.here:
            sides.reverse()
        many, all_rows, codes, gapped, partner = sides[0]
        single, all_others, _, empty, other_partner = sides[1]
        first, last = gapped.start - gap.before, gapped.stop + gap.after
        rows = all_rows[first:last]
        others = all_others[empty.start - gap.before : empty.start + gap.after]
        inner = range(gap.before, gap.before + len(gapped))
        shift = slide(
            many, single, codes[first:last], rows, others, inner, gap.before, gap.segment.backward
        )
        if not shift:
            return
        low, high = sorted((0, shift))
        others = others[gap.before + low : gap.before + high]
        moved_rows = rows[inner.start + low : inner.stop + high]
        kept = moved_rows[: len(others)] if shift > 0 else moved_rows[len(gapped) :]
        partner[moved_rows] = -1
        partner[kept] = others
        other_partner[others] = kept

    def _leftovers(self, decreed: frozenset[int]) -> Flags:
        """Pair what is left over and only moved; says which left rows were paired so."""
        blocked = (
            {row: at for at, block in enumerate(self._blocks) for row in block.left},
            {row: at for at, block in enumerate(self._blocks) for row in block.right},
        )
        rows = self._rows[~np.isin(self._rows, list(blocked[0]))]
        others = self._others[~np.isin(self._others, list(blocked[1]))]
        columns = (self._left, self._right, self._partner, self._other_partner)
        added = np.zeros(len(self._partner), np.bool_)
        moves = Moves(*columns, blocked)
        added[[row for row, _ in moves.find(rows, others)]] = True
        free = (_marked(rows, len(self._partner)), _marked(others, len(self._other_partner)))
        exchanged = Untangle(*columns, free).exchange()
        if exchanged:
            added[exchanged] = True
            added[[row for row, _ in moves.find(rows, others)]] = True
        alone = self._alone(rows, others)
        if alone[0] or alone[1]:
            let_sources_decide(*columns, rows, alone)
        relatives = Relatives(*columns, moves, self._table, self._words)
        added[[row for row, _ in relatives.pair(*self._alone(rows, others))]] = True
        for left_rows, right_rows in relatives.scattered(*self._alone(rows, others)):
            self._blocks.append(Block(left_rows, right_rows))
        taken = {row for block in self._blocks for row in block.left}
        others_taken = {row for block in self._blocks for row in block.right}
        alone = self._alone(rows, others)
        for left_rows, right_rows in relatives.linked_runs(
            [row for row in alone[0] if row not in taken],
            [row for row in alone[1] if row not in others_taken],
        ):
            self._blocks.append(Block(left_rows, right_rows))
        added[self._namesakes(decreed)] = True
        return added

    def _namesakes(self, decreed: frozenset[int]) -> list[int]:
        taken = {row for block in self._blocks for row in block.left}
        others_taken = {row for block in self._blocks for row in block.right}
        columns = (self._left, self._right, self._partner, self._other_partner)
        return Namesakes(*columns, decreed).pair(
            self._rows[~np.isin(self._rows, list(taken))],
            self._others[~np.isin(self._others, list(others_taken))],
        )

    def _alone(self, rows: Ints, others: Ints) -> tuple[list[int], list[int]]:
        return (
            rows[self._partner[rows] < 0].tolist(),
            others[self._other_partner[others] < 0].tolist(),
        )


def _rows_in(rows: Ints, start: int, length: int, skipped: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(rows[p]) for p in range(start, start + length) if p not in skipped)


def _marked(rows: Ints, count: int) -> Flags:
    flags = np.zeros(count, np.bool_)
    flags[rows] = True
    return flags
