"""What also differs in a pair that is known to be good."""

from __future__ import annotations

from collections import Counter

from opdiff.compare.comparison import Comparison, Divergence, Side

Signature = tuple[object, ...]


def beyond_baseline(comparison: Comparison, baseline: Comparison) -> tuple[int, ...]:
    """The divergences that the baseline does not have, or has less often; indices, ascending.

    Two divergences are alike if they are of one kind and sort, at ops of the same names, in the
    same functions. Of those that are alike, as many as the baseline has are left out, the first
    that ran.
    """
    known = Counter(_signature(baseline, record) for record in baseline.divergences)
    kept: list[int] = []
    for group in comparison.groups:
        for index in comparison.as_read(group.members):
            signature = _signature(comparison, comparison.divergences[index])
            if known[signature] > 0:
                known[signature] -= 1
            else:
                kept.append(index)
    return tuple(sorted(kept))


def _signature(comparison: Comparison, record: Divergence) -> Signature:
    places: list[object] = []
    for side in Side:
        trace = comparison.side(side).trace
        for row in record.rows(side):
            frame = trace.user_frame(row)
            function = None if frame is None else (frame.function, frame.line)
            places.append((side, trace.type_name(row), function))
    # Of a sentence the code alone: lines and counts in it are of one run.
    return record.kind, record.sentence.code, tuple(places)
