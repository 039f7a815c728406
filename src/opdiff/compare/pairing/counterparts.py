"""Likely counterparts of one op on the other side, ranked, each with the reason."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from opdiff.compare.names.table import table_for
from opdiff.compare.names.vocabulary import Vocabulary, vocabulary
from opdiff.compare.pairing.scores import likeness
from opdiff.compare.rules import Rules
from opdiff.compare.sides.noise import noise_of
from opdiff.compare.sides.prepared import Prepared, prepare
from opdiff.trace import Trace
from opdiff.trace.columns import Flags, Floats, Ints, Longs
from opdiff.trace.sorting import among, distinct
from opdiff.wording import Sentence

_SAME, _KNOWN = 0.4, 0.3
_OUTPUTS, _INPUTS, _PRODUCERS, _CONSUMERS, _FUNCTION = 0.15, 0.15, 0.08, 0.07, 0.1
_PLACE = 0.05


class Candidate(NamedTuple):
    """A row that may be the counterpart, how likely (0 to 1) and why."""

    row: int
    score: float
    reason: Sentence


def counterparts(left: Trace, row: int, right: Trace, limit: int = 5) -> list[Candidate]:
    """The rows of *right* that are most likely the same op as *row* of *left*, best first."""
    mine, theirs, words = _both(left, right)
    others = _candidates(mine, theirs, row, words)
    if not len(others):
        return []
    evidence = _Evidence(mine, theirs, row, others, words)
    scores = evidence.scores()
    best = np.lexsort((np.abs(evidence.shift), -scores))[:limit]
    return [
        Candidate(int(others[at]), round(float(scores[at]), 3), evidence.reason(int(at)))
        for at in best
    ]


@lru_cache(maxsize=1)
def _both(left: Trace, right: Trace) -> tuple[Prepared, Prepared, Vocabulary]:
    """Both traces made ready; the finder asks for many rows of the same two."""
    words = vocabulary(left, right, table_for(Rules()))
    mine, theirs = (
        prepare(trace, side, words, np.flatnonzero(~noise).astype(np.int32), noise)
        for side, trace, noise in (
            (0, left, noise_of(left, right)),
            (1, right, noise_of(right, left)),
        )
    )
    return mine, theirs, words


def _candidates(mine: Prepared, theirs: Prepared, row: int, words: Vocabulary) -> Ints:
    """Rows of the same name or a known counterpart's; failing that, of the names most alike."""
    kind = int(mine.type[row])
    fitting = [kind, *words.linked.get(kind, ())]
    others: Ints = theirs.rows[among(theirs.type[theirs.rows], fitting)]
    if not len(others) and len(theirs.rows):
        present = distinct(theirs.type[theirs.rows])
        alike = [likeness(words.types[kind], words.types[other]) for other in present]
        others = theirs.rows[theirs.type[theirs.rows] == present[int(np.argmax(alike))]]
    return others


class _Evidence:
    """What speaks for each candidate."""

    def __init__(
        self,
        mine: Prepared,
        theirs: Prepared,
        row: int,
        others: Ints,
        words: Vocabulary,
    ) -> None:
        self.same = theirs.type[others] == mine.type[row]
        self.known = words.known(mine.type[row : row + 1], theirs.type[others])[0]
        told = mine.has_operands and theirs.has_operands
        self.outputs = (theirs.outputs[others] == mine.outputs[row]) & told
        self.inputs = (theirs.inputs[others] == mine.inputs[row]) & told
        self.producers = (theirs.upward[others] == mine.upward[row]) & told
        self.consumers = (theirs.downward[others] == mine.downward[row]) & told
        self.function = _same_function(mine.trace, row, theirs.trace, others)
        self.shift = _turns_apart(mine, theirs, row, others)

    def scores(self) -> Floats:
        """From 0 to 1."""
        total: Floats = (
            np.where(self.same, _SAME, np.where(self.known, _KNOWN, 0.0))
            + _OUTPUTS * self.outputs
            + _INPUTS * self.inputs
            + _PRODUCERS * self.producers
            + _CONSUMERS * self.consumers
            + _FUNCTION * self.function
            + _PLACE / (1.0 + np.abs(self.shift))
        )
        return total

    def reason(self, at: int) -> Sentence:
        """What speaks for one candidate, in words."""
        name = "same" if self.same[at] else "known" if self.known[at] else "alike"
        shapes = bool(self.outputs[at] and self.inputs[at])
        around = bool(self.producers[at] and self.consumers[at])
        return Sentence.of(
            "candidate.reason",
            name=Sentence.of(f"candidate.name-{name}"),
            shapes=Sentence.of("candidate.shapes" if shapes else "candidate.nothing"),
            around=Sentence.of("candidate.around" if around else "candidate.nothing"),
            function=Sentence.of(
                "candidate.function" if self.function[at] else "candidate.nothing"
            ),
            place=Sentence.of("candidate.place" if not self.shift[at] else "candidate.nothing"),
        )


def _same_function(trace: Trace, row: int, other: Trace, rows: Ints) -> Flags:
    frame = trace.user_frame(row)
    stacks = other.columns.stack[rows]
    alike = {
        int(stack): frame is not None
        and (found := other.user_frame(int(rows[int(np.argmax(stacks == stack))]))) is not None
        and found.function == frame.function
        for stack in distinct(stacks)
    }
    return np.array([alike[int(stack)] for stack in stacks], np.bool_)


def _turns_apart(mine: Prepared, theirs: Prepared, row: int, others: Ints) -> Longs:
    """How many turns lie between the row's turn and the candidate's, counted from the end.

    A turn is an op of the same signature; layers are told apart only by their number.
    """
    word = mine.faces[row]
    behind = int((mine.faces[row + 1 :] == word).sum())
    same = theirs.faces[others] == word
    others_behind = np.cumsum(same[::-1])[::-1] - same
    shift: Longs = others_behind - behind
    return shift
