"""The summary table in words: layers with the same counts share a line, empty ones are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from opdiff.compare import Kind
from opdiff.report.listing import Listing
from opdiff.report.summary_table import SummaryPlace, SummaryTable, summary_table
from opdiff.structure.runs import runs_text
from opdiff.wording import Sentence, say
from opdiff.wording.printable import printable, thousands

_MOST_ROWS = 24
_LEAST_PLACES = 2
_PLURAL = {"layer": "layers", "repeat": "repeats"}


class TableText(NamedTuple):
    """The table as reports print it."""

    said: str
    """What all layers have in common; empty where nothing is said."""
    head: tuple[str, ...]
    """Empty where there are no rows: one place is said, not counted."""
    rows: tuple[tuple[str, ...], ...]
    left_out: str
    """That there are further rows; empty where there are none."""
    kinds: tuple[Kind, ...]


def table_text(listing: Listing, kind_name: Callable[[Kind], str] = str) -> TableText | None:
    """The table of what is listed; None where it would say nothing, as of a single place."""
    if not len(listing.indices):
        return None
    table = summary_table(listing.comparison, listing.options.only)
    # What all layers have in common is told by all differences.
    said = table.said if listing.position is None else None
    differ = [row for row in range(len(table.places)) if table.counts[row].any()]
    if len(differ) < _LEAST_PLACES:
        if said is None:
            return None
        differ = []
    language = listing.options.language
    rows = list(_rows(table, differ, language))
    more = len(rows) - _MOST_ROWS
    total = say(Sentence.of("structure.total"), language)
    return TableText(
        printable(say(said, language)) if said else "",
        (say(Sentence.of("structure.place"), language), *map(kind_name, table.kinds), total)
        if rows
        else (),
        tuple(rows[:_MOST_ROWS]),
        say(Sentence.of("structure.more-rows", count=more), language) if more > 0 else "",
        table.kinds,
    )


def _rows(table: SummaryTable, differ: list[int], language: str) -> Iterator[tuple[str, ...]]:
    for run in _runs(table, differ):
        counts = table.counts[run[0]].tolist()
        name = _name([table.places[row] for row in run])
        if len(run) > 1:
            name = Sentence.of("structure.each", place=name)
        cells = [thousands(count) if count else "" for count in (*counts, sum(counts))]
        yield (printable(say(name, language)), *cells)


def _runs(table: SummaryTable, rows: list[int]) -> Iterator[list[int]]:
    """Rows of layers with equal counts, wherever they stand; each other row by itself."""
    runs: dict[tuple[object, ...], list[int]] = {}
    for row in rows:
        place = table.places[row]
        key: tuple[object, ...] = (row,)
        if place.what in _PLURAL and _plain(place):
            key = (place.what, *table.counts[row].tolist())
        runs.setdefault(key, []).append(row)
    return iter(runs.values())


def _plain(place: SummaryPlace) -> bool:
    """Whether a layer is called by its number alone: not one of several lists, nor of one side."""
    return place.name.code == f"structure.{place.what}"


def _name(places: list[SummaryPlace]) -> Sentence:
    if len(places) == 1:
        return places[0].name
    numbers = sorted(place.number for place in places if place.number is not None)
    code = f"structure.some-{_PLURAL[places[0].what]}"
    return Sentence.of(code, numbers=runs_text(numbers))
