"""Ops named so that they are found again after a trace was written anew.

A line alone means nothing once ops were added above it. A place also keeps what the op is, what
it works on and what stands around it.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from opdiff.errors import OpdiffError
from opdiff.trace import Row, Trace
from opdiff.wording import Sentence

_AROUND = 3


@dataclass(frozen=True, slots=True)
class Bookmark:
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


class Bookmarks:
    """Names the ops of one trace, and finds those named in it or in an earlier version of it."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._digests: dict[tuple[tuple[int, ...], ...], str] = {}
        self._rows_by_specs: dict[str, dict[str, list[int]]] = {}

    def of(self, row: int) -> Bookmark:
        """The place of a row."""
        trace, op, specs = self._trace, self._trace.type_name(row), self._specs(row)
        return Bookmark(
            line=int(trace.line_of(row)),
            op=op,
            specs=specs,
            before=self._types(row - _AROUND, row),
            after=self._types(row + 1, row + 1 + _AROUND),
            occurrence=bisect_left(self._alike(op, specs), row),
        )

    def find(self, place: Bookmark) -> Row | None:
        """The row a place means; None where no op is like it."""
        row = self._trace.row_at(place.line)
        if row is not None and self._likeness(row, place) == 2 * _AROUND and self._is(row, place):
            return row
        alike = self._alike(place.op, place.specs)
        if alike:
            return Row(self._best(alike, place))
        # The same op on other shapes, as after a change of the batch, but only in its old company.
        rows = self._trace.rows_of(place.op).tolist()
        company = [row for row in rows if self._likeness(row, place) > _AROUND]
        return Row(self._best(company, place)) if company else None

    def _is(self, row: int, place: Bookmark) -> bool:
        return self._trace.type_name(row) == place.op and self._specs(row) == place.specs

    def _best(self, rows: list[int], place: Bookmark) -> int:
        """The row in the likest company; then the one as far along; then the nearest line."""
        ranked = [
            (
                -self._likeness(row, place),
                abs(number - place.occurrence),
                abs(int(self._trace.line_of(row)) - place.line),
                row,
            )
            for number, row in enumerate(rows)
        ]
        return min(ranked)[-1]

    def _likeness(self, row: int, place: Bookmark) -> int:
        """How many of the neighbours are the ones remembered, ends of the trace included."""
        before = self._types(row - _AROUND, row)
        after = self._types(row + 1, row + 1 + _AROUND)
        return _agreeing(before[::-1], place.before[::-1]) + _agreeing(after, place.after)

    def _types(self, first: int, end: int) -> tuple[str, ...]:
        inside = range(max(0, first), min(end, len(self._trace)))
        return tuple(self._trace.type_name(row) for row in inside)

    def _alike(self, op: str, specs: str) -> list[int]:
        """The rows of a type with these very specs, ascending."""
        by_specs = self._rows_by_specs.get(op)
        if by_specs is None:
            by_specs = self._rows_by_specs[op] = {}
            for row in self._trace.rows_of(op).tolist():
                by_specs.setdefault(self._specs(row), []).append(row)
        return by_specs.get(specs, [])

    def _specs(self, row: int) -> str:
        import hashlib  # takes a while

        sides = (self._trace.outputs, self._trace.inputs)
        key = tuple(tuple(side.spec[side.of(row)].tolist()) for side in sides)
        digest = self._digests.get(key)
        if digest is None:
            table = self._trace.tables.specs
            text = "\n".join(",".join(str(table[spec]) for spec in specs) for specs in key)
            digest = hashlib.blake2b(
                text.encode("utf-8", "surrogatepass"), digest_size=6
            ).hexdigest()
            self._digests[key] = digest
        return digest


def _agreeing(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    # Where both end as the trace does, what is missing agrees too.
    missing = _AROUND - len(one) if len(one) == len(other) else 0
    return missing + sum(a == b for a, b in zip(one, other, strict=False))


def row_named(trace: Trace, line: int) -> Row:
    """The row of the op that one of its lines names."""
    row = trace.row_at(line)
    if row is None:
        raise OpdiffError(_no_op(trace, line), path=trace.source.path, line=line)
    return row


def _no_op(trace: Trace, line: int) -> Sentence:
    nearest = [f"{trace.line_of(row)} {trace.type_name(row)}" for row in trace.rows_near(line)]
    if not nearest:
        return Sentence.of("session.no-ops")
    return Sentence.of("session.no-op-at-line", line=line, nearest=", ".join(nearest))
