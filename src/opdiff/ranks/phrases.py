"""Short pieces about ranks that reports and the window say alike."""

from __future__ import annotations

import math

from opdiff.compare import Kind
from opdiff.ranks.outcome import LinePair, RankOutcome, Status
from opdiff.ranks.parting import rank_list
from opdiff.ranks.result import RankCluster, RanksResult, SidedParting
from opdiff.report.phrases import Speaker
from opdiff.report.signs import SIGNS
from opdiff.wording.printable import printable, thousands

_HEATS = 4


class RankPhrases(Speaker):
    """Says parts of a result."""

    def __init__(self, result: RanksResult, language: str = "en") -> None:
        super().__init__(language)
        self.result = result

    def sides(self) -> list[tuple[str, str]]:
        """What each folder is, and its path."""
        words = ("run",) if self.result.one_run else ("left", "right")
        return [
            (self.say(f"ranks.{word}"), printable(folder))
            for word, folder in zip(words, self.result.folders, strict=True)
        ]

    def counts(self) -> str:
        """``64 ranks: 60 equal · 3 differ · 1 failed``."""
        result = self.result
        parts = [
            self.say(f"ranks.count-{self._word(status)}", count=result.count(status))
            for status in Status
            if result.count(status)
        ]
        count = len(result.outcomes)
        total = self.say("ranks.one-rank") if count == 1 else self.say("ranks.total", count=count)
        return self.say("report.told", what=total, said=" · ".join(parts))

    def _word(self, status: Status) -> str:
        """Of one run there is but one side on which a rank can be missing."""
        if self.result.one_run and status is Status.MISSING_LEFT:
            return "missing"
        return status.value

    def status(self, status: Status) -> str:
        """How a rank came out, in a word."""
        return self.say(f"ranks.status-{self._word(status)}")

    def trouble(self, outcome: RankOutcome) -> str:
        """What is wrong with a rank's files; empty where nothing is."""
        return printable(outcome.trouble.text(self.language)) if outcome.trouble else ""

    def without_verdict(self, outcome: RankOutcome) -> str:
        """Why nothing is known of a rank."""
        reason = self.trouble(outcome)
        status = self.status(outcome.status)
        said = self.say("ranks.rank-is", rank=outcome.rank, status=status)
        return self.say("report.told", what=said, said=reason) if reason else said

    def cluster(self, cluster: RankCluster) -> str:
        """One cluster in a line."""
        plain = "ranks.cluster-one" if len(cluster.ranks) == 1 else "ranks.cluster"
        text = self.say(
            "ranks.cluster-odd" if cluster.odd else plain,
            id=cluster.id,
            ranks=rank_list(cluster.ranks),
            count=len(cluster.ranks),
            ops=thousands(cluster.ops),
            like=cluster.like if cluster.like is not None else "–",
        )
        if cluster.stage is None:
            return text
        return f"{text} · {self.say('ranks.stage', stage=cluster.stage)}"

    def place(self, place: LinePair) -> str:
        """``left 118 ↔ right 112``."""
        sides = [
            f"{self.say(f'ranks.{word}')} {line}"
            for word, line in (("left", place.left_line), ("right", place.right_line))
            if line is not None
        ]
        return " ↔ ".join(sides)

    def parting(self, found: SidedParting) -> str:
        """Where communication parts, with its line."""
        parting = found.parting
        said = self.sentence(parting.sentence())
        if parting.line is not None:
            place = self.say("ranks.line", rank=parting.line_rank, line=parting.line)
            said += f" {self.say('report.aside', said=place)}"
        if self.result.one_run:
            return said
        return self.say("report.told", what=self.say(f"ranks.{found.side.name.lower()}"), said=said)


def sign_of(kind: str) -> str:
    """The sign of a kind by its name."""
    return SIGNS.get(Kind(kind), "Δ")


def heat_of(count: int, most: int) -> int:
    """How hot a count is, from 1 to 4, by its logarithm: all of a group's ranks alike are hot."""
    if most <= 1:
        return _HEATS
    return 1 + int((_HEATS - 1) * math.log(count) / math.log(most) + 0.5)
