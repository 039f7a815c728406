"""The names that are known to do the same job: the table of the package and the user's rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple

from opdiff.compare.names.spelling import canonical
from opdiff.compare.rules import Rules
from opdiff.data import lines, table
from opdiff.trace.traits import FRAMEWORKS

Names = tuple[str, ...]

HANDING = frozenset(
    "reshape view transpose permute t broadcastto broadcastindim expand squeeze unsqueeze "
    "expanddims cast slice tocopy convertelementtype clone contiguous unsafeview split "
    "splittensor detach alias stridedslice".split()
)
"""Spellings of views and copies: they come and go between the ops of an expansion."""
CONSTANTS = frozenset(
    "full scalartensor ones zeros emptylike fulllike zeroslike oneslike newzeros newones newfull "
    "empty emptystrided arange iota".split()
)
"""Spellings of ops that make a value from nothing."""
_ARITHMETIC = frozenset(
    "add sub mul div neg exp log sqrt sum where amax amin abs sign maximum minimum erf tanh "
    "sigmoid mm bmm index indexput gather scatter cat fma copy eq ne lt le gt ge pow prod exp2 "
    "bitwiseand bitwiseor bitwisexor bitwisenot asstrided".split()
)
_SEVERAL = 2
"""Idioms of so many ops are recognised by what they read; see :mod:`raising`."""
_HANDED = (
    ("t", "permute", "transpose"),
    ("view", "unsafeview", "reshape", "flatten", "unflatten"),
    ("tocopy", "convertelementtype", "cast"),
    ("detach", "alias"),
    ("arange", "iota"),
    ("ones", "oneslike", "newones", "full", "fulllike", "newfull"),
    ("zeros", "zeroslike", "newzeros", "full", "fulllike", "newfull"),
    ("expand", "broadcastindim", "broadcastto"),
    ("maskedfill", "where"),
)
"""Names of one job that PyTorch's decompositions exchange."""


class Table(NamedTuple):
    """Which op types may be paired, and which sequences one op may stand for."""

    partners: dict[str, frozenset[str]]
    """Of each name, those that the user's rules say it may be paired with."""
    known: dict[str, frozenset[str]]
    """Of each spelling, those of the package's table that do the same job."""
    expansions: dict[str, tuple[Names, ...]]
    """Of each spelling, the lots of spellings that do its work together."""
    same: dict[frozenset[str], int]
    """Pairs of names that are no difference, and the rule that says so."""
    builtin: bool = True

    def spelling(self, name: str) -> str:
        """The spelling under which the package's table knows a name, or the name itself."""
        return canonical(name) if self.builtin else name

    def spellings(self, name: str) -> frozenset[str]:
        """The spellings of those that are known to do the job of a name."""
        return self.known.get(self.spelling(name), frozenset())

    def may_pair(self, left: str, right: str) -> bool:
        """Whether the two names are equal or known counterparts."""
        if left == right or right in self.partners.get(left, ()):
            return True
        one, other = self.spelling(left), self.spelling(right)
        return one == other or other in self.known.get(one, ())

    def same_rule(self, left: str, right: str) -> int | None:
        """The entry of ``same`` that makes the names no difference, or None."""
        return self.same.get(frozenset((left, right))) if self.same else None


def table_for(rules: Rules) -> Table:
    """The table that holds under these rules."""
    partners: dict[str, set[str]] = {}
    for names in (*rules.counterparts, *rules.same):
        _link(partners, names)
    known, expansions = _spelled() if rules.builtin else ({}, {})
    same: dict[frozenset[str], int] = {}
    for index, names in enumerate(rules.same):
        for name in names:
            for other in names:
                if other != name:
                    same.setdefault(frozenset((name, other)), index)
    frozen = {name: frozenset(others) for name, others in partners.items()}
    return Table(frozen, known, expansions, same, rules.builtin)


def _link(partners: dict[str, set[str]], names: Iterable[str]) -> None:
    for name in names:
        partners.setdefault(name, set()).update(other for other in names if other != name)


