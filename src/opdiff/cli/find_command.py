"""``opdiff find``: the lines to choose an anchor from."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from opdiff.cli.options import Parser, add_language, settle_language
from opdiff.cli.output import print_rows, tell
from opdiff.cli.trace_option import add_trace, read_trace
from opdiff.trace import Trace
from opdiff.trace.columns import Ints
from opdiff.trace.search import find_rows
from opdiff.wording import Sentence, say
from opdiff.wording.printable import json_text

FOUND, NOTHING = 0, 1


def run(argv: Sequence[str]) -> int:
    """List the ops that match; status 1 if there is none."""
    options = _parser().parse_args(argv)
    settle_language(options)
    trace = read_trace(options)
    rows = find_rows(trace, op=options.op, function=options.function, scope=options.scope)
    chosen = _chosen(rows, options.nth)
    if options.format == "json":
        print(json_text([as_json(trace, row) for row in chosen.tolist()]))
    elif len(chosen):
        print_rows([_columns(trace, row) for row in chosen.tolist()])
    if len(chosen):
        return FOUND
    tell(say(_nothing(rows, options.nth), options.lang))
    return NOTHING


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="opdiff find",
        description="List ops with their lines, shapes, scope and innermost user frame.",
        epilog="Exit status: 0 found, 1 no op matches, 2 trouble.",
    )
    add_trace(parser)
    parser.add_argument("--op", metavar="GLOB", help="the op's type, or its whole printed name")
    parser.add_argument("--function", metavar="NAME", help="a function anywhere in the stack")
    parser.add_argument("--scope", metavar="GLOB", help="the op's scope")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--nth", type=int, metavar="K", help="only the K-th; -1 is the last")
    which.add_argument("--first", dest="nth", action="store_const", const=1)
    which.add_argument("--last", dest="nth", action="store_const", const=-1)
    parser.add_argument("--format", choices=("text", "json"), default="text")
    add_language(parser)
    return parser


def _chosen(rows: Ints, nth: int | None) -> Ints:
    if nth is None:
        return rows
    place = nth - 1 if nth > 0 else len(rows) + nth
    return rows[place : place + 1] if nth and place >= 0 else rows[:0]


def _nothing(rows: Ints, nth: int | None) -> Sentence:
    if nth is None or not len(rows):
        return Sentence.of("cli.no-hit")
    return Sentence.of("cli.no-op-of-that-number", count=len(rows), number=nth)


def _columns(trace: Trace, row: int) -> tuple[str, ...]:
    op = trace.op(row)
    shapes = (
        ", ".join(operand.spec.text for operand in operands) or "()"
        for operands in (op.outputs, op.inputs)
    )
    frame = trace.user_frame(row)
    return str(op.line), op.type, " <- ".join(shapes), op.scope, str(frame) if frame else ""


def as_json(trace: Trace, row: int) -> dict[str, Any]:
    """One op as JSON holds it."""
    op = trace.op(row)
    frame = trace.user_frame(row)
    return {
        "line": op.line,
        "last_line": op.last_line,
        "op": op.type,
        "name": op.name,
        "scope": op.scope,
        "outputs": [str(operand.spec) for operand in op.outputs],
        "inputs": [str(operand.spec) for operand in op.inputs],
        "frame": frame and {"file": frame.file, "line": frame.line, "function": frame.function},
    }
