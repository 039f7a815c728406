"""The cause on top: harm, regions, phases, notes, baseline."""

from __future__ import annotations

import pytest
from benchmarks.patterns import PATTERNS, chain

from opdiff.compare import Direction, Kind, Request, compare
from opdiff.compare.baseline import beyond_baseline
from opdiff.compare.comparison import What
from opdiff.compare.judging.grouping import _break_rings

WHOLE = Request()
LAYER = ("Norm", "Dense", "Exp", "Log", "Neg", "Abs", "Sin")


def layers(count: int, *, first: int = 2) -> list[str]:
    """Equal layers, each reading the one before."""
    ops, value = [], first
    for _ in range(count):
        for name in LAYER:
            ops.append(f"{value + 1} = {name}({value})")
            value += 1
    return ops


def test_what_may_change_a_value_comes_before_what_cannot(trace_of):
    left = trace_of("2 = Make(1)", "3 = Exp(2)", "4 = Muls(3)", "5 = Sum(4)")
    right = trace_of("2 = Make(1)", "9 = Contiguous(2)", "3 = Exp(9)", "5 = Sum(3)")
    groups = compare(left, right, WHOLE).groups
    assert [(group.kind, group.harmless) for group in groups] == [
        (Kind.ONLY_LEFT, False),
        (Kind.CONTIGUOUS, True),
    ]
    assert [group.id for group in groups] == [0, 1]


def test_a_missing_layer_is_one_region_of_the_repeats(trace_of):
    left, right = (
        trace_of("2 = Make(1)", *layers(count), f"90 = Concat({2 + count * len(LAYER)})")
        for count in (4, 3)
    )
    (group,) = compare(left, right, WHOLE).groups
    assert group.region is not None
    assert group.region.what is What.REPEAT
    assert (group.region.ops, group.region.of) == (len(LAYER), 4)
    assert group.count == len(LAYER)
    first = group.region.left_rows[0]
    assert (first - 1) % len(LAYER) == 0, "cut at the border between layers"


def test_a_trace_that_ends_early_is_said_once(trace_of):
    ended = trace_of("2 = Make(1)", *layers(1), "30 = Gather(9)")
    whole = trace_of("2 = Make(1)", *layers(1), "30 = Gather(9)", *layers(2, first=30))
    comparison = compare(whole, ended, WHOLE)
    (group,) = comparison.groups
    assert group.region is not None
    assert group.region.what is What.END
    assert "ends-early" in [note.code for note in comparison.notes]


def test_a_sum_in_another_order_is_the_same_sum(trace_of, records):
    terms = ["2 = Make(1)", "3 = Exp(2)", "4 = Log(2)", "5 = Neg(2)", "6 = Abs(2)"]
    left = trace_of(*terms, "7 = Add(3, 4)", "8 = Add(7, 5)", "9 = Add(8, 6)", "10 = Sum(9)")
    right = trace_of(*terms, "7 = Add(6, 5)", "8 = Add(7, 4)", "9 = Add(8, 3)", "10 = Sum(9)")
    found = compare(left, right, WHOLE)
    assert all(group.harmless for group in found.groups)
    assert Kind.DATAFLOW not in {kind for kind, _, _ in records(found)}


def test_ops_in_the_place_of_others_are_a_guess(trace_of):
    left = trace_of("2 = Make(1)", "3 = Exp(2)", "4 = Log(3)", "5 = Tanh(4)", "6 = Sum(5)")
    right = trace_of("2 = Make(1)", "5 = VectorCore(2)", "6 = Sum(5)")
    comparison = compare(left, right, WHOLE)
    assert Kind.FUSED not in comparison.by_kind
    assert not comparison.groups[0].harmless


def test_better_anchors_near_by_are_offered(trace_of):
    ops = ["2 = Make(1)", *layers(5), "60 = Concat(37)"]
    left, right = trace_of(*ops), trace_of(*ops)
    last = len(ops) - 2
    request = Request(Direction.UP, last, last - len(LAYER))
    (hint,) = [n for n in compare(left, right, request).notes if n.code == "anchor-hint"]
    assert (hint.left_row, hint.right_row) in {
        (last, last),
        (last - len(LAYER), last - len(LAYER)),
    }
    assert hint.gain is not None
    assert hint.gain >= len(LAYER)
    good = compare(left, right, Request(Direction.UP, last, last))
    assert "anchor-hint" not in [note.code for note in good.notes]


def test_a_baseline_takes_away_what_a_good_pair_has_too(trace_of):
    eager = trace_of("2 = Make(1)", "3 = Exp(2)", "4 = Muls(3)", "5 = Sum(4)")
    good = trace_of("2 = Make(1)", "9 = Contiguous(2)", "3 = Exp(9)", "4 = Muls(3)", "5 = Sum(4)")
    bad = trace_of("2 = Make(1)", "9 = Contiguous(2)", "3 = Exp(9)", "5 = Sum(3)")
    comparison = compare(eager, bad, WHOLE)
    left = beyond_baseline(comparison, compare(eager, good, WHOLE))
    assert [comparison.divergences[index].kind for index in left] == [Kind.ONLY_LEFT]
    assert beyond_baseline(comparison, comparison) == ()


def test_the_same_file_twice_is_said(trace_of):
    trace = trace_of("2 = Make(1)")
    assert "same-file" in [note.code for note in compare(trace, trace, WHOLE).notes]


def test_traces_with_hardly_anything_in_common_are_said_to_be_so(trace_of):
    left = trace_of(*(f"{at + 1} = Left{at}({at})" for at in range(1, 40)), "50 = Sum(40)")
    right = trace_of(*(f"{at + 1} = Right{at}({at})" for at in range(1, 40)), "50 = Sum(40)")
    assert "unrelated" in [note.code for note in compare(left, right, WHOLE).notes]
    # What one side goes on with is no other model, nor is another name here and there.
    more = trace_of(*(f"{at + 1} = Left{at}({at})" for at in range(1, 400)))
    assert "unrelated" not in [note.code for note in compare(left, more, WHOLE).notes]


def test_what_is_aligned_in_windows_is_said_to_be_coarse():
    names = PATTERNS["words"](6_000)
    comparison = compare(chain(names[0], "left"), chain(names[1], "right"), WHOLE)
    (note,) = [note for note in comparison.notes if note.code == "coarse"]
    assert dict(note.sentence.args)["count"] > 10_000
    alike = PATTERNS["permuted"](6_000)
    comparison = compare(chain(alike[0], "left"), chain(alike[1], "right"), WHOLE)
    assert "coarse" not in [note.code for note in comparison.notes]


@pytest.mark.parametrize(
    ("parents", "kept"),
    [
        ({1: 0, 2: 1}, {1: 0, 2: 1}),
        ({0: 1, 1: 0}, {1: 0}),
        ({3: 5, 5: 4, 4: 3}, {5: 4, 4: 3}),
        ({0: 1, 1: 2, 2: 1}, {0: 1, 2: 1}),  # what only leads to a ring keeps its cause
        ({0: 0}, {}),
    ],
)
def test_a_ring_of_explanations_is_broken_once(parents, kept):
    _break_rings(parents)
    assert parents == kept
