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

_MAPPINGS = {
    "api": "calls, MindSpore's to PyTorch's",
    "cell": "cells to modules, by path and class",
    "data": "single operands",
    "layer": "names of layers within a class",
}
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
    group = parser.add_argument_group("what is no difference")
    group.add_argument("--rules", metavar="FILE", help="a YAML file of rules")
    group.add_argument(
        "--ignore", action="append", default=[], metavar="GLOB", help="ops to ignore; repeatable"
    )
    group.add_argument(
        "--no-default-rules", action="store_true", help="without the built-in table, noise shown"
    )


# Values


def add_judging(group: argparse._ArgumentGroup) -> None:
    """Whether values count, and what of them is noise."""
    group.add_argument("--no-values", action="store_true", help="compare without values")
    group.add_argument(
        "--bitwise", action="store_true", help="every bit counts: compare hashes, no noise"
    )
    group.add_argument(
        "--value-floor",
        action="append",
        default=[],
        metavar="DTYPE=X",
        help="what error of a precision is noise, as bf16=0.03; repeatable",
    )
    group.add_argument(
        "--value-jump",
        metavar="X",
        help="so many times the error of what it was made from makes a cause (10)",
    )


def add_value_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Where values come from and what is noise; returns the group."""
    group = parser.add_argument_group("what tensors held")
    for side in ("left", "right"):
        group.add_argument(
            f"--{side}-values",
            metavar="FILE",
            help=f"values of the {side} trace: a file or a dump; else what lies beside it",
        )
    add_judging(group)
    group.add_argument(
        "--noise-run",
        metavar="TRACE",
        help="a run that should equal the left one: what differs between them is noise",
    )
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
    group = parser.add_argument_group("beside msprobe")
    for kind, what in _MAPPINGS.items():
        group.add_argument(f"--{kind}-mapping", metavar="FILE", help=f"msprobe's mapping of {what}")
    group.add_argument(
        "--msprobe-result",
        metavar="FILE",
        help="the table of msprobe's own compare, CSV or Excel: what it flagged is marked",
    )


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
