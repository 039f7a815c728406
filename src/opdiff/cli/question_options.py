"""What is asked of a comparison, as options: the same for the window and without it."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from opdiff.cli.trace_option import add_cache
from opdiff.errors import OpdiffError
from opdiff.wording.printable import shortened

# Options are known at once; what they mean is imported when a trace is being read already.
if TYPE_CHECKING:
    from opdiff.compare import Rules
    from opdiff.session.value_choice import ValueChoice

_MAPPINGS = ("api", "cell", "data", "layer")
_PIN = re.compile(r"(\d{1,18}):(\d{1,18})", re.ASCII)


def add_question(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Anchors, pins and what is left out; returns the group, for what a command adds to it."""
    group = parser.add_argument_group("help.group-question")
    group.add_argument("--left-anchor", type=int, metavar="N", help="help.left-anchor")
    group.add_argument("--right-anchor", type=int, metavar="N", help="help.right-anchor")
    group.add_argument("--pin", action="append", default=[], metavar="L:R", help="help.pin")
    group.add_argument("--ancestors", action="store_true", help="help.ancestors")
    group.add_argument("--rank", type=int, metavar="N", help="help.rank")
    group.add_argument("--graph", action="append", metavar="NAME|N", help="help.graph")
    add_cache(group)
    return group


def graphs_of(options: argparse.Namespace) -> tuple[str | None, str | None]:
    """The graphs asked for, left and right."""
    graphs = options.graph or [None]
    if len(graphs) > 2:
        raise OpdiffError("cli.many-graphs", count=len(graphs))
    return graphs[0], graphs[-1]


def pinned_lines(text: str) -> tuple[int, int]:
    """The left and the right line that ``--pin`` names."""
    match = _PIN.fullmatch(text)
    if match is None:
        raise OpdiffError("session.not-a-pin", text=shortened(text))
    return int(match[1]), int(match[2])


def given_rules(options: argparse.Namespace, rules: Rules | None = None) -> Rules:
    """The rules that hold already, with those of the command line added."""
    from opdiff.session.rules_text import asked_rules

    builtin = not options.no_default_rules
    return asked_rules(options.rules or None, options.ignore, builtin=builtin, also=rules)


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Rules and what is ignored."""
    group = parser.add_argument_group("help.group-rules")
    group.add_argument("--rules", metavar="FILE", help="help.rules")
    group.add_argument("--ignore", action="append", default=[], metavar="GLOB", help="help.ignore")
    group.add_argument("--no-default-rules", action="store_true", help="help.no-default-rules")


# Values


def add_judging(group: argparse._ArgumentGroup) -> None:
    """Whether values count, and what of them is noise."""
    group.add_argument("--no-values", action="store_true", help="help.no-values")
    group.add_argument("--bitwise", action="store_true", help="help.bitwise")
    group.add_argument(
        "--value-floor", action="append", default=[], metavar="DTYPE=X", help="help.value-floor"
    )
    group.add_argument("--value-jump", metavar="X", help="help.value-jump")


def add_value_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Where values come from and what is noise; returns the group."""
    group = parser.add_argument_group("help.group-values")
    for side in ("left", "right"):
        group.add_argument(f"--{side}-values", metavar="FILE", help=f"help.{side}-values")
    add_judging(group)
    group.add_argument("--noise-run", metavar="TRACE", help="help.noise-run")
    return group


def value_choice(options: argparse.Namespace) -> ValueChoice:
    """What the options say; some commands have but those of :func:`add_judging`."""
    from opdiff.session.value_choice import ValueChoice

    return ValueChoice.of(
        left=getattr(options, "left_values", None),
        right=getattr(options, "right_values", None),
        off=options.no_values,
        bitwise=options.bitwise,
        floors=options.value_floor,
        jump=options.value_jump,
        noise_run=getattr(options, "noise_run", None),
    )


# msprobe's own files


def add_msprobe(parser: argparse.ArgumentParser) -> None:
    """What corresponds by msprobe's mapping files, and what its own compare flagged."""
    group = parser.add_argument_group("help.group-msprobe")
    for kind in _MAPPINGS:
        group.add_argument(f"--{kind}-mapping", metavar="FILE", help=f"help.{kind}-mapping")
    group.add_argument("--msprobe-result", metavar="FILE", help="help.msprobe-result")


def mapping_paths(options: argparse.Namespace) -> dict[str, str | None]:
    """The mapping files given, by what they map."""
    return {kind: getattr(options, f"{kind}_mapping") for kind in _MAPPINGS}


def named_by_msprobe(traces: list[str], rank: int | None) -> tuple[list[str], int | None]:
    """The traces and the rank, or those that msprobe's compare.json names in their place."""
    from opdiff.readers.msprobe.compare_file import read_compare_file

    named = read_compare_file(traces[0]) if len(traces) == 1 else None
    if named is None:
        return traces, rank
    return [named.left, named.right], named.rank if rank is None else rank
