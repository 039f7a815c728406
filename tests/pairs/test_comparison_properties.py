"""What holds for every comparison, whatever the traces."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pairs.facts import facts, mirrored
from tests.pairs.small_traces import (
    TYPES,
    SmallOp,
    SmallTrace,
    build,
    related_traces,
    small_traces,
    with_operands,
    without_operands,
)

from opdiff.compare import (
    Comparison,
    Direction,
    Divergence,
    Group,
    Kind,
    Request,
    SideResult,
    compare,
)
from opdiff.progress import Cancelled, Progress
from opdiff.report import render
from opdiff.trace import Trace

quick = settings(max_examples=60, deadline=None, derandomize=True)
two_traces = st.one_of(related_traces(), st.tuples(small_traces(), small_traces()))
places = st.tuples(st.integers(0, 99), st.integers(0, 99))


def upward(left: Trace, right: Trace, place: tuple[int, int]) -> Request:
    return Request(Direction.UP, place[0] % len(left), place[1] % len(right))


@quick
@given(small_traces(), st.sampled_from([*Direction]), st.integers(0, 99))
def test_a_trace_against_itself_differs_in_nothing(
    ops: SmallTrace, direction: Direction, place: int
) -> None:
    trace, again = build(ops), build(ops, first_id=500, clock=90)
    anchor = place % len(trace)
    comparison = compare(trace, again, Request(direction, anchor, anchor))
    assert not comparison.divergences
    compared = np.flatnonzero(comparison.left.compared & ~comparison.left.noise)
    assert comparison.left.partner[compared].tolist() == compared.tolist()


@quick
@given(two_traces, places)
def test_swapping_the_sides_mirrors_the_comparison(
    traces: tuple[SmallTrace, SmallTrace], place: tuple[int, int]
) -> None:
    left, right = map(build, traces)
    forth = compare(left, right, upward(left, right, place))
    back = compare(right, left, upward(right, left, place[::-1]))
    assert mirrored(forth) == facts(back)


@quick
@given(two_traces, places, st.lists(places, max_size=2))
def test_anchors_and_pins_are_pairs_and_only_moved_pairs_cross(
    traces: tuple[SmallTrace, SmallTrace], place: tuple[int, int], wishes: list[tuple[int, int]]
) -> None:
    left, right = map(build, traces)
    request = upward(left, right, place)
    assert request.left_anchor is not None
    assert request.right_anchor is not None
    pins: list[tuple[int, int]] = []
    end = (request.left_anchor, request.right_anchor)
    for wish in wishes:
        if min(end) > 0:
            end = (wish[0] % end[0], wish[1] % end[1])
            pins.append(end)
    comparison = compare(
        left,
        right,
        Request(Direction.UP, request.left_anchor, request.right_anchor, tuple(pins)),
    )
    partner = comparison.left.partner
    for one, two in (*pins, (request.left_anchor, request.right_anchor)):
        assert partner[one] == two
        assert comparison.right.partner[two] == one
    moved = {d.left_rows[0] for d in comparison.divergences if d.kind is Kind.MOVED}
    steady = [int(partner[r]) for r in np.flatnonzero(partner >= 0) if int(r) not in moved]
    assert steady == sorted(steady)


@quick
@given(two_traces, places)
def test_what_only_one_run_knows_changes_nothing(
    traces: tuple[SmallTrace, SmallTrace], place: tuple[int, int]
) -> None:
    left, right = map(build, traces)
    other = build(traces[1], first_id=9000, clock=77, scope="Default/network-Net")
    request = upward(left, right, place)
    assert facts(compare(left, right, request)) == facts(compare(left, other, request))


@quick
@given(two_traces, places, st.lists(st.integers(0, 99), min_size=1, max_size=5))
def test_noise_changes_nothing(
    traces: tuple[SmallTrace, SmallTrace], place: tuple[int, int], noise: list[int]
) -> None:
    left, right = map(build, traces)
    noisy = build(traces[1], noise=noise)
    request = upward(left, right, place)
    plain = compare(left, right, request)
    kept = [row for row in range(len(noisy)) if noisy.role[row] == 0]
    anchor = kept[place[1] % len(right)]
    loud = compare(left, noisy, Request(Direction.UP, request.left_anchor, anchor))
    assert facts(plain) == facts(loud, lambda side, row: kept.index(row) if side else row)


def _is_region(group: Group, divergence: Divergence) -> bool:
    """Whether a group holds what stands on one side only, of several kinds."""
    regional = (Kind.ONLY_LEFT, Kind.ONLY_RIGHT, Kind.CONTIGUOUS)
    return group.kind in regional and divergence.kind in regional


@quick
@given(two_traces, places, st.sampled_from([*Direction]), st.booleans())
def test_the_result_is_consistent(
    traces: tuple[SmallTrace, SmallTrace],
    place: tuple[int, int],
    direction: Direction,
    stock: bool,
) -> None:
    left, right = (build(without_operands(ops) if stock else ops) for ops in traces)
    anchors = upward(left, right, place)
    comparison = compare(left, right, Request(direction, anchors.left_anchor, anchors.right_anchor))
    for here, there in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
        _assert_rows_are_accounted_for(here, there)
    for index, divergence in enumerate(comparison.divergences):
        assert index in comparison.groups[divergence.group].members
        group = comparison.groups[divergence.group]
        assert group.kind is divergence.kind or _is_region(group, divergence)
        for side, rows in (
            (comparison.left, divergence.left_rows),
            (comparison.right, divergence.right_rows),
        ):
            assert list(rows) == sorted(rows)
            assert all(index in side.records_at(row) for row in rows)
    _assert_causes_end(comparison)


def _assert_rows_are_accounted_for(here: SideResult, there: SideResult) -> None:
    for row in range(len(here.trace)):
        mate = int(here.partner[row])
        if mate >= 0:
            assert there.partner[mate] == row
        elif here.compared[row] and not here.noise[row]:
            assert here.records_at(row)


def _assert_causes_end(comparison: Comparison) -> None:
    for index in range(len(comparison.divergences)):
        seen = {index}
        cause = comparison.divergences[index].caused_by
        while cause is not None:
            assert cause not in seen
            seen.add(cause)
            cause = comparison.divergences[cause].caused_by


@quick
@given(two_traces, places)
def test_only_what_the_anchor_depends_on_is_compared(
    traces: tuple[SmallTrace, SmallTrace], place: tuple[int, int]
) -> None:
    # Ops that print no operands cannot say what depends on what.
    left, right = (build(with_operands(ops)) for ops in traces)
    comparison = compare(left, right, replace(upward(left, right, place), ancestors=True))
    needed = (_needed_by_anchor(comparison.left), _needed_by_anchor(comparison.right))
    for here, there, side in (
        (needed[0], needed[1], comparison.left),
        (needed[1], needed[0], comparison.right),
    ):
        for row in range(len(side.trace)):
            # What only the counterpart's anchor needs is compared as well.
            expected = row in here or int(side.partner[row]) in there
            assert side.compared[row] == expected


def _needed_by_anchor(side: SideResult) -> set[int]:
    assert side.anchor is not None
    needed, unseen = {side.anchor}, [side.anchor]
    while unseen:
        for row in side.trace.producers(unseen.pop()):
            if row is not None and row not in needed:
                needed.add(row)
                unseen.append(row)
    return needed


@quick
@given(two_traces, places)
def test_json_is_valid_and_tells_every_divergence(
    traces: tuple[SmallTrace, SmallTrace], place: tuple[int, int]
) -> None:
    left, right = map(build, traces)
    comparison = compare(left, right, upward(left, right, place))
    told = json.loads(render(comparison, "json"))
    assert told["schema"] == "opdiff/1"
    assert told["summary"]["divergences"] == len(told["divergences"]) == len(comparison.divergences)
    for record in told["divergences"]:
        assert record["kind"] in {str(kind) for kind in Kind}
        assert record["message"]
        regional = {"only-left", "only-right", "contiguous"}
        kind = told["groups"][record["group"]]["kind"]
        assert kind == record["kind"] or {kind, record["kind"]} <= regional


def test_a_comparison_can_be_cancelled_at_its_first_report() -> None:
    class Stop(Progress):
        def report(self, stage: str, done: int, total: int) -> None:
            raise Cancelled

    trace = build(build_ops(40))
    with pytest.raises(Cancelled):
        compare(trace, build(build_ops(30)), Request(), Stop())


def build_ops(count: int) -> SmallTrace:
    """A long plain trace."""
    return tuple(SmallOp(TYPES[n * n % 7], ((n % 8, 0),), ((n % 5, 0),)) for n in range(count))
