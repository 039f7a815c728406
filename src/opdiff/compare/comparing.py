"""The whole comparison, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opdiff.compare.codes import vocabulary
from opdiff.compare.comparison import Comparison, Divergence, Group, SideResult, State, state_of
from opdiff.compare.kinds import Kind
from opdiff.compare.noise import noise_of
from opdiff.compare.request import Direction, Request
from opdiff.compare.scope import scope_of
from opdiff.compare.sides import ready
from opdiff.compare.simple_align import align
from opdiff.compare.simple_classify import classify
from opdiff.compare.table import table_for
from opdiff.progress import SILENT, Progress
from opdiff.trace import Trace
from opdiff.wording import Sentence


def compare(left: Trace, right: Trace, request: Request, progress: Progress = SILENT) -> Comparison:
    """Align the traces as the request asks and classify every divergence."""
    scope = scope_of(left, right, request)
    words = vocabulary(left, right)
    table = table_for(request.rules)
    sides = [
        ready(
            trace,
            side,
            words,
            span,
            noise_of(trace) if request.rules.builtin else np.zeros(len(trace), np.bool_),
        )
        for side, (trace, span) in enumerate(((left, scope.left), (right, scope.right)))
    ]
    pairs = align(sides[0], sides[1], scope.decreed, table, words.types)
    progress.report("aligning", 1, 1)
    progress.linked(
        np.array([p[0] for p in pairs], np.int32), np.array([p[1] for p in pairs], np.int32)
    )
    partner = [np.full(len(left), -1, np.int32), np.full(len(right), -1, np.int32)]
    for a, b in pairs:
        partner[0][a], partner[1][b] = b, a
    found = classify(sides[0], sides[1], partner, table, words)
    down = request.direction is Direction.DOWN
    found.sort(key=lambda f: _place(f, partner), reverse=not down)
    groups: dict[tuple[object, ...], list[int]] = {}
    for index, (kind, a, b, sentence, title, known) in enumerate(found):
        groups.setdefault((kind, title), []).append(index)
    numbers = {key: number for number, key in enumerate(groups)}
    divergences = [
        Divergence(kind, a, b, sentence, numbers[kind, title], None, known)
        for kind, a, b, sentence, title, known in found
    ]
    return Comparison(
        request,
        *(
            _result(
                sides[k],
                partner[k],
                (scope.left, scope.right)[k],
                divergences,
                k,
                (request.left_anchor, request.right_anchor)[k],
            )
            for k in (0, 1)
        ),
        divergences,
        tuple(
            Group(
                number,
                key[0],
                key[1],
                tuple(groups[key]),
                True,
                all(divergences[i].known for i in groups[key]),
            )  # type: ignore[arg-type]
            for key, number in numbers.items()
        ),
    )


def _place(f, partner):  # type: ignore[no-untyped-def]
    _, a, b, *_ = f
    if a:
        return (a[-1], b[-1] if b else -1)
    before = partner[1][: b[-1]]
    known = before[before >= 0]
    return (int(known.max()) if len(known) else -1, b[-1])


def _result(side, partner, span: range, divergences: Sequence[Divergence], which: int, anchor):  # type: ignore[no-untyped-def]
    n = len(side.trace)
    compared = np.zeros(n, np.bool_)
    compared[span.start : span.stop] = True
    state = np.full(n, State.OUTSIDE, np.uint8)
    state[compared] = State.EQUAL
    state[compared & side.noise] = State.NOISE
    by_row: dict[int, list[int]] = {}
    for index, d in enumerate(divergences):
        for row in (d.left_rows, d.right_rows)[which]:
            by_row.setdefault(row, []).append(index)
            state[row] = max(state[row], state_of(d.kind))
    counts = np.zeros(n, np.int64)
    for row, found in by_row.items():
        counts[row] = len(found)
    record = np.array([i for row in sorted(by_row) for i in by_row[row]], np.int32)
    return SideResult(
        side.trace,
        anchor,
        compared,
        side.noise,
        partner,
        state,
        np.concatenate(([0], np.cumsum(counts))),
        record,
    )
