"""msprobe's own files as options: the same for the window and without it."""

from __future__ import annotations

import argparse

_MAPPINGS = {
    "api": "calls, MindSpore's to PyTorch's",
    "cell": "cells to modules, by path and class",
    "data": "single operands",
    "layer": "names of layers within a class",
}


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
