"""The same ops in the same order: a common subsequence of the two sequences of ops.

Kernels are aligned first, by Myers' greedy walk with k-gram anchors where it loses its way; what
only views and copies settles between them. The short stretches that are left are paired as
heaviest common subsequences. Each stream is a sequence of its own, and so is what a run computes
again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from opdiff.compare.matching import Block, Matching
from opdiff.compare.pairing.gaps import MOST_CELLS, Gaps
from opdiff.compare.pairing.seeds import common_in_windows, landmarks, longest_common
from opdiff.compare.pairing.segments import (
    Gap,
    Segment,
    gaps_between,
    placed,
)
from opdiff.compare.pairing.slides import approach, moved_blocks, slide
from opdiff.compare.pairing.walk import Known, Run, Walk
from opdiff.compare.sides.prepared import Prepared, codes_of
from opdiff.progress import Progress
from opdiff.trace.columns import Flags, Ints, Longs, places_among
from opdiff.trace.sorting import distinct, owners_and_places
from opdiff.trace.words import Words, mixed, row_sums

_MARGIN = 2
_LOOSE_FROM = 40_000
_AT_ONCE = 400_000
_SHORTEST = 4


class Sequences(NamedTuple):
    """Two sequences of rows to be aligned, and the stretches between decreed pairs."""

    rows: Ints
    others: Ints
    segments: list[Segment]


class Ordering:
    """Aligns sequences of rows by their order."""

    def __init__(
        self, left: Prepared, right: Prepared, gaps: Gaps, matching: Matching, progress: Progress
    ) -> None:
        self._left, self._right = left, right
        self._gaps = gaps
        self._matching = matching
        self._progress = progress
        self._codes = codes_of(left, right)
        self._known: dict[int, Known] = {8: {}, 12: {}}
        self._solved: list[tuple[Ints, Ints, Ints, Ints]] = []
        """Of each gap all rows of both sides, and those that are pairs."""
        self._done = 0

    def align(self, sequences: Sequences) -> None:
        """Pair the rows of two sequences; what is paired already tells who reads it apart."""
        self._rows, self._others = sequences.rows, sequences.others
        strict, loose = self._codes
        known = known_inputs(self._left, self._right, self._matching)
        self._gaps.learn(known)
        self._strict = (
            strict[0][self._rows] + known[0][self._rows],
            strict[1][self._others] + known[1][self._others],
        )
        self._loose = (loose[0][self._rows], loose[1][self._others])
        self._same_codes = strict is loose and not known[0].any()
        for segment in sequences.segments:
            self._segment(segment)
        self._settle_gaps()
        self._approach()

    def _segment(self, segment: Segment) -> None:
        if len(segment.here) * len(segment.there) <= _AT_ONCE:
            runs = self._weigh(segment)
        else:
            runs = self._kernels(segment)
        for gap in gaps_between(runs, segment):
            self._gap(gap, loose=not self._same_codes)

    def _kernels(self, segment: Segment) -> list[Run]:
        """Runs of equal ops of a long segment: kernels first, and what stands between them."""
        here = _within(~self._left.passes[self._rows], segment.here)
        there = _within(~self._right.passes[self._others], segment.there)
        codes = self._strict[0][here], self._strict[1][there]
        whole = Segment(range(len(here)), range(len(there)), segment.backward)
        runs = [
            run
            for part in _parts(codes, whole)
            for run in self._walk(part, codes, (here, there), tell=True)
        ]
        return self._filled(sorted(runs), here, there, segment)

    def _filled(self, runs: list[Run], here: Ints, there: Ints, segment: Segment) -> list[Run]:
        """Runs of rows where runs of kernels have equal views and copies between them."""
        if not runs:
            return []
        kernels, others = _places_of(runs)
        places, other_places = here[kernels], there[others]
        first = _equal_between(
            self._strict,
            np.concatenate(([segment.here.start - 1], places)),
            np.concatenate(([segment.there.start - 1], other_places)),
        )
        last = _equal_between(
            self._strict,
            np.concatenate((places[-1:], [segment.here.stop])),
            np.concatenate((other_places[-1:], [segment.there.stop])),
        )
        # A run goes on where all between two kernels is equal; the ends of the segment count too.
        starts = np.flatnonzero(~first[1:]) + 1
        starts = np.concatenate(([0], starts))
        stops = np.concatenate((starts[1:], [len(places)])) - 1
        found: list[Run] = []
        for number, (start, stop) in enumerate(zip(starts.tolist(), stops.tolist(), strict=True)):
            low, high = int(places[start]), int(places[stop])
            other = int(other_places[start])
            if number == 0 and first[0]:
                other -= low - segment.here.start
                low = segment.here.start
            if stop == len(places) - 1 and last[0]:
                high = segment.here.stop - 1
            found.append(Run(low, other, high - low + 1))
        rows, other_rows = self._rows_of(found)
        self._matching.pair_all(rows, other_rows)
        return found

    def _weigh(self, segment: Segment) -> list[Run]:
        """The runs of equal ops in the heaviest pairing of a short segment."""
        rows = self._rows[segment.here.start : segment.here.stop]
        others = self._others[segment.there.start : segment.there.stop]
        runs: list[Run] = []
        for place, other in self._gaps.pairs_only(rows, others, segment.backward).tolist():
            x, y = segment.here.start + place, segment.there.start + other
            if self._strict[0][x] != self._strict[1][y]:
                continue
            last = runs[-1] if runs else Run(-1, -1, 0)
            if (last.x + last.length, last.y + last.length) == (x, y):
                runs[-1] = Run(last.x, last.y, last.length + 1)
            else:
                runs.append(Run(x, y, 1))
        runs = [run for run in runs if run.length >= _SHORTEST or _at_an_end(run, segment)]
        self._matching.pair_all(*self._rows_of(runs))
        return runs

    def _walk(
        self, segment: Segment, codes: tuple[Words, Words], places: tuple[Ints, Ints], tell: bool
    ) -> list[Run]:
        """The equal runs of a segment of *codes*, which stand at *places* of the rows."""
        a = codes[0][segment.here.start : segment.here.stop]
        b = codes[1][segment.there.start : segment.there.stop]
        if segment.backward:
            a, b = a[::-1].copy(), b[::-1].copy()
        found: list[Run] = []

        def hear(runs: list[Run]) -> None:
            here = [placed(run, segment) for run in runs]
            found.extend(here)
            self._done += sum(run.length for run in here)
            if here:
                x, y = _places_of(here)
                self._progress.linked(self._rows[places[0][x]], self._others[places[1][y]])
            self._progress.report("aligning", self._done, len(self._left.rows))

        trust = 8 if tell else 12
        quiet = Walk(a, b, trust, self._known[trust])
        quiet.runs(hear if tell else found.extend)
        return found if tell else [placed(run, segment) for run in found]

    def _rows_of(self, runs: list[Run]) -> tuple[Ints, Ints]:
        here, there = _places_of(runs)
        return self._rows[here], self._others[there]

    def _gap(self, gap: Gap, loose: bool) -> None:
        here, there = gap.segment.here, gap.segment.there
        if not here or not there:
            if here or there:
                self._one_sided(gap)
            return
        if loose and len(here) * len(there) > _LOOSE_FROM and self._tell_less(gap.segment):
            runs = self._loose_runs(gap.segment)
            for inner in gaps_between(runs, gap.segment):
                self._gap(inner, loose=False)
        elif len(here) * len(there) <= MOST_CELLS:
            self._solve(gap)
        else:
            self._solve_large(gap.segment)

    def _tell_less(self, segment: Segment) -> bool:
        """Whether loose codes are equal where strict ones are not."""
        here, there = (slice(span.start, span.stop) for span in (segment.here, segment.there))
        strict, loose = (
            len(distinct(np.concatenate((codes[0][here], codes[1][there]))))
            for codes in (self._strict, self._loose)
        )
        return loose < strict

    def _loose_runs(self, segment: Segment) -> list[Run]:
        """Runs of kernels of equal names, whatever their operands look like."""
        here = _within(~self._left.passes[self._rows], segment.here)
        there = _within(~self._right.passes[self._others], segment.there)
        codes = self._loose[0][here], self._loose[1][there]
        whole = Segment(range(len(here)), range(len(there)), segment.backward)
        runs = self._walk(whole, codes, (here, there), tell=False)
        single = [
            Run(int(here[run.x + step]), int(there[run.y + step]), 1)
            for run in sorted(runs)
            for step in range(run.length)
        ]
        self._matching.pair_all(*self._rows_of(single))
        return single

    def _solve_large(self, segment: Segment) -> None:
        """Pair a longest common subsequence, piece by piece if too many ops are equal."""
        here = np.arange(segment.here.start, segment.here.stop)
        there = np.arange(segment.there.start, segment.there.stop)
        codes = self._strict[0][here], self._strict[1][there]
        found = longest_common(*codes, segment.backward)
        if found is None:
            self._matching.coarse += len(here) + len(there)
            found = common_in_windows(*codes, segment.backward)
        pairs = self._rows[here[found[0]]], self._others[there[found[1]]]
        self._matching.pair_all(*pairs)

    def _solve(self, gap: Gap) -> None:
        """Pair within a gap, the nearest equal ops around it reconsidered."""
        before, after = min(_MARGIN, gap.before), min(_MARGIN, gap.after)
        here, there = gap.segment.here, gap.segment.there
        rows = self._rows[here.start - before : here.stop + after]
        others = self._others[there.start - before : there.stop + after]
        solved = self._gaps.solve(rows, others, gap.segment.backward, exact=True)
        pairs = solved.pairs
        self._solved.append((rows, others, rows[pairs[:, 0]], others[pairs[:, 1]]))
        for move in solved.blocks:
            left = rows[move.start : move.start + move.length]
            right = others[move.other_start : move.other_start + move.other_length]
            block = Block(tuple(left.tolist()), tuple(right.tolist()), move.rule)
            self._matching.blocks.append(block)

    def _settle_gaps(self) -> None:
        """Pair what was found in gaps, of all at once: no two have rows in common."""
        if self._solved:
            rows, others, mine, theirs = map(np.concatenate, zip(*self._solved, strict=True))
            self._matching.unpair_all(rows, others)
            self._matching.pair_all(mine, theirs)
            self._solved.clear()

    def _approach(self) -> None:
        """Let blocks that changed places have moved as little as they can."""
        matching, rows = self._matching, (self._rows, self._others)
        alone, met = [], []
        for side, own in enumerate(rows):
            where = places_among(len(matching.partner[1 - side]), rows[1 - side])
            partner = matching.partner[side][own]
            free = (partner >= 0) & ~matching.fixed[side][own]
            met.append(np.where(free, where[partner], -1))
            alone.append((partner < 0) & ~matching.blocked(side)[own])
        blocks = moved_blocks(self._strict, (alone[0], alone[1]))
        for here, there in approach(self._strict, (met[0], met[1]), blocks):
            for row, other in zip(rows[0][here].tolist(), rows[1][there].tolist(), strict=True):
                matching.pair(row, other)

    def _one_sided(self, gap: Gap) -> None:
        """Shift ops that stand on one side only to where they fit best."""
        sides = [
            (self._left, self._rows, self._strict[0], gap.segment.here),
            (self._right, self._others, self._strict[1], gap.segment.there),
        ]
        on_right = not gap.segment.here
        if on_right:
            sides.reverse()
        many, all_rows, codes, gapped = sides[0]
        single, all_others, _, empty = sides[1]
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
        matching = self._matching
        if on_right:
            matching.unpair_all(others, moved_rows)
            matching.pair_all(others, kept)
        else:
            matching.unpair_all(moved_rows, others)
            matching.pair_all(kept, others)


def known_inputs(left: Prepared, right: Prepared, matching: Matching) -> tuple[Words, Words]:
    """A word a row for those of its inputs that are paired: the same on both sides."""
    found = []
    for side, prepared in enumerate((left, right)):
        value = prepared.value[prepared.computing_inputs]
        paired = matching.partner[side][value]
        told = paired >= 0
        name = (value if side == 0 else paired)[told].astype(np.int64)
        words = np.zeros(len(prepared.value), np.uint64)
        words[prepared.computing_inputs[told]] = mixed(name + (9 << 52))
        found.append(row_sums(prepared.trace.inputs.start, words))
    return found[0], found[1]


def _places_of(runs: list[Run]) -> tuple[Longs, Longs]:
    """All places that runs cover on either side, run by run."""
    x, y, length = np.array(runs, np.int64).reshape(-1, 3).T
    run, within = owners_and_places(length)
    return x[run] + within, y[run] + within


def _at_an_end(run: Run, segment: Segment) -> bool:
    """Whether a run begins or ends where both sides of a segment do."""
    begins = run.x == segment.here.start and run.y == segment.there.start
    stops = (run.x + run.length, run.y + run.length) == (segment.here.stop, segment.there.stop)
    return begins or stops


def _within(flags: Flags, span: range) -> Ints:
    return (np.flatnonzero(flags[span.start : span.stop]) + span.start).astype(np.int32)


def _parts(codes: tuple[Words, Words], segment: Segment) -> list[Segment]:
    """A long segment cut at what occurs once on either side; a cut begins the part below."""
    cuts = landmarks(*codes)
    starts = [(0, 0), *cuts]
    ends = [*cuts, (len(codes[0]), len(codes[1]))]
    parts = [
        Segment(range(here, end), range(there, other_end), segment.backward)
        for (here, there), (end, other_end) in zip(starts, ends, strict=True)
    ]
    return parts[::-1] if segment.backward else parts


def _equal_between(codes: tuple[Words, Words], places: Ints, other_places: Ints) -> Flags:
    """Of each two neighbouring places, whether what lies between is equal on both sides."""
    length = np.diff(places) - 1
    equal: Flags = length == np.diff(other_places) - 1
    filled = np.flatnonzero(equal & (length > 0))
    if not len(filled):
        return equal
    count = length[filled]
    begin = np.concatenate((np.zeros(1, np.int64), np.cumsum(count)))
    step = np.arange(int(begin[-1])) - np.repeat(begin[:-1], count) + 1
    here = np.repeat(places[filled], count) + step
    there = np.repeat(other_places[filled], count) + step
    alike = codes[0][here] == codes[1][there]
    equal[filled] = np.logical_and.reduceat(alike, begin[:-1])
    return equal
