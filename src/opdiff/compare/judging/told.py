"""Whether two names of one job are told to do another work each.

``clamp`` and ``clamp_min`` do one job where the bound is the same, ``index_put`` adds up what
``index_add`` does where it is told to accumulate. Names alone tell nothing of that: their arguments
do, as far as traces print them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import isclose
from typing import NamedTuple

from opdiff.compare.names.argument_texts import (
    ARGUMENTS,
    argument,
    arguments,
    may_be_the_same,
    number,
    same_numbers,
)
from opdiff.compare.names.spelling import canonical
from opdiff.compare.pairing.tensor_lists import is_on_lists, single_of
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
_ALONG = {"indexadd", "indexcopy"}
"""Those of them that are told one axis."""
_INDEX_AND_VALUES = "_", "_"
_POOLING = {"maxpool2dwithindices", "lowmemorymaxpoolwithoffsets"}
_TURNING = {"flip", "rev"}
_FILLING = {"maskedfill", "where"}
_FILLED = {
    **dict.fromkeys(("zeros", "zeroslike", "newzeros", "zero"), 0.0),
    **dict.fromkeys(("ones", "oneslike", "newones"), 1.0),
    **dict.fromkeys(("full", "fulllike", "newfull", "fill", "scalartensor"), None),
}
"""What number each is filled with; None where its last argument tells."""


def told_otherwise(sides: tuple[Prepared, Prepared], row: int, other: int) -> bool:
    """Whether a pair of two names of one job does other things with what it reads."""
    both = tuple(zip(sides, (row, other), strict=True))
    differ = _check_of(*(side.trace.type_name(at) for side, at in both))
    if differ is None:
        return False
    mine, theirs = (_call(side, at) for side, at in both)
    return bool(mine.told and theirs.told) and differ(mine, theirs)


@lru_cache(maxsize=1 << 12)
def _check_of(one: str, other: str) -> Callable[[Call, Call], bool] | None:
    """How ops of two names are held against each other; None where their names say all."""
    names = {canonical(one), canonical(other)}
    if len(names) == 1 and not names <= _FILLED.keys():
        return None
    return next((differ for known, differ in _CHECKS if names <= known), None)


def listed_otherwise(
    sides: tuple[Prepared, Prepared], rows: Sequence[int], others: Sequence[int]
) -> bool:
    """Whether an op on a list of tensors and those on each are told other numbers."""
    both = tuple(zip(sides, (rows, others), strict=True))
    if not any(len(at) == 1 and is_on_lists(_spelled(side, at[0])) for side, at in both):
        return False
    names = {
        single_of(name) or name
        for side, at in both
        for name in {_spelled(side, each) for each in at}
    }
    calls = ([_call(side, row).told for row in at] for side, at in both)
    return len(names) == 1 and not same_numbers(*calls)


def _spelled(side: Prepared, row: int) -> str:
    spelled: str = side.spelling[side.trace.type[row]]
    return spelled


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
    """Whether one adds up what the other writes over, or they do so along other axes."""
    axes = _axis_put_along(mine), _axis_put_along(theirs)
    return _adds_up(mine) != _adds_up(theirs) or (None not in axes and axes[0] != axes[1])


def _made_otherwise(mine: Call, theirs: Call) -> bool:
    """Whether two constants hold other numbers, as far as both are known."""
    numbers = _number_of(mine), _number_of(theirs)
    return None not in numbers and not _is_one_number(*map(str, numbers))


def _pool_otherwise(mine: Call, theirs: Call) -> bool:
    """Whether two that take the same arguments take others, as far as both are told them."""
    return not may_be_the_same(mine.told, theirs.told)


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


def _axis_put_along(call: Call) -> int | None:
    """The one axis that is indexed; None where there may be several."""
    words = arguments(call.told)[1:]
    if call.name in _ALONG:
        axis, rank = number(words[0]) if words else None, len(call.side.shape_read(call.row))
        return None if axis is None or not rank else int(axis) % rank
    # For each axis that is left alone before it there is none, then come the index and the values.
    before = sum(word == "None" for word in words)
    tensors = sum(word == "_" for word in words)
    return before if tensors == len(_INDEX_AND_VALUES) else None


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
    made = _call(side, value)
    return _number_of(made) if made.name in _FILLED else None


def _number_of(call: Call) -> float | None:
    """The number that a constant is filled with; None if it is not known."""
    known, words = _FILLED[call.name], arguments(call.told)
    return known if known is not None or not words else number(words[-1])


_CHECKS = (
    (_SUBTRACTING, _subtract_otherwise),
    (_CLAMPING.keys(), _clamp_otherwise),
    (_PUTTING.keys(), _put_otherwise),
    (_POOLING, _pool_otherwise),
    (_TURNING, _turn_otherwise),
    (_FILLING, _fill_otherwise),
    (_FILLED.keys(), _made_otherwise),
)
