"""What tensors held, against how ops were paired: crossed pairs put right, causes found.

Runs once the ops are paired. Pairs that read other things although another op of the same name
reads and writes the very same are exchanged first, so that all further steps see the right ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from opdiff.compare.matching import Matching, Step
from opdiff.compare.prepared import Prepared
from opdiff.compare.value_comparison import ValueComparison
from opdiff.compare.words import Flags, Ints
from opdiff.progress import Progress
from opdiff.values import (
    Cause,
    Causes,
    Flow,
    Held,
    Side,
    Values,
    brought_up,
    compare_values,
    find_causes,
    same_job,
    settle_twins,
)

ROUNDS = 3
"""So often at most ops that were paired crosswise are put right."""
_NOBODY = -1


def compare_by_values(
    sides: tuple[Prepared, Prepared], matching: Matching, held: Held, progress: Progress
) -> ValueComparison | None:
    """The errors of all pairs and their causes; None unless both sides have values."""
    both = held.both
    if both is None:
        return None
    left, right = Side(sides[0].trace, both[0]), Side(sides[1].trace, both[1])
    seen = (_seen(sides[0]), _seen(sides[1]))
    flows = [
        _flow(side, values, rows) for side, values, rows in zip(sides, both, seen, strict=True)
    ]
    floors, bitwise = held.options.noise, held.options.bitwise
    for turn in range(ROUNDS + 1):
        progress.report("values", turn, ROUNDS + 1)
        rows, others = matching.paired()
        useful = same_job(left.trace, right.trace, rows, others)
        rows, others = rows[useful], others[useful]
        compared = compare_values(left, right, rows, others, floors=floors, bitwise=bitwise)
        pairs = brought_up(compared.pairs, compared.drowned, flows[0], flows[1])
        causes = find_causes(pairs, flows[0], flows[1], factor=held.options.jump)
        if turn == ROUNDS:
            break
        settled = settle_twins(left, right, compared.pairs, causes, floors=floors)
        if settled is None or not _exchange(matching, seen, rows, settled):
            break
    pair_of = tuple(
        _pair_of(chosen, len(side.trace))
        for chosen, side in zip((rows, others), sides, strict=True)
    )
    causes = _rewired(causes, matching)
    return ValueComparison(left, right, held.options, compared, causes, (pair_of[0], pair_of[1]))


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


def _seen(side: Prepared) -> Flags:
    """The rows that take part in the comparison."""
    seen = np.zeros(len(side.trace), np.bool_)
    seen[side.rows] = True
    return seen


def _flow(side: Prepared, values: Values, seen: Flags) -> Flow:
    """Who wrote what is read; what was written where nobody compares came from outside."""
    flow = Flow.of(side.trace, values)
    producer = flow.producer
    outside = (producer >= 0) & ~seen[np.maximum(producer, 0)]
    if not outside.any():
        return flow
    return replace(flow, producer=np.where(outside, _NOBODY, producer).astype(np.int32))


def _exchange(
    matching: Matching, seen: tuple[Flags, Flags], before: Ints, settled: tuple[Ints, Ints]
) -> bool:
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
        matching.pair(row, other, Step.VALUES)
    return bool(changed.any())


def _pair_of(rows: Ints, count: int) -> Ints:
    pair_of = np.full(count, _NOBODY, np.int32)
    pair_of[rows] = np.arange(len(rows), dtype=np.int32)
    return pair_of
