"""Many ranks for people at a terminal: what all share first, then who stands apart."""

from __future__ import annotations

from collections.abc import Iterator

from opdiff.ranks.parting import rank_list
from opdiff.ranks.phrases import RankPhrases, sign_of
from opdiff.ranks.result import RanksResult, SharedGroup, Sheet, blocks_of
from opdiff.report.listing import times
from opdiff.wording.printable import printable, thousands

_MOST_BLOCKS = 30
_MOST_GROUPS = 12
_MOST_PARTINGS = 40
_MOST_RANKS = 40
_MOST_CALLS = 20
_MOST_COLUMNS = 8


def to_text(result: RanksResult, language: str = "en", *, everything: bool = False) -> str:
    """The report; long lists are cut short unless *everything* is wanted."""
    lines = _RanksText(RankPhrases(result, language), everything=everything).lines()
    return "".join(line.rstrip() + "\n" for line in lines)


class _RanksText:
    def __init__(self, phrases: RankPhrases, *, everything: bool) -> None:
        self._phrases = phrases
        self._result = phrases.result
        self._everything = everything
        self._say = phrases.say

    def lines(self) -> Iterator[str]:
        sides = self._phrases.sides()
        width = max(len(name) for name, _ in sides)
        for name, folder in sides:
            yield f"{name.ljust(width)}  {folder}"
        yield self._phrases.counts()
        yield from self._clusters()
        yield from self._groups()
        yield from self._single_ranks()
        yield from self._partings()
        for sheet in self._result.sheets[: None if self._everything else 1]:
            yield from self._sheet(sheet)
        if self._result.notes:
            yield ""
        for note in self._result.notes:
            yield self._phrases.sentence(note.sentence)

    def _clusters(self) -> Iterator[str]:
        if self._result.clusters:
            yield ""
        for cluster in self._result.clusters:
            yield self._phrases.cluster(cluster)

    def _groups(self) -> Iterator[str]:
        compared = [outcome.rank for outcome in self._result.outcomes if outcome.verdict]
        blocks = blocks_of(self._result.groups)
        shown_blocks = blocks if self._everything else blocks[:_MOST_BLOCKS]
        for ranks, groups in shown_blocks:
            yield ""
            code = "ranks.block-some"
            if len(ranks) == 1:
                code = "ranks.block-one"
            elif len(ranks) == len(compared):
                code = "ranks.block-all"
            yield self._say(code, ranks=rank_list(ranks), count=len(ranks))
            shown = groups if self._everything else groups[:_MOST_GROUPS]
            for group in shown:
                yield f"  {self._group(group)}"
            if len(shown) < len(groups):
                yield f"  {self._say('ranks.more-groups', count=len(groups) - len(shown))}"
        left_out = sum(len(groups) for _, groups in blocks[len(shown_blocks) :])
        if left_out:
            yield ""
            yield self._say("ranks.more-groups", count=left_out)

    def _group(self, group: SharedGroup) -> str:
        often = times(group.title, group.count)
        count = f"  × {thousands(often)}" if often > 1 else ""
        harmless = ""
        if group.harmless:
            harmless = f"  {self._say('report.aside', said=self._say('ranks.harmless'))}"
        place = self._say(
            "ranks.first-at", rank=group.ranks[0], place=self._phrases.place(group.first)
        )
        title = self._phrases.sentence(group.title)
        return f"{sign_of(group.kind)} {title}  {group.kind}{count}{harmless}  {place}"

    def _single_ranks(self) -> Iterator[str]:
        odd = [outcome for outcome in self._result.outcomes if outcome.verdict is None]
        if odd:
            yield ""
        for outcome in odd if self._everything else odd[:_MOST_RANKS]:
            yield self._phrases.without_verdict(outcome)
        if len(odd) > _MOST_RANKS and not self._everything:
            yield self._say("ranks.more-ranks", count=len(odd) - _MOST_RANKS)

    def _partings(self) -> Iterator[str]:
        if not self._result.partings:
            return
        yield ""
        yield self._say("ranks.collectives")
        partings = self._result.partings
        shown = partings if self._everything else partings[:_MOST_PARTINGS]
        for found in shown:
            yield f"  {self._phrases.parting(found)}"
        if len(shown) < len(partings):
            yield f"  {self._say('ranks.more-partings', count=len(partings) - len(shown))}"

    def _sheet(self, sheet: Sheet) -> Iterator[str]:
        if not sheet.rows:
            return
        yield ""
        yield self._say("ranks.sheet", figure=sheet.figure)
        worst = sorted(sheet.rows, key=lambda row: -_largest(row[1]))
        rows = sheet.rows if self._everything else worst[:_MOST_CALLS]
        columns = list(zip(*(values for _, values in sheet.rows), strict=True))
        places = sorted(range(len(sheet.ranks)), key=lambda at: -_largest(columns[at]))
        places = sorted(places if self._everything else places[:_MOST_COLUMNS])
        width = max(len(printable(name)) for name, _ in rows)
        heads = [f"rank {sheet.ranks[at]}".rjust(9) for at in places]
        yield "  " + " " * width + "  " + "  ".join(heads)
        for name, values in rows:
            cells = ["–" if values[at] is None else f"{values[at]:.2g}" for at in places]
            shown = "  ".join(cell.rjust(9) for cell in cells)
            yield f"  {printable(name).ljust(width)}  {shown}"
        if len(rows) < len(sheet.rows) or len(places) < len(sheet.ranks):
            yield "  " + self._say("ranks.sheet-cut", calls=len(sheet.rows), ranks=len(sheet.ranks))


def _largest(values: tuple[float | None, ...]) -> float:
    return max((abs(value) for value in values if value), default=0.0)
