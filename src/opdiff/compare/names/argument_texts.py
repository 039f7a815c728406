"""Arguments as two formats print them: one prints defaults, one does not; one knows names.

Within a format the text of a call is the call. Between formats only what both print can differ:
arguments at the same place, or of the same name, that are numbers or words on both sides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from math import isclose

ARGUMENTS = "args"
_NAMED = re.compile(r"([A-Za-z_]\w*)=(?!=)")
_UNTOLD = frozenset({"_", "None", "?"})
"""A tensor, which some formats make of a number; nothing; what is not known."""
_DTYPE = re.compile(r"(?:bfloat|float|uint|int|complex)\d+|bool")
_WHOLE = re.compile(r"-?\d+")
_ROUNDED, _NOTHING = 1e-4, 1e-6
"""Execution Traces print four or five digits of a number, and 0 for what is smaller than this."""
_OPENING, _CLOSING = "([{", ")]}"
_FRACTION = re.compile(r"(?<![\w.])-?\d+(?:\.\d*(?:e[+-]?\d+)?|e[+-]?\d+)")
_ONE = 1.0
_NOISE = 1e-6
"""Numbers that are worked out in single precision differ by less than this for no reason."""


def differ_by_noise(left: str, right: str) -> bool:
    """Whether two texts are the same but for the last digits of numbers that are not whole."""
    if _FRACTION.sub("\0", left) != _FRACTION.sub("\0", right):
        return False
    pairs = zip(_FRACTION.findall(left), _FRACTION.findall(right), strict=True)
    return all(isclose(float(one), float(other), rel_tol=_NOISE) for one, other in pairs)


def may_be_the_same(left: str, right: str) -> bool:
    """Whether two texts of different formats may stand for the same arguments."""
    (places, named), (other_places, other_named) = _taken_apart(left), _taken_apart(right)
    pairs = [
        *zip(places, other_places, strict=False),
        *((named[name], other_named[name]) for name in named if name in other_named),
    ]
    return all(_agree(one, other) for one, other in pairs)


def argument(text: str, place: int) -> str | None:
    """The argument at a place: empty where it was left open, None where it may have a name."""
    places, named = _taken_apart(text)
    if place < len(places):
        return places[place]
    return None if named else ""


def given(text: str, place: int) -> str | None:
    """The same where lists count as one argument, as in the declaration of an op."""
    words = _split(_bare(text))
    places = [word for word in words if not _NAMED.match(word)]
    if place < len(places):
        return places[place]
    return None if len(places) < len(words) else ""


def arguments(text: str) -> tuple[str, ...]:
    """The arguments that have places; those of lists one by one."""
    return _taken_apart(text)[0]


def named_argument(text: str, name: str) -> str | None:
    """The argument of that name; None where there is none."""
    return _taken_apart(text)[1].get(name)


def number(word: str) -> float | None:
    """A number that is written out; None where it is none."""
    try:
        return float(word)
    except ValueError:
        return None


def numbers_in(text: str) -> list[float]:
    """The numbers among the arguments."""
    places, named = _taken_apart(text)
    found = map(number, (*places, *named.values()))
    return [each for each in found if each is not None]


def same_numbers(calls: Iterable[str], others: Iterable[str], *, told: bool = False) -> bool:
    """Whether some calls are told the numbers that others are told, as far as both are *told* any.

    A factor of one is often left out, and a number may be made a tensor.
    """
    mine, theirs = (
        {each for call in some for each in numbers_in(call)} for some in (calls, others)
    )
    mine.discard(_ONE)
    theirs.discard(_ONE)
    unknown = not told and not (mine and theirs)
    return unknown or (_all_in(mine, theirs) and _all_in(theirs, mine))


def _all_in(some: set[float], others: set[float]) -> bool:
    return all(any(isclose(one, each, rel_tol=_NOISE) for each in others) for one in some)


def _agree(one: str, other: str) -> bool:
    if one == other or one in _UNTOLD or other in _UNTOLD:
        return True
    if "_" in one or "_" in other:  # tensors in a list
        return True
    if any(_DTYPE.fullmatch(a) and b.isdecimal() for a, b in ((one, other), (other, one))):
        return True  # some print the number of a dtype
    try:
        # 1 and 1.0, True is no number here.
        if all(_WHOLE.fullmatch(each) for each in (one, other)):
            return False
        numbers = float(one), float(other)
        small = 0.0 in numbers and max(map(abs, numbers)) < _NOTHING
        return small or isclose(*numbers, rel_tol=_ROUNDED)
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def _taken_apart(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """The arguments by place, and those with names."""
    places: list[str] = []
    named: dict[str, str] = {}
    for word in _split(_bare(text)):
        match = _NAMED.match(word)
        if match is None:
            # `x.view([2, 3])` is `x.view(2, 3)`.
            places += _split(word[1:-1]) if word.startswith("[") else [word]
        else:
            named[match[1]] = word[match.end() :]
    return tuple(places), named


def _bare(text: str) -> str:
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def _split(text: str) -> list[str]:
    """At commas that stand in no bracket and no string."""
    words, depth, start, quoted = [], 0, 0, False
    for place, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == "," and depth == 0:
            words.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*words, last] if last else words