@cache
def _spelled() -> tuple[dict[str, frozenset[str]], dict[str, tuple[Names, ...]]]:
    """The package's table by spelling.

    What one op expands into apart from views, copies and constants may be a single op: then the
    two do the same job. Plain arithmetic does no other op's job by its name.
    """
    listed = table("equivalences")
    partners: dict[str, set[str]] = {}
    for names in listed["one_to_one"]:
        _link(partners, [canonical(name) for name in names])
    expansions: dict[str, list[Names]] = {}
    sequences = (list(map(canonical, names)) for names in listed["one_to_many"])
    for one, *many in chain(sequences, _short_idioms()):
        telling = _telling(many)
        if one in many and len(telling) < 2:
            continue
        if telling == [one] or (not telling and one in HANDING | CONSTANTS):
            continue
        if len(telling) == 1 and telling[0] not in _ARITHMETIC:
            _link(partners, [one, telling[0]])
        else:
            expansions.setdefault(one, []).append(tuple(many))
    for handed in _HANDED:
        _link(partners, handed)
    return (
        {name: frozenset(others) for name, others in partners.items()},
        {name: tuple(dict.fromkeys(lots)) for name, lots in expansions.items()},
    )


def _telling(names: Iterable[str]) -> list[str]:
    """The names of an expansion that are no views, copies or constants."""
    return [name for name in names if name not in HANDING and name not in CONSTANTS]


def _short_idioms() -> Iterator[list[str]]:
    """The package's idioms in which few ops compute: an op, and those that do its work."""
    for line in idiom_lines():
        one, *nodes = (op.partition(" ")[0] for op in line.partition(" -> ")[0].split(" | "))
        names = [canonical(one)]
        telling = 0
        for name in map(canonical, nodes):
            telling += name not in HANDING and name not in CONSTANTS
            if telling == _SEVERAL:
                break
            names.append(name)
        else:
            yield names


@cache
def idiom_lines() -> tuple[str, ...]:
    """The lines of the package's idioms; :mod:`idioms` says how to read one."""
    return tuple(line for name in FRAMEWORKS for line in lines(f"idioms/{name}"))


@cache
def reductions() -> dict[str, int]:
    """Of each spelling of a loss, which of its arguments says how it is reduced."""
    listed = table("equivalences")["reductions"]
    return {canonical(name): int(place) for name, place in listed}


@cache
def numbers() -> dict[str, list[tuple[int, str, str]]]:
    """Of each spelling, which of its arguments are numbers that its expansion takes.

    With each the spelling of the op that takes it there, and the number where none is given.
    """
    found: dict[str, list[tuple[int, str, str]]] = {}
    for name, place, by, *otherwise in table("equivalences")["numbers"]:
        given = otherwise[0] if otherwise else ""
        found.setdefault(canonical(name), []).append((int(place), canonical(by), given))
    return found


class Taken(NamedTuple):
    """A number that an op can be told, and where its expansions take it."""

    place: str
    """Its place among the arguments, or its name if it has none."""
    usual: float | None
    """What it is if nothing is said."""
    left_out: frozenset[float]
    """What some expansions do not hold although it is told."""
    ways: tuple[tuple[str, str], ...]
    """The spelling of an op that takes it, and what has become of it there."""
    alone: frozenset[str]
    """The spellings of those that take no other number."""


@cache
def taken() -> dict[str, list[Taken]]:
    """Of each spelling, the numbers that each of its expansions takes somewhere."""
    found: dict[str, list[Taken]] = {}
    for line in lines("numbers/pytorch"):
        head, *ways = line.split(" | ")
        name, place, usual, *left_out = head.split()
        every = [(canonical(way.split()[0]), *way.split()[1:]) for way in ways]
        shared = {by for by, _, *only in every if not only}
        number = Taken(
            place,
            None if usual == "-" else float(usual),
            frozenset(map(float, left_out)),
            tuple(dict.fromkeys((by, how) for by, how, *_ in every)),
            frozenset(by for by, *_ in every) - shared,
        )
        found.setdefault(canonical(name), []).append(number)
    return found


@cache
def axes() -> dict[str, tuple[str, str]]:
    """Of each spelling, which of its arguments is an axis, and what its expansion does along it.

    Of those that are told no axis, it is the axis itself behind an equals sign.
    """
    return {
        canonical(name): (place, canonical(by)) for name, place, by in table("equivalences")["axes"]
    }


@cache
def choices() -> dict[str, dict[str, str]]:
    """Of each spelling, ops that it expands into if its arguments hold some words, only then."""
    found: dict[str, dict[str, str]] = {}
    for name, op, words in table("equivalences")["choices"]:
        found.setdefault(canonical(name), {})[op] = words
    return found
