"""What tensors held, in numbers: columns for the million, one object for who looks at one."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opdiff.trace.columns import Flags, Floats, Longs

Hashes = NDArray[np.uint64]

UNKNOWN = -1
_MOST = np.iinfo(np.int64).max
_HASH = re.compile("(?:0x)?([0-9a-f]{1,16})")


@dataclass(frozen=True, slots=True)
class Measure:
    """What one tensor held; None is what its source does not tell."""

    count: int | None = None
    nonfinite: int | None = None
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    norm: float | None = None
    digest: str | None = None
    sketch: tuple[float, ...] = ()
    dtype: str = ""
    """As traces spell it; empty where only the trace tells it."""


@dataclass(frozen=True, slots=True)
class Measures:
    """Distinct contents, a number a content and fact.

    Unknown counts are -1, unknown numbers NaN, a sketch that is not there a row of NaN.
    """

    count: Longs
    nonfinite: Longs
    minimum: Floats
    maximum: Floats
    mean: Floats
    norm: Floats
    digest: Hashes
    has_digest: Flags
    sketch: Floats
    sketch_kind: str = ""
    """Names the signs: only sketches of one kind can be compared."""
    digest_kind: str = ""
    dtypes: tuple[str, ...] = ()
    """One a content where the source tells, else none at all."""

    def __len__(self) -> int:
        return len(self.count)

    @classmethod
    def of(
        cls,
        measures: Sequence[Measure],
        sketch_kind: str = "",
        digest_kind: str = "",
        sums: int = 0,
    ) -> Measures:
        """The columns of some contents; sketches have room for so many *sums*, or for more."""
        width = max([sums, *(len(measure.sketch) for measure in measures)])
        sketch = np.full((len(measures), width), np.nan)
        for index, measure in enumerate(measures):
            if len(measure.sketch) == width:
                sketch[index] = measure.sketch
        digests = [measure.digest for measure in measures]
        dtypes = tuple(measure.dtype for measure in measures)
        return cls(
            count=_counts([measure.count for measure in measures]),
            nonfinite=_counts([measure.nonfinite for measure in measures]),
            minimum=_numbers([measure.minimum for measure in measures]),
            maximum=_numbers([measure.maximum for measure in measures]),
            mean=_numbers([measure.mean for measure in measures]),
            norm=_numbers([measure.norm for measure in measures]),
            digest=np.array([digest_number(text) if text else 0 for text in digests], np.uint64),
            has_digest=np.array([bool(text) for text in digests], np.bool_),
            sketch=sketch,
            sketch_kind=sketch_kind,
            digest_kind=digest_kind,
            dtypes=dtypes if any(dtypes) else (),
        )

    @classmethod
    def joined(
        cls, parts: Sequence[Measures], sketch_kind: str = "", digest_kind: str = ""
    ) -> Measures:
        """The contents of several parts without dtypes, one after the other."""
        columns: dict[str, Any] = {
            name: np.concatenate([getattr(part, name) for part in parts]) for name in MEASURED
        }
        return cls(**columns, sketch_kind=sketch_kind, digest_kind=digest_kind)

    def one(self, index: int) -> Measure:
        """One content, for people."""
        sketch = self.sketch[index]
        return Measure(
            count=_known_count(self.count[index]),
            nonfinite=_known_count(self.nonfinite[index]),
            minimum=_known(self.minimum[index]),
            maximum=_known(self.maximum[index]),
            mean=_known(self.mean[index]),
            norm=_known(self.norm[index]),
            digest=f"{int(self.digest[index]):016x}" if self.has_digest[index] else None,
            sketch=tuple(sketch.tolist()) if len(sketch) and not np.isnan(sketch[0]) else (),
            dtype=self.dtypes[index] if self.dtypes else "",
        )


MEASURED = tuple(
    each.name
    for each in fields(Measures)
    if each.name not in ("sketch_kind", "digest_kind", "dtypes")
)
"""The arrays, a number a content each."""


def _known_count(number: np.int64) -> int | None:
    return None if number < 0 else int(number)


def _known(number: np.float64) -> float | None:
    return None if math.isnan(number) else float(number)


def digest_number(text: str) -> int:
    """A hash as a number of 64 bits, however its source prints it."""
    match = _HASH.fullmatch(text.strip().lower())
    if match:
        return int(match[1], 16)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _counts(numbers: Sequence[int | None]) -> Longs:
    known = (UNKNOWN if number is None or number > _MOST else number for number in numbers)
    return np.array(list(known), np.int64)


def _numbers(numbers: Sequence[float | None]) -> Floats:
    return np.array([np.nan if number is None else number for number in numbers], np.float64)
