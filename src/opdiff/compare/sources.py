"""Pairs whose ops read from elsewhere, while one that is alone reads from the right place."""

from __future__ import annotations

import numpy as np

from opdiff.compare.codes import Ints, Words
from opdiff.compare.sides import Ready, paired_inputs, signatures, written_by

_NEAR, _MOST = 64, 16


def let_sources_decide(
    left: Ready,
    right: Ready,
    partner: Ints,
    other_partner: Ints,
    rows: Ints,
    alone: tuple[list[int], list[int]],
) -> list[int]:
    """Give counterparts to ops that are alone and read what the present partner does not.

    Of two like ops of which one is gone, the one stays whose producers have counterparts. Only
    the left *rows* given may lose their partners: what the user decreed is not among them.
    Returns the left rows that got another partner.
    """
    words = signatures(left), signatures(right)
    rows = rows[partner[rows] >= 0]
    here, there, owner = paired_inputs(left, right, rows, partner[rows])
    writer, other_writer = left.producer[here], right.producer[there]
    both = (writer >= 0) & (other_writer >= 0)
    parted = both & (
        (partner[np.maximum(writer, 0)] < 0) != (other_partner[np.maximum(other_writer, 0)] < 0)
    )
    waiting = _by_word(words[0], alone[0]), _by_word(words[1], alone[1])
    changed: list[int] = []
    for row in np.unique(rows[owner[parted]]).tolist():
        other = int(partner[row])
        better = _reader(left, right, partner, words[0], row, other, waiting[0])
        if better >= 0:
            partner[row], partner[better], other_partner[other] = -1, other, better
            changed.append(better)
            continue
        better = _reader(right, left, other_partner, words[1], other, row, waiting[1])
        if better >= 0:
            other_partner[other], other_partner[better], partner[row] = -1, row, better
            changed.append(row)
    return changed


def _reader(
    side: Ready,
    other_side: Ready,
    partner: Ints,
    words: Words,
    row: int,
    other: int,
    waiting: dict[int, list[int]],
) -> int:
    """An op like *row* that is alone and reads from the counterparts of what *other* reads."""
    alike = waiting.get(int(words[row]))
    if not alike:
        return -1
    sources = written_by(other_side, other)
    present, _ = _agreement(written_by(side, row), sources, partner)
    if present == len(sources):
        return -1
    near = sorted(alike, key=lambda place: abs(place - row))
    for candidate in near[:_MOST]:
        if abs(candidate - row) > _NEAR or partner[candidate] >= 0:
            continue
        agreeing, contrary = _agreement(written_by(side, candidate), sources, partner)
        if agreeing > present and not contrary:
            return candidate
    return -1


def _agreement(writers: list[int], sources: list[int], partner: Ints) -> tuple[int, int]:
    """How many writers are counterparts of the sources, and how many are of something else."""
    if len(writers) != len(sources):
        return 0, 1
    places = [(w, s) for w, s in zip(writers, sources, strict=True) if w >= 0 and s >= 0]
    agreeing = sum(int(partner[w]) == s for w, s in places)
    return agreeing, sum(0 <= int(partner[w]) != s for w, s in places)


def _by_word(words: Words, rows: list[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row in rows:
        found.setdefault(int(words[row]), []).append(row)
    return found
