"""A comparison as CSV, a row a difference, safe to open in a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from opdiff.compare import Comparison, Divergence, Side
from opdiff.report.flags import Flag, worst
from opdiff.report.listing import Listing
from opdiff.report.options import ReportOptions
from opdiff.report.said import RowTexts, Said
from opdiff.report.spreadsheets import csv_pieces, safe_cell

HEADER = tuple(
    "number group kind title left_lines right_lines left_ops right_ops caused_by known message "
    "note harmless left_source right_source left_place right_place value_cause value_error "
    "neutral".split()
)


def pieces(comparison: Comparison, options: ReportOptions) -> Iterator[str]:
    """A row a difference; nothing a spreadsheet would run."""
    listing = Listing(comparison, options)
    return csv_pieces(header_of(listing), rows_of(listing))


def header_of(listing: Listing) -> tuple[str, ...]:
    """The columns; what another tool flagged is one where there is such a tool."""
    return (*HEADER, "msprobe") if listing.options.flags else HEADER


def rows_of(listing: Listing) -> Iterator[tuple[object, ...]]:
    """The cells of every listed difference, safe to open in a spreadsheet."""
    comparison, options = listing.comparison, listing.options
    said = Said(options.language, safe_cell)
    titles = [said(group.title) for group in comparison.groups]
    left, right = (_SideCells(listing, side, said) for side in Side)
    first = comparison.divergences.sweep(listing.indices).first
    for (index, record), (left_source, left_place), (right_source, right_place) in zip(
        listing.records(), left.each(first[0]), right.each(first[1]), strict=True
    ):
        known = record.known or record.group in options.greyed
        note = options.notes.get(index) or options.group_notes.get(record.group, "")
        yield (
            index,
            record.group,
            record.kind.value,
            titles[record.group],
            left.lines(record.left_rows),
            right.lines(record.right_rows),
            left.ops(record.left_rows),
            right.ops(record.right_rows),
            "" if record.caused_by is None else record.caused_by,
            "yes" if known else "no",
            said(record.sentence),
            safe_cell(note),
            "yes" if record.harmless else "no",
            left_source,
            right_source,
            left_place,
            right_place,
            *_value(comparison, record),
            *([_flagged(listing.options.flags.of(record))] if listing.options.flags else []),
        )


def _flagged(flags: tuple[Flag, ...]) -> str:
    operands = " ".join(dict.fromkeys(flag.operand for flag in flags if flag.operand))
    return safe_cell(f"{worst(flags)} {operands}".strip()) if flags else ""


def _value(comparison: Comparison, record: Divergence) -> tuple[str, str, str]:
    """The cause and error of a difference in values, and whether values show it to be neutral."""
    neutral = {None: "", True: "yes", False: "no"}[record.neutral]
    if comparison.values is None or record.value_pair is None:
        return "", "", neutral
    error = comparison.values.causes.error[record.value_pair]
    return comparison.values.cause(record.value_pair), f"{error:.3g}", neutral


class _SideCells(RowTexts):
    """The cells of one side's ops."""

    def __init__(self, listing: Listing, side: Side, said: Said) -> None:
        super().__init__(listing, side, said, "")
        trace = listing.comparison.side(side).trace
        # From plain memory: numpy hands numbers out one by one slowly.
        self._line = np.ascontiguousarray(trace.columns.line).data
        self._type = np.ascontiguousarray(trace.type).data
        self._names = trace.types

    def lines(self, rows: tuple[int, ...]) -> str:
        return " ".join([str(self._line[row]) for row in rows])

    def ops(self, rows: tuple[int, ...]) -> str:
        return safe_cell(" ".join([self._names[self._type[row]] for row in rows]))
