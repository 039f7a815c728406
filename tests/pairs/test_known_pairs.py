"""The engine on generated pairs whose differences are known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from tests.pairs.facts import facts, mirrored
from tests.pairs.generate import EDITS, generate
from tests.pairs.measure import measure, table
from tests.pairs.running import ask, read_text
from tests.pairs.truth import Record, Score, Truth, score

MIXED = range(7000, 7120)
FIRST_SINGLE, SINGLES = 7500, 6
MORE = {"rewire": 14, "compiled_region": 14, "operands": 10, "attrs": 10, "layout": 10}
"""How many pairs of a change that shows few differences, or of a kind nothing else shows."""
LEAST = 0.98


@cache
def measured() -> tuple[Score, list[str], int]:
    """The scores of all pairs added up, the pairs with too many groups, and how many pairs."""
    total, crowded = Score(), []
    pairs = [generate(seed) for seed in MIXED]
    for name in sorted(EDITS):
        count = MORE.get(name, SINGLES)
        pairs += [generate(FIRST_SINGLE + number, name) for number in range(count)]
    for pair in pairs:
        result, surplus = measure(pair)
        total.add(result)
        if surplus:
            crowded.append(pair.name)
    return total, crowded, len(pairs)


KINDS = (
    "op-type contiguous layout-missing layout cpu-fallback dtype shape operands attrs dataflow "
    "moved fused only-left only-right"
).split()


@pytest.mark.parametrize("kind", KINDS)
def test_precision_and_recall_of_a_kind(kind: str) -> None:
    total, _, _ = measured()
    assert total.found[kind] >= 40, "the seeds hold too few of this kind"
    precision, recall, _ = total.figures(kind)
    assert min(precision, recall) >= LEAST, table(total)


def test_overall() -> None:
    total, _, _ = measured()
    assert min(total.figures()) >= LEAST, table(total)


def test_there_are_not_more_groups_than_distinct_differences() -> None:
    _, crowded, pairs = measured()
    assert len(crowded) <= pairs * (1 - LEAST), crowded


def test_swapping_the_sides_of_generated_pairs_mirrors_the_comparison() -> None:
    for seed in range(7700, 7715):
        pair = generate(seed)
        left, right, truth = read_text(pair.left), read_text(pair.right), pair.truth
        swapped = replace(truth, left_anchor=truth.right_anchor, right_anchor=truth.left_anchor)
        assert mirrored(ask(left, right, truth)) == facts(ask(right, left, swapped)), pair.name


def test_a_seed_always_gives_the_same_pair() -> None:
    assert generate(7001) == generate(7001)


def test_scoring_counts_found_missed_and_invented() -> None:
    wanted = Record("dtype", (1,), (4,))
    moved = (Record("moved", (7,), (10,)), Record("moved", (10,), (7,)))
    shrug = Record("dataflow", (13,), (13,))
    anchors = Record("shape", (16,), (19,))
    wrong = Record("shape", (1,), (4,))
    truth = Truth(16, 19, frozenset({wanted, anchors}), (moved,), frozenset({shrug}))
    assert score(truth, [wanted, moved[1], shrug, anchors]).exact
    result = score(truth, [moved[0], moved[1], wrong])
    assert result.missed == [wanted]
    assert result.invented == [moved[1], wrong]
    assert result.figures("moved") == pytest.approx((0.5, 1.0, 2 / 3))
