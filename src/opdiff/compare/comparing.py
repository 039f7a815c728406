"""The whole comparison, step by step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from opdiff.compare.comparison import Comparison
from opdiff.compare.judging.cut_gradients import (
    cut_by_values,
    cuts_gradient,
    part_stops,
    tell_cuts,
)
from opdiff.compare.judging.elements import guilty_arrangements
from opdiff.compare.judging.grouping import Placed, groups_of, tiers
from opdiff.compare.judging.harm import harmless
from opdiff.compare.judging.notes import notes_of
from opdiff.compare.judging.regions import Regions
from opdiff.compare.judging.roots import causes
from opdiff.compare.judging.told_phases import told_phases
from opdiff.compare.matching import Matching
from opdiff.compare.pairing.common_subexpressions import merged
from opdiff.compare.pairing.equivalents import settle_equivalents
from opdiff.compare.pairing.raising import find_clusters, raised
from opdiff.compare.pairing.steps import match
from opdiff.compare.pairing.turning import task_of
from opdiff.compare.places import nearest_first, places_of, record_places
from opdiff.compare.records.classify import Classifier
from opdiff.compare.records.findings import Findings
from opdiff.compare.records.swallow import Swallower
from opdiff.compare.request import Direction, Request
from opdiff.compare.results import Divergences, side_result
from opdiff.compare.sides.hidden_copies import copied, doubtful, likely, with_copies
from opdiff.compare.sides.prepared import Prepared
from opdiff.compare.sides.preparing import Ahead, Question, at_first, both_ready
from opdiff.compare.sides.scope import ancestors_of
from opdiff.progress import SILENT, Progress
from opdiff.trace import Trace
from opdiff.trace.columns import Flags
from opdiff.uncollected import uncollected
from opdiff.values.question import Held

_ROUNDS = 4
"""Ops that are paired tell what hidden copies copied, and that tells what else is a pair."""


@uncollected()
def compare(
    left: Trace,
    right: Trace,
    request: Request,
    progress: Progress = SILENT,
    held: Held | Callable[[], Held] | None = None,
    ahead: Ahead | None = None,
) -> Comparison:
    """Align the traces as the request asks and classify every divergence.

    What their tensors held, where that is given, tells which of them made numbers wrong; it is
    asked for once the ops are paired. *ahead* has begun already.
    """
    question = Question.of(left, right, request) if ahead is None else ahead.question
    scope, table, compared = question.scope, question.table, question.compared
    known = likely(left), likely(right)
    guessed = [len(left.hidden_copies) - len(known[0]), len(right.hidden_copies) - len(known[1])]
    traces = at_first(left, right)
    for number in range(_ROUNDS):
        sides = both_ready(question, traces, None if number else ahead)
        sides, matching = _matched(sides, question, progress)
        new = copied(sides, matching)
        wrong = [
            doubtful(trace, matching, which) if number == 0 else []
            for which, trace in enumerate((left, right))
        ]
        if not any(new) and not any(wrong):
            break
        for which in (0, 1):
            known[which].update(new[which])
            guessed[which] += len(wrong[which])
            for block in wrong[which]:
                del known[which][block]
        traces = with_copies(left, known[0]), with_copies(right, known[1])
    settle_equivalents(sides, matching, request.rules.equivalent, scope.decreed)
    held = held() if callable(held) else held or Held()
    told = None
    if held.both is not None:
        # Few traces have values, and what reads them takes a while to import.
        from opdiff.compare.values.by_values import compare_by_values
        from opdiff.compare.values.value_records import add_values, judge

        told = compare_by_values(sides, matching, held.both, held.options, progress)
    cut = None if told is None else cut_by_values(told, sides, matching)
    if cut is None:
        part_stops(sides, matching)
    crossing = matching.crossing()
    moved = matching.moved(sides[0].trace.streams, crossing)
    findings = Findings()
    Classifier(sides[0], sides[1], matching, moved, table, compared, findings).classify()
    if told is not None:
        add_values(told, findings)
    progress.report("classifying", 1, 1)
    if request.ancestors:
        compared = _dependencies(sides, matching, compared, request)
    columns, swallowed = Swallower(sides, matching, table, request, compared).apply(
        findings.columns()
    )
    places = places_of(matching, crossing)
    at = record_places(columns, places, request.direction)
    anchor = None if request.left_anchor is None else int(places[0][request.left_anchor])
    order = nearest_first(columns, at, request.direction, anchor)
    ran = record_places(columns, places, Direction.DOWN)
    # What cuts gradients off is a statement of its own.
    free = [side.rows for side in sides]
    if cut is not None:
        free[cut.side] = free[cut.side][free[cut.side] != cut.row]
    alone = (matching.alone(0, free[0]), matching.alone(1, free[1]))
    stretches = Regions(sides, matching, alone).find()
    upward = request.direction is Direction.UP and anchor is not None
    harm = harmless(columns, sides, matching, stretches, scope.decreed[-1] if upward else None)
    harm[guilty_arrangements(columns, sides, matching, harm)] = False
    cuts = cuts_gradient(columns, sides, matching, harm) if cut is None else cut.told(columns)
    harm[list(cuts)] = False
    columns = tell_cuts(columns, sides, cuts)
    phases = told_phases(sides, matching)
    cause = causes(columns, sides, ran, stretches, harm, cuts, phases)
    verdict = None if told is None else judge(told, columns, ran, harm, cause, cuts)
    follows = np.zeros(len(harm), np.bool_) if verdict is None else verdict.follows
    placed = Placed(columns, ran, cause, harm, tiers(harm, verdict), follows)
    groups, group = groups_of(placed, order, sides, stretches, phases)
    left_result, right_result = (
        side_result(
            (left, right)[side],
            sides[side],
            (request.left_anchor, request.right_anchor)[side],
            compared[side],
            matching.partner[side][: matching.rows[side]],
            columns,
            order,
            side,
            [row for entry in swallowed for row in (entry.left_rows, entry.right_rows)[side]],
        )
        for side in (0, 1)
    )
    divergences = Divergences(columns, order, group, cause, harm, verdict)
    notes = notes_of(sides, request, matching, groups, held, guessed)
    return Comparison(
        request,
        left_result,
        right_result,
        divergences,
        divergences.kinds,
        groups,
        swallowed,
        notes,
        ran[order],
        divergences.settled,
        told,
        (held.left, held.right),
    )


def _matched(
    sides: tuple[Prepared, Prepared], question: Question, progress: Progress
) -> tuple[tuple[Prepared, Prepared], Matching]:
    """Which ops are the same, and the sides; once more where a graph turns out to merge some."""
    matching = _matching(sides, question, progress)
    as_one = merged(sides, matching) if question.request.rules.builtin else None
    if as_one is None:
        return sides, matching
    return as_one, _matching(as_one, question, progress)


def _matching(sides: tuple[Prepared, Prepared], question: Question, progress: Progress) -> Matching:
    """Which ops are the same: of the traces as they are, or raised where one is expanded."""
    scope, table, request = question.scope, question.table, question.request
    clusters = find_clusters(sides, scope, request, table) if request.rules.builtin else ((), ())
    for last in (False, True):
        if not any(clusters):
            break
        lifted = raised(sides, clusters, table, alone=question.alone)
        task = task_of(lifted.sides, *lifted.asked(scope, request), table, progress)
        matching = match(task, lifted.words)
        kept = lifted.with_partner(matching)
        if last or kept == clusters:
            return lifted.lowered(matching, sides, scope.decreed)
        clusters = kept
    return match(task_of(sides, scope, request, table, progress), question.words)


def _dependencies(
    sides: tuple[Prepared, Prepared],
    matching: Matching,
    compared: tuple[Flags, Flags],
    request: Request,
) -> tuple[Flags, Flags]:
    """The rows that an anchor depends on, or whose counterpart it depends on."""
    anchors = (request.left_anchor, request.right_anchor)
    needed = [
        ancestors_of(side.trace, anchor) if anchor is not None else flags.copy()
        for side, anchor, flags in zip(sides, anchors, compared, strict=True)
    ]
    for side in (0, 1):
        if not sides[side].has_operands:
            needed[side] |= compared[side]
    left, right = matching.paired()
    either = needed[0][left] | needed[1][right]
    needed[0][left], needed[1][right] = either, either
    return needed[0] & compared[0], needed[1] & compared[1]
