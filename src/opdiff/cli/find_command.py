"""``opdiff find``: the lines to choose an anchor from."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from opdiff.cli.options import Parser, add_language, settle_language
from opdiff.cli.output import print_rows, tell
from opdiff.cli.trace_option import add_answer_format, add_trace, read_trace
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
    parser = Parser(prog="opdiff find", description="help.about-find", epilog="help.status-find")
    add_trace(parser)
    parser.add_argument("--op", metavar="GLOB", help="help.op")
    parser.add_argument("--function", metavar="NAME", help="help.function")
    parser.add_argument("--scope", metavar="GLOB", help="help.scope")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--nth", type=int, metavar="K", help="help.nth")
    which.add_argument("--first", dest="nth", action="store_const", const=1, help="help.first")
    which.add_argument("--last", dest="nth", action="store_const", const=-1, help="help.last")
    add_answer_format(parser)
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
