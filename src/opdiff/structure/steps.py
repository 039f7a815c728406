"""Training steps: from a forward to the optimizer that spends its gradients."""

from __future__ import annotations

import numpy as np

from opdiff.structure.phases import Phase, Phases
from opdiff.trace.columns import Ints

_ALIKE = 0.5


def steps_of(phase: Phases) -> Ints:
    """Of each row, the number of its training step.

    A step ends where a forward begins after an optimizer that came after a backward. Gradients that
    several backwards add up are one step.
    """
    step = np.zeros(len(phase), np.int32)
    if not len(phase):
        return step
    border = np.flatnonzero(np.diff(phase)) + 1
    starts = np.concatenate(([0], border))
    backward = spent = False
    for start, now in zip(starts.tolist(), phase[starts].tolist(), strict=True):
        if now == Phase.FORWARD and spent:
            step[start] = 1
            backward = spent = False
        backward = backward or now == Phase.BACKWARD
        spent = spent or (backward and now == Phase.OPTIMIZER)
    # What comes after the last optimizer and has no backward is no step of its own.
    last = int(np.flatnonzero(step)[-1]) if step.any() else 0
    if not (phase[last:] == Phase.BACKWARD).any():
        step[last] = 0
    return np.cumsum(step, dtype=np.int32)


def rounds_of(step: Ints, words: Ints) -> Ints:
    """Of each step, which round of updates it belongs to.

    Some programs update several networks in turn (a generator and its critic): steps that do
    different things one after the other are one round.
    """
    count = int(step[-1]) + 1 if len(step) else 0
    if count < 2:
        return np.zeros(count, np.int32)
    border = np.searchsorted(step, np.arange(count + 1))
    sets = [
        set(np.unique(words[border[number] : border[number + 1]]).tolist())
        for number in range(count)
    ]
    first = next((number for number in range(1, count) if _similar(sets[0], sets[number])), count)
    return (np.arange(count) // first).astype(np.int32)


def _similar(one: set[int], other: set[int]) -> bool:
    """Whether two sets have most in common (Jaccard's index)."""
    return len(one & other) >= _ALIKE * max(len(one | other), 1)
