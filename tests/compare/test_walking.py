"""The windowed walk, its seeds, and the weighing of short gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Indel, LCSseq

from opdiff.compare.crossings import out_of_order
from opdiff.compare.pairing import walk
from opdiff.compare.pairing.gaps import Move, heaviest, nearest_heaviest
from opdiff.compare.pairing.seeds import (
    Seeds,
    common_in_windows,
    gram_words,
    landmarks,
    longest_ascending,
    longest_common,
    run_length,
)
from opdiff.compare.pairing.walk import Run, Walk, cheapest
from opdiff.trace.words import mixed


def codes(numbers):
    return mixed(np.array(numbers, np.int64))


def layers(count: int, size: int = 40) -> list[int]:
    return list(range(size)) * count


def test_equal_sequences_are_one_stretch_of_runs():
    a = codes(layers(300))
    runs = Walk(a, a.copy()).runs()
    assert sum(run.length for run in runs) == len(a)
    assert all(run.x == run.y for run in runs)


def test_an_insertion_in_every_layer_costs_no_other_op():
    left = layers(50)
    right = [
        code
        for place, code in enumerate(left)
        for code in ([code, 99] if place % 40 == 7 else [code])
    ]
    runs = Walk(codes(left), codes(right)).runs()
    assert sum(run.length for run in runs) == len(left)


def test_surroundings_of_one_pattern_are_looked_through_once(monkeypatch: pytest.MonkeyPatch):
    asked = []

    def noted(*given):
        asked.append(given)
        return cheapest(*given)

    monkeypatch.setattr(walk, "cheapest", noted)
    # The codes of each layer are its own; which of them are equal is the same in all.
    left = [100 * layer + code for layer in range(30) for code in range(40)]
    right = [code + 50 if code % 100 == 7 else code for code in left]
    runs = Walk(codes(left), codes(right)).runs()
    assert sum(run.length for run in runs) == len(left) - 30
    assert len(asked) <= 3  # in the midst, and near the end


def test_what_is_left_of_both_is_searched_for_seeds_once(monkeypatch: pytest.MonkeyPatch):
    asked, nearest = [], Seeds.nearest
    monkeypatch.setattr(Seeds, "nearest", lambda *at: asked.append(at) or nearest(*at))
    known: walk.Known = {}
    for layer in range(5):
        shared = [1000 * layer + code for code in range(30)]
        left = [*shared, *range(1000 * layer + 100, 1000 * layer + 116), *shared]
        right = [*shared, *range(1000 * layer + 200, 1000 * layer + 224), *shared]
        runs = Walk(codes(left), codes(right), known=known).runs()
        assert runs == [Run(0, 0, 30), Run(46, 54, 30)]
    assert len(asked) == 1


def test_a_layer_that_is_gone_is_skipped_as_a_whole():
    # Every tenth layer ends in a code of its own, so that layers can be told apart.
    left = [code for n in range(60) for code in [*range(40), *([1000 + n] if n % 10 == 0 else [])]]
    start, stop = left.index(1030) + 1, left.index(1040) + 1
    right = left[:start] + left[stop:]
    runs = Walk(codes(left), codes(right)).runs()
    assert sum(run.length for run in runs) >= len(right) - 1


def test_a_walk_that_is_lost_gives_up(monkeypatch):
    chance = np.random.default_rng(1)
    a, b = (codes(chance.integers(0, 4, 20_000)) for _ in range(2))
    asked = 0
    resume = Walk._resume

    def counted(self, x, y):
        nonlocal asked
        asked += 1
        return resume(self, x, y)

    monkeypatch.setattr(Walk, "_resume", counted)
    runs = Walk(a, b).runs()
    assert asked < 50
    assert runs[-1].x < 10_000


@given(st.lists(st.integers(0, 3), max_size=60), st.lists(st.integers(0, 3), max_size=60))
def test_one_window_holds_a_longest_common_subsequence(left, right):
    lengths = set()
    for backward in (False, True):
        here, there = common_in_windows(codes(left), codes(right), backward)
        assert [left[x] for x in here] == [right[y] for y in there]
        assert (np.diff(here) > 0).all()
        assert (np.diff(there) > 0).all()
        lengths.add(len(here))
    assert lengths == {(len(left) + len(right) - Indel.distance(left, right)) // 2}


@pytest.mark.parametrize("backward", [False, True])
def test_windows_one_after_the_other_find_nearly_as_much(backward):
    chance = np.random.default_rng(1)
    left, right = (chance.integers(0, 4, 12_000) for _ in range(2))
    here, there = common_in_windows(codes(left), codes(right), backward)
    assert (left[here] == right[there]).all()
    assert (np.diff(here) > 0).all()
    assert (np.diff(there) > 0).all()
    assert len(here) > 0.98 * LCSseq.similarity(left.tolist(), right.tolist())


def test_runs_are_told_in_pieces_and_the_listener_may_stop_the_walk():
    a = codes(range(20_000))
    heard: list[int] = []

    def listen(runs: list[Run]) -> None:
        heard.append(sum(run.length for run in runs))
        if len(heard) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Walk(a, a.copy()).runs(listen)
    assert sum(heard) < len(a)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 3), max_size=40), st.lists(st.integers(0, 3), max_size=40))
def test_runs_ascend_and_hold_equal_codes(left, right):
    x = y = 0
    for run in Walk(codes(left), codes(right)).runs():
        assert run.x >= x
        assert run.y >= y
        assert left[run.x : run.x + run.length] == right[run.y : run.y + run.length]
        x, y = run.x + run.length, run.y + run.length


def test_the_cheapest_way_on_skips_as_little_as_it_can():
    assert cheapest([9, *range(20)], list(range(20)), 8, 14, True) == (1, 0, True)
    assert cheapest([9, *range(20)], [8, *range(20)], 8, 14, True) == (1, 1, True)
    assert cheapest([1, 2, 3], [4, 5, 6], 8, 14, True) is None


def test_grams_stand_for_what_follows_and_runs_are_measured():
    a = codes([1, 2, 3, 4, 1, 2, 3, 5])
    words = gram_words(a, 1)
    assert words[0] == words[4]
    assert gram_words(a, 2)[0] != gram_words(a, 2)[4]
    assert len(gram_words(a, 5)) == 0
    assert run_length(a, a[4:], 0, 0, 100) == 3


def test_seeds_find_where_long_shared_stretches_start():
    shared = list(range(100, 150))
    seeds = Seeds(codes([*range(30), *shared]), codes([*range(60, 90), *shared]))
    assert seeds.nearest(0, 0) == (50 - 2 * 60, (30, 30))
    assert Seeds(codes(range(50)), codes(range(50, 100))).nearest(0, 0) is None


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 1), max_size=90), st.lists(st.integers(0, 1), max_size=90))
def test_shared_stretches_are_those_that_both_sequences_hold(left, right):
    found = Seeds(codes(left), codes(right))._by_length
    for shared, length in zip(found, (32, 16, 8), strict=True):
        mine, theirs = (
            [tuple(side[at : at + length]) for at in range(len(side) - length + 1)]
            for side in (left, right)
        )
        assert shared.a.tolist() == [at for at, word in enumerate(mine) if word in set(theirs)]
        assert shared.b.tolist() == [at for at, word in enumerate(theirs) if word in set(mine)]


def test_the_heaviest_pairing_keeps_the_order():
    scores = np.array([[0.0, 5.0], [6.0, 0.0]])
    assert heaviest(scores, ()).pairs.tolist() == [[1, 0]]
    assert heaviest(np.array([[5.0, 0.0], [0.0, 5.0]]), ()).pairs.tolist() == [[0, 0], [1, 1]]


def test_of_equal_pairings_the_one_near_the_start_of_walking_wins():
    scores = np.array([[1.0], [1.0]])
    assert nearest_heaviest(scores, (), backward=False).pairs.tolist() == [[0, 0]]
    assert nearest_heaviest(scores, (), backward=True).pairs.tolist() == [[1, 0]]


def test_blocks_win_where_they_are_worth_more_than_pairs():
    scores = np.array([[1.0], [1.0], [1.0]])
    block = Move(1, 2, 0, 1, 5.0, rule=0)
    for backward in (False, True):
        assert nearest_heaviest(scores, (block,), backward).blocks == (block,)
    cheap = Move(0, 2, 0, 1, 0.5, rule=0)
    assert heaviest(scores, (cheap,)).pairs.tolist() == [[0, 0]]


def brute_force(scores: np.ndarray) -> float:
    count, other_count = scores.shape
    best = np.zeros((count + 1, other_count + 1))
    for here in range(1, count + 1):
        for there in range(1, other_count + 1):
            pair = scores[here - 1, there - 1]
            best[here, there] = max(
                best[here - 1, there],
                best[here, there - 1],
                best[here - 1, there - 1] + (pair if pair > 0 else 0),
            )
    return float(best[count, other_count])


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_weighing_agrees_with_a_plain_table(count, other_count, random_):
    scores = np.array(
        [[float(random_.randrange(4)) for _ in range(other_count)] for _ in range(count)]
    )
    solved = heaviest(scores, ())
    assert scores[solved.pairs[:, 0], solved.pairs[:, 1]].sum() == brute_force(scores)


def test_of_crossing_pairs_the_fewest_are_out_of_order():
    nobody = np.zeros(6, np.bool_)
    partner = np.array([0, 4, 1, 2, 3, 5], np.int32)
    assert np.flatnonzero(out_of_order(partner, nobody)).tolist() == [1]
    assert not out_of_order(np.array([0, -1, 1, 2], np.int32), nobody[:4]).any()
    added = np.array([False, True, False, False, False, False])
    swapped = np.array([0, 2, 1, 3, 4, 5], np.int32)
    assert np.flatnonzero(out_of_order(swapped, added)).tolist() == [1]


def test_landmarks_are_what_occurs_once_and_in_one_order():
    left = [*range(40), 900, *range(40), 901, *range(40)]
    right = [*range(40), 900, *range(40), *range(40), 901, *range(40)]
    marks = landmarks(codes(left), codes(right))
    assert marks == [(40, 40), (81, 121)]
    assert landmarks(codes(left), codes(left)) == []
    assert landmarks(codes([1, 2, 3]), codes([4, 5, 6])) == []


def test_the_longest_ascending_part_of_a_sequence():
    assert longest_ascending([3, 1, 2, 9, 4]) == [1, 2, 4]


def longest_by_table(a: list[int], b: list[int]) -> int:
    """The length of a longest common subsequence, by the textbook's table."""
    before = [0] * (len(b) + 1)
    for code in a:
        row = [0]
        for place, other in enumerate(b):
            row.append(max(row[-1], before[place + 1], before[place] + (code == other)))
        before = row
    return before[-1]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(0, 12), max_size=30),
    st.lists(st.integers(0, 12), max_size=30),
    st.booleans(),
)
def test_a_longest_common_subsequence_of_few_equal_pairs(a, b, backward):
    equal = sum(a.count(code) for code in b)
    found = longest_common(codes(a), codes(b), backward)
    if equal > 4 * (len(a) + len(b)):
        assert found is None
        return
    here, there = found
    assert [a[place] for place in here] == [b[place] for place in there]
    assert (np.diff(here) > 0).all()
    assert (np.diff(there) > 0).all()
    assert len(here) == longest_by_table(a, b)


def test_too_many_equal_pairs_are_left_to_others():
    assert longest_common(codes([1] * 50), codes([1] * 50), False) is None
