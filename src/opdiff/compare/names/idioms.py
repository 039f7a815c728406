"""Idioms: what an op expands into, as small value graphs.

Each line of the data files is one: the op, how many tensors it takes, then the ops that do its
work, each with the numbers of what it reads (tensors first, then the ops before it), and the
results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import inf, isclose
from typing import NamedTuple

from opdiff.compare.names.argument_texts import argument, given, named_argument, numbers_in
from opdiff.compare.names.argument_texts import number as number_of
from opdiff.compare.names.spelling import canonical
from opdiff.compare.names.table import (
    HANDING,
    axes,
    choices,
    idiom_lines,
    numbers,
    reductions,
    taken,
)
from opdiff.trace.traits import Trait, traits_of

_ROUNDED = 1e-6
_NONE, _MEAN, _SUM = "0", "1", "2"
"""What PyTorch calls the ways to reduce a loss."""
_SUMS = "sum"
TURNING = {"t", "permute", "transpose", "asstrided"}
"""Spellings of views that change the order of axes."""
_NEUTRAL = (0, 1)
"""Nobody adds the one, or multiplies by the other."""
_COMPARING = {"lt", "le", "gt", "ge"}
TAKEN: dict[str, Callable[[float], float]] = {
    "same": lambda number: number,
    "negated": lambda number: -number,
    "inverted": lambda number: 1 / number if number else inf,
    "from_one": lambda number: 1 - number,
    "less_one": lambda number: number - 1,
    "halved": lambda number: number / 2,
    "squared": lambda number: number * number,
}
"""How an expansion takes a number that its op is told."""
COMMUTATIVE = {"add", "mul", "maximum", "minimum", "eq", "ne"}
"""Spellings of ops that take their arguments in any order."""
CONSTANT = -1
"""What depends on no tensor: a fill, a range, and what is made from these."""


class Node(NamedTuple):
    """An op of an idiom that computes something."""

    name: str
    """Its spelling."""
    reads: tuple[int, ...]
    """Arguments are the numbers from 0 on, nodes those after them, CONSTANT is any constant."""


@dataclass(frozen=True, slots=True)
class Idiom:
    """Ops that do the work of one; views and copies are looked through."""

    one: str
    """The spelling of the op they stand for."""
    arguments: int
    nodes: tuple[Node, ...]
    results: tuple[int, ...]
    """The nodes whose values come out, those of the most ops first."""
    handing: frozenset[str] = frozenset()
    """What sorts of views and copies there are among the ops."""
    whole: bool = False
    """Whether none of its results may be left out: a state that is written is written."""

    def cone(self, number: int) -> list[int]:
        """The numbers of the nodes that a node is made from, itself included."""
        found: list[int] = []
        waiting = [number]
        while waiting:
            number = waiting.pop()
            if number >= self.arguments and number not in found:
                found.append(number)
                waiting += self.nodes[number - self.arguments].reads
        return found

    @property
    def uses(self) -> list[Counter[tuple[str, int]]]:
        """Of each argument, the ops that read it, and at which place where that matters."""
        found: list[Counter[tuple[str, int]]] = [Counter() for _ in range(self.arguments)]
        for name, reads in self.nodes:
            for place, at in enumerate(reads):
                if 0 <= at < self.arguments:
                    found[at][name, -1 if name in COMMUTATIVE else place] += 1
        return found

    @property
    def is_told(self) -> bool:
        """Whether the arguments of the op say which of several works it does."""
        return self.one in reductions() or self.one in choices()

    def does_what_is_told(self, arguments: str) -> bool:
        """Whether these ops do what one that was called so is told.

        The mean of all losses, their sum, and all of them are one op with another number.
        """
        named = {node.name for node in self.nodes}
        chosen = choices().get(self.one, {})
        plain = arguments.replace('"', "").replace("'", "")
        return self._may_reduce_as(arguments) and all(
            (name in named) == (words in plain) for name, words in chosen.items()
        )

    def takes_numbers(self, arguments: str, calls: Collection[tuple[str, str]]) -> bool:
        """Whether ops that do this work, with what they are called, take the numbers that it takes.

        The epsilon of a norm, the diagonal of a mask. Of several ops that take one the last counts.
        No numbers that are told contradict nothing; another comparison than the one by it does.
        """
        for place, name, otherwise in numbers().get(self.one, ()):
            word = argument(arguments, place)
            asked = None if word is None else number_of(word or otherwise)
            if asked is None:
                continue
            compared = {one for one, _ in calls} & _COMPARING
            if name in _COMPARING and compared and name not in compared:
                return False
            told = [each for one, text in calls if one == name for each in numbers_in(text)]
            if told and not isclose(told[-1], asked, rel_tol=_ROUNDED):
                return False
        return True

    def holds_numbers(self, arguments: str, calls: Collection[tuple[str, str]]) -> bool:
        """Whether all the numbers that an op is told to take are found in ops that do its work.

        Where none of them prints numbers nothing is known, unless all print what they are called
        with. What may be left out is no other number where only that one is taken.
        """
        factors = (1.0, *numbers_in(arguments))  # two numbers may be taken as their product
        for place, usual, left_out, ways, alone in taken().get(self.one, ()):
            by_place = place.isdecimal()
            word = given(arguments, int(place)) if by_place else named_argument(arguments, place)
            open_ = word == "" if by_place else word is None
            told = usual if open_ else number_of(word or "")
            if told is None:
                continue
            omitted = told in left_out or told in _NEUTRAL
            wanted: dict[str, list[float]] = {}
            for name, how in ways:
                if omitted and name not in alone:
                    continue
                wanted.setdefault(name, []).append(TAKEN[how](told))
            numbers = [
                (number, wanted[one])
                for one, text in calls
                if one in wanted
                for number in numbers_in(text)
            ]
            found = any(
                isclose(number, each * factor, rel_tol=_ROUNDED)
                for number, some in numbers
                for each in some
                for factor in factors
            )
            if not found and (numbers or not (omitted or any(not text for _, text in calls))):
                return False
        return True

    def runs_along(self, arguments: str, rank: int, calls: Collection[tuple[str, str]]) -> bool:
        """Whether ops that do this work are told the axis that it is told, of so many."""
        if self.one not in axes():
            return True
        place, name = axes()[self.one]
        word = place[1:] if place.startswith("=") else argument(arguments, int(place))
        asked = _axis(word, rank)
        told = {_axis(argument(text, 1), rank) for one, text in calls if one == name} - {None}
        return asked is None or not told or asked in told

    def _may_reduce_as(self, arguments: str) -> bool:
        place = reductions().get(self.one)
        asked = None if place is None else argument(arguments, place)
        names = {node.name for node in self.nodes}
        last = self.nodes[self.results[0] - self.arguments].name
        if asked in ("", _MEAN):
            return last in ("mean", "div")
        reduced = "mean" if "mean" in names else last if last == _SUMS else ""
        return {_NONE: "", _SUM: _SUMS}.get(asked or "", reduced) == reduced


def _axis(word: str | None, rank: int) -> int | None:
    """An axis that is told, counted from the first."""
    told = number_of(word or "")
    return None if told is None or not rank else int(told) % rank


@cache
def idioms_of(one: str) -> tuple[Idiom, ...]:
    """All idioms that do the work of an op, by its spelling."""
    found = dict.fromkeys(filter(None, map(_idiom, _lines().get(one, ()))))
    return tuple(found)


def expanded() -> Collection[str]:
    """The spellings of the ops that there are idioms of."""
    return _lines().keys()


@cache
def stands_for(one: str, other: str) -> bool:
    """Whether one of two spellings expands into the other, and never turns what it reads."""
    for name, wanted in ((one, other), (other, one)):
        found = [
            {canonical(part.partition(" ")[0]) for part in line.split(" | ")[1:]}
            for line in _lines().get(name, ())
        ]
        if any(wanted in names for names in found):
            return not any(names & TURNING for names in found)
    return False


@cache
def _lines() -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in idiom_lines():
        found.setdefault(canonical(line.partition(" ")[0]), []).append(line)
    return found


def _idiom(line: str) -> Idiom | None:
    """What a line says; None where one op or none is left of it."""
    head, *parts = line.partition(" -> ")[0].split(" | ")
    one, count = head.split(" ")
    arguments = int(count)
    stands_for = list(range(arguments))
    nodes: list[Node] = []
    handing: set[str] = set()
    computing = 0
    for part in parts:
        name, *read = part.split(" ")
        reads = tuple(stands_for[int(at)] for at in read)
        traits = traits_of(name)
        if hands_on(name) and reads:
            handing.add(handing_sort(name))
            stands_for.append(reads[0])
            continue
        computing += not traits & Trait.CONSTANT
        if traits & Trait.CONSTANT or all(at == CONSTANT for at in reads):
            stands_for.append(CONSTANT)
        else:
            stands_for.append(arguments + len(nodes))
            nodes.append(Node(canonical(name), reads))
    results = [stands_for[int(at)] for at in line.partition(" -> ")[2].split(" ") if at != "-"]
    made = dict.fromkeys(at for at in results if at >= arguments)
    if computing < 2 or not made:
        return None
    whole = bool(traits_of(one) & Trait.OPTIMIZER)
    idiom = Idiom(canonical(one), arguments, tuple(nodes), tuple(made), frozenset(handing), whole)
    by_size = sorted(idiom.results, key=lambda at: -len(idiom.cone(at)))
    return replace(idiom, results=tuple(by_size))


def hands_on(name: str) -> bool:
    """Whether an op of that name makes no new value."""
    traits = traits_of(name)
    passes = bool(traits & Trait.PASSES_ON) and not traits & Trait.IN_PLACE
    return passes or (canonical(name) in HANDING and not traits & Trait.IN_PLACE)


def handing_sort(name: str) -> str:
    """A spelling for all names of one sort of view or copy."""
    return "cast" if traits_of(name) & Trait.CAST else canonical(name)


def rooted(spellings: Iterable[str]) -> dict[str, list[tuple[Idiom, int]]]:
    """The idioms of some ops by the spelling of a result, the largest first, with that result."""
    found: dict[str, list[tuple[Idiom, int]]] = {}
    for one in sorted(spellings):
        for idiom in idioms_of(one):
            for number in idiom.results:
                part = len(idiom.cone(number)) > 1 and not idiom.whole
                if part or number == idiom.results[0]:
                    name = idiom.nodes[number - idiom.arguments].name
                    found.setdefault(name, []).append((idiom, number))
    for several in found.values():
        several.sort(key=lambda each: -len(each[0].cone(each[1])))
    return found
