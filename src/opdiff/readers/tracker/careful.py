"""The careful way: one record at a time, through anything a file may hold."""

from __future__ import annotations

from collections.abc import Sequence

from opdiff.readers.problems import Problems
from opdiff.readers.tracker.grammar import (
    STACK_MARK,
    RecordHeader,
    TooLargeError,
    parse_header,
    parse_spec_line,
)
from opdiff.readers.tracker.interning import MISFIT, NO_STACK
from opdiff.readers.tracker.records import RecordStore

MOST_BLANK_LINES = 64
"""So many blank lines are skipped within a record."""
LONGEST_STACK = 4096
"""So many lines may belong to one stack."""


class CarefulReader:
    """Reads records from a window of lines; says where to go on, or that it needs more lines.

    *base* is the number of the first line; the *final* lines are those at the end of the file.
    """

    def __init__(
        self,
        lines: Sequence[bytes],
        base: int,
        store: RecordStore,
        problems: Problems,
        *,
        final: bool,
    ) -> None:
        self._lines, self._base, self._final = lines, base, final
        self._store, self._problems = store, problems

    def read(self, place: int, most: int = 1) -> int:
        """Read so many records, or lines that begin none; returns the place behind them.

        Stops where the lines do not tell yet where a record ends; that never happens at the end
        of the file.
        """
        for _ in range(most):
            behind = self._read(place) if place < len(self._lines) else place
            if behind == place:
                break
            place = behind
        return place

    def _read(self, place: int) -> int:
        """One of them; *place* itself where it does not end yet."""
        line = self._line(place)
        if not line.strip():
            return place + 1
        try:
            header = parse_header(line)
            if header is None:
                self._problems.skip(self._base + place, line)
                return place + 1
        except TooLargeError:
            header = None
        return self._record(place, header)

    def _line(self, place: int) -> bytes:
        return self._lines[place].removesuffix(b"\r")

    def _next(self, place: int) -> int | None:
        """The next line that is not blank; None if there is none near, or none yet."""
        for near in range(place, min(len(self._lines), place + MOST_BLANK_LINES)):
            if self._lines[near].strip():
                return near
        return None

    def _undecided(self, place: int) -> bool:
        return not self._final and place + MOST_BLANK_LINES >= len(self._lines)

    def _record(self, place: int, header: RecordHeader | None) -> int:
        """A record whose first line is read; no header stands for one with a number too large."""
        second = self._next(place + 1)
        if second is None:
            if self._undecided(place):
                return place
            code = "cut-record" if self._final else "header-alone"
            self._problems.add(code, self._base + place, self._base + place)
            return place + 1
        described = self._line(second)
        specs = self._store.tables.specs[described]
        if specs == MISFIT and parse_spec_line(described) is None:
            at_end = self._final and self._next(second + 1) is None
            code = "cut-record" if at_end else "header-alone"
            last = second if at_end else place
            self._problems.add(code, self._base + place, self._base + last)
            return last + 1
        third = self._next(second + 1)
        if third is None and self._undecided(second):
            return place
        if third is None or not self._line(third).startswith(STACK_MARK.rstrip()):
            at_end = third is None and self._final
            code = "cut-record" if at_end else "no-stack-line"
            self._problems.add(code, self._base + place, self._base + second)
            self._add(place, second, header, specs, NO_STACK)
            return second + 1
        return self._with_stack(place, third, header, specs)

    def _with_stack(self, place: int, third: int, header: RecordHeader | None, specs: int) -> int:
        stacks = self._store.tables.stacks
        text = self._line(third)
        complete = stacks.is_complete(text)
        following = self._following(third + 1, certain=not complete)
        if following is None:
            return place
        last = third
        between = self._lines[third + 1 : following]
        if any(line.strip() for line in between):
            last, text, complete = self._continued(third, following, text, complete)
        if not complete:
            at_end = self._final and self._next(last + 1) is None
            code = "cut-record" if at_end else "bad-stack"
            self._problems.add(code, self._base + third, self._base + last)
        key = text if text != STACK_MARK.rstrip() else STACK_MARK
        stack, keep = stacks[key], stacks.add if complete else stacks.add_cut
        self._add(place, last, header, specs, stack if stack != MISFIT else keep(key))
        return last + 1

    def _following(self, place: int, *, certain: bool) -> int | None:
        """Where the next record begins; None if the lines at hand do not tell.

        Behind a stack that is not complete, a first line counts only with its second: text of a
        path may look like a first line.
        """
        stop = min(len(self._lines), place + LONGEST_STACK)
        for here in range(place, stop):
            if self._begins(here, certain=certain):
                return here
        return stop if self._final or stop < len(self._lines) else None

    def _begins(self, place: int, *, certain: bool) -> bool:
        try:
            if parse_header(self._line(place)) is None:
                return False
        except TooLargeError:
            return True
        second = self._next(place + 1)
        if not certain or second is None:
            return True
        return parse_spec_line(self._line(second)) is not None

    def _continued(
        self, third: int, following: int, text: bytes, complete: bool
    ) -> tuple[int, bytes, bool]:
        """The stack with the lines that belong to it: as many as make it whole frames.

        What does not is left to be reported as text that belongs to no record.
        """
        ends = [here for here in range(third + 1, following) if self._line(here).endswith(b"|")]
        for last in (ends[-1], ends[0]) if ends else ():
            whole = b"\n".join((text, *self._lines[third + 1 : last], self._line(last)))
            if self._store.tables.stacks.is_complete(whole):
                return last, whole, True
        return third, text, complete

    def _add(
        self, place: int, last: int, header: RecordHeader | None, specs: int, stack: int
    ) -> None:
        first_line, last_line = self._base + place, self._base + last
        if header is None or specs == MISFIT:
            self._problems.add("too-large", first_line, last_line)
            return
        tables = self._store.tables
        outputs, inputs = header.outputs, header.inputs
        described = tables.specs.outputs[specs]
        counts = described, tables.specs.counts[specs] - described
        if (len(outputs), len(inputs)) != counts:
            total = len(outputs) + len(inputs)
            self._problems.add(
                "count-mismatch", first_line, last_line, ids=total, specs=sum(counts)
            )
            outputs, inputs = outputs[: counts[0]], inputs[: counts[1]]
            specs = tables.specs.shortened(specs, len(outputs), len(inputs))
        self._problems.close()
        self._store.add(
            (first_line, last_line),
            tables.names[b") = " + header.name + b"("],
            tables.attrs[b", attrs {" + header.attrs + b"} "],
            specs,
            stack,
            header.task,
            outputs + inputs,
        )
