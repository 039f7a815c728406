"""Which rows are compared: the range a request asks for, its pins, what an anchor depends on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from opdiff.compare.request import Direction, Request
from opdiff.errors import OpdiffError
from opdiff.trace import Trace
from opdiff.trace.columns import Flags


@dataclass(frozen=True, slots=True)
class Scope:
    """The compared stretch of both traces and the pairs the user decreed, ascending."""

    left: range
    right: range
    decreed: tuple[tuple[int, int], ...]


def scope_of(left: Trace, right: Trace, request: Request) -> Scope:
    """The range and the decreed pairs of a request; errors name the side and the way out."""
    anchor = _anchor(left, right, request)
    ranges = [range(len(left)), range(len(right))]
    if anchor is not None and request.direction is Direction.UP:
        ranges = [range(anchor[0] + 1), range(anchor[1] + 1)]
    elif anchor is not None and request.direction is Direction.DOWN:
        ranges = [range(anchor[0], len(left)), range(anchor[1], len(right))]
    elif anchor is None and request.direction is not Direction.WHOLE:
        raise OpdiffError("scope.anchors-needed", direction=str(request.direction))
    pins = _pins(left, right, request, ranges)
    decreed = sorted({*pins, *([anchor] if anchor is not None else [])})
    _check_order(left, right, decreed)
    return Scope(ranges[0], ranges[1], tuple(decreed))


def _anchor(left: Trace, right: Trace, request: Request) -> tuple[int, int] | None:
    if request.left_anchor is None and request.right_anchor is None:
        return None
    for trace, row, code in (
        (left, request.left_anchor, "scope.left-anchor"),
        (right, request.right_anchor, "scope.right-anchor"),
    ):
        if row is None:
            raise OpdiffError(f"{code}-missing")
        if not 0 <= row < len(trace):
            raise OpdiffError(f"{code}-no-op", ops=len(trace), path=trace.source.path)
    assert request.left_anchor is not None
    assert request.right_anchor is not None
    return request.left_anchor, request.right_anchor


def _pins(
    left: Trace, right: Trace, request: Request, ranges: list[range]
) -> list[tuple[int, int]]:
    for pin in request.pins:
        for trace, row, code in zip(
            (left, right), pin, ("scope.left-pin", "scope.right-pin"), strict=True
        ):
            if not 0 <= row < len(trace):
                raise OpdiffError(f"{code}-no-op", ops=len(trace), path=trace.source.path)
        if pin[0] not in ranges[0] or pin[1] not in ranges[1]:
            raise OpdiffError(
                "scope.pin-outside",
                left=left.line_of(pin[0]),
                right=right.line_of(pin[1]),
                direction=str(request.direction),
            )
    return list(request.pins)


def _check_order(left: Trace, right: Trace, decreed: list[tuple[int, int]]) -> None:
    """Pins must ascend on both sides: what crosses cannot both be kept."""
    for first, second in pairwise(decreed):
        if first[0] == second[0] or first[1] >= second[1]:
            raise OpdiffError(
                "scope.pins-cross",
                first=f"{left.line_of(first[0])}:{right.line_of(first[1])}",
                second=f"{left.line_of(second[0])}:{right.line_of(second[1])}",
            )


def ancestors_of(trace: Trace, row: int) -> Flags:
    """The row and everything its value depends on, as far as the trace shows."""
    needed = np.zeros(len(trace), np.bool_)
    needed[row] = True
    start, producer = trace.inputs.start, trace.links.producer
    for here in range(row, -1, -1):
        if needed[here]:
            writers = producer[start[here] : start[here + 1]]
            needed[writers[writers >= 0]] = True
    return needed
