"""What is asked of values, as options: the same for the window and without it."""

from __future__ import annotations

import argparse

from opdiff.session.value_choice import ValueChoice


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
    """What the options say."""
    return ValueChoice.of(
        left=options.left_values,
        right=options.right_values,
        off=options.no_values,
        bitwise=options.bitwise,
        floors=options.value_floor,
        jump=options.value_jump,
        noise_run=options.noise_run,
    )
