from __future__ import annotations

from pathlib import Path

import pytest
from written_traces import layers, write_trace

from opdiff.compare import Group, Kind, Request, Side
from opdiff.errors import OpdiffError
from opdiff.session import Work
from opdiff.session.edits import (
    add_pin,
    call_equivalent,
    drop_equivalent,
    move_pin,
    pin_at,
    remove_pin,
    set_alone,
    set_group_known,
    set_ignored,
    set_kind_known,
)
from opdiff.trace import Trace
from opdiff.wording import Sentence


@pytest.fixture
def traces(tmp_path: Path) -> tuple[Trace, Trace]:
    return write_trace(tmp_path / "l.ir", layers(3)), write_trace(tmp_path / "r.ir", layers(3))


def test_pins_are_added_moved_and_removed(traces: tuple[Trace, Trace]) -> None:
    work = add_pin(add_pin(Work(), (4, 4), traces), (2, 3), traces)
    assert work.request.pins == ((2, 3), (4, 4))
    assert pin_at(work, Side.RIGHT, 3) == (2, 3)
    assert pin_at(work, Side.LEFT, 3) is None
    moved = move_pin(work, (2, 3), Side.RIGHT, 1, traces)
    assert moved.request.pins == ((2, 1), (4, 4))
    assert remove_pin(moved, (4, 4)).request.pins == ((2, 1),)


def test_crossing_and_doubled_pins_are_refused_with_the_reason(traces: tuple[Trace, Trace]) -> None:
    work = Work(Request(left_anchor=8, right_anchor=8, pins=((2, 3),)))
    with pytest.raises(OpdiffError, match=r"the pin 13:7 crosses 7:10"):
        add_pin(work, (4, 2), traces)
    with pytest.raises(OpdiffError, match=r"the pin 28:4 crosses"):
        add_pin(work, (9, 1), traces)
    with pytest.raises(OpdiffError, match=r"matched by 7:10 already"):
        add_pin(work, (2, 4), traces)
    with pytest.raises(OpdiffError, match=r"matched by 25:25 already"):
        add_pin(work, (5, 8), traces)


def test_a_pin_ends_the_word_that_an_op_is_alone(traces: tuple[Trace, Trace]) -> None:
    work = set_alone(Work(), Side.LEFT, [2], alone=True)
    assert work.request.alone_left == {2}
    assert add_pin(work, (2, 2), traces).request.alone_left == frozenset()
    assert set_alone(work, Side.LEFT, [2], alone=False) == Work()


@pytest.mark.parametrize("side", list(Side))
def test_ignoring_can_be_taken_back(side: Side) -> None:
    work = set_ignored(Work(), side, [1, 2], ignored=True)
    ignored = (work.request.ignored_left, work.request.ignored_right)
    assert ignored[side] == {1, 2}
    assert ignored[side.other] == frozenset()
    assert set_ignored(work, side, [1, 2], ignored=False) == Work()


def test_equivalents_need_both_sides_and_replace_each_other() -> None:
    work = call_equivalent(Work(), [2, 1], [5])
    assert work.request.equivalent_here == (((1, 2), (5,)),)
    again = call_equivalent(work, [2, 3], [6])
    assert again.request.equivalent_here == (((2, 3), (6,)),)
    assert drop_equivalent(again, 0) == Work()
    with pytest.raises(OpdiffError, match="both sides"):
        call_equivalent(Work(), [1], [])


def test_known_kinds_and_groups_are_greyed_and_hidden_on_demand() -> None:
    group = Group(0, Kind.SHAPE, Sentence.of("report.title"), (0,), root=True)
    for work in (
        set_kind_known(Work(), Kind.SHAPE, known=True),
        set_group_known(Work(), group, known=True),
    ):
        assert work.is_known(group)
        assert work.shows(group)
    assert (
        set_kind_known(Work(known_kinds=frozenset({Kind.SHAPE})), Kind.SHAPE, known=False) == Work()
    )
    assert not Work(known_hidden=True, known_kinds=frozenset({Kind.SHAPE})).shows(group)
    assert not Work(hidden_kinds=frozenset({Kind.SHAPE})).shows(group)
