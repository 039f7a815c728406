"""What ``--help`` says, in the language of who asks: only then are its texts read."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from functools import partial

from opdiff.cli.options import Parser
from opdiff.wording import Sentence, say
from opdiff.wording.columns import aligned, columns_of, wrapped

_COMMANDS = {
    "opdiff [LEFT RIGHT] [options]": "help.run-window",
    "opdiff compare LEFT RIGHT [...]": "help.run-compare",
    "opdiff info TRACE [...]": "help.run-info",
    "opdiff find TRACE [...]": "help.run-find",
    "opdiff capture [...] -- COMMAND": "help.run-capture",
    "opdiff ranks LEFT RIGHT [...]": "help.run-ranks",
    "opdiff --version": "help.run-version",
}
_USAGE = "usage: "
"""How argparse begins; it indents what follows as far."""
_HEADING_END = re.compile(r"(?<=[\u4e00-\u9fff]):$", re.M)
"""The colon that argparse puts after a heading, where that is Chinese."""


def overview(language: str) -> str:
    """All commands, a line each."""
    rows = [(command, _said(about, language)) for command, about in _COMMANDS.items()]
    closing = [_said(code, language) for code in ("help.more", "help.status")]
    return "\n".join([*_usage(aligned(rows), language), "", *closing, ""])


def help_of(parser: Parser, language: str) -> str:
    """The options of a command."""
    parser.formatter_class = partial(_Layout, language=language)
    return parser.format_help()


class _Layout(argparse.HelpFormatter):
    """argparse's layout; it takes codes for texts, and every character for one column."""

    def __init__(self, prog: str, language: str) -> None:
        super().__init__(prog)
        self._language = language

    def start_section(self, heading: str | None) -> None:
        super().start_section(heading and _said(heading, self._language))

    def add_text(self, text: str | None) -> None:
        super().add_text(text and _said(text, self._language))

    def format_help(self) -> str:
        return _HEADING_END.sub("：", super().format_help())

    def _format_usage(self, *described: object) -> str:
        usage = super()._format_usage(*described).removeprefix(_USAGE)  # type: ignore[arg-type]
        first, *more = usage.rstrip().splitlines()
        lines = [first, *(line[len(_USAGE) :] for line in more)]
        return "\n".join([*_usage(lines, self._language), "", ""])

    def _get_help_string(self, action: argparse.Action) -> str:
        return _said(action.help or "", self._language).replace("%", "%%")

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in wrapped(text, width - len(indent)))


def _usage(lines: Iterable[str], language: str) -> list[str]:
    label = _said("help.usage", language)
    first, *more = lines
    return [label + first, *(" " * columns_of(label) + line for line in more)]


def _said(code: str, language: str) -> str:
    return say(Sentence.of(code), language)
