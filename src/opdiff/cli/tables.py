"""Rows of text: aligned where they are piped, with colours on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def print_rows(rows: Sequence[Sequence[str]], *, numbers: bool = True) -> None:
    """Print rows in columns; *numbers* says that the first column is aligned to the right."""
    if sys.stdout.isatty():
        _print_coloured(rows, numbers=numbers)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first = row[0].rjust(widths[0]) if numbers else row[0].ljust(widths[0])
        rest = (text.ljust(width) for text, width in zip(row[1:], widths[1:], strict=True))
        print("  ".join((first, *rest)).rstrip())


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
    Console().print(table)
