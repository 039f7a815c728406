"""Rows of text: aligned where they are piped, with colours on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from opdiff.cli.output import output
from opdiff.wording.columns import aligned
from opdiff.wording.printable import printable


def print_rows(rows: Sequence[Sequence[str]], *, numbers: bool = True) -> None:
    """Print rows in columns; *numbers* says that the first column is aligned to the right."""
    rows = [[printable(text) for text in row] for row in rows]
    if sys.stdout.isatty():
        _print_coloured(rows, numbers=numbers)
        return
    for line in aligned(rows, (0,) if numbers else ()):
        print(line)


def _print_coloured(rows: Sequence[Sequence[str]], *, numbers: bool) -> None:
    # Imported here: a pipe needs no rich, and importing it takes longer than reading a trace.
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    styles = ("bold cyan", "bold", *(("",) * (max(map(len, rows), default=2) - 2)))
    for place, style in enumerate(styles):
        table.add_column(style=style, justify="right" if numbers and place == 0 else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    console = Console()
    with console.capture() as painted:
        console.print(table)
    output().paint(painted.get())
