"""Errors that do not show beside numbers much larger than those which differ.

A mask of -1e9 in half of a tensor makes all else in it look alike: relative to the whole, scores
that are a fifth off are not off at all. Softmax reads them and differs by a fifth, and is not to
blame. So what such an op reads stands for what it writes, and is handed on to those who read that.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from opdiff.trace.columns import Flags, Floats, Ints, marked, places_among
from opdiff.values.causes import ErrorsOfPairs
from opdiff.values.conditions import Norms
from opdiff.values.flow import NOBODY, Flow

_LARGER = 1e3
"""So many times larger than an input an output is one that hides it."""
_LONGEST_CHAIN = 16
"""So many ops in a row that only hand on values are looked through."""


@np.errstate(all="ignore")
def drowns(inputs: Norms, outputs: Norms, error: Floats, floor: Floats, count: int) -> Flags:
    """Which of so many pairs of ops write numbers much larger than an input that differs."""
    written = np.zeros(count)
    np.maximum.at(written, outputs.pair, np.nan_to_num(outputs.norm))
    hidden = (error > floor) & (written[inputs.pair] > _LARGER * inputs.norm) & (floor > 0.0)
    return marked(count, inputs.pair[hidden])


def brought_up(pairs: ErrorsOfPairs, drowned: Flags, left: Flow, right: Flow) -> ErrorsOfPairs:
    """The errors with those that drowned, up to the first op that is more than a view or a copy."""
    if not drowned.any():
        return pairs
    level = np.zeros(len(pairs))
    which = drowned[pairs.input_pair]
    np.maximum.at(level, pairs.input_pair[which], np.nan_to_num(pairs.input_error[which]))
    producer = _producing_pair(pairs, left, right)
    reads = np.flatnonzero((producer != NOBODY) & (pairs.input_floor > 0.0))
    error = pairs.input_error.copy()
    for _ in range(_LONGEST_CHAIN):
        raised = reads[level[producer[reads]] > 0.0]  # an error that is not known stays so
        error[raised] = np.fmax(error[raised], level[producer[raised]])
        handed = raised[pairs.only_moves[pairs.input_pair[raised]]]
        before = level.copy()
        np.maximum.at(level, pairs.input_pair[handed], level[producer[handed]])
        if (level == before).all():
            break
    written = np.where(pairs.output_floor > 0.0, level[pairs.output_pair], 0.0)
    written = np.where(written > 0.0, np.fmax(pairs.output_error, written), pairs.output_error)
    return replace(pairs, input_error=error, output_error=written)


def _producing_pair(pairs: ErrorsOfPairs, left: Flow, right: Flow) -> Ints:
    """The pair that wrote each compared input on both sides, -1 where that is no pair."""
    found = []
    for rows, flow, places in (
        (pairs.left_row, left, pairs.input_left),
        (pairs.right_row, right, pairs.input_right),
    ):
        # One more, for what nobody wrote.
        found.append(places_among(len(flow) + 1, rows)[flow.producer[places]])
    return np.where(found[0] == found[1], found[0], NOBODY).astype(np.int32)
