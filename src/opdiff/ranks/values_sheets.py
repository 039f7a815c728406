"""The table of values as sheets: one a figure, a row a call, a column a rank."""

from __future__ import annotations

from dataclasses import dataclass

from opdiff.ranks.result import RanksResult


@dataclass(frozen=True, slots=True)
class Sheet:
    """One figure."""

    figure: str
    ranks: tuple[int, ...]
    rows: tuple[tuple[str, tuple[float | None, ...]], ...]
    """The name of a call, and its figure on each rank; None where a rank has no such call."""


def sheets_of(result: RanksResult) -> list[Sheet]:
    """All figures that were asked for; calls in the order in which the first rank makes them."""
    ranks = tuple(
        outcome.rank for outcome in result.outcomes if outcome.verdict and outcome.verdict.values
    )
    cells: dict[str, dict[int, tuple[float | None, ...]]] = {}
    for outcome in result.outcomes:
        for cell in outcome.verdict.values if outcome.verdict else ():
            cells.setdefault(cell.name, {})[outcome.rank] = cell.figures
    return [
        Sheet(
            figure,
            ranks,
            tuple(
                (name, tuple(found[rank][number] if rank in found else None for rank in ranks))
                for name, found in cells.items()
            ),
        )
        for number, figure in enumerate(result.figures)
    ]
