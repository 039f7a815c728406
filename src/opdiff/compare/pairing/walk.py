"""Align two sequences of codes from their start on: equal runs, and the gaps between them.

From a point where the sequences part, furthest-reaching paths look for the cheapest way to a run
that is long enough to be trusted for its cost; where that costs too much, shared stretches are
looked for instead. Layers repeat, so what was found once for the same surroundings is remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from opdiff.compare.pairing.seeds import Seeds, run_length
from opdiff.trace.words import Words

_SIGHTS = ((64, 14), (256, 100))
_DENSE = 24
_REACH = 400
_WINDOW = 4096
_LOST = 24
"""After so many steps in turn that nothing confirmed the way is lost: the rest is one gap."""


class Run(NamedTuple):
    """*length* equal codes from place *x* of the one and place *y* of the other sequence."""

    x: int
    y: int
    length: int


class Step(NamedTuple):
    """How far to go on from where two sequences parted, and whether a long run says so."""

    x: int
    y: int
    trusted: bool

    def from_here(self, x: int, y: int) -> Step:
        """The place that a step from (x, y) leads to."""
        return Step(x + self.x, y + self.y, self.trusted)


Pattern = tuple[int, tuple[int, ...]]
"""How many codes of the one lie ahead, and where each code of both stands first."""


Known = dict[object, Step | None]
"""What was found for the same surroundings: of use to all walks of equal trust.

By the codes in sight; by their pattern, for layers differ in their codes, not in which are equal;
and by the pattern of all that is left of both, where seeds were looked for.
"""


class Walk:
    """One pass over two sequences."""

    def __init__(self, a: Words, b: Words, trust: int = 8, known: Known | None = None) -> None:
        self._a, self._b = a, b
        self._trust = trust
        self._seeds = Seeds(a, b)
        self._known: Known = {} if known is None else known

    def runs(self, done: Callable[[list[Run]], None] = lambda runs: None) -> list[Run]:
        """All runs; *done* hears of them every few thousand codes and may raise to stop."""
        a, b = self._a, self._b
        found: list[Run] = []
        told, since = 0, 0
        x = y = lost = 0
        while x < len(a) and y < len(b) and lost < _LOST:
            length = run_length(a, b, x, y, _WINDOW)
            if length:
                found.append(Run(x, y, length))
                x, y = x + length, y + length
            if length < _WINDOW:
                point = self._resume(x, y)
                if point is None:
                    break
                x, y, trusted = point
                lost = 0 if trusted else lost + 1
            if x + y - since >= _WINDOW:
                done(found[told:])
                told, since = len(found), x + y
        done(found[told:])
        return found

    def _resume(self, x: int, y: int) -> Step | None:
        """Where to go on after the sequences parted at (x, y)."""
        if x >= len(self._a) or y >= len(self._b):
            return None
        step: Step | None = None
        seen = 0
        for sight, dearest in _SIGHTS:
            here, there = self._a[x : x + sight], self._b[y : y + sight]
            before, seen = seen, len(here) + len(there)
            if seen == before:
                break  # there is no more to be seen
            whole = len(here) < sight and len(there) < sight
            step = self._ahead(here, there, dearest, whole) or step
            if step is not None and step.trusted:
                return step.from_here(x, y)
        if seen < len(self._a) - x + len(self._b) - y:
            step = self._seed(x, y, step)
        else:
            left = ("all that is left", _pattern(here.tolist(), there.tolist()))
            if left not in self._known:
                self._known[left] = self._seed(x, y, step)
            step = self._known[left]
        return step and step.from_here(x, y)

    def _ahead(self, here: Words, there: Words, dearest: int, whole: bool) -> Step | None:
        """The cheapest way on through what is in sight, looked for once."""
        known, key = self._known, (here.tobytes(), there.tobytes())
        if key not in known:
            mine, theirs = here.tolist(), there.tolist()
            pattern = _pattern(mine, theirs)
            if pattern not in known:
                known[pattern] = cheapest(mine, theirs, self._trust, dearest, whole)
            known[key] = known[pattern]
        return known[key]

    def _seed(self, x: int, y: int, dense: Step | None) -> Step | None:
        """The nearest shared stretch, where it gains or nothing else was found."""
        seed = self._seeds.nearest(x, y)
        if seed is not None and (seed[0] > 0 or dense is None):
            return Step(seed[1][0] - x, seed[1][1] - y, trusted=seed[0] > 0)
        return dense


def _pattern(a: list[int], b: list[int]) -> Pattern:
    """Which codes are equal, whatever they are."""
    codes = a + b
    first = dict(zip(reversed(codes), range(len(codes), 0, -1), strict=True))
    return len(a), tuple(map(first.__getitem__, codes))


def cheapest(a: list[int], b: list[int], trust: int, dearest: int, whole: bool) -> Step | None:
    """Where the sequences come together again: the start of a run that can be trusted.

    The more was skipped, the longer a run must be. Where differences are too dense for that, the
    way that reaches farthest for its cost is followed up to about its middle: what lies beyond
    may still change the farther part. *whole* says that the lists hold all there is, so that a
    run up to both ends is trusted too.
    """
    count, other_count = len(a), len(b)
    a, b = [*a, -1], [*b, -2]  # no code is negative: a run ends here at the latest
    furthest = {1: 0}
    history: list[dict[int, int]] = []
    midway: Step | None = None
    for cost in range(dearest + 1):
        need = trust + 2 * cost
        best: tuple[int, int, int] | None = None
        reached = 0
        for diagonal in range(-cost, cost + 1, 2):
            down = furthest[diagonal + 1] if diagonal < cost or not cost else -1
            right = furthest[diagonal - 1] + 1 if diagonal > -cost else -1
            x = down if right <= down else right
            start, y = x, x - diagonal
            if x < count and 0 <= y < other_count:
                while a[x] == b[y]:
                    x += 1
                    y += 1
            furthest[diagonal] = x
            if x + y > reached:
                reached = x + y
            ended = whole and x == count and y == other_count
            if x - start > (best[0] if best else 0) and (x - start >= need or ended):
                best = (x - start, start, start - diagonal)
        if best is not None:
            return Step(best[1], best[2], trusted=True)
        if midway is None:
            history.append(dict(furthest))
            if cost > _DENSE and reached >= _REACH:
                midway = _midway(history, cost)
    return midway


def _midway(history: list[dict[int, int]], cost: int) -> Step | None:
    """The start of the longest run near the middle of the farthest way."""
    diagonal = max(
        (d for d in history[cost] if abs(d) <= cost and (d - cost) % 2 == 0),
        key=lambda d: (2 * history[cost][d] - d, -abs(d), d),
    )
    runs: list[tuple[int, int, int]] = []
    for step in range(cost, 0, -1):
        before = history[step - 1]
        x = history[step][diagonal]
        down = diagonal == -step or (
            diagonal != step and before[diagonal - 1] < before[diagonal + 1]
        )
        start = before[diagonal + 1] if down else before[diagonal - 1] + 1
        runs.append((x - start, start, start - diagonal))
        diagonal += 1 if down else -1
    middle = [run for run in runs if _REACH // 4 <= run[1] + run[2] <= _REACH // 2 and run[0] > 1]
    if not middle:
        return None
    best = max(middle)
    return Step(best[1], best[2], trusted=False)
