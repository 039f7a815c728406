"""The trace that a command is about."""

from __future__ import annotations

import argparse
import sys

from opdiff.cli.terminal_progress import progress_on
from opdiff.readers import open_trace
from opdiff.trace import Trace
from opdiff.trace.told import NOTHING_TOLD, Told


def add_trace(parser: argparse.ArgumentParser) -> None:
    """One trace, and which rank and graph of it."""
    parser.add_argument("trace", metavar="TRACE", help="help.trace")
    parser.add_argument("--rank", type=int, metavar="N", help="help.rank")
    parser.add_argument("--graph", metavar="NAME|N", help="help.graph-of-trace")
    parser.add_argument("--rules", metavar="FILE", help="help.rules-of-kernels")
    add_cache(parser)


def add_cache(parser: argparse._ActionsContainer) -> None:
    """Whether a large trace that was read before is read again."""
    parser.add_argument("--no-cache", action="store_true", help="help.no-cache")


def add_answer_format(parser: argparse.ArgumentParser) -> None:
    """Whether people or programs read what a command answers."""
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="help.format-of-answer"
    )


def read_trace(options: argparse.Namespace) -> Trace:
    """The trace that :func:`add_trace` asked for, with progress on a terminal."""
    told = _told_by(options.rules) if options.rules else NOTHING_TOLD
    with progress_on(sys.stderr, options.lang) as progress:
        return open_trace(
            options.trace,
            rank=options.rank,
            graph=options.graph,
            told=told,
            progress=progress,
            cache=not options.no_cache,
        )


def _told_by(rules: str) -> Told:
    # Only here: without rules these commands need nothing of sessions and the engine.
    from opdiff.session.rules_text import load_rules

    return Told(kernels=dict(load_rules(rules).kernels))
