"""Where a report goes and what counts in it, as options: the same for two traces and for ranks."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from opdiff.cli.options import add_language, settle_language
from opdiff.cli.output import output
from opdiff.errors import OpdiffError
from opdiff.report import SUFFIXES
from opdiff.uncollected import uncollected

_NOT_WRITTEN = frozenset({".pdf", ".doc", ".docx", ".xls", ".png", ".svg", ".yaml", ".xml"})
"""Names of files that would not hold what they say."""


def add_report(parser: argparse.ArgumentParser, formats: Sequence[str]) -> argparse._ArgumentGroup:
    """The form and place of a report; returns the group, for what a command adds to it."""
    group = parser.add_argument_group("help.group-report")
    group.add_argument("--format", choices=formats, help="help.format")
    group.add_argument("-o", "--output", metavar="FILE", help="help.output")
    group.add_argument("--baseline", nargs=2, metavar=("LEFT", "RIGHT"), help="help.baseline")
    group.add_argument("--fail-on", choices=("any", "suspect"), default="any", help="help.fail-on")
    add_language(group)
    return group


def settle_format(options: argparse.Namespace, formats: Sequence[str]) -> None:
    """Without ``--format`` the name of the file tells: ``-o report.html`` is a page, not text.

    Raises OpdiffError where it names a form that nobody writes here.
    """
    if options.format is None:
        suffix = Path(options.output or "").suffix.lower()
        named = (form for form in formats if SUFFIXES[form] == suffix)
        options.format = next(named, "text")
        if suffix in _NOT_WRITTEN:
            known = ", ".join(SUFFIXES[form] for form in formats)
            raise OpdiffError("cli.no-such-report", suffix=suffix, known=known, path=options.output)
    settle_language(options)


def goes_to_file(options: argparse.Namespace) -> bool:
    """Whether the report is written to a file, not printed."""
    return options.output not in (None, "-")


@uncollected()
def print_report(pieces: Iterable[str], form: str) -> None:
    """Print a report: text as the terminal can show it, everything else as a file would hold it."""
    out = output()
    for piece in pieces:
        if form == "text":
            # An old terminal may not know every sign: show something rather than fail.
            shown = piece.encode(out.encoding, "replace").decode(out.encoding)
            (out.paint if out.isatty() else out.write)(shown)
        else:
            out.document(piece)
    out.flush()
