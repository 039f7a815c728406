"""The values of a trace that come one operand at a time, as dumps have them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from opdiff.errors import OpdiffError
from opdiff.trace import Trace
from opdiff.values.fitting import FITS, misfits
from opdiff.values.ge_files import GeTensor
from opdiff.values.measures import Measure, Measures
from opdiff.values.sketch import KIND, measure
from opdiff.values.table import Kept, OperandPlaces, ValueProblems, Values, as_numbers, put
from opdiff.values.tensor_files import load_tensor
from opdiff.wording import Sentence

Place = tuple[int, bool, int]
"""Row, whether it is an output, which operand; the row is -1 for what belongs to no op."""


def measure_all(array: NDArray[np.generic], dtype: str) -> Measure:
    """All that can be told of a tensor that was kept: statistics, sketch and hash."""
    array = as_numbers(array, dtype)
    digest = hashlib.blake2b(np.ascontiguousarray(array).data, digest_size=8).hexdigest()
    return replace(measure(array), digest=digest, dtype=dtype)


def measure_file(path: str, dtype: str, inside: GeTensor | None = None) -> Measure:
    """The same of a tensor in a file; raises OpdiffError where it cannot be read."""
    try:
        return measure_all(load_tensor(path, inside), dtype)
    except (OSError, ValueError, EOFError, TypeError) as error:
        reason = str(error).partition("\n")[0]
        raise OpdiffError("values.bad-tensor", reason=reason, path=path) from error


class ValuesBuilder:
    """Puts measures into their places."""

    def __init__(self, trace: Trace, path: str | Path) -> None:
        self.problems = ValueProblems()
        self._trace, self._path = trace, str(path)
        self._measures: list[Measure] = []
        self._places: list[Place] = []
        self._kept: dict[int, Kept] = {}

    def __len__(self) -> int:
        return len(self._measures)

    def add(self, place: Place, told: Measure, kept: Kept | None = None) -> None:
        """What an operand held, and where all of it is."""
        if kept is not None:
            self._kept[len(self)] = kept
        self._measures.append(told)
        self._places.append(place)

    def add_file(self, place: Place, kept: Kept) -> bool:
        """The same of a tensor in a file; False, with a problem, where it cannot be read."""
        try:
            found = measure_file(kept.path, kept.dtype, kept.inside)
        except OpdiffError as error:
            self.problems.add(kept.path, None, error.sentence)
            return False
        self.add(place, found, kept)
        return True

    def values(
        self, *, digest_kind: str = "", notes: Iterable[Sentence] = (), unplaced: int = 0
    ) -> Values:
        """All of them; *digest_kind* is what sort of hash is told of tensors that are not there.

        What does not fit its operand, such as axes given as numbers that the trace does not print,
        is left out and told of, with the *unplaced* ones that have none.
        """
        measures = Measures.of(
            self._measures,
            KIND if any(each.sketch for each in self._measures) else "",
            "blake2b" if self._kept else digest_kind,
        )
        places = OperandPlaces.of(self._places)
        places = places.only(places.row >= 0)
        fits = misfits(self._trace, places, measures) == FITS
        others = int(np.count_nonzero(~fits)) + unplaced
        told = [Sentence.of("values.other-operands", count=others)] if others else []
        inputs, outputs = put(self._trace, places.only(fits))
        problems = self.problems.all(self._path)
        return Values(self._path, measures, inputs, outputs, problems, (*notes, *told), self._kept)
