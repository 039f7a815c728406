"""The small steps of an investigation: each takes the work and gives the work after it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from opdiff.compare import Group, Kind, Side
from opdiff.errors import OpdiffError
from opdiff.msprobe.mapping import with_mappings
from opdiff.msprobe.mapping_files import Mappings
from opdiff.session.rules_text import add_rule
from opdiff.session.work import Work, group_key
from opdiff.trace import Trace
from opdiff.wording import Sentence

Pin = tuple[int, int]


def _asking(work: Work, **changes: Any) -> Work:
    """The work with something else asked."""
    return replace(work, request=replace(work.request, **changes))


def add_pin(work: Work, pin: Pin, traces: tuple[Trace, Trace]) -> Work:
    """Say that two ops are the same; an op that has a pin or an anchor already is refused."""
    _check_order(pin, _decreed(work), traces)
    request = work.request
    return _asking(
        work,
        pins=tuple(sorted((*request.pins, pin))),
        alone_left=request.alone_left - {pin[Side.LEFT]},
        alone_right=request.alone_right - {pin[Side.RIGHT]},
    )


def move_pin(work: Work, pin: Pin, side: Side, row: int, traces: tuple[Trace, Trace]) -> Work:
    """Put one end of a pin on another op."""
    moved = (row, pin[1]) if side is Side.LEFT else (pin[0], row)
    return add_pin(remove_pin(work, pin), moved, traces)


def remove_pin(work: Work, pin: Pin) -> Work:
    """Take a pin out."""
    return _asking(work, pins=tuple(other for other in work.request.pins if other != pin))


def pin_at(work: Work, side: Side, row: int) -> Pin | None:
    """The pin with an end on a row."""
    return next((pin for pin in work.request.pins if pin[side] == row), None)


def set_alone(work: Work, side: Side, rows: Iterable[int], *, alone: bool) -> Work:
    """Say that ops have no counterpart, or take that back."""
    return _marked(work, f"alone_{side.name.lower()}", frozenset(rows), alone)


def set_ignored(work: Work, side: Side, rows: Iterable[int], *, ignored: bool) -> Work:
    """Ignore these very ops, or take that back."""
    return _marked(work, f"ignored_{side.name.lower()}", frozenset(rows), ignored)


def _marked(work: Work, name: str, rows: frozenset[int], wanted: bool) -> Work:
    before: frozenset[int] = getattr(work.request, name)
    return _asking(work, **{name: before | rows if wanted else before - rows})


def call_equivalent(work: Work, left: Iterable[int], right: Iterable[int]) -> Work:
    """Say that these ops do the work of those, here only; an earlier word on any of them goes."""
    rows = tuple(sorted(left)), tuple(sorted(right))
    if not all(rows):
        raise OpdiffError("session.both-sides-needed")
    others = tuple(
        other
        for other in work.request.equivalent_here
        if not (set(other[0]) & set(rows[0]) or set(other[1]) & set(rows[1]))
    )
    return _asking(work, equivalent_here=(*others, rows))


def drop_equivalent(work: Work, index: int) -> Work:
    """Take back what was called equivalent here."""
    here = list(work.request.equivalent_here)
    del here[index]
    return _asking(work, equivalent_here=tuple(here))


def set_kind_known(work: Work, kind: Kind, *, known: bool) -> Work:
    """Grey a kind out, or bring it back."""
    kinds = work.known_kinds | {kind} if known else work.known_kinds - {kind}
    return replace(work, known_kinds=kinds)


def set_group_known(work: Work, group: Group, *, known: bool) -> Work:
    """Grey a group out, or bring it back."""
    key = group_key(group)
    groups = work.known_groups | {key} if known else work.known_groups - {key}
    return replace(work, known_groups=groups)


def work_with_mappings(
    work: Work, mappings: Mappings, left: Trace, right: Trace
) -> tuple[Work, tuple[Sentence, ...]]:
    """The work with what msprobe's files say, as rules and pins that sessions keep; and remarks."""
    mapped = with_mappings(work.request, mappings, left, right)
    text = work.rules_text
    for names in mapped.request.rules.same:
        if names not in work.request.rules.same:
            text = add_rule(text, "same", names)
    return replace(work, request=mapped.request, rules_text=text), mapped.remarks


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
            "session.pin-taken" if taken else "session.pin-crosses",
            pin=_lines(pin, traces),
            other=_lines(other, traces),
        )


def _lines(pin: Pin, traces: tuple[Trace, Trace]) -> str:
    return ":".join(str(trace.line_of(row)) for trace, row in zip(traces, pin, strict=True))
