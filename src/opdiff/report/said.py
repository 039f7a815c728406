"""What reports of all differences say again and again, each text spelled out once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from opdiff.compare import Comparison, Side
from opdiff.report.places import PlaceNames
from opdiff.trace.columns import Ints, Longs
from opdiff.trace.stacks import user_frame
from opdiff.wording import Sentence, say


def as_memory(column: Ints | Longs) -> memoryview[int]:
    """A column as memory that hands its numbers out one by one quickly."""
    return np.ascontiguousarray(column).data


class Said:
    """Spells sentences out in one language and form; the same ones repeat over all layers.

    They are known by identity, for hashing one takes longer than looking up all the rest of a
    record; those seen are held, so that none takes the identity of another.
    """

    def __init__(self, language: str, form: Callable[[str], str]) -> None:
        self._language = language
        self.form = form
        self._seen: dict[int, tuple[Sentence, str]] = {}

    def __call__(self, sentence: Sentence) -> str:
        """The sentence in its form."""
        found = self._seen.get(id(sentence))
        if found is None:
            found = (sentence, self.form(say(sentence, self._language)))
            self._seen[id(sentence)] = found
        return found[1]


class RowTexts:
    """What is said of the first of some rows of one side; *none* where there is nothing to say.

    From plain memory: numpy hands numbers out one by one slowly, and of a long trace few rows are
    asked for.
    """

    def __init__(self, comparison: Comparison, side: Side, said: Said, none: str) -> None:
        result = comparison.side(side)
        frames = [user_frame(stack) for stack in result.trace.tables.stacks]
        self._sources = [none if frame is None else said.form(str(frame)) for frame in frames]
        self._stack = as_memory(result.trace.columns.stack)
        self._node = as_memory(result.structure.of_row)
        self._places, self._side, self._said, self._none = PlaceNames(comparison), side, said, none
        self._of_node: dict[int, str] = {}

    def source(self, rows: tuple[int, ...]) -> str:
        """The user's own line of code."""
        return self._sources[self._stack[rows[0]]] if rows else self._none

    def place(self, rows: tuple[int, ...]) -> str:
        """The layer and function."""
        if not rows:
            return self._none
        node = self._node[rows[0]]
        if node not in self._of_node:
            place = self._places.of_node(self._side, node)
            self._of_node[node] = self._none if place is None else self._said(place)
        return self._of_node[node]
