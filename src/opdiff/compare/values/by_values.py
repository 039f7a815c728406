"""What tensors held, against how ops were paired: crossed pairs put right, causes found.

Runs once the ops are paired. Pairs that read other things although another op of the same name
reads and writes the very same are exchanged first, so that all further steps see the right ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from opdiff.compare.matching import Matching
from opdiff.compare.sides.prepared import Prepared
from opdiff.compare.values.value_comparison import ValueComparison
from opdiff.progress import Progress
from opdiff.trace.columns import Flags, Floats, Ints, marked, places_among
from opdiff.trace.sorting import among, distinct, stable_order
from opdiff.values.causes import Cause, Causes, find_causes
from opdiff.values.conditions import largest_parts
from opdiff.values.drowning import brought_up
from opdiff.values.flow import Flow
from opdiff.values.pairing import ValuedTrace, compare_values, part_ways, same_job
from opdiff.values.question import ValueOptions
from opdiff.values.table import Values
from opdiff.values.twins import settle_twins
from opdiff.values.witnesses import witnesses

ROUNDS = 3
"""So often at most ops that were paired crosswise are put right."""
_NOBODY = -1


def compare_by_values(
    sides: tuple[Prepared, Prepared],
    matching: Matching,
    both: tuple[Values, Values],
    options: ValueOptions,
    progress: Progress,
) -> ValueComparison:
    """The errors of all pairs and their causes."""
    left, right = ValuedTrace(sides[0].trace, both[0]), ValuedTrace(sides[1].trace, both[1])
    seen = (
        marked(len(left.trace), sides[0].rows),
        marked(len(right.trace), sides[1].rows),
    )
    flows = [
        _flow(side, values, rows) for side, values, rows in zip(sides, both, seen, strict=True)
    ]
    for turn in range(ROUNDS + 1):
        progress.report("values", turn, ROUNDS + 1)
        asked = _asked(left, right, matching, seen, options)
        rows, others = asked.rows
        compared = compare_values(
            left, right, rows, others, floors=options.noise, bitwise=options.bitwise
        )
        # Of what has the same result nobody asks what it was made from.
        compared.pairs.input_error[asked.witness[compared.pairs.input_pair]] = np.nan
        pairs = brought_up(compared.pairs, compared.drowned, flows[0], flows[1])
        causes = find_causes(
            pairs,
            flows[0],
            flows[1],
            factor=options.jump,
            further=asked.further,
            parts=asked.parts_of_sums(left, right, seen),
        )
        if turn == ROUNDS:
            break
        settled = settle_twins(left, right, compared.pairs, causes, floors=options.noise)
        if settled is None or not _exchange(matching, seen, asked.without_witnesses(settled)):
            break
    pair_of = tuple(
        _pair_of(chosen, more, len(side.trace))
        for chosen, more, side in zip(asked.rows, asked.further, sides, strict=True)
    )
    causes = _rewired(causes, matching)
    return ValueComparison(left, right, options, compared, causes, (pair_of[0], pair_of[1]))


@dataclass(frozen=True)
class _Asked:
    """The ops whose values are held against each other."""

    rows: tuple[Ints, Ints]
    """Ascending on the left."""
    witness: Flags
    """Which of these pairs are none but by their results."""
    further: tuple[tuple[Ints, Ints], tuple[Ints, Ints]]
    """On each side rows, and the pair whose result they have too."""

    def parts_of_sums(
        self, left: ValuedTrace, right: ValuedTrace, seen: tuple[Flags, Flags]
    ) -> list[Floats]:
        """Of the rows of each side that are not among them the norms of what they add up."""
        found = []
        for side, flags, rows in zip((left, right), seen, self.rows, strict=True):
            alone = flags.copy()
            alone[rows] = False
            here = np.flatnonzero(alone).astype(np.int32)
            found.append(largest_parts(side.trace, side.values, here))
        return found

    def without_witnesses(self, pairs: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
        """Of some pairs those that are no such."""
        known = set(zip(*(rows[self.witness].tolist() for rows in self.rows), strict=True))
        kept = [
            pair not in known for pair in zip(pairs[0].tolist(), pairs[1].tolist(), strict=True)
        ]
        return pairs[0][kept], pairs[1][kept]


def _asked(
    left: ValuedTrace,
    right: ValuedTrace,
    matching: Matching,
    seen: tuple[Flags, Flags],
    options: ValueOptions,
) -> _Asked:
    """The pairs of ops that do the same job, and the other ops that have the same results.

    Ops of two names were paired by the place they have; where their results differ and the one's
    result comes out elsewhere on the other side, they are none.
    """
    rows, others = matching.paired()
    useful = same_job(left.trace, right.trace, rows, others)
    rows, others = rows[useful], others[useful]
    none = np.zeros(0, np.int32)
    if options.bitwise:
        return _Asked((rows, others), np.zeros(len(rows), np.bool_), ((none, none), (none, none)))
    doubtful = part_ways(left, right, rows, others, options.noise)
    alone = tuple(flags.copy() for flags in seen)
    alone[0][rows[~doubtful]] = alone[1][others[~doubtful]] = False
    found = witnesses(
        left,
        right,
        (
            np.flatnonzero(alone[0]).astype(np.int32),
            np.flatnonzero(alone[1]).astype(np.int32),
        ),
        options.noise,
    )
    told = [
        distinct(np.concatenate((first, more[0])))
        for first, more in zip((found.left_row, found.right_row), found.further, strict=True)
    ]
    kept = ~(doubtful & (among(rows, told[0]) | among(others, told[1])))
    rows = np.concatenate((rows[kept], found.left_row))
    others = np.concatenate((others[kept], found.right_row))
    witness = np.arange(len(rows)) >= np.count_nonzero(kept)
    order = stable_order(rows)
    place = places_among(len(order), order)
    number = place[np.count_nonzero(kept) :]
    further = tuple((more, number[pair]) for more, pair in found.further)
    return _Asked((rows[order], others[order]), witness[order], (further[0], further[1]))


def _rewired(causes: Causes, matching: Matching) -> Causes:
    """Causes that blame none but ops with counterparts: these read something else."""
    structure = causes.cause == Cause.STRUCTURE
    if not structure.any():
        return causes
    alone = np.zeros(len(causes.cause), np.bool_)
    blamed = (causes.blamed_left, causes.blamed_right)
    for side in (0, 1):
        rows = np.flatnonzero(blamed[side] >= 0)
        alone[blamed[side][rows[matching.partner[side][rows] < 0]]] = True
    rewired = structure & ~alone
    cause = np.where(rewired, np.int8(Cause.WIRING), causes.cause)
    kept = [np.where((owner >= 0) & rewired[owner], _NOBODY, owner) for owner in blamed]
    return replace(causes, cause=cause, blamed_left=kept[0], blamed_right=kept[1])


def _flow(side: Prepared, values: Values, seen: Flags) -> Flow:
    """Who wrote what is read; what was written where nobody compares came from outside."""
    flow = Flow.of(side.trace, values)
    producer = flow.producer
    outside = (producer >= 0) & ~seen[np.maximum(producer, 0)]
    if not outside.any():
        return flow
    return replace(flow, producer=np.where(outside, _NOBODY, producer).astype(np.int32))


def _exchange(matching: Matching, seen: tuple[Flags, Flags], settled: tuple[Ints, Ints]) -> bool:
    """Pair rows as values say; whether any pair changed. What the user decreed stays."""
    free = [
        seen[side] & ~matching.blocked(side) & ~matching.fixed[side][: matching.rows[side]]
        for side in (0, 1)
    ]
    rows, others = settled
    changed = free[0][rows] & free[1][others] & (matching.partner[0][rows] != others)
    # Whoever loses its partner without getting another one must be free to.
    for side, chosen in ((0, rows), (1, others)):
        partner = matching.partner[side][chosen]
        held = partner >= 0
        changed[held] &= free[1 - side][partner[held]]
    for row, other in zip(rows[changed].tolist(), others[changed].tolist(), strict=True):
        matching.pair(row, other, late=True)
    return bool(changed.any())


def _pair_of(rows: Ints, further: tuple[Ints, Ints], count: int) -> Ints:
    pair_of = places_among(count, rows)
    pair_of[further[0]] = further[1]
    return pair_of
