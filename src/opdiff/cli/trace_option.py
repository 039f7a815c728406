"""The trace that a command is about."""

from __future__ import annotations

import argparse
import sys

from opdiff.cli.terminal_progress import TerminalProgress, progress_on
from opdiff.readers import open_trace
from opdiff.trace import Trace


def add_trace(parser: argparse.ArgumentParser) -> None:
    """One trace, and which rank and graph of it."""
    parser.add_argument("trace", metavar="TRACE", help="a trace, plain or .gz, or its directory")
    parser.add_argument("--rank", type=int, metavar="N", help="which rank of a directory of ranks")
    parser.add_argument(
        "--graph", metavar="NAME|N", help="which graph or level of a file; A+B joins two"
    )
    add_cache(parser)


def add_cache(parser: argparse._ActionsContainer) -> None:
    """Whether a large trace that was read before is read again."""
    parser.add_argument(
        "--no-cache", action="store_true", help="read traces anew, and keep nothing of them"
    )


def read_trace(options: argparse.Namespace) -> Trace:
    """The trace that :func:`add_trace` asked for, with progress on a terminal."""
    progress = progress_on(sys.stderr)
    try:
        return open_trace(
            options.trace,
            rank=options.rank,
            graph=options.graph,
            progress=progress,
            cache=not options.no_cache,
        )
    finally:
        if isinstance(progress, TerminalProgress):
            progress.wipe()
