"""``opdiff compare``: two traces compared without a window."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterable, Sequence

from opdiff.cli.options import Parser
from opdiff.cli.question_options import (
    add_msprobe,
    add_question,
    add_rules,
    add_value_options,
    mapping_paths,
)
from opdiff.cli.report_options import add_report, goes_to_file, settle_format
from opdiff.cli.terminal_progress import progress_on
from opdiff.compare import Direction
from opdiff.errors import OpdiffError
from opdiff.kept_memory import keep_memory
from opdiff.readers.opening import ReadAhead, reading_ahead
from opdiff.report import FILES, FORMATS
from opdiff.report.writing import refuse_to_overwrite
from opdiff.session.steps import steps_of
from opdiff.uncollected import uncollected

NO_DIVERGENCE, DIVERGENCES = 0, 1


def run(argv: Sequence[str]) -> int:
    """Compare, write the report, and tell by the exit status whether there is a divergence."""
    options = _parser().parse_intermixed_args(argv)
    named = [*options.traces, *filter(None, [options.rules, options.msprobe_result])]
    refuse(options, named)  # first: worse than a form that nobody writes
    settle_format(options, FILES)
    if options.format not in FORMATS and not goes_to_file(options):
        raise OpdiffError("report.needs-a-file", format=options.format)
    keep_memory()
    steps = steps_of(options.traces)
    with (
        progress_on(sys.stderr, options.lang) as progress,
        _begun(options, alone=steps is None) as ahead,
    ):
        with uncollected():  # the engine: while it is imported, a trace is read
            from opdiff.cli.answering import answer_of, answer_of_steps, differs, write
        if steps is None:
            answer = answer_of(options, progress, ahead)
        else:
            answer = answer_of_steps(options, steps, progress)
    write(answer, options)
    return DIVERGENCES if differs(answer, options.fail_on) else NO_DIVERGENCE


def _begun(
    options: argparse.Namespace, *, alone: bool
) -> contextlib.AbstractContextManager[ReadAhead | None]:
    """The reading of the traces, where nothing in particular is asked of it."""
    asked = options.graph or options.rules or any(mapping_paths(options).values())
    if not alone or asked or len(options.traces) != 2:
        return contextlib.nullcontext()
    return reading_ahead(options.traces, options.rank, not options.no_cache)


def refuse(options: argparse.Namespace, reads: Iterable[str]) -> None:
    """Raise OpdiffError where the report would overwrite one of these files."""
    if goes_to_file(options):
        refuse_to_overwrite(options.output, reads)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="opdiff compare", description="help.about-compare", epilog="help.status-compare"
    )
    parser.add_argument("traces", nargs="+", metavar="TRACE", help="help.traces")
    add_question(parser).add_argument(
        "--direction", choices=[direction.value for direction in Direction], help="help.direction"
    )
    add_rules(parser)
    add_msprobe(parser)
    add_value_options(parser).add_argument("--values", action="store_true", help="help.values")
    report = add_report(parser, FILES)
    report.add_argument("--first", action="store_true", help="help.first-difference")
    report.add_argument(
        "--order", choices=("reading", "nearest"), default="reading", help="help.order-of-report"
    )
    report.add_argument("--all", action="store_true", help="help.all-members")
    report.add_argument("--pairs", action="store_true", help="help.pairs")
    return parser
