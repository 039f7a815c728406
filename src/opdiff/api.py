"""What scripts may rely on: open traces, compare them, read or write what differs.

    from opdiff import api

    result = api.compare("eager.ir", "jit.ir", anchors=(547, 643))
    for group in result.groups:
        print(group.count, group.title)
    print(api.report(result, "markdown"))

Names and meanings are those of the JSON report (schema ``opdiff/1``), and ops are named by their
lines. More may be added; nothing here is removed or changed in meaning. Everything else in this
package is the inside of opdiff. What a user can mend raises :class:`OpdiffError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from opdiff import compare as _engine
from opdiff import report as _report
from opdiff import trace as _trace
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace, open_traces
from opdiff.report.listing import paired_lines
from opdiff.report.writing import write_atomically
from opdiff.session.places import row_named
from opdiff.session.rules_text import asked_rules
from opdiff.session.value_choice import ValueChoice
from opdiff.trace.search import find_rows
from opdiff.wording import LANGUAGES, say

__all__ = [
    "Comparison",
    "Divergence",
    "Format",
    "Group",
    "Language",
    "Op",
    "OpdiffError",
    "Problem",
    "Trace",
    "compare",
    "open",
    "report",
    "write_report",
]

Format = Literal["text", "json", "csv", "markdown", "html"]
Language = Literal["en", "zh"]
PathLike = str | Path


@dataclass(frozen=True, slots=True)
class Op:
    """One op of a trace."""

    line: int
    """The line of its header: what anchors, pins and reports name it by."""
    last_line: int
    type: str
    name: str
    """As the file prints it, with its scope and number."""
    scope: str
    inputs: tuple[str, ...]
    """Dtype and shape of each; strides and offset of a view."""
    outputs: tuple[str, ...]
    source: str | None
    """``file:line function`` of the user's own code; None where no stack was recorded."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A stretch of the file that could not be read, or had to be mended."""

    line: int
    last_line: int
    message: str


class Trace:
    """One run's execution order: iterate it, or ask for ops by line or by what they are."""

    def __init__(self, inner: _trace.Trace) -> None:
        self._inner = inner

    @property
    def path(self) -> str:
        """The file that was read."""
        return self._inner.source.path

    @property
    def format(self) -> str:
        """The name of its format, as ``opdiff info`` prints it."""
        return self._inner.source.format

    def __len__(self) -> int:
        return len(self._inner)

    def __iter__(self) -> Iterator[Op]:
        return (self._op(row) for row in range(len(self)))

    def at(self, line: int) -> Op:
        """The op that one of its lines names; OpdiffError where the line names none."""
        return self._op(row_named(self._inner, line))

    def find(
        self, *, op: str | None = None, function: str | None = None, scope: str | None = None
    ) -> list[Op]:
        """The ops that match all that is given, as ``opdiff find`` does; globs are allowed."""
        rows = find_rows(self._inner, op=op, function=function, scope=scope)
        return [self._op(row) for row in rows.tolist()]

    def problems(self, language: Language = "en") -> list[Problem]:
        """What could not be read: nothing is lost silently."""
        return [
            Problem(one.line, one.last_line, say(one.sentence, language))
            for one in self._inner.problems
        ]

    def _op(self, row: int) -> Op:
        op = self._inner.op(row)
        frame = self._inner.user_frame(row)
        return Op(
            line=op.line,
            last_line=op.last_line,
            type=op.type,
            name=op.name,
            scope=op.scope,
            inputs=tuple(str(operand.spec) for operand in op.inputs),
            outputs=tuple(str(operand.spec) for operand in op.outputs),
            source=None if frame is None else str(frame),
        )


@dataclass(frozen=True, slots=True)
class Divergence:
    """One classified difference; lines ascend, an absent side is empty."""

    kind: str
    left_lines: tuple[int, ...]
    right_lines: tuple[int, ...]
    group: int
    """The id of its group."""
    caused_by: int | None
    """The place, in :attr:`Comparison.divergences`, of the one that explains it."""
    known: bool
    harmless: bool
    """Whether it cannot change a value."""
    neutral: bool | None
    """Whether values show that it changed none; None where they do not tell."""
    message: str


@dataclass(frozen=True, slots=True)
class Group:
    """The same difference repeated."""

    id: int
    kind: str
    title: str
    members: tuple[int, ...]
    """Places in :attr:`Comparison.divergences`."""
    root: bool
    """Whether no other group explains it."""
    known: bool
    harmless: bool
    neutral: bool
    phase: str | None

    @property
    def count(self) -> int:
        """How often the difference occurs."""
        return len(self.members)


