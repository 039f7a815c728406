"""Ops that ran on the host: their operands vanished, and their consumers lost their producer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from opdiff.compare.comparison import LostLink, Side
from opdiff.compare.matching import Matching
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace import Role
from opdiff.trace.columns import Ints
from opdiff.trace.traits import Trait


class Bareness(NamedTuple):
    """What it means that one op of a pair prints no operands."""

    on_host: bool
    side: Side
    """The side without operands."""
    lost: tuple[LostLink, ...] = ()


def bareness(
    left: Prepared, right: Prepared, matching: Matching, row: int, other: int
) -> Bareness | None:
    """What to say of a pair of which exactly one op has no operands; None: nothing."""
    side = Side.LEFT if left.bare[row] else Side.RIGHT
    full, bare = (right, left) if side is Side.LEFT else (left, right)
    full_row, bare_row = (other, row) if side is Side.LEFT else (row, other)
    if bare.trace.traits[bare_row] & Trait.COPY:
        return None  # compiled graphs print their dense copies so
    if bare.trace.role[bare_row] != Role.OP:
        return None
    lost, linked = [], 0
    for counterpart, place in _readers(full, matching.partner[side.other], full_row):
        if bare.bare[counterpart]:
            continue  # on the host as well: its own consumers tell
        operand = _same_input(bare, counterpart, place)
        if operand is None:
            continue
        if bare.outside[bare.source[operand]]:
            first = int(bare.trace.inputs.start[counterpart])
            lost.append(LostLink(side, counterpart, operand - first, place))
        else:
            linked += 1
    return Bareness(bool(lost) or not linked, side, tuple(dict.fromkeys(lost)))


def _readers(full: Prepared, partner: Ints, row: int) -> Iterator[tuple[int, int]]:
    """Consumers that are paired: the counterpart, and which compared input reads."""
    start, producer = full.trace.inputs.start, full.trace.links.producer
    for consumer in full.trace.consumers(row):
        counterpart = int(partner[consumer])
        if counterpart < 0:
            continue
        place = 0
        for operand in range(int(start[consumer]), int(start[consumer + 1])):
            if not full.kept[operand]:
                continue
            if producer[operand] == row:
                yield counterpart, place
            place += 1


def _same_input(bare: Prepared, counterpart: int, place: int) -> int | None:
    """The input of the counterpart that stands at the same place among the compared ones."""
    start = bare.trace.inputs.start
    kept = [k for k in range(int(start[counterpart]), int(start[counterpart + 1])) if bare.kept[k]]
    return kept[place] if place < len(kept) else None
