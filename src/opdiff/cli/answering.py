"""What ``opdiff compare`` answers: two traces opened, compared, and the report on them."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from opdiff.cli.compare_command import refuse
from opdiff.cli.output import tell
from opdiff.cli.question_options import (
    given_rules,
    graphs_of,
    mapping_paths,
    named_by_msprobe,
    pinned_lines,
    value_choice,
)
from opdiff.cli.report_options import goes_to_file, print_report
from opdiff.compare import Comparison, Direction, Request, Section, compare
from opdiff.compare.baseline import beyond_baseline
from opdiff.compare.comparison import Note
from opdiff.compare.sides.preparing import working_ahead
from opdiff.errors import OpdiffError
from opdiff.progress import Progress
from opdiff.readers import open_traces
from opdiff.readers.opening import ReadAhead, reading_ahead
from opdiff.report import ReportOptions, pieces, rendered
from opdiff.report.flags import NO_FLAGS, ToolFlags
from opdiff.report.writing import write_atomically
from opdiff.session import Session, Work, is_session, read_session
from opdiff.session.document import files_read
from opdiff.session.places import row_named
from opdiff.session.rules_text import load_rules
from opdiff.session.steps import Steps
from opdiff.session.value_choice import ValueChoice, values_ahead
from opdiff.session.work import greyed_groups, notes_by_index
from opdiff.trace import Trace
from opdiff.trace.told import NOTHING_TOLD, Told
from opdiff.wording import Sentence, say
from opdiff.wording.printable import printable

# What few comparisons need is imported where they do: a command starts at once.
if TYPE_CHECKING:
    from opdiff.msprobe.mapping_files import Mappings

_MOST_STEPS = 8


def differs(answer: Answer, fail_on: str) -> bool:
    """Whether what is listed counts: anything, or only what may change a value."""
    listed = answer.report.only
    divergences = answer.comparison.divergences
    if listed is None:
        if fail_on == "any":
            return bool(divergences)
        return any(group.section is Section.SUSPECT for group in answer.comparison.groups)
    return any(
        fail_on == "any" or not (divergences[index].harmless or divergences[index].neutral)
        for index in listed
    )


@dataclass(frozen=True, slots=True)
class Answer:
    """A comparison, and how it is told."""

    comparison: Comparison
    report: ReportOptions


def answer_of(
    options: argparse.Namespace, progress: Progress, begun: ReadAhead | None = None
) -> Answer:
    """The session or the two traces named, compared as the options ask."""
    paths = options.traces
    session = read_session(paths[0]) if len(paths) == 1 and is_session(paths[0]) else None
    choice = value_choice(options)
    if session is not None and choice == ValueChoice():
        choice = session.values()
    mappings = _mappings(options)
    told = _told(options, session, mappings)
    left, right = _open_both(options, session, told, progress, begun)
    usual = Direction.WHOLE if options.left_anchor is None else Direction.UP
    work = Work(Request(direction=usual))
    if session is not None:
        restored = session.restore(left, right)
        work = restored.work
        for remark in restored.remarks:
            tell(f"{printable(str(session.path))}: {say(remark, options.lang)}")
    refuse(
        options,
        [*files_read(work, left, right), *(mappings.files if mappings else ()), *choice.files],
    )
    request = _request(options, work.request, left, right)
    if mappings is not None:
        from opdiff.msprobe.mapping import with_mappings

        mapped = with_mappings(request, mappings, left, right)
        request = mapped.request
        for remark in mapped.remarks:
            tell(say(remark, options.lang))
    with (
        working_ahead(left, right, request) as ahead,  # first: it copies a process without threads
        values_ahead(choice, left, right, progress, options.rank, not options.no_cache) as held,
    ):
        comparison = compare(left, right, request, progress, held, ahead)
        refuse(options, held().files)
    return Answer(comparison, _report_options(options, work, comparison, progress))


def _mappings(options: argparse.Namespace) -> Mappings | None:
    """What msprobe's mapping files say; None where none is given: few comparisons have any."""
    paths = mapping_paths(options)
    if all(path is None for path in paths.values()):
        return None
    from opdiff.msprobe.mapping_files import read_mappings

    return read_mappings(paths)


def _told(options: argparse.Namespace, session: Session | None, mappings: Mappings | None) -> Told:
    """What the rules and mappings say of how files are read."""
    kernels = dict(session.told().kernels) if session is not None else {}
    if options.rules:
        kernels.update(load_rules(options.rules).kernels)
    told = Told(kernels=kernels)
    if mappings is None:
        return told
    from opdiff.msprobe.mapping import told_by

    return told_by(mappings, told)


