"""The work on one rank, which runs in whatever process there is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from opdiff.compare import Comparison, compare
from opdiff.compare.baseline import beyond_baseline
from opdiff.errors import OpdiffError
from opdiff.ranks import fingerprint
from opdiff.ranks.calls import calls_of
from opdiff.ranks.outcome import (
    MOST_GROUPS,
    FoundGroup,
    LinePair,
    RankOutcome,
    RankVerdict,
    TraceFacts,
)
from opdiff.ranks.question import Question
from opdiff.ranks.values_table import MOST_CELLS, value_cells
from opdiff.readers import open_trace
from opdiff.trace import Trace
from opdiff.values.question import Held
from opdiff.values.sources import sidecar_beside
from opdiff.wording import Sentence

Claim = Callable[[bytes], bool]
"""Whether nobody else compares this content: who is told yes does it for all."""


def all_new(_: bytes) -> bool:
    """Where nobody else is asked."""
    return True


@dataclass(frozen=True, slots=True)
class PairJob:
    """Two traces to compare."""

    rank: int
    left: str
    right: str
    question: Question
    baseline: tuple[str, str] | None = None
    same_size: bool = True
    """Whether files of other ranks have the same sizes, so that hashing them may save reading."""
    share: bool = True
    """Whether another rank of the same content may be compared for this one."""
    one_run: bool = False
    """Whether both are ranks of one run, which rightly name other ranks."""

    def alone(self) -> PairJob:
        """The same job, done for this rank alone."""
        return replace(self, share=False)

    def run(self, claim: Claim = all_new) -> RankOutcome:
        """Read, look, compare; whatever is wrong with the files is in the outcome."""
        try:
            return self._run(claim)
        except Exception as error:  # noqa: BLE001 # one rank must not stop the others
            return RankOutcome(self.rank, self._paths, trouble=trouble_of(error, self.left))

    @property
    def _paths(self) -> tuple[str | None, str | None]:
        return self.left, self.right

    def _run(self, claim: Claim) -> RankOutcome:
        # Values are each rank's own.
        may_share = self.share and self.baseline is None and self.question.values is None
        if may_share and self.same_size and not self._has_values():
            key = self._digest_of_files()
            if key is not None and not claim(key):
                return RankOutcome(self.rank, self._paths, same_as=key)
        graphs, told = self.question.graphs, self.question.told
        left = open_trace(self.left, graph=graphs[0], told=told, cache=False)
        right = open_trace(self.right, graph=graphs[1], told=told, cache=False)
        facts, calls = (facts_of(left), facts_of(right)), (calls_of(left), calls_of(right))
        outcome = RankOutcome(self.rank, self._paths, *facts, *calls)
        if self.one_run:
            left, right = fingerprint.without_ranks(left), fingerprint.without_ranks(right)
        held, trouble = self._held(left, right)
        if may_share and trouble is None and (held.left is None or held.right is None):
            key = fingerprint.of_pair(left, right)
            if not claim(key):
                return replace(outcome, same_as=key)
        verdict = self._verdict(left, right, held)
        return replace(
            outcome, verdict=replace(verdict, value_trouble=trouble or verdict.value_trouble)
        )

    def _held(self, left: Trace, right: Trace) -> tuple[Held, OpdiffError | None]:
        """What tensors held; where that cannot be read, ranks are still compared by their order."""
        choice = self.question.held
        try:
            return choice.held(left, right, cache=False), None
        except OpdiffError as error:
            if choice.options.bitwise:
                raise
            return Held(), error

    def _has_values(self) -> bool:
        """Whether values may lie beside the files, so that equal files are not all there is."""
        if self.question.held.off:
            return False
        plain = all(path.endswith((".ir", ".ir.gz")) for path in (self.left, self.right))
        return not plain or any(sidecar_beside(path) for path in (self.left, self.right))

    def _digest_of_files(self) -> bytes | None:
        digests = [fingerprint.digest_of_file(path) for path in (self.left, self.right)]
        if digests[0] is None or digests[1] is None:
            return None
        return b"files" + digests[0] + digests[1]

    def _verdict(self, left: Trace, right: Trace, held: Held) -> RankVerdict:
        request = self.question.request(left, right)
        comparison = compare(left, right, request, held=held)
        listed = self._listed(comparison)
        verdict = verdict_of(comparison, listed)
        if self.question.values is None:
            return verdict
        try:
            cells = value_cells(comparison, self.question.values)
        except OpdiffError as error:
            return replace(verdict, value_trouble=error)
        if cells is None:
            lacking = next((p for p in (self.left, self.right) if sidecar_beside(p) is None), None)
            return replace(verdict, value_trouble=OpdiffError("ranks.no-values", path=lacking))
        cut = None
        if len(cells) > MOST_CELLS:
            cut = OpdiffError(
                "ranks.values-cut", count=len(cells), shown=MOST_CELLS, path=self.left
            )
        return replace(verdict, values=cells[:MOST_CELLS], value_trouble=cut)

    def _listed(self, comparison: Comparison) -> frozenset[int] | None:
        """The divergences that count; None for all."""
        if self.baseline is None:
            return None
        left, right = (
            open_trace(path, told=self.question.told, cache=False) for path in self.baseline
        )
        question = replace(self.question, anchor=None, direction=None, ancestors=False)
        good = compare(left, right, question.request(left, right))
        return frozenset(beyond_baseline(comparison, good))


def trouble_of(error: Exception, path: str) -> OpdiffError:
    """What to tell of an error met with the traces of a rank."""
    if isinstance(error, OpdiffError):
        return error.with_traceback(None)
    if isinstance(error, OSError):
        named = error.filename if isinstance(error.filename, str) else path
        return OpdiffError.of_system("reading.unreadable", error, named)
    if isinstance(error, MemoryError):
        return OpdiffError("ranks.no-memory", path=path)
    return OpdiffError("cli.internal", reason=f"{type(error).__name__}: {error}", path=path)


def failed(rank: int, sentence: Sentence) -> RankOutcome:
    """A rank of which nothing is known but why."""
    return RankOutcome(rank, trouble=OpdiffError(sentence))


def facts_of(trace: Trace) -> TraceFacts:
    """What stays of a trace."""
    source = trace.source
    return TraceFacts(source.path, source.format, len(trace), len(trace.problems))


def verdict_of(comparison: Comparison, listed: frozenset[int] | None = None) -> RankVerdict:
    """What stays of a comparison."""
    groups: list[FoundGroup] = []
    divergences = 0
    for group in comparison.groups:
        members = comparison.as_read(group.members)
        if listed is not None:
            members = [member for member in members if member in listed]
        if not members:
            continue
        divergences += len(members)
        record = comparison.divergences[members[0]]
        left, right = comparison.left.trace, comparison.right.trace
        place = LinePair(
            int(left.line_of(record.left_rows[0])) if record.left_rows else None,
            int(right.line_of(record.right_rows[0])) if record.right_rows else None,
        )
        groups.append(
            FoundGroup(group.kind.value, group.title, len(members), group.harmless, place)
        )
    return RankVerdict(divergences, len(groups), tuple(groups[:MOST_GROUPS]))
