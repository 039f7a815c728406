"""Many ranks for people at a terminal: what all share first, then who stands apart."""

from __future__ import annotations

from collections.abc import Iterator

from opdiff.compare import Kind
from opdiff.ranks.outcome import Outcome, Place, Status
from opdiff.ranks.parting import rank_list
from opdiff.ranks.result import Cluster, RanksResult, SharedGroup, blocks_of
from opdiff.ranks.values_sheets import Sheet, sheets_of
from opdiff.report.printable import printable, thousands
from opdiff.report.signs import SIGNS
from opdiff.wording import Sentence, say

_MOST_GROUPS = 12
_MOST_RANKS = 40
_MOST_CALLS = 20
_MOST_COLUMNS = 8


def to_text(result: RanksResult, language: str = "en", *, everything: bool = False) -> str:
    """The report; long lists are cut short unless *everything* is wanted."""
    lines = _Text(result, language, everything=everything).lines()
    return "".join(line.rstrip() + "\n" for line in lines)


class _Text:
    def __init__(self, result: RanksResult, language: str, *, everything: bool) -> None:
        self._result = result
        self._language = language
        self._everything = everything

    def _say(self, code: str, **args: str | int | Sentence) -> str:
        return say(Sentence.of(code, **args), self._language)

    def lines(self) -> Iterator[str]:
        yield from self._head()
        yield from self._clusters()
        yield from self._groups()
        yield from self._single_ranks()
        yield from self._partings()
        for sheet in sheets_of(self._result)[: None if self._everything else 1]:
            yield from self._sheet(sheet)
        notes = self._result.notes
        if notes:
            yield ""
        for note in notes:
            yield printable(say(note.sentence, self._language))

    def _head(self) -> Iterator[str]:
        result = self._result
        words = ("left", "right") if not result.one_run else ("run",)
        names = [self._say(f"ranks.{word}") for word in words]
        for name, folder in zip(names, result.folders, strict=True):
            yield f"{name}  {printable(folder)}"
        yield self.counts()

    def counts(self) -> str:
        """``64 ranks: 60 equal · 3 differ · 1 failed``."""
        result = self._result
        parts = [
            self._say(f"ranks.count-{self._word(status)}", count=result.count(status))
            for status in Status
            if result.count(status)
        ]
        total = self._say("ranks.total", count=len(result.outcomes))
        return f"{total}: {' · '.join(parts)}"

    def _word(self, status: Status) -> str:
        """Of one run there is but one side on which a rank can be missing."""
        if self._result.one_run and status is Status.MISSING_LEFT:
            return "missing"
        return status.value

    def _clusters(self) -> Iterator[str]:
        clusters = self._result.clusters
        if clusters:
            yield ""
        for cluster in clusters:
            yield self.cluster(cluster)

    def cluster(self, cluster: Cluster) -> str:
        """One cluster in a line."""
        code = "ranks.cluster-odd" if cluster.odd else "ranks.cluster"
        text = self._say(
            code,
            id=cluster.id,
            ranks=rank_list(cluster.ranks),
            count=len(cluster.ranks),
            ops=thousands(cluster.ops),
            like=cluster.like if cluster.like is not None else "–",
        )
        if cluster.stage is None:
            return text
        return f"{text} · {self._say('ranks.stage', stage=cluster.stage)}"

    def _groups(self) -> Iterator[str]:
        result = self._result
        compared = [outcome.rank for outcome in result.outcomes if outcome.verdict]
        for ranks, groups in blocks_of(result.groups):
            yield ""
            code = "ranks.block-some"
            if len(ranks) == len(compared) and len(ranks) > 1:
                code = "ranks.block-all"
            elif len(ranks) == 1:
                code = "ranks.block-one"
            yield self._say(code, ranks=rank_list(ranks), count=len(ranks))
            shown = groups if self._everything else groups[:_MOST_GROUPS]
            for group in shown:
                yield f"  {self._group(group)}"
            if len(shown) < len(groups):
                yield f"  {self._say('ranks.more-groups', count=len(groups) - len(shown))}"

    def _group(self, group: SharedGroup) -> str:
        sign = SIGNS.get(Kind(group.kind), "Δ")
        times = f"  × {thousands(group.count)}" if group.count > 1 else ""
        harmless = f"  ({self._say('ranks.harmless')})" if group.harmless else ""
        place = self._say("ranks.first-at", rank=group.ranks[0], place=self.place(group.first))
        title = printable(say(group.title, self._language))
        return f"{sign} {title}  {group.kind}{times}{harmless}  {place}"

    def place(self, place: Place) -> str:
        """``left 118 ↔ right 112``."""
        sides = [
            f"{self._say(f'ranks.{word}')} {line}"
            for word, line in (("left", place.left_line), ("right", place.right_line))
            if line is not None
        ]
        return " ↔ ".join(sides)

    def _single_ranks(self) -> Iterator[str]:
        odd = [outcome for outcome in self._result.outcomes if outcome.verdict is None]
        if odd:
            yield ""
        for outcome in odd if self._everything else odd[:_MOST_RANKS]:
            yield self.without_verdict(outcome)
        if len(odd) > _MOST_RANKS and not self._everything:
            yield self._say("ranks.more-ranks", count=len(odd) - _MOST_RANKS)

    def without_verdict(self, outcome: Outcome) -> str:
        """Why nothing is known of a rank."""
        status = self._say(f"ranks.status-{self._word(outcome.status)}")
        reason = f": {printable(outcome.trouble.text(self._language))}" if outcome.trouble else ""
        return self._say("ranks.rank-is", rank=outcome.rank, status=status) + reason

    def _partings(self) -> Iterator[str]:
        result = self._result
        if not result.partings:
            return
        yield ""
        yield self._say("ranks.collectives")
        for found in result.partings:
            side = "" if result.one_run else f"{self._say(f'ranks.{found.side.name.lower()}')}  "
            line = found.parting.line
            place = ""
            if line is not None:
                place = f" ({self._say('ranks.line', rank=found.parting.line_rank, line=line)})"
            yield f"  {side}{printable(say(found.parting.sentence(), self._language))}{place}"

    def _sheet(self, sheet: Sheet) -> Iterator[str]:
        if not sheet.rows:
            return
        yield ""
        yield self._say("ranks.sheet", figure=sheet.figure)
        worst = sorted(sheet.rows, key=lambda row: -max((abs(v) for v in row[1] if v), default=0.0))
        rows = sheet.rows if self._everything else worst[:_MOST_CALLS]
        columns = len(sheet.ranks) if self._everything else _MOST_COLUMNS
        places = sorted(range(len(sheet.ranks)), key=lambda at: -_largest(sheet, at))[:columns]
        places.sort()
        width = max(len(printable(name)) for name, _ in rows)
        heads = [f"rank {sheet.ranks[at]}".rjust(9) for at in places]
        yield "  " + " " * width + "  " + "  ".join(heads)
        for name, values in rows:
            cells = ["–" if values[at] is None else f"{values[at]:.2g}" for at in places]
            shown = "  ".join(cell.rjust(9) for cell in cells)
            yield f"  {printable(name).ljust(width)}  {shown}"
        if len(rows) < len(sheet.rows) or len(places) < len(sheet.ranks):
            yield "  " + self._say("ranks.sheet-cut", calls=len(sheet.rows), ranks=len(sheet.ranks))


def _largest(sheet: Sheet, at: int) -> float:
    return max((abs(value) for _, values in sheet.rows if (value := values[at])), default=0.0)
