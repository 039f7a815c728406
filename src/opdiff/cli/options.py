"""Arguments that several commands have in common."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from opdiff.wording import LANGUAGES


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
