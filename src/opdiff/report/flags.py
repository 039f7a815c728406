"""What another tool flagged, beside what we found: marks on the ops that it speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from opdiff.compare import Comparison, Divergence, Side
from opdiff.wording import Sentence

ERROR, WARNING, UNMATCHED = "error", "warning", "unmatched"
VERDICTS = (ERROR, WARNING, UNMATCHED)
"""The worst first."""
SIGN = "⚑"


class Flag(NamedTuple):
    """One verdict on an operand, and the rows of the op on both sides; None where it has none."""

    verdict: str
    operand: str
    """``input.1``; empty where the whole op is meant."""
    message: str
    left: int | None
    right: int | None

    def row(self, side: Side) -> int | None:
        """The row on one side."""
        return self.left if side is Side.LEFT else self.right

    def sentence(self) -> Sentence:
        """``msprobe: error, input.1: …``."""
        verdict = Sentence.of(f"flags.{self.verdict}")
        if not self.operand:
            return Sentence.of("flags.whole", verdict=verdict, message=self.message)
        operand, message = self.operand, self.message
        return Sentence.of("flags.one", verdict=verdict, operand=operand, message=message)


@dataclass(frozen=True)
class ToolFlags:
    """All that a table flagged."""

    path: str = ""
    flags: tuple[Flag, ...] = ()
    unfound: int = 0
    """How many of its verdicts are about ops that the traces do not have."""

    def __bool__(self) -> bool:
        return bool(self.path)

    def __iter__(self) -> Iterator[Flag]:
        return iter(self.flags)

    def at(self, side: Side, row: int) -> tuple[Flag, ...]:
        """What was flagged of one op."""
        return self._by_row[side].get(row, ())

    def of(self, divergence: Divergence) -> tuple[Flag, ...]:
        """What was flagged of the ops of a divergence, each once."""
        if not self.flags:
            return ()
        found = (
            flag for side in Side for row in divergence.rows(side) for flag in self.at(side, row)
        )
        return tuple(dict.fromkeys(found))

    def elsewhere(self, comparison: Comparison) -> tuple[Flag, ...]:
        """What was flagged of ops that do not differ here."""
        return tuple(
            flag
            for flag in self.flags
            if not any(
                len(comparison.side(side).records_at(row))
                for side in Side
                if (row := flag.row(side)) is not None
            )
        )

    def rows(self, side: Side) -> dict[int, tuple[Flag, ...]]:
        """The flagged rows of one side."""
        return self._by_row[side]

    @cached_property
    def _by_row(self) -> dict[Side, dict[int, tuple[Flag, ...]]]:
        found: dict[Side, dict[int, tuple[Flag, ...]]] = {side: {} for side in Side}
        for flag in self.flags:
            for side in Side:
                row = flag.row(side)
                if row is not None:
                    found[side][row] = (*found[side].get(row, ()), flag)
        return found


NO_FLAGS = ToolFlags()


def worst(flags: tuple[Flag, ...]) -> str:
    """The gravest verdict of some."""
    return min((flag.verdict for flag in flags), key=VERDICTS.index)
