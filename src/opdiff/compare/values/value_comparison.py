"""What the values of two runs tell of their pairs of ops: read by reports and the window."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from opdiff.trace.columns import Floats, Ints, Longs
from opdiff.values.causes import Cause, Causes, largest
from opdiff.values.estimate import Errors, Estimate, Figures, figures
from opdiff.values.measures import Measure
from opdiff.values.pairing import Compared, ValuedTrace
from opdiff.values.question import ValueOptions

CONSEQUENCE = "consequence"
"""What a difference is called that follows from a cause."""


@dataclass(frozen=True, slots=True)
class OperandAt:
    """An operand of a pair of ops: which one, from 0, on either side."""

    is_output: bool
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class ValueFact:
    """How far the values of a pair of ops are apart, and why."""

    cause: str
    """``compute``, ``wiring``, ``structure``, ``external`` or ``consequence``."""
    error: float
    inputs: float | None
    """The largest error of what it was made from."""
    floor: float
    """What is taken for noise here."""
    estimate: str
    """What the error was worked out from: ``sketch``, ``stats``, ``hash`` or ``tensor``."""
    operand: OperandAt
    left: Measure | None
    right: Measure | None
    figures: Figures | None = None
    """Where whole tensors were kept on both sides."""


@dataclass(frozen=True)
class ValueComparison:
    """The errors of all pairs of ops whose values could be compared."""

    left: ValuedTrace
    right: ValuedTrace
    options: ValueOptions
    compared: Compared
    causes: Causes
    pair_of: tuple[Ints, Ints]
    """Of each row of a side, its pair; -1 where its values are compared with none."""

    def __len__(self) -> int:
        """How many pairs have values that could be compared."""
        return int(np.count_nonzero(~np.isnan(self.error)))

    @property
    def differ(self) -> int:
        """How many pairs differ by more than noise."""
        return int(np.count_nonzero(self.causes.differs))

    @cached_property
    def error(self) -> Floats:
        """Of each pair the largest error of its outputs; of its inputs where none is known."""
        pairs = self.compared.pairs
        return self._largest(pairs.output_error, pairs.input_error)

    @cached_property
    def floor(self) -> Floats:
        """Of each pair what is taken for noise: the largest floor of its operands."""
        pairs = self.compared.pairs
        return np.nan_to_num(self._largest(pairs.output_floor, pairs.input_floor), nan=0.0)

    def _largest(self, outputs: Floats, inputs: Floats) -> Floats:
        """Of each pair the largest of its outputs; of its inputs where none is known."""
        pairs = self.compared.pairs
        found = largest(len(pairs), pairs.output_pair, outputs)
        return np.where(np.isnan(found), largest(len(pairs), pairs.input_pair, inputs), found)

    def error_of_rows(self, side: int) -> Floats:
        """Of each row of a side how far its values are off, NaN where nobody knows."""
        return np.append(self.error, np.nan)[self.pair_of[side]]

    def rows(self, pair: int) -> tuple[int, int]:
        """The left and the right row of a pair."""
        pairs = self.compared.pairs
        return int(pairs.left_row[pair]), int(pairs.right_row[pair])

    def roots(self) -> list[int]:
        """The pairs that are causes, in the order in which they ran."""
        return [int(pair) for pair in self.causes.roots()]

    def cause(self, pair: int) -> str:
        """The word for what a pair is."""
        return Cause(int(self.causes.cause[pair])).word or CONSEQUENCE

    def fact(self, pair: int) -> ValueFact:
        """All that is known of a pair; whole tensors are read where they were kept."""
        is_output, at = self._operand(pair)
        pairs = self.compared.pairs
        places = self._places(is_output)
        told: Errors = self.compared.outputs if is_output else self.compared.inputs
        floor = (pairs.output_floor if is_output else pairs.input_floor)[at]
        contents, measures, numbers = [], [], []
        for side, place, row in zip((self.left, self.right), places, self.rows(pair), strict=True):
            told_of = side.values.side(outputs=is_output)
            content = told_of.index[place[at]]
            contents.append(content)
            measures.append(None if content < 0 else side.values.measures.one(int(content)))
            numbers.append(int(place[at] - told_of.start[row]))
        error = float(self.causes.error[pair])
        estimate = Estimate(int(told.estimate[at])).word
        whole = self._figures(pair, contents)
        if whole is not None and not self.options.bitwise:
            error, estimate = whole.error, Estimate.TENSOR.word
        source = float(self.causes.source[pair])
        return ValueFact(
            self.cause(pair),
            error,
            None if math.isnan(source) else source,
            float(floor),
            estimate,
            OperandAt(is_output, *numbers),
            measures[0],
            measures[1],
            whole,
        )

    def operand_error(
        self, pair: int, place: int, *, is_output: bool
    ) -> tuple[float, float] | None:
        """Error and floor of an operand of the left op, from 0; None if it is not compared."""
        pairs = self.compared.pairs
        owner = pairs.output_pair if is_output else pairs.input_pair
        first, last = np.searchsorted(owner, (pair, pair + 1)).tolist()
        left = self._places(is_output)[0][first:last]
        start = self.left.values.side(outputs=is_output).start[self.rows(pair)[0]]
        found = np.flatnonzero(left == start + place)
        if not len(found):
            return None
        at = first + int(found[0])
        if is_output:
            return float(pairs.output_error[at]), float(pairs.output_floor[at])
        return float(pairs.input_error[at]), float(pairs.input_floor[at])

    def floor_of_rows(self, side: int) -> Floats:
        """Of each row of a side what is taken for noise."""
        return np.append(self.floor, 0.0)[self.pair_of[side]]

    def _figures(self, pair: int, contents: list[np.int32]) -> Figures | None:
        if self.causes.cause[pair] == Cause.NONE:
            return None
        left, right = (
            side.values.tensor(int(content))
            for side, content in zip((self.left, self.right), contents, strict=True)
        )
        return None if left is None or right is None else figures(left, right)

    def _operand(self, pair: int) -> tuple[bool, int]:
        """The operand that a pair is told by: that of its cause, else the worst one."""
        pairs = self.compared.pairs
        if self.causes.cause[pair] != Cause.NONE:
            is_output = self.causes.cause[pair] == Cause.COMPUTE
            return bool(is_output), int(self.causes.operand[pair])
        best: tuple[float, bool, int] | None = None
        for is_output, owner, error in (
            (True, pairs.output_pair, pairs.output_error),
            (False, pairs.input_pair, pairs.input_error),
        ):
            first, last = np.searchsorted(owner, (pair, pair + 1)).tolist()
            here = np.nan_to_num(error[first:last], nan=-1.0)
            if len(here) and (best is None or here.max() > best[0]):
                best = (float(here.max()), is_output, first + int(here.argmax()))
        assert best is not None  # pairs without operands are never asked for
        return best[1], best[2]

    def _places(self, is_output: bool) -> tuple[Longs, Longs]:
        """Where the compared operands stand among the contents of each side."""
        pairs = self.compared.pairs
        if not is_output:
            return pairs.input_left, pairs.input_right
        return pairs.output_left, pairs.output_right
