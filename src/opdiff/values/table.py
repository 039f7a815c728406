"""The values of one trace: which content every operand of every op held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.errors import OpdiffError
from opdiff.trace import Operands, Trace
from opdiff.trace.columns import Bytes, Flags, Ints, Longs, starts_of
from opdiff.values.floors import Precision, precision_of
from opdiff.values.measures import Measure, Measures
from opdiff.wording import Sentence, say

if TYPE_CHECKING:
    from opdiff.values.ge_files import GeTensor

NOTHING = -1
"""The index of a content nobody knows."""
_MOST_PROBLEMS = 100


class ValueProblem(NamedTuple):
    """Something of a source of values that could not be used: nothing is lost silently."""

    path: str
    line: int | None
    """The line of the file, where it has lines."""
    sentence: Sentence

    def text(self, language: str = "en") -> str:
        """``file:line: what is wrong``."""
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {say(self.sentence, language)}"


class ValueProblems:
    """Collects them; of very many only how many they are."""

    def __init__(self) -> None:
        self._found: list[ValueProblem] = []
        self._surplus = 0

    def add(self, path: str | Path, line: int | None, sentence: Sentence) -> None:
        """One more."""
        if len(self._found) < _MOST_PROBLEMS:
            self._found.append(ValueProblem(str(path), line, sentence))
        else:
            self._surplus += 1

    def all(self, path: str | Path) -> tuple[ValueProblem, ...]:
        """All of them, and of the *path* as a whole that there are more."""
        if not self._surplus:
            return tuple(self._found)
        more = Sentence.of("values.more-problems", count=self._surplus)
        return (*self._found, ValueProblem(str(path), None, more))


@dataclass(frozen=True, slots=True)
class Contents:
    """What the inputs (or the outputs) of all ops held.

    The operands of row r are ``index[start[r]:start[r + 1]]``: places in the measures, -1 where
    nothing is known. ``start`` is that of the trace's own operands, save for ops whose operands
    the trace does not print.
    """

    start: Longs
    index: Ints

    def of(self, row: int) -> Ints:
        """The contents of one row's operands."""
        return self.index[self.start[row] : self.start[row + 1]]


class Kept(NamedTuple):
    """A whole tensor in a file."""

    path: str
    dtype: str = ""
    """The type of its elements, where NumPy has none of that name."""
    inside: GeTensor | None = None
    """Which one it is, where a file holds several."""

    def load(self) -> NDArray[np.generic] | None:
        """Its elements as numbers; None if the file cannot be read any more."""
        from opdiff.values.tensor_files import load_tensor  # needed for dumps only

        try:
            return as_numbers(load_tensor(self.path, self.inside), self.dtype)
        except (OpdiffError, OSError, ValueError, EOFError):
            return None


def as_numbers(array: NDArray[np.generic], dtype: str) -> NDArray[np.generic]:
    """The elements as numbers, also those of a precision that NumPy does not have."""
    if dtype.lower() == "bfloat16" and array.dtype.itemsize == 2 and array.dtype.kind != "f":
        wide = np.ascontiguousarray(array).view(np.uint16).astype(np.uint32) << np.uint32(16)
        numbers: NDArray[np.generic] = wide.view(np.float32).reshape(array.shape)
        return numbers
    return array


