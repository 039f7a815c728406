"""What is asked of values: whose they are, and what counts as noise."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from opdiff.values.floors import JUMP, NO_FLOORS, Floors
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.values.table import Values


@dataclass(frozen=True, slots=True)
class ValueOptions:
    """How values are compared."""

    floors: Floors = field(default_factory=Floors)
    jump: float = JUMP
    """So many times the error of its source makes an error a cause of its own."""
    bitwise: bool = False
    """Whether every bit counts: hashes only, no floors."""

    @property
    def noise(self) -> Floors:
        """The largest errors that are taken for noise."""
        return NO_FLOORS if self.bitwise else self.floors


@dataclass(frozen=True, slots=True)
class Held:
    """The values of two traces, as far as they have any, and how to compare them."""

    left: Values | None = None
    right: Values | None = None
    options: ValueOptions = field(default_factory=ValueOptions)
    notes: tuple[Sentence, ...] = ()
    """What the reader should know of how they are compared."""
    noise_files: tuple[str, ...] = ()
    """What the noise was measured with."""

    @property
    def both(self) -> tuple[Values, Values] | None:
        """Those of both sides, where both have some."""
        return None if self.left is None or self.right is None else (self.left, self.right)

    @property
    def files(self) -> tuple[str, ...]:
        """Every file that values came from."""
        found = (values.files for values in (self.left, self.right) if values is not None)
        return (*chain.from_iterable(found), *self.noise_files)
