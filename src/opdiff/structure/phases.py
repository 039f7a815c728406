"""Forward, backward, optimizer: which part of a training step an op belongs to, and which step."""

from __future__ import annotations

import re
from enum import IntEnum
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from opdiff.trace import Frame, Trace
from opdiff.trace.columns import Flags, Ints, marked
from opdiff.trace.sorting import distinct
from opdiff.trace.traits import Trait

Phases = NDArray[np.int8]

_GRADIENT_TYPE = re.compile(
    r"(?:_backward(?:_data)?|Grad(?:Ext)?(?:V\d)?|Backward)$|Backprop"
    r"|^GraphKernel_\w*Grad(?:Ext)?(?:V\d)?_"
)
"""Gradients by their names; a fused kernel lists what it does."""
_EITHER_TYPE = re.compile(r"BackpropInput$")
"""The gradient of a convolution, and a transposed one of the forward."""
_GRADIENT_SCOPE = re.compile(r"(?:^|/)Gradients(?:/|$)")
_GRADIENT_FUNCTIONS = frozenset(
    {"_engine_run_backward", "_make_grads", "_pynative_func_grad_backward"}
)
_OPTIMIZER_FILE = re.compile(r"[/\\](?:torch|mindspore)[/\\](?:nn[/\\]|mint[/\\])?optim\w*[/\\.]")
_REACH = 12
_ROUNDS = 64
"""How far gradients are followed through ops that say nothing of themselves."""
_MARKS: WeakKeyDictionary[Trace, Phases] = WeakKeyDictionary()
"""What was found of traces that are still in use: many steps ask."""
_ALIKE = 0.5
"""Steps that have so much in common do the same."""


class Phase(IntEnum):
    """A part of a training step, in the order in which they run."""

    FORWARD = 0
    BACKWARD = 1
    OPTIMIZER = 2

    def __str__(self) -> str:
        return self.name.lower()


def phases(trace: Trace) -> Phases:
    """The phase of every row: that of most rows around, for a run is in one phase for many ops.

    Compiled graphs run single ops of the backward early, and eager code reads what tells nothing.
    """
    marks = phase_marks(trace)
    if not marks.any():
        return marks
    telling = (trace.inputs.counts() > 0) | (trace.outputs.counts() > 0)
    return _smoothed(marks, telling if telling.any() else ~telling)


def names_gradients(trace: Trace) -> bool:
    """Whether scopes name what computes gradients, as in a graph: then each row tells its phase."""
    return any(map(_GRADIENT_SCOPE.search, trace.scopes))


def phase_marks(trace: Trace) -> Phases:
    """The phase that each row by itself speaks for.

    Names, scopes and stacks tell where gradients are computed and where parameters are updated;
    what reads a gradient belongs to the backward too.
    """
    if trace not in _MARKS:
        remember_marks(trace, _find_marks(trace))
    return _MARKS[trace]


def remember_marks(trace: Trace, marks: Phases) -> None:
    """Marks that were found elsewhere."""
    marks.setflags(write=False)
    _MARKS[trace] = marks


def _find_marks(trace: Trace) -> Phases:
    rows = len(trace)
    by_type = np.array([bool(_GRADIENT_TYPE.search(name)) for name in trace.types], np.int8)
    by_scope = np.array([bool(_GRADIENT_SCOPE.search(name)) for name in trace.scopes], np.int8)
    by_stack = np.array([_phase_of_stack(frames) for frames in trace.tables.stacks], np.int8)
    if not rows:
        return np.zeros(0, np.int8)
    if by_scope.any() or (by_stack == Phase.BACKWARD).any():
        by_type[[bool(_EITHER_TYPE.search(name)) for name in trace.types]] = Phase.FORWARD
    phase: Phases = np.maximum(
        np.maximum(by_type[trace.type], by_scope[trace.scope]), by_stack[trace.columns.stack]
    )
    phase[trace.has_trait(Trait.OPTIMIZER)] = Phase.OPTIMIZER
    if not phase.any():
        return phase
    spoken = phase > Phase.FORWARD
    told = (by_stack > 0)[trace.columns.stack]
    return _updating(trace, _from_inputs(trace, phase), told, spoken)


def _smoothed(phase: Phases, telling: Flags) -> Phases:
    """Rows that most before and most after them contradict; borders between phases stay.

    Copies that print no operands have no word: between two updates of parameters each there are
    two of them.
    """
    before, after = (_around(phase, telling, reach) for reach in ((-_REACH, 0), (1, _REACH + 1)))
    return np.where((before == after) & (before != phase), before, phase).astype(np.int8)


