"""What a comparison cannot see, and what is odd about its input: said, not passed over."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from opdiff.compare.comparison import Group, Note, Side, What
from opdiff.compare.matching import Matching
from opdiff.compare.pairing.walk import Walk
from opdiff.compare.request import Direction, Request
from opdiff.compare.sides.prepared import Prepared, codes_of
from opdiff.trace import Trace
from opdiff.trace.words import Words
from opdiff.values.question import Held
from opdiff.wording import Sentence
from opdiff.wording.printable import thousands

_OF_BOTH = ("no-operands", "no-stacks", "no-scalars")
_MOST_KERNELS = 30_000
_CANDIDATES = 6
_LEAST_GAIN = 4
_MOST_PROBLEMS = 10
"""So many rows of values that cannot be read are told of."""
_FEW = 20
"""Of fewer ops nobody can tell whether they are of the same model."""
_UNRELATED = 1 / 3
"""Where no more of the ops of either side have a counterpart, these are hardly the same model."""


def notes_of(
    sides: tuple[Prepared, Prepared],
    request: Request,
    matching: Matching,
    groups: tuple[Group, ...],
    held: Held,
    guessed: Sequence[int],
) -> tuple[Note, ...]:
    """All that the reader of a comparison should know besides.

    *guessed* are how many copies of a side do not print what they copied.
    """
    alone = sum(len(matching.alone(side, sides[side].rows)) for side in Side)
    found = [
        note
        for side in Side
        for note in _of_trace(sides[side].trace, side)
        if sides[side].rows.size
    ]
    found = [*_unrelated(sides, matching), *_problems(sides), *found]
    found += _copies(guessed)
    found += _of_both(sides[0].trace, sides[1].trace)
    if matching.coarse:
        found.append(Note("coarse", Sentence.of("note.coarse", count=matching.coarse)))
    found += _ends(groups)
    found += _anchors(sides, request, alone)
    found += _values(held)
    return tuple(found)


def told_once(notes: Iterable[Note]) -> list[Note]:
    """Notes for a reader: what is so on both sides is one sentence, told where the first stands."""
    found = list(notes)
    for code in _OF_BOTH:
        here = [note for note in found if note.code == code]
        if {note.side for note in here} == set(Side):
            at = found.index(here[0])
            found = [note for note in found if note.code != code]
            found.insert(at, Note(code, Sentence.of(f"note.{code}-both")))
    return found


def _of_trace(trace: Trace, side: Side) -> Iterator[Note]:
    name = Sentence.of(f"side.{side.name.lower()}")
    for said in trace.notes:
        yield Note("format", Sentence.of("note.format", side=name, said=said), side)
    if not len(trace.inputs.spec) and not len(trace.outputs.spec):
        yield Note("no-operands", Sentence.of("note.no-operands", side=name), side)
    if not any(trace.tables.stacks):
        yield Note("no-stacks", Sentence.of("note.no-stacks", side=name), side)
    recorded = any(kind.startswith("aten::") for kind in trace.types)
    if recorded and not any(key == "args" for attrs in trace.tables.attrs for key, _ in attrs):
        yield Note("no-scalars", Sentence.of("note.no-scalars", side=name), side)


def _problems(sides: tuple[Prepared, Prepared]) -> Iterator[Note]:
    """Whether something of a file could not be read: the report must not look whole."""
    for side in Side:
        problems = sides[side].trace.problems
        if problems:
            code = "file-problem" if len(problems) == 1 else "file-problems"
            first = problems[0]
            said = Sentence.of(
                f"note.{code}",
                side=Sentence.of(f"side.{side.name.lower()}"),
                count=thousands(len(problems)),
                place=Sentence.of("note.at-line", line=first.line),
                said=first.sentence,
            )
            yield Note("file-problems", said, side)


def _copies(guessed: Sequence[int]) -> Iterator[Note]:
    for side, count in zip(Side, guessed, strict=True):
        if count:
            name = Sentence.of(f"side.{side.name.lower()}")
            sentence = Sentence.of("note.hidden-copies", side=name, count=count)
            yield Note("hidden-copies", sentence, side)


def _of_both(left: Trace, right: Trace) -> Iterator[Note]:
    try:
        same = os.path.samefile(left.source.path, right.source.path)
    except (OSError, ValueError):
        same = left.source.path == right.source.path
    if same:
        yield Note("same-file", Sentence.of("note.same-file"))


def _unrelated(sides: tuple[Prepared, Prepared], matching: Matching) -> Iterator[Note]:
    """Whether hardly an op has a counterpart of its name: then no difference tells anything."""
    rows, others = matching.paired()
    alike = sides[0].family[rows] == sides[1].family[others]
    found, of = [], []
    for side, paired in zip(Side, (rows[alike], others[alike]), strict=True):
        counterpart = matching.blocked(side).copy()
        counterpart[paired] = True
        found.append(int(np.count_nonzero(counterpart[sides[side].rows])))
        of.append(len(sides[side].rows))
    few = all(some <= _UNRELATED * count for some, count in zip(found, of, strict=True))
    if few and min(of) >= _FEW:
        counts = {"found": thousands(found[0]), "of": thousands(of[0])}
        yield Note("unrelated", Sentence.of("note.unrelated", **counts))


def _ends(groups: tuple[Group, ...]) -> Iterator[Note]:
    for group in groups:
        if group.region is not None and group.region.what is What.END:
            ended = Side.RIGHT if group.region.left_rows else Side.LEFT
            yield Note("ends-early", group.title, ended)


def _values(held: Held) -> Iterator[Note]:
    """What is to be known of values: where they are missing, and what could not be used."""
    there = [side for side in Side if (held.left, held.right)[side] is not None]
    for side, values in zip(Side, (held.left, held.right), strict=True):
        for said in values.notes if values is not None else ():
            name = Sentence.of(f"side.{side.name.lower()}")
            yield Note("values", Sentence.of("note.format", side=name, said=said), side)
        for problem in values.problems[:_MOST_PROBLEMS] if values is not None else ():
            place = problem.path if problem.line is None else f"{problem.path}:{problem.line}"
            sentence = Sentence.of("note.value-problem", place=place, said=problem.sentence)
            yield Note("value-problem", sentence, side)
    for sentence in held.notes:
        yield Note("values", sentence)
    if len(there) == 1:
        name = Sentence.of(f"values.{there[0].name.lower()}")
        yield Note("values-on-one-side", Sentence.of("values.only-one-side", side=name), there[0])


def _anchors(sides: tuple[Prepared, Prepared], request: Request, alone: int) -> Iterator[Note]:
    left, right = request.left_anchor, request.right_anchor
    if left is None or right is None:
        return
    names = sides[0].trace.type_name(left), sides[1].trace.type_name(right)
    if sides[0].family[left] != sides[1].family[right]:
        yield Note("anchor-types", Sentence.of("note.anchor-types", left=names[0], right=names[1]))
    if alone and request.direction is Direction.UP:
        hint = _better_anchors(sides, left, right)
        if hint is not None:
            row, other, gain = hint
            lines = sides[0].trace.line_of(row), sides[1].trace.line_of(other)
            said = Sentence.of("note.anchor-hint", left=lines[0], right=lines[1], gain=gain)
            yield Note("anchor-hint", said, None, row, other, gain)


def _better_anchors(
    sides: tuple[Prepared, Prepared], left: int, right: int
) -> tuple[int, int, int] | None:
    """A pair near the anchors that leaves fewer ops without counterpart, and how many fewer."""
    codes = codes_of(*sides)[0]
    kernels = [
        np.flatnonzero(~side.passes & ~side.noise & ~side.bare).astype(np.int32) for side in sides
    ]
    if max(len(rows) for rows in kernels) > _MOST_KERNELS:
        return None
    here = [
        int(np.searchsorted(rows, row)) for rows, row in zip(kernels, (left, right), strict=True)
    ]
    words = [codes[side][rows] for side, rows in enumerate(kernels)]
    # Ops of one layer may look alike; what they read and what reads them does not.
    around = [
        own + side.upward[rows] + side.downward[rows]
        for own, side, rows in zip(words, sides, kernels, strict=True)
    ]
    present = _left_over(words, here[0], here[1])
    best: tuple[int, int, int] | None = None
    for place, other in dict.fromkeys((*_alternatives(around, here), *_alternatives(words, here))):
        gain = present - _left_over(words, place, other)
        if gain >= _LEAST_GAIN and (best is None or gain > best[2]):
            best = (int(kernels[0][place]), int(kernels[1][other]), gain)
    return best


def _alternatives(words: list[Words], here: list[int]) -> Iterator[tuple[int, int]]:
    """One anchor kept, the other moved to the nearest ops that are alike."""
    for side in (0, 1):
        if here[1 - side] >= len(words[1 - side]):
            continue
        wanted = words[1 - side][here[1 - side]]
        alike = np.flatnonzero(words[side] == wanted)
        alike = alike[alike != here[side]]
        near = alike[np.argsort(np.abs(alike - here[side]), kind="stable")][:_CANDIDATES]
        for place in near.tolist():
            yield (place, here[1]) if side == 0 else (here[0], place)


def _left_over(words: list[Words], place: int, other: int) -> int:
    """How many ops above two anchors have no counterpart in the order."""
    a, b = words[0][: place + 1][::-1].copy(), words[1][: other + 1][::-1].copy()
    paired = sum(run.length for run in Walk(a, b).runs())
    return len(a) + len(b) - 2 * paired
