"""What must be reported of a pair, in the format of the worked examples, and how reports score."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Lines = tuple[int, ...]


@dataclass(frozen=True, slots=True, order=True)
class Record:
    """A kind of difference and the lines it is at; an absent side is empty."""

    kind: str
    left: Lines
    right: Lines


@dataclass(frozen=True, slots=True)
class Truth:
    """Everything that must be reported: ``required`` exactly, one of each of ``either``."""

    left_anchor: int | None
    right_anchor: int | None
    required: frozenset[Record]
    either: tuple[tuple[Record, ...], ...] = ()
    neutral: frozenset[Record] = frozenset()
    max_groups: int = 0
    direction: str = "up"

    def counts(self, record: Record) -> bool:
        """Whether a record is scored: not the anchors' own."""
        return (record.left, record.right) != ((self.left_anchor,), (self.right_anchor,))


def load_truth(path: Path) -> Truth:
    """The truth beside a worked pair."""
    data = json.loads(path.read_text(encoding="utf-8"))
    required: set[Record] = set()
    either: list[tuple[Record, ...]] = []
    for entry in data["records"]:
        if "either" in entry:
            kind = entry["kind"]
            either.append(tuple(Record(kind, _lines(x), _lines(y)) for x, y in entry["either"]))
        else:
            required.add(_record(entry))
    return Truth(
        data["left_anchor"],
        data["right_anchor"],
        frozenset(required),
        tuple(either),
        frozenset(map(_record, data["neutral"])),
        data["max_groups"],
        data.get("direction", "up"),
    )


def truth_text(truth: Truth) -> str:
    """The truth as a file, for a pair that someone shall look into."""
    records: list[dict[str, Any]] = [_entry(record) for record in sorted(truth.required)]
    records += [
        {"kind": choice[0].kind, "either": [[_plain(r.left), _plain(r.right)] for r in choice]}
        for choice in truth.either
    ]
    return json.dumps(
        {
            "left_anchor": truth.left_anchor,
            "right_anchor": truth.right_anchor,
            "direction": truth.direction,
            "records": records,
            "neutral": [_entry(record) for record in sorted(truth.neutral)],
            "max_groups": truth.max_groups,
        },
        indent=1,
    )


def _lines(value: int | list[int] | None) -> Lines:
    if value is None:
        return ()
    return (value,) if isinstance(value, int) else tuple(value)


def _record(entry: dict[str, Any]) -> Record:
    return Record(entry["kind"], _lines(entry["left"]), _lines(entry["right"]))


def _plain(lines: Lines) -> int | list[int] | None:
    if not lines:
        return None
    return lines[0] if len(lines) == 1 else [*lines]


def _entry(record: Record) -> dict[str, Any]:
    return {"kind": record.kind, "left": _plain(record.left), "right": _plain(record.right)}


@dataclass
class Score:
    """Records found, missed and invented, by kind; adds up over pairs."""

    found: Counter[str] = field(default_factory=Counter)
    missed: list[Record] = field(default_factory=list)
    invented: list[Record] = field(default_factory=list)

    def add(self, other: Score) -> None:
        self.found += other.found
        self.missed += other.missed
        self.invented += other.invented

    @property
    def exact(self) -> bool:
        return not self.missed and not self.invented

    def kinds(self) -> list[str]:
        return sorted(
            {*self.found, *(r.kind for r in self.missed), *(r.kind for r in self.invented)}
        )

    def figures(self, kind: str | None = None) -> tuple[float, float, float]:
        """Precision, recall and f1 of a kind, or of all."""
        found = sum(n for k, n in self.found.items() if kind in (None, k))
        missed = sum(kind in (None, record.kind) for record in self.missed)
        invented = sum(kind in (None, record.kind) for record in self.invented)
        precision = found / (found + invented) if found + invented else 1.0
        recall = found / (found + missed) if found + missed else 1.0
        f1 = 2 * found / (2 * found + missed + invented) if found + missed + invented else 1.0
        return precision, recall, f1


def score(truth: Truth, reported: Sequence[Record]) -> Score:
    """How a report compares with the truth; a record reported twice is invented once."""
    left_over = Counter(record for record in reported if truth.counts(record))
    result = Score()
    for record in filter(truth.counts, truth.required):
        _settle(result, [record], left_over)
    for choice in truth.either:
        _settle(result, choice, left_over)
    result.invented = sorted(r for r in left_over.elements() if r not in truth.neutral)
    return result


def _settle(result: Score, choice: Iterable[Record], left_over: Counter[Record]) -> None:
    first: Record | None = None
    for record in choice:
        first = first or record
        if left_over[record]:
            left_over[record] -= 1
            result.found[record.kind] += 1
            return
    if first is not None:
        result.missed.append(first)
