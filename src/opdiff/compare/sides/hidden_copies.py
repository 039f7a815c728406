"""What copies without operands copied: the other side tells where several views would do.

Compiled graphs make views dense before they read them, by copies of which some runs print the name
only. What such a copy read is one of the views of that dtype and shape; a trace by itself cannot
tell which. Once ops are paired, the view is taken that makes both sides read the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from opdiff.compare.matching import Matching
from opdiff.compare.sides.prepared import Prepared, paired_inputs
from opdiff.trace import Trace
from opdiff.trace.sorting import distinct

_MOST_READERS = 64

Choice = dict[int, int]
"""Of memory that a hidden copy wrote, the memory that it copied."""


def likely(trace: Trace) -> Choice:
    """What hidden copies copied where only one view would do, or one was made right before."""
    return {
        block: copy.sources[0]
        for block, copy in trace.hidden_copies.items()
        if len(copy.sources) == 1 or copy.likely
    }


def doubtful(trace: Trace, matching: Matching, which: int) -> list[int]:
    """Hidden copies of which only the order of a graph told what they copied, read by ops alone.

    Eager code copies what it has just viewed; a graph may run something else in between.
    """
    partner, blocked = matching.partner[which], matching.blocked(which)
    return [
        block
        for block, copy in trace.hidden_copies.items()
        if len(copy.sources) > 1
        and copy.likely
        and trace.scopes[trace.scope[copy.reader]]
        and partner[copy.reader] < 0
        and not blocked[copy.reader]
    ]


def with_copies(trace: Trace, choice: Choice) -> Trace:
    """The trace in which copies are read from what was copied."""
    if not choice:
        return trace
    blocks, inverse = np.unique(trace.inputs.memory, return_inverse=True)
    blocks = np.array([choice.get(block, block) for block in blocks.tolist()], np.int64)
    return Trace(
        trace.source,
        replace(trace.columns, inputs=replace(trace.inputs, memory=blocks[inverse])),
        trace.tables,
        trace.problems,
        trace.repaired,
        trace.notes,
        {block: copy for block, copy in trace.hidden_copies.items() if block not in choice},
    )


def copied(sides: tuple[Prepared, Prepared], matching: Matching) -> tuple[Choice, Choice]:
    """What hidden copies copied, as far as pairs of ops tell, or the same op run before."""
    found: tuple[Choice, Choice] = ({}, {})
    if not any(side.hidden for side in sides):
        return found
    left, right = sides
    here, there, _ = paired_inputs(left, right, *matching.paired())
    apart = matching.partner[0][left.value[here]] != right.value[there]
    values, others = left.value[here[apart]].tolist(), right.value[there[apart]].tolist()
    for value, other in zip(values, others, strict=True):
        same = _same(sides, matching, value, other)
        if same is not None:
            found[0].update(_chosen(left, value, same[0]))
            found[1].update(_chosen(right, other, same[1]))
    for which, side in enumerate(sides):
        for value, source in _once_more(side, matching, which):
            for memory, view in _chosen(side, value, source).items():
                found[which].setdefault(memory, view)
    return found


def _same(
    sides: tuple[Prepared, Prepared],
    matching: Matching,
    value: int,
    other: int,
) -> tuple[int, int] | None:
    """What both are copies of, the same on both sides, the likeliest first."""
    theirs = sides[1].hidden.get(other, (other,))
    for mine in sides[0].hidden.get(value, (value,)):
        for there in matching.counterparts(0, mine)[::-1]:
            if there in theirs:
                return mine, there
    return None


def _chosen(side: Prepared, value: int, source: int) -> Choice:
    """That a value is a copy of another, if a hidden copy made it."""
    views = side.hidden.get(value)
    if views is None:
        return {}
    values = side.trace.values
    return {int(values.outside[value - values.rows]): views[source]}


def _once_more(side: Prepared, matching: Matching, which: int) -> Iterator[tuple[int, int]]:
    """Hidden copies whose reader is alone and ran before on the same values otherwise."""
    reader_row = side.trace.values.reader_row
    for value in side.hidden:
        readers = distinct(reader_row[side.readings(value)])
        for row in matching.alone(which, readers).tolist():
            known = next((each for each in side.read_by(row) if each != value), None)
            if known is None:
                continue
            for earlier in reader_row[side.readings(known)[:_MOST_READERS]].tolist():
                source = _read_instead(side, earlier, row, value)
                if source is not None:
                    yield value, source


def _read_instead(side: Prepared, earlier: int, row: int, value: int) -> int | None:
    """What an earlier op of the same sort read in the place of a value, all else being equal."""
    alike = side.type[earlier] == side.type[row] and side.layout[earlier] == side.layout[row]
    mine, before = side.read_by(row), side.read_by(earlier)
    if earlier >= row or not alike or len(mine) != len(before):
        return None
    both = list(zip(mine, before, strict=True))
    sources = {source for read, source in both if read == value}
    if any(read != source for read, source in both if read != value) or len(sources) != 1:
        return None
    source = sources.pop()
    return source if source in side.hidden[value] else None
