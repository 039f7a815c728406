"""Whether two names of one job are told to do another work each.

``clamp`` and ``clamp_min`` do one job where the bound is the same, ``index_put`` adds up what
``index_add`` does where it is told to accumulate. Names alone tell nothing of that: their arguments
do, as far as traces print them.
"""

from __future__ import annotations

from math import isclose
from typing import NamedTuple

from opdiff.compare.names.argument_texts import ARGUMENTS, argument, arguments, number
from opdiff.compare.names.spelling import canonical
from opdiff.compare.sides.prepared import Prepared


class Call(NamedTuple):
    """An op, and what it was called with."""

    side: Prepared
    row: int
    name: str
    """Its spelling."""
    told: str


_ROUNDED = 1e-6
_SUBTRACTING = {"sub", "rsub"}
_CLAMPING = {"clamp": (1, 2), "clampmin": (1, None), "clampmax": (None, 1)}
"""Where each is told the lower and the upper bound."""
_PUTTING = {
    "indexput": None, "unsafeindexput": None, "indexputimpl": None, "indexadd": True,
    "scatteradd": True, "indexcopy": False,
}  # fmt: skip
"""Whether each adds to what is there; None where an argument tells."""
_TURNING = {"flip", "rev"}
_FILLING = {"maskedfill", "where"}


def told_otherwise(sides: tuple[Prepared, Prepared], row: int, other: int) -> bool:
    """Whether a pair of two names of one job does other things with what it reads."""
    both = tuple(zip(sides, (row, other), strict=True))
    names = {canonical(side.trace.type_name(at)) for side, at in both}
    if len(names) == 1:
        return False
    for known, differ in _CHECKS:
        if names <= known:
            mine, theirs = (_call(side, at) for side, at in both)
            return bool(mine.told and theirs.told) and differ(mine, theirs)
    return False


def _call(side: Prepared, row: int) -> Call:
    told = side.trace.op(row).attrs.get(ARGUMENTS, "")
    return Call(side, row, canonical(side.trace.type_name(row)), told)


def _subtract_otherwise(mine: Call, theirs: Call) -> bool:
    """Whether of two subtractions, one of which turns its operands, not the other turns a number.

    ``rsub(x, 1)`` is ``sub(1, x)``, but ``sub(x, 1)`` is something else.
    """
    turned = [number(argument(theirs.told, place) or "") for place in (1, 0)]
    return turned != [number(argument(mine.told, at) or "") for at in (0, 1)]


def _bounds(call: Call) -> list[str] | None:
    """The lower and the upper bound, each empty where there is none; None if they have names."""
    found = ["" if at is None else argument(call.told, at) for at in _CLAMPING[call.name]]
    return None if None in found else [(each or "").replace("None", "") for each in found]


def _is_one_number(one: str, other: str) -> bool:
    values = number(one), number(other)
    if values[0] is None or values[1] is None:
        return one == other
    return isclose(values[0], values[1], rel_tol=_ROUNDED)


def _clamp_otherwise(mine: Call, theirs: Call) -> bool:
    """Whether two clamps are told other bounds, as far as both are told by their places."""
    one, other = _bounds(mine), _bounds(theirs)
    return bool(one and other) and not all(map(_is_one_number, one or (), other or ()))


def _put_otherwise(mine: Call, theirs: Call) -> bool:
    return _adds_up(mine) != _adds_up(theirs)


def _turn_otherwise(mine: Call, theirs: Call) -> bool:
    axes = _axes(mine), _axes(theirs)
    return all(axes) and axes[0] != axes[1]


def _fill_otherwise(mine: Call, theirs: Call) -> bool:
    """Whether other numbers are put where a mask is true, as far as both are known."""
    filled = _filled(mine), _filled(theirs)
    return None not in filled and not _is_one_number(*map(str, filled))


def _adds_up(call: Call) -> bool:
    known = _PUTTING[call.name]
    return (
        "True" in arguments(call.told) or "accumulate=True" in call.told if known is None else known
    )


def _axes(call: Call) -> set[int]:
    """The axes along which elements are turned round."""
    rank = max(len(call.side.shape_read(call.row)), 1)
    words = (word for word in arguments(call.told)[1:] if word.lstrip("-").isdecimal())
    return {int(word) % rank for word in words}


def _filled(call: Call) -> float | None:
    """The number that is put where a mask is true; None if it is not known."""
    side, row, name, told = call
    if name == "maskedfill":
        return number(argument(told, 2) or "")
    places = side.places_in(row)
    written = number(argument(told, 1) or "")
    if written is not None or len(places) < 2 or argument(told, 1) != "_":
        return written
    value = int(side.value[places[1]])
    if value >= len(side.trace) or not side.constant[value]:
        return None
    made = arguments(side.trace.op(value).attrs.get(ARGUMENTS, ""))
    known = canonical(side.trace.type_name(value)) in ("scalartensor", "full")
    return number(made[-1]) if known and made else None


_CHECKS = (
    (_SUBTRACTING, _subtract_otherwise),
    (_CLAMPING.keys(), _clamp_otherwise),
    (_PUTTING.keys(), _put_otherwise),
    (_TURNING, _turn_otherwise),
    (_FILLING, _fill_otherwise),
)
