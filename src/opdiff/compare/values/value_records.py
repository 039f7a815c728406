"""Divergences of kind ``value``, and what values say of all the others.

A cause is a record of its own, and so is every pair of ops whose values follow from one. Where ops
without counterpart are to blame, their records come before that of the op that shows it. What
values show to have changed nothing is *neutral*.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from opdiff.compare.kinds import Kind
from opdiff.compare.records.findings import Columns, Detail, Findings
from opdiff.compare.values import value_phrases
from opdiff.compare.values.value_comparison import OperandAt, ValueComparison
from opdiff.compare.values.value_verdict import GUILTY, NEUTRAL, UNKNOWN, ValueVerdict
from opdiff.trace import Trace
from opdiff.trace.columns import Bytes, Flags, Ints, Longs, marked
from opdiff.trace.sorting import among, lots
from opdiff.trace.traits import Trait
from opdiff.values.causes import Cause
from opdiff.values.estimate import Estimate
from opdiff.values.floors import jumps
from opdiff.values.pairing import reorders

_REASONS = (
    Kind.CPU_FALLBACK,
    Kind.ATTRS,
    Kind.DATAFLOW,
    Kind.OP_TYPE,
    Kind.DTYPE,
    Kind.OPERANDS,
    Kind.SHAPE,
    Kind.LAYOUT,
    Kind.LAYOUT_MISSING,
)
"""What may explain a difference in the values of the same ops, the likeliest first."""
_MOST_NAMES = 4
_MOST_OUTSIDE = 64
"""Of so many causes it is asked who read the same tensor before."""
_NOBODY = -1
_SAME = 2e-6
"""So far apart may sums of the same numbers be."""
_STRAY = 0.05
"""Of all pairs so many may differ for no cause that is seen: noise leaps here and there."""


def add_values(told: ValueComparison, findings: Findings) -> None:
    """A record for every cause, and for every pair that follows from one."""
    pairs, causes = told.compared.pairs, told.causes
    blamed = _blamed_names(told)
    for pair in told.roots():
        row, other = told.rows(pair)
        findings.add_one(_root(told, pair, blamed.get(pair, "")), (row,), (other,))
    follow = np.flatnonzero(causes.differs & (causes.caused_by >= 0) & (causes.cause == 0))
    if not len(follow):
        return
    left_row, right_row = pairs.left_row[follow], pairs.right_row[follow]
    left, right = told.left.trace, told.right.trace
    # What the panes and the curve show of an op: what it wrote, if that differs.
    shown = told.error[follow]
    error = np.where(shown > told.floor[follow], shown, causes.error[follow])
    with np.errstate(divide="ignore"):
        power = np.floor(np.log10(np.maximum(error, 1e-99))).astype(np.int64)
    key = np.stack((left.type[left_row], right.type[right_row], power), axis=1)
    alike = lots(np.unique(key, axis=0, return_inverse=True)[1].reshape(-1))
    details = []
    for example in (int(lot[0]) for lot in alike):
        name = _names(left, int(left_row[example]), right, int(right_row[example]))
        details.append(value_phrases.consequence(name, float(error[example])))
    findings.add_lots(details, alike, left_row, right_row)


def _root(told: ValueComparison, pair: int, made_by: str) -> Detail:
    causes, pairs = told.causes, told.compared.pairs
    row, other = told.rows(pair)
    cause = Cause(int(causes.cause[pair]))
    at = int(causes.operand[pair])
    is_output = cause is Cause.COMPUTE
    floor = float((pairs.output_floor if is_output else pairs.input_floor)[at])
    told_by = (told.compared.outputs if is_output else told.compared.inputs).estimate[at]
    random = bool((told.left.trace.traits[row] | told.right.trace.traits[other]) & Trait.RANDOM)
    return value_phrases.root(
        _names(told.left.trace, row, told.right.trace, other),
        cause,
        float(causes.error[pair]),
        float(causes.source[pair]),
        floor,
        _operand(told, pair, at, is_output=is_output),
        made_by=made_by,
        random=random,
        estimate=Estimate(int(told_by)),
    )


def _operand(told: ValueComparison, pair: int, at: int, *, is_output: bool) -> OperandAt:
    pairs = told.compared.pairs
    places = (
        (pairs.output_left, pairs.output_right)
        if is_output
        else (pairs.input_left, pairs.input_right)
    )
    left, right = (
        int(place[at] - side.values.side(outputs=is_output).start[row])
        for place, side, row in zip(places, (told.left, told.right), told.rows(pair), strict=True)
    )
    return OperandAt(is_output, left, right)


def _blamed_names(told: ValueComparison) -> dict[int, str]:
    """Of each cause that blames ops without counterpart a few of these."""
    names: dict[int, dict[str, None]] = {}
    for side, blamed in (
        (told.left, told.causes.blamed_left),
        (told.right, told.causes.blamed_right),
    ):
        rows = np.flatnonzero(blamed >= 0)
        for row, pair in zip(rows.tolist(), blamed[rows].tolist(), strict=True):
            names.setdefault(pair, {})[side.trace.type_name(row)] = None
    return {
        pair: ", ".join(list(few)[:_MOST_NAMES]) + (" …" if len(few) > _MOST_NAMES else "")
        for pair, few in names.items()
    }


def _names(left: Trace, row: int, right: Trace, other: int) -> str:
    name, another = left.type_name(row), right.type_name(other)
    return name if name == another else f"{name} / {another}"


def judge(
    told: ValueComparison,
    columns: Columns,
    at: Longs,
    harmless: Flags,
    cause: Ints,
    cuts: Mapping[int, list[int]],
) -> ValueVerdict:
    """Say what values tell of each divergence; enters into *cause* what values follow from.

    What several ops do in the place of one is not *harmless* where values show otherwise.
    *at* is the place of each in the order of execution; *cuts* are divergences that values of the
    forward cannot show, and what of the backward each explains. Views and copies between a cause
    and what it depends on only hand on what is wrong: what cannot change a value is never the one
    to blame.
    """
    is_value = np.array([detail.kind is Kind.VALUE for detail in columns.details], np.bool_)
    value = is_value[columns.detail] if len(columns.detail) else np.zeros(0, np.bool_)
    pair = np.full(len(value), _NOBODY, np.int32)
    pair[value] = told.pair_of[0][columns.left[value]]
    neutral = _neutral(told, columns, value)
    for stop, lost in cuts.items():
        # Values of the forward cannot show that gradients are cut off, those of the backward can.
        settled = ((neutral[lost] == NEUTRAL) | harmless[lost]).all() and not told.roots()
        neutral[stop] = NEUTRAL if settled else UNKNOWN
    if len(neutral):
        only_order, fused = (
            np.array([detail.kind is kind for detail in columns.details], np.bool_)[columns.detail]
            for kind in (Kind.MOVED, Kind.FUSED)
        )
        neutral[only_order & (neutral == GUILTY)] = UNKNOWN
        # Names prove that the work is the same, not that its constants are.
        harmless[fused & (neutral == GUILTY)] = False
    is_root = np.zeros(len(value), np.bool_)
    is_root[value] = told.causes.cause[pair[value]] != Cause.NONE
    _enter_causes(told, columns, at, harmless, cause, pair, is_root)
    reasons = cause[is_root]
    neutral[reasons[reasons >= 0]] = GUILTY
    leads = is_root | ((neutral == GUILTY) & ~harmless)
    for stop, lost in cuts.items():
        leads[stop] = leads[lost].any()
        leads[lost] &= is_root[lost]
    return ValueVerdict(neutral, leads, pair, value & ~is_root)


def _enter_causes(
    told: ValueComparison,
    columns: Columns,
    at: Longs,
    harmless: Flags,
    cause: Ints,
    pair: Ints,
    is_root: Flags,
) -> None:
    record_of = np.full(len(told.causes.cause), _NOBODY, np.int32)
    roots = np.flatnonzero(is_root)
    record_of[pair[roots]] = roots
    following = np.flatnonzero((pair >= 0) & ~is_root)
    cause[following] = record_of[told.causes.caused_by[pair[following]]]
    # Of a cause that blames ops without counterpart, the first of these is the reason.
    first = _first_blamed(told, columns, at, (pair < 0) & ~harmless)
    laid_out = _first_blamed(told, columns, at, (pair < 0) & harmless & _rearrange(told, columns))
    for owner, number in laid_out.items():
        # Nothing but another order of the same elements is left to blame.
        if owner not in first and _same_length(told, owner):
            first[owner] = number
            harmless[number] = False
    for owner, number in first.items():
        record = int(record_of[owner])
        if record >= 0 and at[number] <= at[record]:
            cause[record] = number
    eligible = (pair < 0) & ~harmless
    _enter_same_pair(columns, cause, record_of, told.pair_of[0], eligible)
    _enter_earlier_readers(told, columns, cause, pair, is_root, eligible)


def _first_blamed(
    told: ValueComparison, columns: Columns, at: Longs, which: Flags
) -> dict[int, int]:
    """Of each cause that blames ops without counterpart the first such divergence of these."""
    first: dict[int, int] = {}
    for rows, blamed in (
        (columns.left, told.causes.blamed_left),
        (columns.right, told.causes.blamed_right),
    ):
        here = np.flatnonzero((rows >= 0) & which)
        here = here[blamed[rows[here]] >= 0]
        for number in here[np.argsort(at[here], kind="stable")].tolist():
            owner = int(blamed[rows[number]])
            if owner not in first or at[number] < at[first[owner]]:
                first[owner] = number
    return first


def _same_length(told: ValueComparison, pair: int) -> bool:
    """Whether what a cause reads may be the same elements: the norm is the same."""
    pairs, at = told.compared.pairs, told.causes.operand[pair]
    left, right = (
        float(side.values.measures.norm[side.values.inputs.index[place[at]]])
        for side, place in ((told.left, pairs.input_left), (told.right, pairs.input_right))
    )
    return bool(abs(left - right) <= max(pairs.input_floor[at], _SAME) * max(left, right))


def _rearrange(told: ValueComparison, columns: Columns) -> Flags:
    """Ops on one side only whose result has the elements of what they read in another order."""
    found = np.zeros(len(columns.left), np.bool_)
    for side, kind, rows in (
        (told.left, Kind.ONLY_LEFT, columns.left),
        (told.right, Kind.ONLY_RIGHT, columns.right),
    ):
        here = columns.of_kind(kind)
        here = here[(side.trace.traits[rows[here]] & (Trait.VIEW | Trait.REARRANGE)) > 0]
        found[here] = reorders(side, rows[here])
    return found


def _enter_same_pair(
    columns: Columns, cause: Ints, record_of: Ints, pair_of_left: Ints, eligible: Flags
) -> None:
    """What else differs at the very ops of a cause is the reason: another constant, another op."""
    kinds = [detail.kind for detail in columns.details]
    both = np.flatnonzero((columns.left >= 0) & (columns.right >= 0) & eligible)
    owner = pair_of_left[columns.left[both]]
    there = owner >= 0
    both, owner = both[there], owner[there]
    here = record_of[owner] >= 0
    best: dict[int, int] = {}
    for number, record in zip(both[here].tolist(), record_of[owner[here]].tolist(), strict=True):
        kind = kinds[columns.detail[number]]
        if kind not in _REASONS or cause[record] >= 0:
            continue
        rank = _REASONS.index(kind)
        if record not in best or rank < _REASONS.index(kinds[columns.detail[best[record]]]):
            best[record] = number
    for record, number in best.items():
        cause[record] = number


def _enter_earlier_readers(
    told: ValueComparison,
    columns: Columns,
    cause: Ints,
    pair: Ints,
    is_root: Flags,
    eligible: Flags,
) -> None:
    """A tensor from outside that agreed when it was read before was changed by who read it.

    Batch normalisation updates its statistics so. What differs at the last such reader is the
    reason.
    """
    kinds = np.array([detail.kind in _REASONS for detail in columns.details], np.bool_)
    outside = is_root & (cause < 0)
    outside[outside] = told.causes.cause[pair[outside]] == Cause.EXTERNAL
    reasons = np.flatnonzero(eligible & (columns.left >= 0) & kinds[columns.detail])
    trace, places = told.left.trace, told.compared.pairs.input_left
    if not len(reasons) or len(told.left.values.inputs.index) != len(trace.inputs.memory):
        return
    readers = trace.inputs.rows()
    for record in np.flatnonzero(outside)[:_MOST_OUTSIDE].tolist():
        memory = trace.inputs.memory[places[told.causes.operand[pair[record]]]]
        before = readers[trace.inputs.memory == memory]
        before = before[before < columns.left[record]]
        earlier = reasons[among(columns.left[reasons], before)]
        if len(earlier):
            cause[record] = earlier[np.argmax(columns.left[earlier])]


def _neutral(told: ValueComparison, columns: Columns, value: Flags) -> Bytes:
    """Of each divergence, whether values show that it changed something, or that it did not."""
    causes = told.causes
    said = (
        _said_of_rows(told, 0, causes.neutral_left, causes.blamed_left),
        _said_of_rows(told, 1, causes.neutral_right, causes.blamed_right),
    )
    guilty = np.zeros(len(value), np.bool_)
    neutral = ~value
    for side, rows in ((0, columns.left), (1, columns.right)):
        here = rows >= 0
        guilty[here] |= said[side][rows[here]] == GUILTY
        neutral[here] &= said[side][rows[here]] == NEUTRAL
    for number, both in columns.more.items():
        every = {int(said[side][row]) for side in (0, 1) for row in both[side]}
        # Whatever several ops do in the place of one, what they leave tells.
        left = {int(said[side][row]) for side in (0, 1) for row in _left_by(told, side, both[side])}
        neutral[number] = left == {NEUTRAL}
        guilty[number] = GUILTY in every and not neutral[number]
    found = np.full(len(value), UNKNOWN, np.int8)
    found[neutral] = NEUTRAL
    found[guilty & ~value] = GUILTY
    return found


def _left_by(told: ValueComparison, side: int, rows: tuple[int, ...]) -> list[int]:
    """The rows of a block whose results no other one of it reads."""
    trace = (told.left, told.right)[side].trace
    return [row for row in rows if not any(reader in rows for reader in trace.consumers(row))]


def _said_of_rows(told: ValueComparison, side: int, alone: Bytes, blamed: Ints) -> Bytes:
    """What values say of each row: one without counterpart, or one of a pair."""
    pairs, causes, jump = told.compared.pairs, told.causes, told.options.jump
    agrees = marked(len(pairs), pairs.output_pair[~np.isnan(pairs.output_error)])
    # Where numbers are wrong already, nobody can tell whether something made them worse.
    wrong = jumps(pairs.output_error, np.zeros(len(pairs.output_error)), pairs.output_floor, jump)
    far = marked(len(pairs), pairs.output_pair[wrong])
    agrees &= ~far
    of_pair = np.where(agrees, NEUTRAL, UNKNOWN).astype(np.int8)
    of_pair[causes.chance] = NEUTRAL
    of_pair[among(causes.cause, (Cause.EXTERNAL, Cause.STRUCTURE))] = UNKNOWN
    of_pair[among(causes.cause, (Cause.COMPUTE, Cause.WIRING))] = GUILTY
    said: Bytes = alone.copy()
    paired = told.pair_of[side] >= 0
    said[paired] = of_pair[told.pair_of[side][paired]]
    # What is far off downstream without a cause may have grown from anything before it.
    unexplained = far & ~causes.chance & (causes.caused_by < 0) & (causes.cause == Cause.NONE)
    rows = (pairs.left_row, pairs.right_row)[side][unexplained]
    if len(rows) > _STRAY * len(pairs):
        before = said[: int(rows.max()) + 1]
        before[before == NEUTRAL] = UNKNOWN
    said[blamed >= 0] = GUILTY
    return said
