"""Whether two names of one job are told to do another work each.

``clamp`` and ``clamp_min`` do one job where the bound is the same, ``index_put`` adds up what
``index_add`` does where it is told to accumulate. Names alone tell nothing of that: their arguments
do, as far as traces print them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isclose

from opdiff.compare.names.argument_texts import ARGUMENTS, argument, arguments, number
from opdiff.compare.names.spelling import canonical
from opdiff.compare.sides.prepared import Prepared

Call = tuple[Prepared, int, str, str]
"""A side, a row of it, the spelling of its op, and the arguments that it was called with."""

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
    mine, theirs = _call(sides[0], row), _call(sides[1], other)
    names = {mine[2], theirs[2]}
    if len(names) == 1 or not (mine[3] and theirs[3]):
        return False
    if names == _SUBTRACTING:
        return _subtract_otherwise(mine, theirs)
    what: Callable[[Call], object] | None = None
    if names <= _CLAMPING.keys():
        return not all(map(_is_one_number, _bounds(mine), _bounds(theirs)))
    if names <= _PUTTING.keys():
        what = _adds_up
    elif names == _TURNING:
        what = _axes
    elif names == _FILLING:
        filled = _filled(mine), _filled(theirs)
        return None not in filled and not _is_one_number(*map(str, filled))
    return what is not None and what(mine) != what(theirs)


def _call(side: Prepared, row: int) -> Call:
    told = side.trace.op(row).attrs.get(ARGUMENTS, "")
    return side, row, canonical(side.trace.type_name(row)), told


def _subtract_otherwise(mine: Call, theirs: Call) -> bool:
    """Whether of two subtractions, one of which turns its operands, not the other turns a number.

    ``rsub(x, 1)`` is ``sub(1, x)``, but ``sub(x, 1)`` is something else.
    """
    turned = [number(argument(theirs[3], place) or "") for place in (1, 0)]
    return turned != [number(argument(mine[3], at) or "") for at in (0, 1)]


def _bounds(call: Call) -> tuple[str, str]:
    """The lower and the upper bound, each empty where there is none."""
    low, high = (
        "" if place is None else argument(call[3], place) or "" for place in _CLAMPING[call[2]]
    )
    return low.replace("None", ""), high.replace("None", "")


def _is_one_number(one: str, other: str) -> bool:
    values = number(one), number(other)
    if values[0] is None or values[1] is None:
        return one == other
    return isclose(values[0], values[1], rel_tol=_ROUNDED)


def _adds_up(call: Call) -> bool:
    known = _PUTTING[call[2]]
    return "True" in arguments(call[3]) or "accumulate=True" in call[3] if known is None else known


def _axes(call: Call) -> set[int]:
    """The axes along which elements are turned round."""
    side, row, _, told = call
    rank = max(len(side.shape_read(row)), 1)
    words = (word for word in arguments(told)[1:] if word.lstrip("-").isdecimal())
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
