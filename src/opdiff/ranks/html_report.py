"""Many ranks as HTML: a heat map of ranks by groups, and a page a rank.

Pages need nothing else, run no script, and forbid by their own policy every style but their own;
everything that comes from a trace is escaped.
"""

from __future__ import annotations

import base64
import hashlib
import math
import shlex
from collections.abc import Callable, Iterator
from html import escape
from importlib.resources import files
from urllib.parse import quote

from opdiff import __version__
from opdiff.compare import Side
from opdiff.ranks.outcome import FoundGroup, Outcome, Status
from opdiff.ranks.phrases import RankPhrases, sign_of
from opdiff.ranks.result import RanksResult, SharedGroup
from opdiff.ranks.values_sheets import sheets_of
from opdiff.report.printable import printable, thousands

_MOST_COLUMNS = 60
_MOST_ROWS = 5000
"""A browser stays quick up to about here."""
_MOST_CALLS = 500
_HEATS = 4

_Link = Callable[[int], str]
"""Where the page of a rank is."""


def to_html(result: RanksResult, language: str = "en") -> str:
    """One page with everything in it: ranks are sections of it."""
    phrases = RankPhrases(result, language)
    body = [*_overview(phrases, lambda rank: f"#rank-{rank}")]
    for outcome in _shown(result):
        body.append(f'<section id="rank-{outcome.rank}">')
        body += _of_rank(phrases, outcome)
        body.append("</section>")
    return _page(phrases, phrases.say("ranks.title"), body)


def to_pages(
    result: RanksResult, file: str, folder: str, language: str = "en"
) -> Iterator[tuple[str, str]]:
    """The first page, called *file*, and those of the ranks, which lie in *folder* beside it."""
    phrases = RankPhrases(result, language)
    title = phrases.say("ranks.title")
    body = [*_overview(phrases, lambda rank: f"{quote(folder)}/rank_{rank}.html")]
    yield file, _page(phrases, title, body)
    back = f'<p><a href="../{quote(file)}">← {escape(title)}</a></p>'
    for outcome in _shown(result):
        name = phrases.say("ranks.rank", rank=outcome.rank)
        page = _page(phrases, f"{name} · {title}", [back, *_of_rank(phrases, outcome)])
        yield f"rank_{outcome.rank}.html", page


def _shown(result: RanksResult) -> list[Outcome]:
    """The ranks that have something to tell, and the others as far as there is room."""
    telling = [outcome for outcome in result.outcomes if outcome.status is not Status.EQUAL]
    equal = [outcome for outcome in result.outcomes if outcome.status is Status.EQUAL]
    return sorted([*telling, *equal][:_MOST_ROWS], key=lambda outcome: outcome.rank)


def _page(phrases: RankPhrases, title: str, body: list[str]) -> str:
    style = files("opdiff.ranks").joinpath("page/ranks.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    language = {"zh": "zh-CN"}.get(phrases.language, phrases.language)
    made = escape(phrases.say("report.made-by", version=__version__))
    text = "\n".join(body)
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'{text}\n<p class="dim">{made}</p>\n</body>\n</html>\n'
    )


def _overview(phrases: RankPhrases, link: _Link) -> Iterator[str]:
    result = phrases.result
    yield f"<h1>{escape(phrases.say('ranks.title'))}</h1>"
    yield '<dl class="runs">'
    for name, folder in phrases.sides():
        yield f"<dt>{escape(name)}</dt><dd><code>{escape(folder)}</code></dd>"
    yield "</dl>"
    yield f"<p><strong>{escape(phrases.counts())}</strong></p>"
    for note in result.notes:
        yield f'<p class="dim">{escape(phrases.sentence(note.sentence))}</p>'
    yield from _listed(phrases.say("ranks.clusters"), map(phrases.cluster, result.clusters))
    collectives = phrases.say("ranks.collectives")
    yield from _listed(collectives, map(phrases.parting, result.partings))
    yield from _heat_map(phrases, link)
    yield from _values(phrases)


def _listed(title: str, lines: Iterator[str]) -> Iterator[str]:
    items = [f"<li>{escape(line)}</li>" for line in lines]
    if items:
        yield f"<h2>{escape(title)}</h2><ul>"
        yield from items
        yield "</ul>"


