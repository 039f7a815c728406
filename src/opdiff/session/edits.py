"""The small steps of an investigation: each takes the work and gives the work after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from opdiff.compare import Group, Kind, Side
from opdiff.errors import OpdiffError
from opdiff.session.work import Work, group_key
from opdiff.trace import Trace
from opdiff.wording import Sentence

Pin = tuple[int, int]


def add_pin(work: Work, pin: Pin, traces: tuple[Trace, Trace]) -> Work:
    """Say that two ops are the same; an op that has a pin or an anchor already is refused."""
    _check_order(pin, _decreed(work), traces)
    request = work.request
    return replace(
        work,
        request=replace(
            request,
            pins=tuple(sorted((*request.pins, pin))),
            alone_left=request.alone_left - {pin[Side.LEFT]},
            alone_right=request.alone_right - {pin[Side.RIGHT]},
        ),
    )


def move_pin(work: Work, pin: Pin, side: Side, row: int, traces: tuple[Trace, Trace]) -> Work:
    """Put one end of a pin on another op."""
    moved = (row, pin[1]) if side is Side.LEFT else (pin[0], row)
    return add_pin(remove_pin(work, pin), moved, traces)


def remove_pin(work: Work, pin: Pin) -> Work:
    """Take a pin out."""
    pins = tuple(other for other in work.request.pins if other != pin)
    return replace(work, request=replace(work.request, pins=pins))


def pin_at(work: Work, side: Side, row: int) -> Pin | None:
    """The pin with an end on a row."""
    return next((pin for pin in work.request.pins if pin[side] == row), None)


def set_alone(work: Work, side: Side, rows: Iterable[int], *, alone: bool) -> Work:
    """Say that ops have no counterpart, or take that back."""
    request = work.request
    if side is Side.LEFT:
        changed = _marked(request.alone_left, rows, alone)
        return replace(work, request=replace(request, alone_left=changed))
    changed = _marked(request.alone_right, rows, alone)
    return replace(work, request=replace(request, alone_right=changed))


def set_ignored(work: Work, side: Side, rows: Iterable[int], *, ignored: bool) -> Work:
    """Ignore these very ops, or take that back."""
    request = work.request
    if side is Side.LEFT:
        changed = _marked(request.ignored_left, rows, ignored)
        return replace(work, request=replace(request, ignored_left=changed))
    changed = _marked(request.ignored_right, rows, ignored)
    return replace(work, request=replace(request, ignored_right=changed))


def _marked(rows: frozenset[int], more: Iterable[int], wanted: bool) -> frozenset[int]:
    return rows | frozenset(more) if wanted else rows - frozenset(more)


def call_equivalent(work: Work, left: Iterable[int], right: Iterable[int]) -> Work:
    """Say that these ops do the work of those, here only; an earlier word on any of them goes."""
    rows = tuple(sorted(left)), tuple(sorted(right))
    if not all(rows):
        raise OpdiffError(Sentence.of("session.both-sides-needed"))
    others = tuple(
        other
        for other in work.request.equivalent_here
        if not (set(other[0]) & set(rows[0]) or set(other[1]) & set(rows[1]))
    )
    return replace(work, request=replace(work.request, equivalent_here=(*others, rows)))


def drop_equivalent(work: Work, index: int) -> Work:
    """Take back what was called equivalent here."""
    here = list(work.request.equivalent_here)
    del here[index]
    return replace(work, request=replace(work.request, equivalent_here=tuple(here)))


def set_kind_known(work: Work, kind: Kind, *, known: bool) -> Work:
    """Grey a kind out, or bring it back."""
    kinds = work.known_kinds | {kind} if known else work.known_kinds - {kind}
    return replace(work, known_kinds=kinds)


def set_group_known(work: Work, group: Group, *, known: bool) -> Work:
    """Grey a group out, or bring it back."""
    key = group_key(group)
    groups = work.known_groups | {key} if known else work.known_groups - {key}
    return replace(work, known_groups=groups)


def _decreed(work: Work) -> list[Pin]:
    request = work.request
    pins = list(request.pins)
    if request.left_anchor is not None and request.right_anchor is not None:
        pins.append((request.left_anchor, request.right_anchor))
    return pins


def _check_order(pin: Pin, others: list[Pin], traces: tuple[Trace, Trace]) -> None:
    """Pins and anchors must keep their order on both sides: of two that cross only one can hold."""
    left, right = pin
    for other in others:
        if (left < other[0]) == (right < other[1]) and left != other[0] and right != other[1]:
            continue
        taken = left == other[0] or right == other[1]
        raise OpdiffError(
            Sentence.of(
                "session.pin-taken" if taken else "session.pin-crosses",
                pin=_lines(pin, traces),
                other=_lines(other, traces),
            )
        )


def _lines(pin: Pin, traces: tuple[Trace, Trace]) -> str:
    return ":".join(str(trace.line_of(row)) for trace, row in zip(traces, pin, strict=True))
