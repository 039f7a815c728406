"""Inputs that come from another producer than the counterpart's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opdiff.compare.align import Alignment
from opdiff.compare.codes import Flags, Ints
from opdiff.compare.sides import TRANSPARENT, Ready, paired_inputs, written_by
from opdiff.trace import Trace

_HIDDEN_COPIES = frozenset({"Contiguous", "copy_from", "TensorMove"})
_NEAR = 4


@dataclass(frozen=True, slots=True)
class Rewired:
    """A pair one of whose inputs comes from elsewhere; writers are rows or -1."""

    row: int
    other: int
    place: int
    writer: int
    other_writer: int


class Dataflow:
    """Checks producers operand by operand."""

    def __init__(
        self, left: Ready, right: Ready, alignment: Alignment, scope: tuple[Flags, Flags]
    ) -> None:
        self._sides = (left, right)
        self._partner = alignment.partner
        self._scope = scope
        self._through = tuple(
            np.array([name in TRANSPARENT for name in side.trace.types], np.bool_)
            for side in (left, right)
        )
        self._block: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for number, block in enumerate(alignment.blocks):
            self._block[0].update(dict.fromkeys(block.left, number))
            self._block[1].update(dict.fromkeys(block.right, number))

    def rewired(self, rows: Ints, others: Ints) -> list[Rewired]:
        """Of pairs that agree in themselves, those that read from elsewhere, one record a pair."""
        left, right = self._sides
        here, there, owner = paired_inputs(left, right, rows, others)
        writer, other_writer = left.producer[here], right.producer[there]
        counterpart = np.where(writer >= 0, self._partner[0][np.maximum(writer, 0)], -1)
        doubtful = ((writer >= 0) | (other_writer >= 0)) & (
            (counterpart != other_writer) | (writer < 0)
        )
        doubtful |= self._first_or_last(0, here) != self._first_or_last(1, there)
        found: dict[int, list[Rewired]] = {}
        first = left.trace.inputs.start
        for at in np.flatnonzero(doubtful).tolist():
            row, other = int(rows[owner[at]]), int(others[owner[at]])
            sources = self._sources(int(here[at]), int(there[at]), row, other)
            if sources is not None:
                place = int(here[at] - first[row])
                found.setdefault(row, []).append(Rewired(row, other, place, *sources))
        return [spots[0] for spots in found.values()]

    def _sources(self, here: int, there: int, row: int, other: int) -> tuple[int, int] | None:
        """The two writers where they really are no counterparts."""
        writer = self._origin(0, int(self._sides[0].producer[here]))
        other_writer = self._origin(1, int(self._sides[1].producer[there]))
        if self._agree(writer, other_writer):
            if self._partner[0][writer] == other_writer and self._other_output(here, there):
                return writer, other_writer
            return None
        if self._stands_alone(0, writer) or self._stands_alone(1, other_writer):
            return None
        if writer < 0 or other_writer < 0:
            side, reader, known = (0, row, other_writer) if writer < 0 else (1, other, writer)
            if self._hidden(side, reader, known):
                return None
        elif self._same_memory(here, there, writer, other_writer):
            return None
        return writer, other_writer

    def _first_or_last(self, side: int, places: NDArray[np.int64]) -> NDArray[np.int8]:
        """Of each input, whether it is its writer's first (1) or last (2) of several outputs."""
        ready = self._sides[side]
        inputs, outputs = ready.trace.inputs, ready.trace.outputs
        writer = ready.producer[places]
        told = np.zeros(len(places), np.int8)
        several = np.flatnonzero((writer >= 0) & (outputs.counts()[np.maximum(writer, 0)] > 1))
        memory, spec = inputs.memory[places[several]], inputs.spec[places[several]]
        for mark, at in ((1, outputs.start[:-1]), (2, outputs.start[1:] - 1)):
            place = at[writer[several]]
            same = (outputs.memory[place] == memory) & (outputs.spec[place] == spec)
            told[several[same]] += np.int8(mark)
        return told

    def _other_output(self, here: int, there: int) -> bool:
        """Whether the same producer's other output is read, where both sides tell which."""
        places = []
        for side, at in ((0, here), (1, there)):
            trace = self._sides[side].trace
            row = int(self._sides[side].producer[at])
            if row < 0:
                return False
            span = slice(trace.outputs.start[row], trace.outputs.start[row + 1])
            match = (trace.outputs.memory[span] == trace.inputs.memory[at]) & (
                trace.outputs.spec[span] == trace.inputs.spec[at]
            )
            if int(match.sum()) != 1:
                return False
            places.append((len(match), int(match.argmax())))
        return places[0][0] == places[1][0] and places[0] != places[1]

    def _origin(self, side: int, row: int) -> int:
        """The writer behind copies and casts that stand on this side only."""
        ready, partner = self._sides[side], self._partner[side]
        while row >= 0 and partner[row] < 0 and row not in self._block[side]:
            if not self._scope[side][row]:
                return -1
            if not self._through[side][ready.trace.type[row]]:
                return row
            before = written_by(ready, row)
            row = before[-1] if before else -1
        return row

    def _agree(self, writer: int, other_writer: int) -> bool:
        if writer < 0 or other_writer < 0:
            return writer == other_writer
        if self._partner[0][writer] == other_writer:
            return True
        block = self._block[0].get(writer)
        return block is not None and block == self._block[1].get(other_writer)

    def _stands_alone(self, side: int, row: int) -> bool:
        """Whether a writer is inserted, lost, or part of a block: its readers only follow."""
        return row >= 0 and self._partner[side][row] < 0

    def _hidden(self, side: int, reader: int, known: int) -> bool:
        """Whether a missing writer is explained: it ran on the host, or a copy printed nothing."""
        ready = self._sides[side]
        counterpart = int(self._partner[1 - side][known])
        if counterpart >= 0 and ready.bare[counterpart]:
            return True
        trace = ready.trace
        near = [row for row in range(max(0, reader - 16), reader) if not ready.noise[row]][-_NEAR:]
        return any(ready.bare[row] and trace.type_name(row) in _HIDDEN_COPIES for row in near)

    def _same_memory(self, here: int, there: int, writer: int, other_writer: int) -> bool:
        """Whether a view that no op printed leaves open which of a block's writers is meant."""
        for side, at, mine, expected in (
            (0, here, writer, int(self._partner[1][other_writer])),
            (1, there, other_writer, int(self._partner[0][writer])),
        ):
            trace = self._sides[side].trace
            if _wrote(trace, mine, int(trace.inputs.spec[at]), None):
                continue
            if _wrote(trace, expected, None, int(trace.inputs.memory[at])):
                return True
        return False