def _heat_map(phrases: RankPhrases, link: _Link) -> Iterator[str]:
    result = phrases.result
    groups = result.groups[:_MOST_COLUMNS]
    yield f"<h2>{escape(phrases.say('ranks.heat-map'))}</h2>"
    yield '<div class="scroll"><table><thead><tr>'
    yield f"<th>{escape(phrases.say('ranks.column-rank'))}</th>"
    yield f"<th>{escape(phrases.say('ranks.column-status'))}</th>"
    for group in groups:
        yield f"<th>{sign_of(group.kind)} {escape(phrases.sentence(group.title))}</th>"
    yield "</tr></thead><tbody>"
    most = [max(group.counts.values()) for group in groups]
    for outcome in _shown(result):
        yield f'<tr><th><a href="{link(outcome.rank)}">{outcome.rank}</a></th>'
        status = outcome.status
        yield f'<td class="status-{status}">{escape(phrases.status(status))}</td>'
        for group, top in zip(groups, most, strict=True):
            yield _cell(group, outcome.rank, top)
        yield "</tr>"
    yield "</tbody></table></div>"
    left_out = len(result.groups) - len(groups)
    if left_out:
        yield f'<p class="dim">{escape(phrases.say("ranks.more-groups", count=left_out))}</p>'
    unshown = len(result.outcomes) - len(_shown(result))
    if unshown:
        yield f'<p class="dim">{escape(phrases.say("ranks.more-ranks", count=unshown))}</p>'


def _cell(group: SharedGroup, rank: int, most: int) -> str:
    count = group.counts.get(rank, 0)
    if not count:
        return "<td></td>"
    colour = "mild" if group.harmless else "heat"
    return f'<td class="number {colour}-{heat_of(count, most)}">{thousands(count)}</td>'


def heat_of(count: int, most: int) -> int:
    """How hot a count is, from 1 to 4, by its logarithm: all of a group's ranks alike are hot."""
    if most <= 1:
        return _HEATS
    return 1 + int((_HEATS - 1) * math.log(count) / math.log(most) + 0.5)


def _values(phrases: RankPhrases) -> Iterator[str]:
    for sheet in sheets_of(phrases.result):
        if not sheet.rows:
            continue
        yield f"<h2>{escape(phrases.say('ranks.sheet', figure=sheet.figure))}</h2>"
        yield '<div class="scroll"><table><thead><tr><th></th>'
        yield from (f"<th>{rank}</th>" for rank in sheet.ranks)
        yield "</tr></thead><tbody>"
        for name, values in sheet.rows[:_MOST_CALLS]:
            yield f"<tr><th>{escape(printable(name))}</th>"
            for value in values:
                yield f'<td class="number">{"" if value is None else f"{value:.3g}"}</td>'
            yield "</tr>"
        yield "</tbody></table></div>"


def _of_rank(phrases: RankPhrases, outcome: Outcome) -> Iterator[str]:
    status = phrases.status(outcome.status)
    yield f"<h2>{escape(phrases.say('ranks.rank-is', rank=outcome.rank, status=status))}</h2>"
    trouble = phrases.trouble(outcome)
    if trouble:
        yield f"<p><code>{escape(trouble)}</code></p>"
    yield '<dl class="runs">'
    facts = (outcome.left, outcome.right)
    for side, path, known in zip(Side, outcome.paths, facts, strict=True):
        if path is None:
            continue
        word = escape(phrases.say(f"ranks.{side.name.lower()}"))
        about = "" if known is None else phrases.say("report.ops", count=thousands(known.ops))
        shown = escape(printable(known.path if known else path))
        yield f"<dt>{word}</dt><dd><code>{shown}</code>"
        yield f' <span class="dim">{escape(about)}</span></dd>'
    yield "</dl>"
    if outcome.verdict and outcome.verdict.groups:
        yield "<table><tbody>"
        for group in outcome.verdict.groups:
            yield from _group_row(phrases, group)
        yield "</tbody></table>"
        more = outcome.verdict.group_count - len(outcome.verdict.groups)
        if more:
            yield f'<p class="dim">{escape(phrases.say("ranks.more-groups", count=more))}</p>'
    here = [f for f in phrases.result.partings if outcome.rank in f.parting.ranks]
    yield from _listed(phrases.say("ranks.collectives"), map(phrases.parting, here))
    if None not in outcome.paths:
        first = outcome.verdict.first if outcome.verdict else None
        place = ""
        if first is not None and None not in (first.first.left_line, first.first.right_line):
            place = f" --goto {first.first.left_line}:{first.first.right_line}"
        command = " ".join(shlex.quote(printable(str(path))) for path in outcome.paths)
        yield f"<p><code>opdiff {escape(command)} --compare whole{place}</code></p>"


def _group_row(phrases: RankPhrases, group: FoundGroup) -> Iterator[str]:
    colour = "mild-2" if group.harmless else "heat-2"
    yield f'<tr><td class="{colour}">{sign_of(group.kind)} {escape(group.kind)}</td>'
    yield f"<td>{escape(phrases.sentence(group.title))}</td>"
    yield f'<td class="number">× {thousands(group.count)}</td>'
    yield f"<td>{escape(phrases.place(group.first))}</td></tr>"
