"""Attributes of paired ops: what differs and is not an identifier of one run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from opdiff.compare.names.argument_texts import ARGUMENTS, differ_by_noise, may_be_the_same

_POINTERS_FROM = 1 << 16
_ONLY_IN_GRAPHS = frozenset({"group", "comm_rank", "src_rank", "dst_rank", "root_rank"})
_NOTHING = re.compile(r", (?:[A-Za-z_]\w*=None|layout=strided|pin_memory=False)(?=[,)])")
"""An argument that is not given, said or not said."""
_NOTHING_AT_THE_END = re.compile(r"(?:, (?:None|\[\]))+\)$")
"""A reduction over no dimension in particular takes all of them, as one without dimensions does."""
_LIST_OF_ONE = re.compile(r"\[(-?\d+)\](?=[,)])")
"""Overloads of one op take a number, or a list that holds it."""
_DTYPE = re.compile(r", dtype=\w+(?=[,)])")
"""What type to make, which one side may leave open: operands print what was made."""
_FROM_ZERO = re.compile(r"^\(0, (?=\d)")
"""Where a range begins, if nothing else is said."""

Changes = tuple[tuple[str, str, str], ...]


def attribute_changes(
    left: Mapping[str, str],
    right: Mapping[str, str],
    *,
    across: bool,
    one_format: bool = True,
    same_name: bool = True,
) -> Changes:
    """Key, left and right value of each attribute that differs; an absent value is empty.

    *across* says that one op ran eagerly and the other in a compiled graph: only the graph prints
    groups and ranks then. Arguments that two formats print are held against each other only as far
    as both tell. Ops of two names take other arguments, each its own.
    """
    changes = []
    for key in sorted({*left, *right}):
        mine, other = left.get(key, ""), right.get(key, "")
        if key == ARGUMENTS:
            mine, other = _plain(mine), _plain(other)
            if len(_DTYPE.findall(mine)) != len(_DTYPE.findall(other)):
                mine, other = _DTYPE.sub("", mine), _DTYPE.sub("", other)
        if mine == other or (key == "event" and _is_pointer(mine) and _is_pointer(other)):
            continue
        if key == ARGUMENTS and (not same_name or differ_by_noise(mine, other)):
            continue
        if across and key in _ONLY_IN_GRAPHS and not (mine and other):
            continue
        if key == ARGUMENTS and not one_format and may_be_the_same(mine, other):
            continue
        changes.append((key, mine, other))
    return tuple(changes)


def _plain(arguments: str) -> str:
    """Arguments as the plainest overload of an op takes them."""
    given = _NOTHING_AT_THE_END.sub(")", _NOTHING.sub("", arguments))
    return _FROM_ZERO.sub("(", _LIST_OF_ONE.sub(r"\1", given))


def _is_pointer(value: str) -> bool:
    """Whether an event is named by its address, which no two runs share."""
    return value.isdigit() and int(value) >= _POINTERS_FROM