class Comparison:
    """What differs between two traces."""

    def __init__(
        self, inner: _engine.Comparison, language: Language, read: Iterable[str] = ()
    ) -> None:
        self._inner = inner
        self._language = language
        self._read = tuple(read)
        """The files that it comes from."""

    @property
    def matched(self) -> int:
        """How many pairs of ops there are."""
        return self._inner.matched

    @cached_property
    def divergences(self) -> tuple[Divergence, ...]:
        """All of them, nearest the anchor first."""
        left = self._inner.left.trace.columns.line.tolist()
        right = self._inner.right.trace.columns.line.tolist()
        return tuple(
            Divergence(
                kind=one.kind.value,
                left_lines=tuple(left[row] for row in one.left_rows),
                right_lines=tuple(right[row] for row in one.right_rows),
                group=one.group,
                caused_by=one.caused_by,
                known=one.known,
                harmless=one.harmless,
                neutral=one.neutral,
                message=say(one.sentence, self._language),
            )
            for one in self._inner.divergences
        )

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """In reading order: what may change values first, each followed by what it explains."""
        return tuple(
            Group(
                id=group.id,
                kind=group.kind.value,
                title=say(group.title, self._language),
                members=group.members,
                root=group.root,
                known=group.known,
                harmless=group.harmless,
                neutral=group.neutral,
                phase=group.phase,
            )
            for group in self._inner.groups
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be seen, and what is odd about the traces."""
        return tuple(say(note.sentence, self._language) for note in self._inner.notes)

    @property
    def suspect(self) -> tuple[Group, ...]:
        """The groups that may change a value: what ``--fail-on suspect`` asks for."""
        return tuple(one for one in self.groups if not (one.harmless or one.neutral))

    def pairs(self) -> list[tuple[int, int]]:
        """The lines of every pair of ops, in the order of the left trace."""
        return list(paired_lines(self._inner))


def open(path: PathLike, *, rank: int | None = None, graph: str | None = None) -> Trace:  # noqa: A001 # as gzip.open: it is called through the module
    """Read the trace in a file, plain or gzipped, or in a directory.

    *rank* chooses among the ranks of a directory, *graph* among the graphs of a file.
    """
    return Trace(open_trace(path, rank=rank, graph=graph))


def compare(
    left: Trace | PathLike,
    right: Trace | PathLike,
    *,
    anchors: tuple[int, int] | None = None,
    direction: Literal["up", "down", "whole"] | None = None,
    pins: Iterable[tuple[int, int]] = (),
    ancestors: bool = False,
    rules: PathLike | None = None,
    ignore: Iterable[str] = (),
    default_rules: bool = True,
    values: bool = True,
    language: Language = "en",
) -> Comparison:
    """Compare two traces, as ``opdiff compare`` does with the options of the same names.

    *anchors* and *pins* are lines, left and right. *values* compares the values that lie beside
    the traces, where both have any. Sentences of the result are in *language*.
    """
    _known(language)
    one, other = _opened(left, right)
    request = _engine.Request(
        direction=_engine.Direction(direction or ("whole" if anchors is None else "up")),
        pins=tuple((row_named(one, pin[0]), row_named(other, pin[1])) for pin in pins),
        ancestors=ancestors,
        rules=asked_rules(rules, ignore, builtin=default_rules),
    )
    if anchors is not None:
        request = replace(
            request,
            left_anchor=row_named(one, anchors[0]),
            right_anchor=row_named(other, anchors[1]),
        )
    held = ValueChoice(off=not values).held(one, other)
    read = [*one.source.files, *other.source.files, *held.files]
    if rules is not None:
        read.append(str(rules))
    return Comparison(_engine.compare(one, other, request, held=held), language, read)


def report(
    comparison: Comparison,
    format: Format = "text",  # noqa: A002 # as --format
    *,
    language: Language | None = None,
) -> str:
    """The report that ``opdiff compare --format`` prints; in the language of the comparison."""
    return _report.render(comparison._inner, format, _options(comparison, language))


def write_report(
    comparison: Comparison,
    path: PathLike,
    format: Format | Literal["xlsx"],  # noqa: A002 # as --format
    *,
    language: Language | None = None,
) -> None:
    """Write a report to a file, all or nothing; what the comparison comes from is kept."""
    content = _report.rendered(comparison._inner, format, _options(comparison, language))
    write_atomically(path, content, reads=comparison._read)


def _opened(left: Trace | PathLike, right: Trace | PathLike) -> tuple[_trace.Trace, _trace.Trace]:
    """The traces; what is given by its path is read, both at the same time."""
    given = (left, right)
    read = iter(open_traces([one for one in given if not isinstance(one, Trace)]))
    one, other = (side._inner if isinstance(side, Trace) else next(read) for side in given)
    return one, other


def _options(comparison: Comparison, language: Language | None) -> _report.ReportOptions:
    return _report.ReportOptions(language=_known(language or comparison._language))


def _known(language: str) -> str:
    if language not in LANGUAGES:
        raise ValueError(f"language is one of {', '.join(LANGUAGES)}, not {language!r}")
    return language
