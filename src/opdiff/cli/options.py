"""Arguments that several commands have in common, and the language they speak."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from opdiff.errors import OpdiffError
from opdiff.wording import LANGUAGES, Sentence

_FOR_PROGRAMS = frozenset({"json", "csv", "xlsx"})
"""Forms that programs read: they speak English wherever they run, unless asked otherwise."""

_LANGUAGE = r"(?s)--l(?:a|an|ang)?(?:=(.*))?"
"""The option of the language, as short as Python's parser takes it."""

_OPTION = r"argument (?P<option>.+?): "
_COMPLAINTS = (
    (
        _OPTION + r"invalid choice: '?(?P<value>.*?)'? \(choose from (?P<known>.+)\)",
        "cli.not-a-choice",
    ),
    (_OPTION + r"invalid int value: '(?P<value>.*)'", "cli.not-a-number"),
    (_OPTION + r"'(?P<value>.*)' is not a number of levels", "cli.not-a-depth"),
    (_OPTION + r"expected one argument", "cli.needs-a-value"),
    (_OPTION + r"expected (?P<count>\d+) arguments", "cli.needs-values"),
    (_OPTION + r"not allowed with argument (?P<other>.+)", "cli.not-both"),
    (_OPTION + r"ignored explicit argument '(?P<value>.*)'", "cli.takes-no-value"),
    (r"the following arguments are required: (?P<known>.+)", "cli.missing-words"),
    (r"unrecognized arguments: (?P<words>.+)", "cli.unknown-words"),
    (r"ambiguous option: (?P<option>.+?) could match (?P<known>.+)", "cli.short-for-several"),
)
"""What argparse complains of, in its own English, and the sentence that says it."""


class HelpAsked(Exception):  # noqa: N818 - no error: the user wanted it
    """Somebody asks for the help of a command; it is told where the language is known."""

    def __init__(self, parser: Parser) -> None:
        super().__init__()
        self.parser = parser


class Parser(argparse.ArgumentParser):
    """Says in one line what is wrong: two dozen options above it hide the message.

    Its descriptions, headings and helps are codes of sentences, spelled out where somebody asks.
    """

    def __init__(self, **described: Any) -> None:
        super().__init__(add_help=False, **described)
        self.color = False  # newer versions of Python paint their help: ours is plain everywhere
        self._positionals.title, self._optionals.title = "help.arguments", "help.options"
        self.add_argument("-h", "--help", action="help", help="help.help")

    def print_help(self, file: object = None) -> NoReturn:
        """Leave it to whom knows the language: options are still being read here."""
        raise HelpAsked(self)

    def error(self, message: str) -> NoReturn:
        """Refuse the arguments."""
        command = self.prog if " " in self.prog else f"{self.prog} window"
        raise OpdiffError("cli.usage", said=_said(message), command=command)


def _said(message: str) -> Sentence | str:
    """A complaint of argparse, to be told in any language; as it is where none is known."""
    for pattern, code in _COMPLAINTS:
        match = re.fullmatch(pattern, message, re.DOTALL)
        if match:
            words = match.groupdict()
            if code == "cli.not-a-choice":  # newer versions of Python put no quotes there
                words["known"] = words["known"].replace("'", "")
            return Sentence.of(code, **words)
    return message


def add_language(parser: argparse._ActionsContainer) -> None:
    """The language of sentences."""
    parser.add_argument("--lang", choices=LANGUAGES, help="help.lang")


def settle_language(options: argparse.Namespace) -> None:
    """Without ``--lang`` people are told in the language of their system."""
    if options.lang is None:
        for_programs = getattr(options, "format", None) in _FOR_PROGRAMS
        options.lang = LANGUAGES[0] if for_programs else system_language()


def system_language() -> str:
    """What the environment asks for; the system need not have that language installed."""
    named = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    wished = next(filter(None, named), "").lower()
    return next((each for each in LANGUAGES if wished.startswith(each)), LANGUAGES[0])


def language_of(arguments: Sequence[str]) -> str:
    """The language asked for, also where the arguments did not come to be parsed."""
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    found = None
    for argument, following in zip(own, [*own[1:], ""], strict=True):
        match = re.fullmatch(_LANGUAGE, argument)
        asked = match and (match[1] or following)
        found = asked if asked in LANGUAGES else found
    return found or system_language()


def with_language_later(arguments: list[str]) -> list[str]:
    """``opdiff --lang zh compare …``: the language may stand before what is asked for, too.

    Behind it may also stand an option of the window, whose value is not to be torn off.
    """
    first = arguments[0] if arguments else ""
    match = first.startswith("--l") and re.fullmatch(_LANGUAGE, first)
    if not match:
        return arguments
    size = 1 if match[1] else 2
    if arguments[size : size + 1] and re.fullmatch(r"-(?!h$|-help$|-version$).+", arguments[size]):
        return arguments
    return [*arguments[size : size + 1], *arguments[:size], *arguments[size + 1 :]]
