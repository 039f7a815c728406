"""Roots and consequences: the op that changed is to blame, not the ones that read it."""

from __future__ import annotations

import pytest
from tests.pairs.generate import KnownPair, generate
from tests.pairs.running import ask, read_text

from opdiff.compare import Comparison, Divergence, Side


def compared(name: str, count: int) -> list[Comparison]:
    """Comparisons of pairs with one kind of change, which reach up to where it happened."""
    pairs: list[KnownPair] = []
    seed = 7600
    while len(pairs) < count:
        pair = generate(seed, name)
        seed += 1
        if pair.truth.direction != "down":
            pairs.append(pair)
    return [ask(read_text(pair.left), read_text(pair.right), pair.truth) for pair in pairs]


def writes_the_difference(comparison: Comparison, divergence: Divergence) -> bool:
    """Whether what the pair writes differs, not only what it reads."""
    written = [
        [operand.spec for operand in comparison.side(side).trace.op(row).outputs]
        for side in Side
        for row in divergence.rows(side)
    ]
    return written[0] != written[1]


@pytest.mark.parametrize("name", ["dtype", "shape", "layout"])
def test_a_changed_value_is_the_fault_of_its_writer(name: str) -> None:
    consequences = 0
    for comparison in compared(name, 4):
        for divergence in comparison.divergences:
            if writes_the_difference(comparison, divergence):
                assert divergence.caused_by is None
                continue
            consequences += 1
            assert divergence.caused_by is not None
            cause = comparison.divergences[divergence.caused_by]
            for side in Side:
                producers = comparison.side(side).trace.producers(divergence.rows(side)[0])
                assert cause.rows(side)[0] in producers
    assert consequences


@pytest.mark.parametrize("name", ["compiled_region", "host", "contiguous", "unknown_name"])
def test_causes_lie_upstream(name: str) -> None:
    for comparison in compared(name, 4):
        for divergence in comparison.divergences:
            if divergence.caused_by is not None:
                cause = comparison.divergences[divergence.caused_by]
                assert any(
                    min(cause.rows(side)) <= max(divergence.rows(side))
                    for side in Side
                    if cause.rows(side) and divergence.rows(side)
                )


@pytest.mark.parametrize(("name", "known"), [("known_name", True), ("unknown_name", False)])
def test_names_of_the_table_are_told_from_others(name: str, known: bool) -> None:
    for comparison in compared(name, 4):
        assert {divergence.known for divergence in comparison.divergences} == {known}


def test_another_op_is_a_root() -> None:
    for comparison in compared("unknown_name", 4):
        assert comparison.divergences
        assert all(divergence.caused_by is None for divergence in comparison.divergences)
        assert all(group.root for group in comparison.groups)
