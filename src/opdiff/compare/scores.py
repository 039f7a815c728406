"""How well two ops go together, for all pairs of two short stretches at once."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.codes import Ints, Vocabulary
from opdiff.compare.sides import Ready

Scores = NDArray[np.float64]

SAME, KNOWN, OTHER = 6.0, 5.0, 2.0
"""What a pair is worth for its names alone: the same, known counterparts, other ones."""
COPIES = frozenset({"Contiguous", "TensorMove", "copy_from"})
"""Copies stand for themselves: they are never the counterpart of an op of another name."""
_ALIKE = 0.6


def pair_scores(left: Ready, right: Ready, rows: Ints, others: Ints, words: Vocabulary) -> Scores:
    """A score for each of *rows* with each of *others*; 0 where they may not be paired."""
    kind, other_kind = left.type[rows][:, None], right.type[others][None, :]
    bare = left.bare[rows][:, None] | right.bare[others][None, :]
    outputs = (left.outputs[rows][:, None] == right.outputs[others][None, :]) | bare
    inputs = (left.inputs[rows][:, None] == right.inputs[others][None, :]) | bare
    upward = left.upward[rows][:, None] == right.upward[others][None, :]
    downward = left.downward[rows][:, None] == right.downward[others][None, :]
    agreement = 2.0 * outputs + 2.0 * inputs + upward + downward
    same = kind == other_kind
    known = words.linked[kind, other_kind]
    some = outputs | inputs | (upward & downward)
    scores = np.where(same, np.where(some, SAME + agreement, 1.0), 0.0)
    fitting = known & ((outputs & inputs) | (outputs | inputs) & (upward | downward) | bare)
    scores = np.where(fitting, KNOWN + agreement, scores)
    scores = np.where(known & ~fitting & some, 1.5, scores)
    alike = (
        ~same & ~known & ((outputs & inputs & ~bare) | (outputs & downward) | (outputs & upward))
    )
    if alike.any():
        _other_names(scores, alike, agreement, kind, other_kind, bare, inputs, words)
    return scores


def _other_names(
    scores: Scores,
    candidates: NDArray[np.bool_],
    agreement: Scores,
    kind: Ints,
    other_kind: Ints,
    bare: NDArray[np.bool_],
    inputs: NDArray[np.bool_],
    words: Vocabulary,
) -> None:
    """Names that nobody knows as counterparts: the operands must agree, or the names be alike."""
    for here, there in zip(*np.nonzero(candidates), strict=True):
        name, other = words.types[kind[here, 0]], words.types[other_kind[0, there]]
        if name in COPIES or other in COPIES:
            continue
        alike = likeness(name, other)
        if alike >= _ALIKE or (inputs[here, there] and not bare[here, there]):
            scores[here, there] = OTHER + 0.5 * agreement[here, there] + alike


@cache
def likeness(name: str, other: str) -> float:
    """How alike two names are, from 0 to 1; the same for both orders."""
    # rapidfuzz is needed only where names differ.
    from rapidfuzz.fuzz import ratio

    first, second = sorted((name, other))
    return ratio(first.lower(), second.lower()) / 100.0
