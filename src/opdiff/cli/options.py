"""Arguments that several commands have in common."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from opdiff.cli.terminal_progress import TerminalProgress, progress_on
from opdiff.readers import open_trace
from opdiff.trace import Trace
from opdiff.wording import LANGUAGES


def add_trace(parser: argparse.ArgumentParser) -> None:
    """One trace, and which rank of it."""
    parser.add_argument("trace", metavar="TRACE", help="a trace, plain or .gz, or its directory")
    parser.add_argument("--rank", type=int, metavar="N", help="which rank of a directory of ranks")


def read_trace(options: argparse.Namespace) -> Trace:
    """The trace that :func:`add_trace` asked for, with progress on a terminal."""
    progress = progress_on(sys.stderr)
    try:
        return open_trace(options.trace, rank=options.rank, progress=progress)
    finally:
        if isinstance(progress, TerminalProgress):
            progress.wipe()


def add_language(parser: argparse.ArgumentParser) -> None:
    """The language of sentences."""
    parser.add_argument("--lang", choices=LANGUAGES, default="en", help="the language of sentences")


def language_of(arguments: Sequence[str]) -> str:
    """The language asked for, also where the arguments did not come to be parsed."""
    for place, argument in enumerate(arguments):
        if argument == "--lang":
            asked = arguments[place + 1] if place + 1 < len(arguments) else ""
        else:
            asked = argument.removeprefix("--lang=")
        if asked in LANGUAGES and argument.startswith("--lang"):
            return asked
    return LANGUAGES[0]
