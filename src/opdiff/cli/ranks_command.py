"""``opdiff ranks``: two runs of many ranks, or the ranks of one run with each other."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from opdiff.cli.options import Parser
from opdiff.cli.output import tell
from opdiff.cli.question_options import add_judging, add_rules, given_rules, graphs_of, value_choice
from opdiff.cli.report_options import add_report, goes_to_file, print_report, settle_format
from opdiff.cli.terminal_progress import progress_on
from opdiff.compare import Direction
from opdiff.errors import OpdiffError
from opdiff.progress import Progress
from opdiff.ranks import FoundRanks, LocalPool, Question, RanksResult, compare_runs, find_ranks
from opdiff.ranks.discovery import ranks_wanted
from opdiff.ranks.one_run import compare_ranks
from opdiff.ranks.parting import rank_list
from opdiff.ranks.pool import Runner, fitting_jobs
from opdiff.ranks.question import Anchor
from opdiff.ranks.reports import FORMATS, refuse_inputs, write_report
from opdiff.ranks.two_runs import Baseline
from opdiff.ranks.values_table import ValuesWanted, is_merge_config, read_merge_config
from opdiff.wording import Sentence, say

NO_DIVERGENCE, DIVERGENCES, TROUBLE = 0, 1, 2
_MOST_JOBS = 1024


def run(argv: Sequence[str]) -> int:
    """Compare, write the report; status 2 only if no rank could be compared."""
    options = _parser().parse_intermixed_args(argv)
    settle_format(options, FORMATS)
    if len(options.folders) > 2:
        raise OpdiffError("ranks.one-or-two")
    with progress_on(sys.stderr, options.lang) as progress:
        result = _result(options, progress)
    written = write_report(
        result, options.format, options.output, options.lang, everything=options.all
    )
    if written is not None:
        print_report([written], options.format)
    if not result.any_compared:
        _complain(result, options.lang)
        return TROUBLE
    return DIVERGENCES if result.differs else NO_DIVERGENCE


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opdiff ranks", description="help.about-ranks", epilog="help.status-ranks")
    parser.add_argument("folders", nargs="+", metavar="DIR", help="help.folders")
    _add_question(parser)
    add_rules(parser)
    add_judging(parser.add_argument_group("help.group-values"))
    work = parser.add_argument_group("help.group-work")
    work.add_argument("--jobs", type=int, metavar="N", help="help.jobs")
    work.add_argument("--dask", metavar="ADDRESS", help="help.dask")
    report = add_report(parser, FORMATS)
    report.add_argument("--all", action="store_true", help="help.all-lists")
    return parser


def _add_question(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("help.group-question")
    group.add_argument("--rank", metavar="A-B", help="help.ranks")
    group.add_argument("--anchor", metavar="OP:N", help="help.anchor-of-ranks")
    group.add_argument(
        "--direction",
        choices=[direction.value for direction in Direction],
        help="help.direction-of-ranks",
    )
    group.add_argument("--ancestors", action="store_true", help="help.ancestors")
    group.add_argument("--graph", action="append", metavar="NAME|N", help="help.graph-of-ranks")
    group.add_argument(
        "--values-of", nargs="?", action="append", metavar="GLOB", help="help.values-of"
    )


def _result(options: argparse.Namespace, progress: Progress) -> RanksResult:
    whole = [find_ranks(folder) for folder in options.folders]
    runs = [_wanted(found, options.rank) for found in whole]
    question, baseline = _question(options), _baseline(options)
    if goes_to_file(options):
        named = [options.rules, *(options.values_of or ()), *(options.baseline or ())]
        good = (baseline.left, baseline.right) if baseline else ()
        known = [found for found in good if isinstance(found, FoundRanks)]
        refuse_inputs(options.output, [*whole, *known], filter(None, named))
    with contextlib.closing(_runner(options, runs)) as runner:
        if len(runs) == 2:
            found = partial(compare_runs, runs[0], runs[1], baseline=baseline)
        else:
            found = partial(compare_ranks, runs[0])
            for name in ("values_of", "baseline"):
                if getattr(options, name):
                    option = f"--{name.replace('_', '-')}"
                    raise OpdiffError("ranks.only-two-runs", option=option)
        suspect_only = options.fail_on == "suspect"
        return found(question, runner, suspect_only=suspect_only, progress=progress)


def _wanted(found: FoundRanks, text: str | None) -> FoundRanks:
    if text is None:
        return found
    some = found.only(ranks_wanted(text))
    if not some.ranks:
        raise OpdiffError("ranks.nothing-in-range", ranks=rank_list(found.ranks), path=found.folder)
    return some


def _question(options: argparse.Namespace) -> Question:
    return Question(
        rules=given_rules(options),
        direction=Direction(options.direction) if options.direction else None,
        anchor=Anchor.parse(options.anchor) if options.anchor is not None else None,
        ancestors=options.ancestors,
        graphs=graphs_of(options),
        held=value_choice(options),
        values=_values_wanted(options),
    )


def _values_wanted(options: argparse.Namespace) -> ValuesWanted | None:
    if not options.values_of:
        return None
    asked = [text for text in options.values_of if text is not None]
    files = [text for text in asked if is_merge_config(text)]
    wanted = ValuesWanted(globs=tuple(text for text in asked if text not in files))
    for path in files:
        found, unseen = read_merge_config(path)
        if unseen:
            sentence = Sentence.of("ranks.config-unseen", names=", ".join(unseen))
            tell(OpdiffError(sentence, path=path).text(options.lang))
        wanted = replace(wanted, prefixes=wanted.prefixes + found.prefixes, figures=found.figures)
    return wanted


def _baseline(options: argparse.Namespace) -> Baseline | None:
    if not options.baseline:
        return None
    left, right = (_ranks_or_trace(path) for path in options.baseline)
    return Baseline(left, right)


def _ranks_or_trace(path: str) -> FoundRanks | str:
    try:
        return find_ranks(path)
    except OpdiffError as error:
        if error.sentence.code in ("ranks.none", "ranks.not-a-folder"):
            return path
        raise


def _runner(options: argparse.Namespace, runs: list[FoundRanks]) -> Runner:
    if options.jobs is not None and not 1 <= options.jobs <= _MOST_JOBS:
        raise OpdiffError("ranks.not-jobs")
    if options.dask is not None:
        from opdiff.ranks.dask_cluster import DaskCluster  # needs a package of its own

        return DaskCluster(options.dask)
    return LocalPool(options.jobs or fitting_jobs(sum(found.largest() for found in runs)))


def _complain(result: RanksResult, language: str) -> None:
    troubles = [outcome.trouble for outcome in result.outcomes if outcome.trouble]
    reason: str | Sentence = troubles[0].text(language) if troubles else "–"
    tell(say(Sentence.of("ranks.all-failed", reason=reason), language))
