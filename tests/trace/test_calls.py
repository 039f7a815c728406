"""The end of the call that an op was made in."""

from __future__ import annotations

from opdiff.trace import ColumnsBuilder, Frame, Source, Trace
from opdiff.trace.search import calls_at, last_of_call

MAIN = Frame("/home/user/train.py", 61, "<module>")
LIBRARY = Frame("/usr/lib/python3/site-packages/mindspore/ops.py", 7, "__call__")


def construct(line: int) -> Frame:
    return Frame("/home/user/model.py", line, "construct")


def rope(line: int) -> Frame:
    return Frame("/home/user/rotary.py", line, "rope")


def made(*stacks: tuple[Frame, ...]) -> Trace:
    builder = ColumnsBuilder()
    for stack in stacks:
        builder.add("Mul", [], [], stack=stack)
    return Trace(Source("made.ir", "mindspore-tracker"), *builder.build())


def test_the_functions_of_an_op_are_the_users_own_the_innermost_first() -> None:
    trace = made((MAIN, construct(3), rope(44), LIBRARY))
    assert [call[0].function for call in calls_at(trace, 0)] == ["rope", "construct", "<module>"]


def test_a_call_ends_where_the_function_is_left() -> None:
    trace = made(
        (MAIN, construct(3), rope(44)),
        (MAIN, construct(3), rope(46), LIBRARY),
        (),  # bookkeeping has no stack
        (MAIN, construct(3), rope(47)),
        (),
        (MAIN, construct(9)),
        (MAIN, construct(3), rope(44)),
    )
    inner, outer, _ = calls_at(trace, 0)
    assert last_of_call(trace, 0, inner) == 3
    assert last_of_call(trace, 1, calls_at(trace, 1)[0]) == 3
    assert last_of_call(trace, 0, outer) == 6


def test_the_same_function_called_from_another_line_is_another_call() -> None:
    trace = made(
        (MAIN, construct(3), rope(44)),
        (MAIN, construct(3), rope(45)),
        (MAIN, construct(4), rope(44)),
    )
    assert last_of_call(trace, 0, calls_at(trace, 0)[0]) == 1


def test_the_last_op_of_all_is_its_own_end() -> None:
    trace = made((MAIN, rope(44)))
    assert last_of_call(trace, 0, calls_at(trace, 0)[0]) == 0
    assert calls_at(made(()), 0) == []
