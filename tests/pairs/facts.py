"""A comparison as a set of facts that can be compared with those of another one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opdiff.compare import Comparison

Facts = frozenset[tuple[Any, ...]]


def facts(
    comparison: Comparison, number: Callable[[int, int], int] = lambda side, row: row
) -> Facts:
    """Every divergence with its members' group and its cause, rows renumbered."""

    def place(index: int) -> tuple[object, ...]:
        divergence = comparison.divergences[index]
        return (
            divergence.kind,
            tuple(number(0, row) for row in divergence.left_rows),
            tuple(number(1, row) for row in divergence.right_rows),
        )

    return frozenset(
        (
            *place(index),
            divergence.known,
            None if divergence.caused_by is None else place(divergence.caused_by),
            frozenset(map(place, comparison.groups[divergence.group].members)),
        )
        for index, divergence in enumerate(comparison.divergences)
    )


def mirrored(comparison: Comparison) -> Facts:
    """The facts of the comparison with its sides exchanged."""

    def turn(place: Any) -> tuple[object, ...]:
        kind, left, right = place
        return kind.mirrored, right, left

    return frozenset(
        (*turn(fact[:3]), fact[3], fact[4] and turn(fact[4]), frozenset(map(turn, fact[5])))
        for fact in facts(comparison)
    )
