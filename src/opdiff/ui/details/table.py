"""What a table of details consists of: fields, their cells, and the spans and links in them."""

from __future__ import annotations

from dataclasses import dataclass

from opdiff.compare import Kind, Side

NEW_LINE = "\n"
"""The text of a span that ends a line."""


@dataclass(frozen=True, slots=True)
class GoTo:
    """A link to an op."""

    side: Side
    row: int


@dataclass(frozen=True, slots=True)
class OpenSource:
    """A link to a line of the user's source."""

    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Unfold:
    """A link that shows what was left out."""


Link = GoTo | OpenSource | Unfold


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of text with one look."""

    text: str
    link: Link | None = None
    strong: bool = False
    dim: bool = False
    words: bool = False
    """Written in the font of words, not of code."""
    ink: Kind | None = None
    """Written in the colour of a kind."""


Cell = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class DetailRow:
    """One row of the table; ``kind`` tints it, an empty cell has nothing to say."""

    label: str
    left: Cell
    right: Cell
    kind: Kind | None = None
    wide: bool = False
    """Whether the left cell takes the whole width."""

    def cell(self, side: Side) -> Cell:
        """The cell of one side."""
        return self.left if side is Side.LEFT else self.right


def cell_text(cell: Cell) -> str:
    """What a cell says, without its looks."""
    return "".join(" › " if span.text == NEW_LINE else span.text for span in cell)
