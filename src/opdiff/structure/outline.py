"""The tree of a trace to be printed: as lines, equal layers said once, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from opdiff.structure.part_names import name_of
from opdiff.structure.tree import ROOT, NodeKind, Structure
from opdiff.trace import Trace
from opdiff.wording import Sentence

USUAL_DEPTH = 3
_MOST_PARTS = 20_000
_FOLDED = {
    NodeKind.STEP: "steps",
    NodeKind.UPDATE: "updates",
    NodeKind.BATCH: "micro-batches",
    NodeKind.LAYER: "layers",
    NodeKind.REPEAT: "repeats",
}


class OutlineLine(NamedTuple):
    """One line of an outline."""

    depth: int
    name: Sentence
    about: tuple[Sentence, ...]


def fitting_depth(structure: Structure, asked: int | None) -> int:
    """The depth asked for, else the usual one, or less where that were too many parts."""
    if asked is not None:
        return asked
    for depth in range(USUAL_DEPTH, 1, -1):
        if int((structure.depth <= depth).sum()) <= _MOST_PARTS:
            return depth
    return 1


def outline(trace: Trace, structure: Structure, depth: int | None = None) -> Iterator[OutlineLine]:
    """The tree line by line; layers that are made like the one before them share a line."""
    return _PartOutline(trace, structure, fitting_depth(structure, depth)).lines()


class _PartOutline:
    def __init__(self, trace: Trace, structure: Structure, depth: int) -> None:
        self._trace, self._structure, self._depth = trace, structure, depth

    def lines(self) -> Iterator[OutlineLine]:
        yield from self._below(ROOT, 0)
        deeper = int((self._structure.depth > self._depth).sum())
        if deeper and self._depth:
            yield OutlineLine(0, Sentence.of("structure.deeper", count=f"{deeper:,}"), ())

    def _below(self, node: int, level: int) -> Iterator[OutlineLine]:
        """The parts of a node; paths are bounded in depth, and so is this recursion."""
        if level >= self._depth:
            return
        for run in self._runs(node):
            yield OutlineLine(level, name_of(self._structure.node(run[0])), self._about(run[0]))
            yield from self._below(run[0], level + 1)
            if len(run) > 1:
                yield self._same(run, level)

    def _runs(self, node: int) -> Iterator[list[int]]:
        """The parts of a node, in runs of neighbours that are made alike."""
        run: list[int] = []
        shape = b""
        for child in self._structure.children(node):
            same = bool(run) and self._follows(run[-1], child) and self._shape(child) == shape
            if run and not same:
                yield run
                run = []
            if not run:
                shape = self._shape(child)
            run.append(child)
        if run:
            yield run

    def _follows(self, one: int, other: int) -> bool:
        """Whether two parts have numbers, one after the other."""
        structure = self._structure
        step = abs(int(structure.number[other]) - int(structure.number[one]))
        return step == 1 and structure.number[one] >= 0 and structure.number[other] >= 0

    def _shape(self, node: int) -> bytes:
        """What a part is made of, its own number aside."""
        structure = self._structure
        inside = slice(node + 1, int(structure.end[node]))
        columns = (structure.kind, structure.label, structure.number, structure.ops)
        own = repr((int(structure.kind[node]), int(structure.ops[node]))).encode()
        return own + b"".join(column[inside].tobytes() for column in columns)

    def _same(self, run: list[int], level: int) -> OutlineLine:
        """All but the first of a run."""
        structure = self._structure
        first, last = structure.node(run[1]), structure.node(run[-1])
        like = name_of(structure.node(run[0]))
        name = name_of(first)
        if len(run) > 2:
            code = f"structure.same-{_FOLDED[first.what]}"
            name = Sentence.of(code, first=first.number, last=last.number)
        ops = int(structure.ops[run[1:]].sum())
        lines = self._lines(int(structure.first[run[1]]), int(structure.last[run[-1]]))
        return OutlineLine(level, name, (_ops(ops), lines, Sentence.of("structure.as", like=like)))

    def _about(self, node: int) -> tuple[Sentence, ...]:
        structure = self._structure
        ranges = structure.ranges(node)
        about = [_ops(int(structure.ops[node])), self._lines(ranges[0][0], ranges[-1][1])]
        if len(ranges) > 1:
            about.append(Sentence.of("structure.stretches", count=len(ranges)))
        return tuple(about)

    def _lines(self, first: int, last: int) -> Sentence:
        one, other = self._trace.line_of(first), self._trace.line_of(last)
        code = "structure.line" if one == other else "structure.lines"
        return Sentence.of(code, first=one, last=other)


def _ops(count: int) -> Sentence:
    if count == 1:
        return Sentence.of("structure.one-op")
    return Sentence.of("structure.ops", count=f"{count:,}")


def as_json(trace: Trace, structure: Structure, depth: int | None = None) -> dict[str, Any]:
    """The tree as JSON holds it: lines of headers, from the first to the last of each stretch."""
    made: dict[int, dict[str, Any]] = {}
    for number in structure.walk(depth=fitting_depth(structure, depth)):
        node = structure.node(number)
        made[number] = {
            "what": str(node.what),
            "name": node.name or None,
            "number": node.number if node.number >= 0 else None,
            "ops": node.ops,
            "lines": [
                [trace.line_of(first), trace.line_of(last)]
                for first, last in structure.ranges(number)
            ],
            "parts": [],
        }
        if number != ROOT:
            made[node.parent]["parts"].append(made[number])
    return made[ROOT]
