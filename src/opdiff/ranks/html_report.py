"""Many ranks as HTML: a heat map of ranks by groups, and a page a rank. Pages run no script."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote

from opdiff.compare import Side
from opdiff.ranks.outcome import RankOutcome, Status
from opdiff.ranks.phrases import RankPhrases, heat_of, sign_of
from opdiff.ranks.result import RanksResult
from opdiff.report.html_page import page_file, rendered_page
from opdiff.wording.printable import printable, thousands

_MOST_COLUMNS = 60
_MOST_ROWS = 5000
"""A browser stays quick up to about here."""
_MOST_CALLS = 500

_Link = Callable[[int], str]
"""Where the page of a rank is."""


def to_html(result: RanksResult, language: str = "en") -> str:
    """One page with everything in it: ranks are sections of it."""
    pages = _RankPages(result, language)
    return pages.overview(lambda rank: f"#rank-{rank}", pages.outcomes)


def to_pages(
    result: RanksResult, file: str, folder: str, language: str = "en"
) -> Iterator[tuple[str, str]]:
    """The first page, called *file*, and those of the ranks, which lie in *folder* beside it."""
    pages = _RankPages(result, language)
    yield file, pages.overview(lambda rank: f"{quote(folder)}/rank_{rank}.html")
    for outcome in pages.outcomes:
        yield f"rank_{outcome.rank}.html", pages.of_rank(outcome, back=quote(file))


class _RankPages:
    """What the template asks of a result."""

    def __init__(self, result: RanksResult, language: str) -> None:
        self._result = result
        self._phrases = RankPhrases(result, language)
        self._groups = result.groups[:_MOST_COLUMNS]
        self._most = [max(group.counts.values()) for group in self._groups]
        self.outcomes = _shown(result)

    def overview(self, link: _Link, ranks: Iterable[RankOutcome] = ()) -> str:
        title = self._phrases.say("ranks.title")
        sheets = [sheet for sheet in self._result.sheets if sheet.rows]
        return self._page(title, whole=True, link=link, ranks=ranks, sheets=sheets)

    def of_rank(self, outcome: RankOutcome, back: str) -> str:
        name = self._phrases.say("ranks.rank", rank=outcome.rank)
        title = f"{name} · {self._phrases.say('ranks.title')}"
        return self._page(title, whole=False, ranks=[outcome], back=back)

    def _page(self, title: str, **content: object) -> str:
        asked = {
            "title": title,
            "say": self._phrases.say,
            "phrases": self._phrases,
            "result": self._result,
            "groups": self._groups,
            "outcomes": self.outcomes,
            "clusters": [self._phrases.cluster(cluster) for cluster in self._result.clusters],
            "most_calls": _MOST_CALLS,
            "heats": self._heats,
            "traces": self._traces,
            "partings": self._partings,
            "command": _command,
            "sign_of": sign_of,
            "thousands": thousands,
            "back": "",
        }
        style = page_file("opdiff.ranks", "ranks.css")
        language = self._phrases.language
        return rendered_page("ranks/ranks.html", asked | content, language=language, style=style)

    def _heats(self, rank: int) -> Iterator[tuple[str, str]]:
        """The colour and the count of every group on a rank."""
        for group, most in zip(self._groups, self._most, strict=True):
            count = group.counts.get(rank, 0)
            colour = "mild" if group.harmless else "heat"
            yield (f"{colour}-{heat_of(count, most)}", thousands(count)) if count else ("", "")

    def _traces(self, outcome: RankOutcome) -> Iterator[tuple[str, str, str]]:
        """The sides that a rank has, with the path and what is known of it."""
        facts = (outcome.left, outcome.right)
        for side, path, known in zip(Side, outcome.paths, facts, strict=True):
            if path is None:
                continue
            about = known and self._phrases.say("report.ops", count=thousands(known.ops))
            word = self._phrases.say(f"ranks.{side.name.lower()}")
            yield word, known.path if known else path, about or ""

    def _partings(self, rank: int | None = None) -> list[str]:
        """Where communication parts, on one rank or at all."""
        found = self._result.partings
        return [
            self._phrases.parting(one) for one in found if rank is None or rank in one.parting.ranks
        ]


def _shown(result: RanksResult) -> list[RankOutcome]:
    """The ranks that have something to tell, and the others as far as there is room."""
    telling = [outcome for outcome in result.outcomes if outcome.status is not Status.EQUAL]
    equal = [outcome for outcome in result.outcomes if outcome.status is Status.EQUAL]
    return sorted([*telling, *equal][:_MOST_ROWS], key=lambda outcome: outcome.rank)


def _command(outcome: RankOutcome) -> str:
    """What opens a rank in the window, at its first difference."""
    first = outcome.verdict.first if outcome.verdict else None
    place = ""
    if first is not None and None not in (first.first.left_line, first.first.right_line):
        place = f" --goto {first.first.left_line}:{first.first.right_line}"
    paths = " ".join(shlex.quote(printable(str(path))) for path in outcome.paths)
    return f"opdiff {paths} --compare whole{place}"