def part_strangers(
    left: Ready,
    right: Ready,
    alignment: Alignment,
    scope: tuple[Flags, Flags],
    decreed: Iterable[tuple[int, int]],
) -> Alignment:
    """Undo pairs out of order that read from elsewhere: these are not the same op.

    Anchors and pins stay the pairs they are.
    """
    kept = [row for row, _ in decreed]
    rows = np.setdiff1d(np.flatnonzero(alignment.moved), kept).astype(np.int32)
    others = alignment.partner[0][rows]
    strangers = Dataflow(left, right, alignment, scope).rewired(rows, others)
    if not strangers:
        return alignment
    partner, other_partner = (column.copy() for column in alignment.partner)
    moved = alignment.moved.copy()
    for stranger in strangers:
        partner[stranger.row] = other_partner[stranger.other] = -1
        moved[stranger.row] = False
    return Alignment((partner, other_partner), moved, alignment.blocks)


def _wrote(trace: Trace, row: int, spec: int | None, memory: int | None) -> bool:
    """Whether a row has an output of this spec (or in this block of memory)."""
    if row < 0:
        return False
    here = slice(trace.outputs.start[row], trace.outputs.start[row + 1])
    if spec is not None:
        return spec in trace.outputs.spec[here]
    return memory in trace.outputs.memory[here]
