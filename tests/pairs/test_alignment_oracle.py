"""The alignment against exact dynamic programming, on traces small enough for it."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel
from tests.pairs.small_traces import SmallOp, build

from opdiff.compare import Direction, Kind, Request, compare
from opdiff.trace import Trace

# Unlike each other in name and in no table of equivalent names.
NAMES = ("Softmax", "Conv2D", "AllReduce", "TopkExt", "Embedding")
words = st.lists(st.sampled_from(NAMES), min_size=1, max_size=10)


def longest_common(left: list[str], right: list[str]) -> int:
    """The length of the longest common subsequence, by the textbook."""
    row = [0] * (len(right) + 1)
    for one in left:
        above, row = row, [0]
        for at, two in enumerate(right):
            row.append(above[at] + 1 if one == two else max(above[at + 1], row[at]))
    return row[-1]


def trace_of(names: list[str]) -> Trace:
    return build([SmallOp(name) for name in names])


def same_type_pairs(left: Trace, right: Trace, request: Request) -> int:
    """How many ops are paired in order with one of their type."""
    comparison = compare(left, right, request)
    partner = comparison.left.partner
    moved = {d.left_rows[0] for d in comparison.divergences if d.kind is Kind.MOVED}
    return sum(
        left.type_name(row) == right.type_name(int(partner[row]))
        for row in range(len(left))
        if partner[row] >= 0 and row not in moved
    )


@settings(max_examples=100, deadline=None, derandomize=True)
@given(words, words)
def test_as_many_equal_ops_are_paired_as_can_be(left: list[str], right: list[str]) -> None:
    # A common last op is what an anchor is; the oracles disagree on nothing but speed.
    left, right = [*left, "Print"], [*right, "Print"]
    best = longest_common(left, right)
    assert 2 * best == len(left) + len(right) - Indel.distance(left, right)
    request = Request(Direction.UP, len(left) - 1, len(right) - 1)
    assert same_type_pairs(trace_of(left), trace_of(right), request) == best


def test_of_equally_good_alignments_the_one_near_the_anchor_wins() -> None:
    left = ["Conv2D", "Softmax", "Softmax", "TopkExt"]
    right = ["Conv2D", "Softmax", "TopkExt"]
    comparison = compare(trace_of(left), trace_of(right), Request(Direction.UP, 3, 2))
    assert [(d.kind, d.left_rows) for d in comparison.divergences] == [(Kind.ONLY_LEFT, (1,))]


def test_all_short_words_of_two_letters() -> None:
    letters = NAMES[:2]
    words_of_three = [[*word, "Print"] for word in product(letters, repeat=3)]
    for left, right in product(words_of_three, repeat=2):
        request = Request(Direction.UP, 3, 3)
        paired = same_type_pairs(trace_of(left), trace_of(right), request)
        assert paired == longest_common(left, right), (left, right)