@dataclass(frozen=True, slots=True)
class Values:
    """What the operands of one trace held."""

    source: str
    """The file or folder they were read from."""
    measures: Measures
    inputs: Contents
    outputs: Contents
    problems: tuple[ValueProblem, ...] = ()
    notes: tuple[Sentence, ...] = ()
    kept: Mapping[int, Kept] = field(default_factory=dict)
    """The whole tensors of contents, where a dump kept them."""

    def tensor(self, content: int) -> NDArray[np.generic] | None:
        """The elements of a content; None where nobody kept them, or they are gone by now."""
        kept = self.kept.get(content)
        return None if kept is None else kept.load()

    @property
    def files(self) -> tuple[str, ...]:
        """Every file or folder that they are in."""
        return (self.source, *(kept.path for kept in self.kept.values()))

    def side(self, *, outputs: bool) -> Contents:
        """The contents of all outputs, or of all inputs."""
        return self.outputs if outputs else self.inputs

    def measure(self, row: int, operand: int, *, outputs: bool) -> Measure | None:
        """What one operand held, None where that is not known."""
        index = self.side(outputs=outputs).of(row)
        if operand >= len(index) or index[operand] == NOTHING:
            return None
        return self.measures.one(int(index[operand]))

    @property
    def known(self) -> int:
        """How many operands have a value."""
        return sum(int(np.count_nonzero(side.index >= 0)) for side in (self.inputs, self.outputs))


@dataclass(frozen=True, slots=True)
class OperandPlaces:
    """Where contents belong, one entry a content that was read: row, side, operand."""

    row: Longs
    is_output: Flags
    operand: Longs
    index: Ints

    @classmethod
    def of(cls, places: Sequence[tuple[int, bool, int]]) -> OperandPlaces:
        """Those of contents one after the other."""
        row, is_output, operand = np.array(places, np.int64).reshape(-1, 3).T
        index = np.arange(len(row), dtype=np.int32)
        return cls(row, is_output.astype(np.bool_), operand, index)

    @classmethod
    def joined(cls, parts: Sequence[OperandPlaces]) -> OperandPlaces:
        """All of several, one after the other."""
        parts = [cls.of([]), *parts]
        return cls(
            np.concatenate([part.row for part in parts]),
            np.concatenate([part.is_output for part in parts]),
            np.concatenate([part.operand for part in parts]),
            np.concatenate([part.index for part in parts]),
        )

    def only(self, which: Flags) -> OperandPlaces:
        """Some of them."""
        return OperandPlaces(
            self.row[which], self.is_output[which], self.operand[which], self.index[which]
        )


def without_operands(trace: Trace) -> Flags:
    """Which ops print no operand at all: stock trackers of some backends print none."""
    bare: Flags = (trace.inputs.counts() == 0) & (trace.outputs.counts() == 0)
    return bare


def precisions(trace: Trace, values: Values, *, outputs: bool) -> Bytes:
    """The precision of every input, or output, in the order of the contents; F32 if not known."""
    contents = values.side(outputs=outputs)
    printed = trace.outputs if outputs else trace.inputs
    kinds = _codes(spec.dtype for spec in trace.tables.specs)[printed.spec]
    if len(contents.index) == len(kinds):
        return kinds
    dtypes = values.measures.dtypes or ("",) * len(values.measures)
    found = np.append(_codes(dtypes), np.int8(Precision.F32))[contents.index]
    found[np.repeat(~without_operands(trace), np.diff(contents.start))] = kinds
    return found


def _codes(dtypes: Iterable[str]) -> Bytes:
    kinds = [precision_of(dtype) for dtype in dtypes]
    return np.array([Precision.F32 if kind is None else kind for kind in kinds], np.int8)


def put(trace: Trace, places: OperandPlaces) -> tuple[Contents, Contents]:
    """Inputs and outputs with their contents; of several for one operand the last one stays.

    Every place must exist in the trace, or belong to an op that prints no operands.
    """
    bare = without_operands(trace)
    return (
        _put(trace.inputs, bare, places, ~places.is_output),
        _put(trace.outputs, bare, places, places.is_output),
    )


def _put(printed: Operands, bare: Flags, places: OperandPlaces, here: Flags) -> Contents:
    row, operand = places.row[here], places.operand[here]
    start = printed.start
    if bare[row].any():
        needed = np.zeros(len(bare), np.int64)
        np.maximum.at(needed, row, operand + 1)
        counts = np.where(bare, needed, printed.counts())
        start = starts_of(counts)
    index = np.full(int(start[-1]), NOTHING, np.int32)
    index[start[row] + operand] = places.index[here]
    return Contents(start, index)
