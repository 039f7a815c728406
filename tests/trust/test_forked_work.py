"""Work given to a copy of the process comes back, or is done without it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.structure.programs import Program, play

from opdiff import forked
from opdiff.compare import Direction, Request, compare, preparing
from opdiff.compare.prepared import Prepared
from opdiff.compare.preparing import Question, working_ahead
from opdiff.forked import Forked, can_fork
from opdiff.report import render
from opdiff.structure import structure_of
from opdiff.structure.building import _known
from opdiff.trace import Trace

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2,
    reason="one processor, or no copies of processes",
)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a command: whoever runs the tests may have threads of its own."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def test_a_process_with_several_threads_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    assert can_fork()
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert not can_fork()


def answer_of(work: Any) -> Any:
    other = Forked(work)
    try:
        return other.answer()
    finally:
        other.end()


def test_what_the_work_gives_comes_back_from_another_process() -> None:
    assert answer_of(lambda: [1] * 100_000) == [1] * 100_000
    assert answer_of(os.getppid) == os.getpid()


def test_a_copy_that_fails_or_is_killed_gives_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise RuntimeError("within")

    assert answer_of(fail) is None
    assert answer_of(lambda: os.kill(os.getpid(), signal.SIGKILL)) is None
    assert answer_of(lambda: lambda: 0) is None  # nothing that pickle knows
    assert capfd.readouterr() == ("", "")


def test_one_that_takes_too_long_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked, "_PATIENCE", 0.05)
    assert answer_of(threading.Event().wait) is None


def test_several_works_are_answered_in_turn_with_arrays_of_ones_own() -> None:
    numbers = np.arange(50_000)
    other = Forked(lambda: {"numbers": numbers + 1}, lambda: numbers[:0], lambda: "done")
    try:
        first = other.answer()["numbers"]
        assert np.array_equal(first, numbers + 1)
        first[0] = 7  # what is shared is not changed by it
        assert len(other.answer()) == 0
        assert other.answer() == "done"
        assert other.answer() is None
    finally:
        other.end()


WHOLE = Request(Direction.WHOLE)


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