def _around(phase: Phases, telling: Flags, reach: tuple[int, int]) -> Phases:
    """Of each row, the phase of most rows at these distances; its own where there are none."""
    rows = np.arange(len(phase))
    low, high = (np.clip(rows + step, 0, len(phase)) for step in reach)
    most, best = np.zeros(len(phase), np.int8), np.full(len(phase), -1, np.int32)
    for each in Phase:
        here = phase == each
        total = np.concatenate(([0], np.cumsum(here & telling))).astype(np.int32)
        count = 2 * (total[high] - total[low]) + here
        most[count > best] = each
        np.maximum(best, count, out=best)
    return most


def _from_inputs(trace: Trace, phase: Phases) -> Phases:
    """What reads a gradient belongs to the backward, whatever its stack says."""
    source, reader = trace.values.source, trace.values.reader_row
    # What is read was made before: nothing comes from what was made before the first gradient.
    first = int(np.argmax(phase == Phase.BACKWARD))
    asking = np.flatnonzero(
        (phase[reader] == Phase.FORWARD) & (source >= first) & (source < len(trace))
    )
    source, reader = source[asking], reader[asking]
    for _ in range(_ROUNDS):
        late = (phase[source] == Phase.BACKWARD) & (phase[reader] == Phase.FORWARD)
        if not late.any():
            break
        phase[reader[late]] = Phase.BACKWARD
    return phase


def _updating(trace: Trace, phase: Phases, told: Flags, spoken: Flags) -> Phases:
    """Gradients are spent where memory from outside is written in place, without a stack's word.

    That is a parameter, which the forward reads, or what an optimizer keeps and updates beside it;
    the sum of the gradients of several micro-batches is neither.
    """
    backward = phase == Phase.BACKWARD
    writing = trace.has_trait(Trait.IN_PLACE) & (trace.inputs.counts() > 0) & ~told
    writing[: int(np.argmax(backward))] = False
    rows = np.flatnonzero(writing)
    target = trace.values.source[trace.inputs.start[rows]]
    rows, target = rows[target >= len(trace)], target[target >= len(trace)]
    values = trace.values
    read = marked(values.count, values.source[phase[values.reader_row] == Phase.FORWARD])
    sure = distinct(np.concatenate((rows[read[target]], np.flatnonzero(phase == Phase.OPTIMIZER))))
    if len(sure):
        at = np.searchsorted(sure, rows)
        before, after = sure[np.maximum(at - 1, 0)], sure[np.minimum(at, len(sure) - 1)]
        rows = rows[np.minimum(np.abs(rows - before), np.abs(rows - after)) <= _REACH]
    named = bool((phase == Phase.OPTIMIZER).any())
    phase[rows] = Phase.OPTIMIZER
    return phase if named else _between_updates(phase, spoken)


def _between_updates(phase: Phases, spoken: Flags) -> Phases:
    """What lies between two updates belongs to the optimizer, if nothing there speaks for itself.

    An optimizer that a program writes out line by line reads gradients most of the time.
    """
    updates = np.flatnonzero(phase == Phase.OPTIMIZER)
    if len(updates) > 1:
        heard = np.concatenate(([0], np.cumsum(spoken)))
        silent = np.append(heard[updates[1:]] == heard[updates[:-1] + 1], [False])
        gap = np.searchsorted(updates, np.arange(len(phase)), side="right") - 1
        phase[(gap >= 0) & silent[gap]] = Phase.OPTIMIZER
    return phase


def _phase_of_stack(frames: tuple[Frame, ...]) -> Phase:
    for frame in frames:
        if frame.function in _GRADIENT_FUNCTIONS:
            return Phase.BACKWARD
        if _OPTIMIZER_FILE.search(frame.file):
            return Phase.OPTIMIZER
    return Phase.FORWARD


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
        set(distinct(words[border[number] : border[number + 1]]).tolist())
        for number in range(count)
    ]
    first = next((number for number in range(1, count) if _similar(sets[0], sets[number])), count)
    return (np.arange(count) // first).astype(np.int32)


def _similar(one: set[int], other: set[int]) -> bool:
    """Whether two sets have most in common (Jaccard's index)."""
    return len(one & other) >= _ALIKE * max(len(one | other), 1)
