"""The whole comparison, step by step."""

from __future__ import annotations

import numpy as np

from opdiff.compare.align import Alignment
from opdiff.compare.classify import Classifier
from opdiff.compare.codes import Flags, Vocabulary, vocabulary
from opdiff.compare.comparison import Comparison
from opdiff.compare.dataflow import part_strangers
from opdiff.compare.equivalents import settle_equivalents
from opdiff.compare.findings import Findings
from opdiff.compare.hostdata import host_memory
from opdiff.compare.noise import noise_of
from opdiff.compare.places import nearest_first, places_of, record_places
from opdiff.compare.request import Request
from opdiff.compare.results import Divergences, group_up, side_result
from opdiff.compare.roots import causes
from opdiff.compare.scope import ancestors_of, scope_of
from opdiff.compare.sides import Ready, ready
from opdiff.compare.swallow import Swallower
from opdiff.compare.table import table_for
from opdiff.compare.turning import align_either_way
from opdiff.progress import SILENT, Progress
from opdiff.trace import Trace


def compare(left: Trace, right: Trace, request: Request, progress: Progress = SILENT) -> Comparison:
    """Align the traces as the request asks and classify every divergence."""
    scope = scope_of(left, right, request)
    table = table_for(request.rules)
    words = vocabulary(left, right, table)
    compared = (_flags(left, scope.left), _flags(right, scope.right))
    sides = (
        _ready(0, (left, right), words, compared[0], request),
        _ready(1, (right, left), words, compared[1], request),
    )
    alignment = align_either_way(sides, scope, words, table, request, progress)
    alignment = settle_equivalents(sides, alignment, request.rules.equivalent, scope.decreed)
    alignment = part_strangers(sides[0], sides[1], alignment, compared, scope.decreed)
    findings = Findings()
    Classifier(sides[0], sides[1], alignment, words, table, compared, findings).classify()
    progress.report("classifying", 1, 1)
    if request.ancestors:
        compared = _dependencies(sides, alignment, compared, request)
    columns, swallowed = Swallower(sides, alignment, table, request, compared).apply(
        findings.columns()
    )
    places = places_of(alignment)
    at = record_places(columns, places, request.direction)
    anchor = None if request.left_anchor is None else int(places[0][request.left_anchor])
    order = nearest_first(columns, at, request.direction, anchor)
    cause = causes(columns, sides[0], sides[1], at)
    groups, group = group_up(columns, order, cause)
    left_result, right_result = (
        side_result(
            sides[side],
            (request.left_anchor, request.right_anchor)[side],
            compared[side],
            alignment.partner[side],
            columns,
            order,
            side,
            [row for entry in swallowed for row in (entry.left_rows, entry.right_rows)[side]],
        )
        for side in (0, 1)
    )
    divergences = Divergences(columns, order, group, cause)
    return Comparison(request, left_result, right_result, divergences, groups, swallowed)


def _flags(trace: Trace, rows: range) -> Flags:
    flags = np.zeros(len(trace), np.bool_)
    flags[rows.start : rows.stop] = True
    return flags


def _ready(
    side: int,
    traces: tuple[Trace, Trace],
    words: Vocabulary,
    compared: Flags,
    request: Request,
) -> Ready:
    """One side made ready; *traces* are its own and the other."""
    noise = noise_of(*traces) if request.rules.builtin else np.zeros(len(traces[0]), np.bool_)
    rows = np.flatnonzero(compared & ~noise).astype(np.int32)
    return ready(traces[0], side, words, rows, noise, host_memory(*traces))


def _dependencies(
    sides: tuple[Ready, Ready],
    alignment: Alignment,
    compared: tuple[Flags, Flags],
    request: Request,
) -> tuple[Flags, Flags]:
    """The rows that an anchor depends on, or whose counterpart it depends on."""
    anchors = (request.left_anchor, request.right_anchor)
    needed = [
        ancestors_of(ready.trace, anchor) if anchor is not None else flags.copy()
        for ready, anchor, flags in zip(sides, anchors, compared, strict=True)
    ]
    for side in (0, 1):
        if not sides[side].has_operands:
            needed[side] |= compared[side]
    left = np.flatnonzero(alignment.partner[0] >= 0)
    right = alignment.partner[0][left]
    either = needed[0][left] | needed[1][right]
    needed[0][left], needed[1][right] = either, either
    return needed[0] & compared[0], needed[1] & compared[1]
