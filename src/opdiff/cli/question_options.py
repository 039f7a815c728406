"""What is asked of a comparison, as options: the same for the window and without it."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace

from opdiff.cli.trace_option import add_cache
from opdiff.compare import Ignore, Rules
from opdiff.compare.rules_file import merge_rules
from opdiff.errors import OpdiffError
from opdiff.session.rules_text import load_rules
from opdiff.wording import Sentence
from opdiff.wording.printable import shortened

_PIN = re.compile(r"(\d{1,18}):(\d{1,18})", re.ASCII)


def add_question(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Anchors, pins and what is left out; returns the group, for what a command adds to it."""
    group = parser.add_argument_group("what is compared")
    group.add_argument("--left-anchor", type=int, metavar="N", help="a line of the left anchor op")
    group.add_argument(
        "--right-anchor", type=int, metavar="N", help="a line of the right anchor op"
    )
    group.add_argument(
        "--pin",
        action="append",
        default=[],
        metavar="L:R",
        help="a further pair of lines; repeatable",
    )
    group.add_argument("--ancestors", action="store_true", help="only what the anchor depends on")
    group.add_argument("--rank", type=int, metavar="N", help="which rank of a directory of ranks")
    group.add_argument(
        "--graph",
        action="append",
        metavar="NAME|N",
        help="which graph or level of a file; A+B joins two; given twice, left and right",
    )
    add_cache(group)
    return group


def graphs_of(options: argparse.Namespace) -> tuple[str | None, str | None]:
    """The graphs asked for, left and right."""
    graphs = options.graph or [None]
    if len(graphs) > 2:
        raise OpdiffError(Sentence.of("cli.many-graphs", count=len(graphs)))
    return graphs[0], graphs[-1]


def pinned_lines(text: str) -> tuple[int, int]:
    """The left and the right line that ``--pin`` names."""
    match = _PIN.fullmatch(text)
    if match is None:
        raise OpdiffError(Sentence.of("session.not-a-pin", text=shortened(text)))
    return int(match[1]), int(match[2])


def given_rules(options: argparse.Namespace, rules: Rules | None = None) -> Rules:
    """The rules that hold already, with those of the command line added."""
    rules = rules or Rules()
    if options.rules:
        rules = merge_rules(rules, load_rules(options.rules))
    rules = merge_rules(rules, Rules(ignore=tuple(Ignore(op=glob) for glob in options.ignore)))
    return replace(rules, builtin=False) if options.no_default_rules else rules


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Rules and what is ignored."""
    group = parser.add_argument_group("what is no difference")
    group.add_argument("--rules", metavar="FILE", help="a YAML file of rules")
    group.add_argument(
        "--ignore", action="append", default=[], metavar="GLOB", help="ops to ignore; repeatable"
    )
    group.add_argument(
        "--no-default-rules", action="store_true", help="without the built-in table, noise shown"
    )
