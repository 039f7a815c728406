"""What reports of all differences say again and again, each text spelled out once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from opdiff.compare import Side
from opdiff.report.listing import Listing
from opdiff.trace.columns import Ints
from opdiff.trace.stacks import user_frame
from opdiff.wording import Sentence, say

_AT_ONCE = 2_000
Texts = NDArray[np.object_]
"""Texts to choose from by many numbers at once."""


def texts(several: Iterable[str]) -> Texts:
    """A column of texts."""
    return np.array(list(several), np.object_)


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
    """What is said of rows of one side, many at once; *none* where a row is -1 or has nothing.

    *source* and *place* stand before each, as keys do.
    """

    def __init__(
        self,
        listing: Listing,
        side: Side,
        said: Said,
        none: str,
        source: str = "",
        place: str = "",
    ) -> None:
        result = listing.comparison.side(side)
        frames = [user_frame(stack) for stack in result.trace.tables.stacks]
        found = [none if frame is None else said.form(str(frame)) for frame in frames]
        # What stands last is found by -1.
        self._sources = texts([source + each for each in (*found, none)])
        self._stack = np.append(result.trace.columns.stack, -1)
        self._node = np.append(result.structure.of_row, -1)
        self._of_node = texts([place + none] * (len(result.structure.kind) + 1))
        self._unnamed = np.ones(len(self._of_node), np.bool_)
        self._unnamed[-1] = False
        self._places, self._side, self._said = listing.places, side, said
        self._before = place

    def sources(self, rows: Ints) -> list[str]:
        """The user's own lines of code."""
        found: list[str] = self._sources[self._stack[rows]].tolist()
        return found

    def each(self, rows: Ints) -> Iterator[tuple[str, str]]:
        """The source and the place of each, some at once: other threads wait meanwhile."""
        for start in range(0, len(rows), _AT_ONCE):
            some = rows[start : start + _AT_ONCE]
            yield from zip(self.sources(some), self.places(some), strict=True)

    def places(self, rows: Ints) -> list[str]:
        """The layers and functions."""
        nodes = self._node[rows]
        for node in set(nodes[self._unnamed[nodes]].tolist()):
            place = self._places.of_node(self._side, node)
            if place is not None:
                self._of_node[node] = self._before + self._said(place)
            self._unnamed[node] = False
        found: list[str] = self._of_node[nodes].tolist()
        return found
