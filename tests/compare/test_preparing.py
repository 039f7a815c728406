"""A copy of the process makes one side ready and finds structures; without it all is the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from tests.structure.programs import Program, play

from opdiff.compare import Direction, Request, compare
from opdiff.compare.pairing import raising
from opdiff.compare.sides import preparing
from opdiff.compare.sides.prepared import Prepared
from opdiff.compare.sides.preparing import Question, working_ahead
from opdiff.forked import Forked
from opdiff.report import render
from opdiff.structure import structure_of
from opdiff.structure.building import _known
from opdiff.trace import Trace

pytestmark = pytest.mark.usefixtures("copies")

WHOLE = Request(Direction.WHOLE)
SOFTMAX = (
    "11 = aten::amax(10)",
    "12 = aten::sub(10, 11)",
    "13 = aten::exp(12)",
    "14 = aten::sum(13)",
    "15 = aten::div(13, 14)",
)


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> Callable[[], tuple[Trace, Trace]]:
    monkeypatch.setattr(preparing, "_WORTH_IT", 0)
    return lambda: (play(Program())[0], play(Program(layers=3))[0])


def answers(trace_of: Callable[[], tuple[Trace, Trace]]) -> str:
    """The report of a comparison that a copy has begun."""
    left, right = trace_of()
    with working_ahead(left, right, WHOLE) as ahead:
        assert ahead is not None
        comparison = compare(left, right, WHOLE, ahead=ahead)
    return render(comparison, "json")


def test_a_copy_makes_the_right_side_ready(
    traces: Callable[[], tuple[Trace, Trace]], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = render(compare(*traces(), WHOLE), "json")
    ready, here, made = Question.ready, os.getpid(), []

    def noted(question: Question, both: tuple[Trace, Trace], side: int) -> Prepared:
        if os.getpid() == here:
            made.append(side)
        return ready(question, both, side)

    monkeypatch.setattr(Question, "ready", noted)
    assert answers(traces) == plain
    assert made == [0]
    monkeypatch.setattr(Forked, "answer", lambda self: None)
    assert answers(traces) == plain
    assert made == [0, 0, 1]


def test_a_copy_makes_the_raised_right_side_ready(
    trace_of: Callable[..., Trace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "_WORTH_IT", 0)
    before, after = "10 = aten::mm(1, 2)", "19 = aten::mm(15, 3)"
    both = (
        trace_of(before, "15 = aten::_softmax(10)", after),
        trace_of(before, *SOFTMAX, after),
    )
    prepare, here, made = raising.prepare, os.getpid(), []

    def noted(trace: Trace, side: int, *rest: Any, **more: Any) -> Prepared:
        if os.getpid() == here:
            made.append(side)
        return prepare(trace, side, *rest, **more)

    monkeypatch.setattr(raising, "prepare", noted)
    plain = render(compare(*both, WHOLE), "json")
    assert made == [0, 1]
    assert answers(lambda: both) == plain
    assert made == [0, 1, 0]


def test_structures_come_from_the_copy(
    traces: Callable[[], tuple[Trace, Trace]], monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = traces()
    with working_ahead(left, right, WHOLE) as ahead:
        assert ahead is not None
        assert ahead.right(right) is not None
        assert left not in _known
    assert left in _known
    assert list(_known[right].of_row) == list(structure_of(traces()[1]).of_row)


def test_for_small_traces_no_copy_is_made(
    traces: Callable[[], tuple[Trace, Trace]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    left, right = traces()
    with working_ahead(left, right, WHOLE) as ahead:
        assert ahead is None
    assert left not in _known
