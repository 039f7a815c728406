"""Numbers in few words: ``0–8, 10, 12``."""

from __future__ import annotations

from collections.abc import Sequence

_MOST = 6


def runs_text(numbers: Sequence[int], most: int | None = _MOST, dash: str = "–") -> str:
    """Ascending numbers as runs; the rest of very many as dots."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    said = [_run(low, high, dash) for low, high in runs[:most]]
    return ", ".join([*said, "…"] if len(runs) > len(said) else said)


def _run(low: int, high: int, dash: str) -> str:
    if low == high:
        return str(low)
    return f"{low}, {high}" if high == low + 1 else f"{low}{dash}{high}"
