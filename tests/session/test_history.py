from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from opdiff.compare import Comparison, Request, Side, SideResult
from opdiff.session import Answers, History, Work
from opdiff.session.history import _MOST_ANSWERS
from opdiff.trace import ColumnsBuilder, Source, Trace


def anchored(row: int) -> Work:
    return Work().with_anchor(Side.LEFT, row)


def test_undo_and_redo_walk_the_states_and_name_them() -> None:
    history = History()
    assert history.undo_label() is history.redo_label() is None
    history.record(anchored(1), "anchor")
    history.record(anchored(2), "move anchor")
    assert history.undo_label() == "move anchor"
    assert history.undo() == anchored(1)
    assert history.redo_label() == "move anchor"
    assert history.undo() == Work()
    assert history.undo() == Work()
    assert history.redo() == anchored(1)


def test_a_new_step_forgets_what_was_undone() -> None:
    history = History()
    history.record(anchored(1), "one")
    history.undo()
    history.record(anchored(2), "two")
    assert history.redo_label() is None
    assert history.undo() == Work()


def test_no_change_is_no_step() -> None:
    history = History(anchored(1))
    history.record(anchored(1), "again")
    assert history.undo_label() is None


@given(st.lists(st.integers(0, 20), max_size=30))
def test_undoing_everything_leads_back_and_redoing_everything_forth(rows: list[int]) -> None:
    history = History()
    for row in rows:
        history.record(anchored(row), str(row))
    last = history.work
    while history.undo_label() is not None:
        history.undo()
    assert history.work == Work()
    while history.redo_label() is not None:
        history.redo()
    assert history.work == last


def test_states_share_what_did_not_change() -> None:
    pins = tuple((row, row) for row in range(1000))
    before = Work(Request(pins=pins)).with_rules("ignore: [Add]\n")
    history = History(before)
    history.record(before.with_anchor(Side.LEFT, 5), "anchor")
    after = history.work
    assert after.request.pins is pins
    assert after.request.rules is before.request.rules
    assert history.undo() is before


def answered(request: Request, trace: Trace) -> Comparison:
    rows = len(trace)
    side = SideResult(
        trace,
        None,
        np.ones(rows, np.bool_),
        np.zeros(rows, np.bool_),
        np.arange(rows, dtype=np.int32),
        np.zeros(rows, np.uint8),
        np.zeros(rows + 1, np.int64),
        np.empty(0, np.int32),
        np.ones(len(trace.inputs.spec), np.bool_),
    )
    return Comparison(request, side, side, (), np.empty(0, np.int64), ())


def test_going_back_finds_the_very_answer_given_before() -> None:
    builder = ColumnsBuilder()
    for _ in range(200_000 // 100):
        builder.add("Add")
    trace = Trace(Source("x", "test"), *builder.build())
    answers = Answers()
    given_before = answered(Request(left_anchor=1), trace)
    answers.keep(given_before)
    answers.keep(answered(Request(left_anchor=2), trace))
    assert answers.to(Request(left_anchor=1)) is given_before
    assert answers.to(replace(Request(), left_anchor=3)) is None
    for row in range(3, 3 + _MOST_ANSWERS):
        answers.keep(answered(Request(left_anchor=row), trace))
    assert answers.to(Request(left_anchor=2)) is None
    answers.clear()
    assert answers.to(Request(left_anchor=5)) is None


def test_half_of_the_steps_are_not_forgotten_early() -> None:
    history = History()
    for row in range(400):
        history.record(anchored(row), str(row))
    for _ in range(400):
        history.undo()
    assert history.work == Work()
