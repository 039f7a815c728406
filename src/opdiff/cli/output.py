"""The one way out: everything printed passes here, and nothing in it drives a terminal."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import TextIO, cast

from opdiff.errors import OpdiffError
from opdiff.wording.columns import aligned
from opdiff.wording.printable import lines_in_utf8, printable, printable_lines

_STYLE = re.compile(r"(\x1b\[[0-9;]*m)")


class Output(io.TextIOBase):
    """Standard output or error as commands, argparse and tracebacks see it.

    Text from outside is spelled out before it is put into a line: only there is it known what is a
    name and what is the end of a line. This is the last door, for what nobody thought of.
    """

    def __init__(self, stream: TextIO | None, *, needed: bool) -> None:
        super().__init__()
        self._stream = stream
        self._needed = needed
        """Whether it is an error that there is no such stream."""
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

    def write(self, text: str) -> int:
        """Print lines of text."""
        self._send(printable_lines(text))
        return len(text)

    def paint(self, text: str) -> None:
        """Print lines with colours of our own; anything else in them is spelled out."""
        pieces = _STYLE.split(text)
        pieces[::2] = map(printable_lines, pieces[::2])
        self._send("".join(pieces))

    def redraw(self, text: str) -> None:
        """Put a text in the place of the line that is on the terminal."""
        self._send("\r" + printable(text))

    def document(self, text: str) -> None:
        """Print a text as a file would hold it: UTF-8, whatever the terminal speaks."""
        content = getattr(self._stream, "buffer", None)
        if content is None:
            self.write(text)
            return
        self.flush()
        content.write(lines_in_utf8(text))

    def flush(self) -> None:
        """Let it be seen."""
        if self._stream is not None:
            self._stream.flush()

    def isatty(self) -> bool:
        """Whether a person looks on."""
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        """The number of the stream, where it has one."""
        if self._stream is None:
            raise io.UnsupportedOperation("fileno")
        return self._stream.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override] # io says that it may not be read
        """How characters become bytes."""
        return getattr(self._stream, "encoding", None) or "utf-8"

    def _send(self, text: str) -> None:
        if self._stream is not None:
            self._stream.write(text)
        elif self._needed and text:
            raise OpdiffError("cli.no-output")


def as_output(stream: TextIO, *, needed: bool = False) -> Output:
    """A stream with its door, which it may have already."""
    return stream if isinstance(stream, Output) else Output(stream, needed=needed)


def output() -> Output:
    """Standard output."""
    return as_output(sys.stdout, needed=True)


def tell(message: str) -> None:
    """Say something besides what was asked for: on the error stream."""
    print(f"opdiff: {message}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def guarded_output() -> Iterator[None]:
    """Let everything that is printed meanwhile, by whomever, pass through :class:`Output`."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = cast(TextIO, output()), cast(TextIO, as_output(sys.stderr))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def occupy_closed_streams() -> None:
    """Keep files from taking the place of a standard stream that the shell has closed.

    Otherwise a report or a trace would get its number, and what a library prints would go there.
    """
    # Each takes the lowest number that is free.
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)


def print_rows(rows: Sequence[Sequence[str]], *, numbers: bool = True) -> None:
    """Print rows in columns, with colours on a terminal; *numbers*: the first is one of numbers."""
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