def answer_of_steps(options: argparse.Namespace, steps: Steps, progress: Progress) -> Answer:
    """The first step that differs by more than noise; the last one where none does."""
    if options.left_values or options.right_values or options.left_anchor is not None:
        raise OpdiffError("cli.one-step-only", path=options.traces[0])
    for step in steps.both:
        asked = {**vars(options), "traces": [str(step.left), str(step.right)]}
        answer = answer_of(argparse.Namespace(**asked), progress)
        differs = any(group.section is Section.SUSPECT for group in answer.comparison.groups)
        if differs:
            break
    numbers = [one.number for one in steps.both]
    said = Sentence.of("cli.no-step", count=len(numbers), last=step.number)
    if differs:
        before = numbers[: numbers.index(step.number)]
        agree = Sentence.of("cli.steps-agree", steps=_listed_steps(before))
        none = Sentence.of("cli.no-steps-agree")
        said = Sentence.of("cli.first-step", step=step.number, before=agree if before else none)
    notes = [Note("first-step", said)]
    if steps.alone:
        missing = Sentence.of("cli.steps-of-one-side", steps=_listed_steps(steps.alone))
        notes.append(Note("steps-of-one-side", missing))
    comparison = replace(answer.comparison, notes=(*notes, *answer.comparison.notes))
    return replace(answer, comparison=comparison)


def _listed_steps(numbers: Sequence[int]) -> str:
    """``0, 1, 2``; of many the first and the last."""
    if len(numbers) > _MOST_STEPS:
        return f"{numbers[0]} … {numbers[-1]}"
    return ", ".join(map(str, numbers))


def _open_both(
    options: argparse.Namespace,
    session: Session | None,
    told: Told,
    progress: Progress,
    ahead: ReadAhead | None,
) -> tuple[Trace, Trace]:
    """The two traces: as named, as a session remembers them, or as msprobe's file names them."""
    paths, rank = options.traces, options.rank
    graphs = graphs_of(options)
    if session is not None:
        paths = [session.left.path, session.right.path]
        graphs = (graphs[0] or session.left.graph, graphs[1] or session.right.graph)
    else:
        paths, rank = named_by_msprobe(paths, rank)
    if len(paths) != 2:
        raise OpdiffError("session.traces-or-session")
    cache = not options.no_cache
    with contextlib.ExitStack() as stack:
        if ahead is None and told == NOTHING_TOLD and not any(graphs):
            ahead = stack.enter_context(reading_ahead(paths, rank, cache))
        left, right = open_traces(
            paths,
            rank=rank,
            graphs=graphs,
            told=told,
            progress=progress,
            cache=cache,
            ahead=ahead,
        )
    return left, right


def _request(options: argparse.Namespace, base: Request, left: Trace, right: Trace) -> Request:
    """The request with what the command line says added and put in its place."""
    anchors = (options.left_anchor, options.right_anchor)
    if anchors.count(None) == 1:
        raise OpdiffError("session.one-anchor")
    if None not in anchors:
        base = replace(
            base, left_anchor=row_named(left, anchors[0]), right_anchor=row_named(right, anchors[1])
        )
    pins = dict.fromkeys((*base.pins, *(_pin(text, left, right) for text in options.pin)))
    return replace(
        base,
        direction=Direction(options.direction) if options.direction else base.direction,
        pins=tuple(pins),
        ancestors=base.ancestors or options.ancestors,
        rules=given_rules(options, base.rules),
    )


def _pin(text: str, left: Trace, right: Trace) -> tuple[int, int]:
    one, other = pinned_lines(text)
    return row_named(left, one), row_named(right, other)


def _listed(
    options: argparse.Namespace, comparison: Comparison, progress: Progress
) -> tuple[int, ...] | None:
    """The divergences to list; None for all."""
    listed = None
    if options.baseline:
        left, right = open_traces(
            options.baseline,
            rank=options.rank,
            told=comparison.left.trace.source.told,
            progress=progress,
            cache=not options.no_cache,
        )
        choice = ValueChoice(off=options.no_values)
        held = choice.held(left, right, progress, cache=not options.no_cache)
        refuse(options, [*left.source.files, *right.source.files, *held.files])
        good = compare(left, right, Request(rules=comparison.request.rules), progress, held)
        listed = beyond_baseline(comparison, good)
    if options.first and comparison.divergences:
        listed = (0,) if listed is None else listed[:1]
    return listed


def _flags(options: argparse.Namespace, comparison: Comparison) -> ToolFlags:
    if not options.msprobe_result:
        return NO_FLAGS
    from opdiff.msprobe.results import read_flags

    return read_flags(options.msprobe_result, comparison.left.trace, comparison.right.trace)


def _report_options(
    options: argparse.Namespace, work: Work, comparison: Comparison, progress: Progress
) -> ReportOptions:
    notes, group_notes = notes_by_index(work, comparison)
    to_terminal = not goes_to_file(options) and sys.stdout.isatty()
    return ReportOptions(
        language=options.lang,
        only=_listed(options, comparison, progress),
        nearest=options.order == "nearest",
        everything=options.all,
        pairs=options.pairs,
        curve=options.values,
        notes=notes,
        group_notes=group_notes,
        greyed=greyed_groups(work, comparison),
        flags=_flags(options, comparison),
        # A convention that terminals' users know: any value turns colours off.
        colour=to_terminal and not os.environ.get("NO_COLOR"),
        width=shutil.get_terminal_size().columns if to_terminal else None,
    )


def write(answer: Answer, options: argparse.Namespace) -> None:
    """Write the report, or print it."""
    if goes_to_file(options):
        report = rendered(answer.comparison, options.format, answer.report)
        write_atomically(options.output, report)
    else:
        print_report(pieces(answer.comparison, options.format, answer.report), options.format)
