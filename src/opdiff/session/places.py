"""Ops named so that they are found again after a trace was written anew.

A line alone means nothing once ops were added above it. A place also keeps what the op is, what
it works on and what stands around it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from opdiff.trace import Row, Trace

_AROUND = 3


@dataclass(frozen=True, slots=True)
class Place:
    """One op by its line and its content."""

    line: int
    op: str
    specs: str
    """A digest of its operands' specs."""
    before: tuple[str, ...]
    """The op types before it, the nearest last."""
    after: tuple[str, ...]
    occurrence: int
    """Which of the ops of the same type and specs it is, from 0."""


class Places:
    """Names the ops of one trace, and finds those named in it or in an earlier version of it."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._digests: dict[tuple[tuple[int, ...], tuple[int, ...]], str] = {}
        self._rows_like: dict[tuple[str, str], NDArray[np.intp]] = {}

    def of(self, row: int) -> Place:
        """The place of a row."""
        trace, op, specs = self._trace, self._trace.type_name(row), self._specs(row)
        return Place(
            line=int(trace.line_of(row)),
            op=op,
            specs=specs,
            before=self._types(row - _AROUND, row),
            after=self._types(row + 1, row + 1 + _AROUND),
            occurrence=int(np.searchsorted(self._alike(op, specs), row)),
        )

    def find(self, place: Place) -> Row | None:
        """The row a place means; None where no op is like it."""
        row = self._trace.row_at(place.line)
        if row is not None and self._likeness(row, place) == 2 * _AROUND and self._is(row, place):
            return row
        alike = self._alike(place.op, place.specs)
        if len(alike):
            return Row(self._best(alike, place))
        # The same op on other shapes, as after a change of the batch, but only in its old company.
        others = self._rows_of(place.op)
        company = [row for row in others.tolist() if self._likeness(row, place) > _AROUND]
        return Row(self._best(np.array(company), place)) if company else None

    def _is(self, row: int, place: Place) -> bool:
        return self._trace.type_name(row) == place.op and self._specs(row) == place.specs

    def _best(self, rows: NDArray[np.intp], place: Place) -> int:
        """The row in the likest company; then the one as far along; then the nearest line."""
        ranked = [
            (
                -self._likeness(row, place),
                abs(number - place.occurrence),
                abs(int(self._trace.line_of(row)) - place.line),
                row,
            )
            for number, row in enumerate(rows.tolist())
        ]
        return int(min(ranked)[-1])

    def _likeness(self, row: int, place: Place) -> int:
        """How many of the neighbours are the ones remembered, ends of the trace included."""
        before = self._types(row - _AROUND, row)
        after = self._types(row + 1, row + 1 + _AROUND)
        return _agreeing(before[::-1], place.before[::-1]) + _agreeing(after, place.after)

    def _types(self, first: int, end: int) -> tuple[str, ...]:
        inside = range(max(0, first), min(end, len(self._trace)))
        return tuple(self._trace.type_name(row) for row in inside)

    def _rows_of(self, op: str) -> NDArray[np.intp]:
        types = self._trace.types
        return np.flatnonzero(self._trace.type == types.index(op) if op in types else False)

    def _alike(self, op: str, specs: str) -> NDArray[np.intp]:
        found = self._rows_like.get((op, specs))
        if found is None:
            rows = self._rows_of(op)
            found = rows[[self._specs(row) == specs for row in rows.tolist()]]
            self._rows_like[op, specs] = found
        return found

    def _specs(self, row: int) -> str:
        key = (
            _spec_ids(self._trace, row, outputs=True),
            _spec_ids(self._trace, row, outputs=False),
        )
        digest = self._digests.get(key)
        if digest is None:
            table = self._trace.tables.specs
            text = "\n".join(",".join(str(table[spec]) for spec in specs) for specs in key)
            digest = hashlib.blake2b(
                text.encode("utf-8", "surrogatepass"), digest_size=6
            ).hexdigest()
            self._digests[key] = digest
        return digest


def _spec_ids(trace: Trace, row: int, *, outputs: bool) -> tuple[int, ...]:
    operands = trace.outputs if outputs else trace.inputs
    return tuple(operands.spec[operands.start[row] : operands.start[row + 1]].tolist())


def _agreeing(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    # Where both end as the trace does, what is missing agrees too.
    missing = _AROUND - len(one) if len(one) == len(other) else 0
    return missing + sum(a == b for a, b in zip(one, other, strict=False))
