"""How well two ops go together, for all pairs of two short stretches at once."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from opdiff.compare.names.vocabulary import Vocabulary
from opdiff.compare.sides.prepared import Prepared
from opdiff.trace.columns import Floats, Ints
from opdiff.trace.traits import Trait

Scores = Floats

SAME, KNOWN, COPY = 6.0, 5.0, 2.0
"""What a pair is worth for its names alone: the same, known counterparts, two copies."""
_UNTOLD = 0.6
_HANDING = 0.04
"""What views and copies count beside ops that compute."""


def pair_scores(
    left: Prepared, right: Prepared, rows: Ints, others: Ints, words: Vocabulary
) -> Scores:
    """A score for each of *rows* with each of *others*; 0 where they may not be paired."""
    kind, other_kind = left.type[rows][:, None], right.type[others][None, :]
    bare = left.bare[rows][:, None] | right.bare[others][None, :]
    outputs = (left.outputs[rows][:, None] == right.outputs[others][None, :]) | bare
    inputs = (left.inputs[rows][:, None] == right.inputs[others][None, :]) | bare
    upward = left.upward[rows][:, None] == right.upward[others][None, :]
    downward = left.downward[rows][:, None] == right.downward[others][None, :]
    # Where an op reads from tells more than who reads it: what is inserted changes its readers.
    laid_out = left.layout[rows][:, None] == right.layout[others][None, :]
    # An op with more inputs tells more by agreeing in them; views and copies tell the least.
    told = 0.5 * left.input_count[rows][:, None]
    agreement = told + 2.0 * outputs + 2.0 * inputs + upward + 0.75 * downward + 0.25 * laid_out
    same = kind == other_kind
    known = words.known(left.type[rows], right.type[others])
    some = outputs | inputs | (upward & downward)
    # Ops of one name in one gap go together for want of better; copies stand anywhere.
    copying = left.copies[rows][:, None] | right.copies[others][None, :]
    worth = np.where(copying, COPY, SAME) + agreement
    worth *= np.where(left.passes[rows][:, None] & right.passes[others][None, :], _HANDING, 1.0)
    handing = copying | (left.passes[rows][:, None] & right.passes[others][None, :])
    some = some & (outputs | inputs | ~handing)
    scores = np.where(same, np.where(some, worth, np.where(handing, 0.0, 1.0)), 0.0)
    fitting = known & ((outputs & inputs) | (outputs | inputs) & (upward | downward) | bare)
    # Copies that print no operands could be any: they give way to ops that compute.
    scores = np.where(
        fitting, (KNOWN + agreement) * np.where(bare & handing, _HANDING, 1.0), scores
    )
    scores = np.where(known & ~fitting & ~copying, np.where(some, 1.5, 0.75), scores)
    # A kernel that names its parts stands for these, never for one op of another name.
    fused = left.fused[rows][:, None] | right.fused[others][None, :]
    other = ~same & ~known & ~copying & ~fused
    if not len(rows) or not len(others) or not other.any():
        return scores
    if not (left.has_operands and right.has_operands):
        # Only names and order tell: an op in the place of another is taken for its counterpart,
        # save between frameworks, where few names are alike.
        if not words.one_language:
            return scores
    else:
        # What ran on the host in another name computes the same: neither a view nor a state.
        traits, other_traits = left.trace.traits[rows], right.trace.traits[others]
        other &= left.bare[rows][:, None] != right.bare[others][None, :]
        other &= (traits & Trait.IN_PLACE)[:, None] == (other_traits & Trait.IN_PLACE)[None, :]
        views = (traits & Trait.PASSES_ON > 0)[:, None] | (other_traits & Trait.PASSES_ON > 0)
        other &= ~views
        if not other.any():
            return scores
    alike = _likeness(left.type[rows], right.type[others], words)
    return np.where(other, _UNTOLD + alike, scores)


def _likeness(kinds: Ints, other_kinds: Ints, words: Vocabulary) -> Scores:
    """How alike the names are."""
    from rapidfuzz.fuzz import ratio
    from rapidfuzz.process import cdist

    distinct, place = np.unique(kinds, return_inverse=True)
    others, other_place = np.unique(other_kinds, return_inverse=True)
    names, other_names = (
        [words.types[kind].lower() for kind in chosen.tolist()] for chosen in (distinct, others)
    )
    table = cdist(names, other_names, scorer=ratio, dtype=np.float64) / 100.0
    scores: Scores = table[place[:, None], other_place[None, :]]
    return scores


@lru_cache(maxsize=1 << 16)
def likeness(name: str, other: str) -> float:
    """How alike two names are, from 0 to 1; the same for both orders."""
    # rapidfuzz is needed only where names differ.
    from rapidfuzz.fuzz import ratio

    first, second = sorted((name, other))
    return ratio(first.lower(), second.lower()) / 100.0
