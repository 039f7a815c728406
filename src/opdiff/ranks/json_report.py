"""Many ranks as JSON, schema ``opdiff-ranks/1``."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from opdiff.ranks.outcome import RankOutcome
from opdiff.ranks.result import RanksResult, SharedGroup, SidedParting
from opdiff.wording import say
from opdiff.wording.printable import json_text

SCHEMA = "opdiff-ranks/1"


def to_json(result: RanksResult, language: str = "en") -> str:
    """The whole document."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "left": result.folders[0],
        "right": None if result.one_run else result.folders[1],
        "ranks": [_rank(result, outcome, language) for outcome in result.outcomes],
        "groups": [_group(group, language) for group in result.groups],
        "collectives": [_parting(found, language) for found in result.partings],
        "clusters": [asdict(cluster) for cluster in result.clusters],
        "notes": [
            {
                "code": note.code,
                "ranks": list(note.ranks),
                "message": say(note.sentence, language),
            }
            for note in result.notes
        ],
    }
    if result.figures:
        document["values"] = [
            {"figure": sheet.figure, "calls": _calls(sheet.rows, sheet.ranks)}
            for sheet in result.sheets
        ]
    # A rank a line: such files are searched and compared themselves.
    return json_text(document, indent=1) + "\n"


def _calls(rows: Any, ranks: tuple[int, ...]) -> list[dict[str, Any]]:
    return [
        {"name": name, "ranks": {str(r): v for r, v in zip(ranks, values, strict=True)}}
        for name, values in rows
    ]


def _rank(result: RanksResult, outcome: RankOutcome, language: str) -> dict[str, Any]:
    verdict = outcome.verdict
    first = verdict.first if verdict else None
    trouble = outcome.trouble
    said: dict[str, Any] = {
        "rank": outcome.rank,
        "status": outcome.status.value,
        "divergences": verdict.divergences if verdict else None,
        "groups": verdict.group_count if verdict else None,
        "first": first and {**asdict(first.first), "title": say(first.title, language)},
        "error": trouble.text(language) if trouble else None,
    }
    for word, facts, path in zip(
        ("left", "right"), (outcome.left, outcome.right), outcome.paths, strict=True
    ):
        said[word] = facts and asdict(facts)
        if facts is None and path is not None:
            said[word] = {"path": path}
    if result.one_run:
        said["cluster"] = result.cluster_of.get(outcome.rank)
    return said


def _group(group: SharedGroup, language: str) -> dict[str, Any]:
    return {
        "kind": group.kind,
        "title": say(group.title, language),
        "ranks": list(group.ranks),
        "count": group.count,
        "harmless": group.harmless,
        "first": asdict(group.first),
    }


def _parting(found: SidedParting, language: str) -> dict[str, Any]:
    parting = found.parting
    return {
        "group": parting.group,
        "index": parting.index,
        "ranks": list(parting.ranks),
        "expected": parting.expected or None,
        "found": parting.found or None,
        "line": parting.line,
        "line_rank": parting.line_rank,
        "others": list(parting.others),
        "majority": parting.majority,
        "pair": parting.peers,
        "side": found.side.name.lower(),
        "message": say(parting.sentence(), language),
    }
