"""Work given to a copy of the process comes back, or is done without it."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np
import pytest

from opdiff import forked
from opdiff.forked import Forked, can_fork

pytestmark = pytest.mark.usefixtures("copies")


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
