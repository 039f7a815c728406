"""Both sides made ready, part of it by a copy of this process where that pays."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np

from opdiff.compare.names.table import Table, table_for
from opdiff.compare.names.vocabulary import Vocabulary, vocabulary
from opdiff.compare.request import Request
from opdiff.compare.sides.hidden_copies import likely, with_copies
from opdiff.compare.sides.hostdata import host_memory
from opdiff.compare.sides.noise import noise_of
from opdiff.compare.sides.prepared import Prepared, prepare
from opdiff.compare.sides.recompute import with_twins
from opdiff.compare.sides.scope import Scope, scope_of
from opdiff.compare.sides.shares import takes_apart
from opdiff.forked import Forked, can_fork
from opdiff.structure import phase_marks, structure_of
from opdiff.structure.building import remember_structure
from opdiff.structure.phases import Phases, remember_marks
from opdiff.trace import Trace
from opdiff.trace.columns import Flags

_WORTH_IT = 50_000
"""Ops of both traces together: for fewer it takes no time."""
_COLUMNS = tuple(field.name for field in fields(Prepared) if field.name != "trace")
_MEANWHILE = (
    "looks",
    "read_where",
    "updated",
    "given",
    "adds",
    "part",
    "constant",
    "idle",
    "folded",
)
"""What is worked out of one side while the copy tells of the other."""
_ASKED = ("output", "phase", "deeds", "telling_place", "results", "_computing", "_handing")
"""What pairing always asks of a side: worked out of one here while the copy does the other."""

Both = tuple[Trace, Trace]


class Question(NamedTuple):
    """What is asked of two traces, and the words for both."""

    request: Request
    scope: Scope
    table: Table
    words: Vocabulary
    compared: tuple[Flags, Flags]
    alone: bool = False
    """Whether this process does nothing else, so that copies of it may help."""

    @staticmethod
    def of(left: Trace, right: Trace, request: Request) -> Question:
        """What a request asks; raises OpdiffError where it asks for what is not there."""
        scope = scope_of(left, right, request)
        table = table_for(request.rules)
        words = vocabulary(left, right, table)
        compared = _flags(left, scope.left), _flags(right, scope.right)
        return Question(request, scope, table, words, compared)

    def ready(self, traces: Both, side: int) -> Prepared:
        """One side made ready."""
        trace, other = traces[side], traces[1 - side]
        noise = np.zeros(len(trace), np.bool_)
        if self.request.rules.builtin:
            noise = noise_of(trace, other)
        rows = np.flatnonzero(self.compared[side] & ~noise).astype(np.int32)
        unseen = host_memory(trace, other)
        apart = takes_apart(other, trace)
        return with_twins(prepare(trace, side, self.words, rows, noise, unseen, taken_apart=apart))


def _flags(trace: Trace, rows: range) -> Flags:
    flags = np.zeros(len(trace), np.bool_)
    flags[rows.start : rows.stop] = True
    return flags


def at_first(left: Trace, right: Trace) -> Both:
    """The traces with their hidden copies as each by itself tells them."""
    return with_copies(left, likely(left)), with_copies(right, likely(right))


class Ahead:
    """A copy of this process that makes the right side ready, then finds the structure of both.

    Every report asks for the structure; comparing hardly does.
    """

    def __init__(self, left: Trace, right: Trace, request: Request) -> None:
        self._traces = left, right
        self.question = Question.of(left, right, request)._replace(alone=True)

        def right_side() -> _Told:
            return _told(self.question.ready(at_first(left, right), 1))

        self._other = Forked(right_side, lambda: [structure_of(each) for each in (left, right)])

    def right(self, trace: Trace) -> Prepared | None:
        """The right side as it is at first, with its trace; None where the copy came to nothing."""
        told = self._other.answer()
        return None if told is None else _taken(trace, told)

    def remember_structures(self) -> None:
        """Wait for the structures, which are known from then on."""
        for trace, structure in zip(self._traces, self._other.answer() or (), strict=False):
            remember_structure(trace, structure)

    def end(self) -> None:
        """Let go of it, done or not."""
        self._other.end()


@contextlib.contextmanager
def working_ahead(left: Trace, right: Trace, request: Request) -> Iterator[Ahead | None]:
    """For a process that does nothing else: a copy of it, for large traces, to compare with."""
    if len(left) + len(right) < _WORTH_IT or not can_fork():
        yield None
        return
    ahead = Ahead(left, right, request)
    try:
        yield ahead
        ahead.remember_structures()
    finally:
        ahead.end()


_Told = tuple[dict[str, Any], dict[str, Any], dict[str, Any], Phases]
"""The columns of a side, what has been worked out of it and its trace, and its phases."""


def _told(side: Prepared) -> _Told:
    columns, asked = ({name: getattr(side, name) for name in each} for each in (_COLUMNS, _ASKED))
    return columns, asked, side.trace.worked_out(), phase_marks(side.trace)


def _taken(trace: Trace, told: _Told) -> Prepared:
    columns, asked, worked_out, marks = told
    trace.take(worked_out)
    remember_marks(trace, marks)
    side = Prepared(trace=trace, **columns)
    vars(side).update(asked)  # as if it had been asked
    return side


def both_ready(question: Question, traces: Both, ahead: Ahead | None) -> tuple[Prepared, Prepared]:
    """The two sides made ready; *ahead* has begun with the right one."""
    left = question.ready(traces, 0)
    right = None
    if ahead is not None:
        for name in (*_ASKED, *_MEANWHILE):
            getattr(left, name)
        right = ahead.right(traces[1])
    return left, question.ready(traces, 1) if right is None else right


def ready_at_once(
    traces: Both, ready: Callable[[int], Prepared], *, alone: bool
) -> tuple[Prepared, Prepared]:
    """The two sides as *ready* makes them; the right one by a copy, if this process is *alone*."""
    if not alone or sum(map(len, traces)) < _WORTH_IT or not can_fork():
        return ready(0), ready(1)
    other = Forked(lambda: _told(ready(1)))
    try:
        left = ready(0)
        for name in _ASKED:
            getattr(left, name)
        told = other.answer()
    finally:
        other.end()
    return left, ready(1) if told is None else _taken(traces[1], told)
