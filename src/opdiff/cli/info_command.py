"""``opdiff info``: what a trace holds."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from opdiff.cli.options import Parser, add_language, settle_language
from opdiff.cli.output import print_rows
from opdiff.cli.trace_option import add_answer_format, add_trace, read_trace
from opdiff.structure import structure_of
from opdiff.structure.outline import as_json as tree_as_json
from opdiff.structure.outline import outline
from opdiff.trace import Problem, Trace
from opdiff.trace.summary import Summary, summarise
from opdiff.wording import Sentence, say
from opdiff.wording.columns import columns_of, padded
from opdiff.wording.printable import json_text, printable

_MOST_NAMES = 12
_MOST_PROBLEMS = 20


def run(argv: Sequence[str]) -> int:
    """Read a trace and tell what is in it."""
    options = _parser().parse_args(argv)
    settle_language(options)
    trace = read_trace(options)
    summary = summarise(trace)
    if options.format == "json":
        document = as_json(trace, summary, options.lang)
        document["structure"] = tree_as_json(trace, structure_of(trace), options.depth)
        if options.names:
            unknown = _unknown_names(trace).items()
            document["unknown_names"] = [{"name": name, "count": count} for name, count in unknown]
        print(json_text(document, indent=1))
    else:
        print(printable(trace.source.path))
        rows = _rows(trace, summary, options.lang)
        if options.names:
            rows += _unknown_rows(_unknown_names(trace), options.lang)
        print_rows(rows + _tree(trace, options.depth, options.lang), numbers=False)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="opdiff info", description="help.about-info")
    add_trace(parser)
    add_answer_format(parser)
    parser.add_argument("--names", action="store_true", help="help.names")
    parser.add_argument("--depth", type=depth_from, metavar="N", help="help.depth")
    add_language(parser)
    return parser


def _unknown_names(trace: Trace) -> dict[str, int]:
    """The names that the vocabulary does not know, with how often they occur, commonest first."""
    # Only here: it needs the tables of the engine, and nothing else of this command does.
    from opdiff.compare.names.known_names import unknown_names

    return unknown_names(trace)


def depth_from(text: str) -> int:
    """A number of levels as the command line gives it."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of levels")
    return int(text)


def as_json(trace: Trace, summary: Summary, language: str = "en") -> dict[str, Any]:
    """The summary of a trace as JSON holds it."""
    return {
        "schema": "opdiff-info/1",
        "path": trace.source.path,
        "format": trace.source.format,
        "execution_order": trace.source.execution_order,
        **asdict(summary),
        "parts": [
            {"number": number, "name": part.name, "ops": part.ops, "read": part.read}
            for number, part in enumerate(trace.source.parts, 1)
        ],
        "repaired": len(trace.repaired),
        "repaired_lines": [trace.line_of(row) for row in trace.repaired],
        "problems": [
            {
                "line": problem.line,
                "last_line": problem.last_line,
                "message": say(problem.sentence, language),
            }
            for problem in trace.problems
        ],
        "notes": [say(note, language) for note in trace.notes],
    }


def _rows(trace: Trace, summary: Summary, language: str) -> list[tuple[str, str]]:
    def label(code: str) -> str:
        return say(Sentence.of(f"cli.info.{code}"), language)

    rows = [(label("format"), trace.source.format), (label("ops"), f"{summary.ops:,}")]
    if not trace.source.execution_order:
        rows.append((label("order"), label("not-execution-order")))
    if len(trace.source.parts) > 1:
        rows += _parts(trace, language)
    rows.append((label("operands"), f"{summary.with_operands:,}"))
    rows.append((label("stacks"), f"{summary.with_stack:,}"))
    for code in ("modes", "graphs", "streams", "dtypes", "op_types", "scopes", "functions"):
        counts: Mapping[str, int] = getattr(summary, code)
        if counts:
            rows += _counted(label(code), counts, language)
    if trace.repaired:
        repaired = Sentence.of(
            "cli.info.repaired-ops",
            count=len(trace.repaired),
            line=trace.line_of(trace.repaired[0]),
        )
        rows.append((label("repaired"), say(repaired, language)))
    rows += _labelled(label("notes"), [say(note, language) for note in trace.notes])
    texts = [_place(problem, language) for problem in trace.problems[:_MOST_PROBLEMS]]
    if len(trace.problems) > _MOST_PROBLEMS:
        more = Sentence.of("cli.info.more", count=len(trace.problems) - _MOST_PROBLEMS)
        texts.append(say(more, language))
    return rows + _labelled(label("problems"), texts or [label("none")])


def _tree(trace: Trace, depth: int | None, language: str) -> list[tuple[str, str]]:
    """What the trace is made of, a line a part; nothing is looked for where none is wanted."""
    if depth == 0:
        return []
    lines = []
    for line in outline(trace, structure_of(trace), depth):
        name = "  " * line.depth + say(line.name, language)
        lines.append((name, [say(each, language) for each in line.about]))
    width = max((columns_of(name) for name, about in lines if about), default=0)
    texts = [
        f"{padded(name, width)}  {' · '.join(about)}" if about else name for name, about in lines
    ]
    return _labelled(say(Sentence.of("cli.info.structure"), language), texts)


def _counted(
    label: str, counts: Mapping[str, int], language: str, most: int = _MOST_NAMES
) -> list[tuple[str, str]]:
    width = len(f"{max(counts.values()):,}")
    texts = [f"{count:>{width},}  {name}" for name, count in list(counts.items())[:most]]
    if len(counts) > most:
        more = Sentence.of("cli.info.more", count=len(counts) - most)
        texts.append(say(more, language))
    return _labelled(label, texts)


def _unknown_rows(found: Mapping[str, int], language: str) -> list[tuple[str, str]]:
    """All of them: that is what was asked for."""
    label = say(Sentence.of("cli.info.unknown-names"), language)
    if not found:
        return [(label, say(Sentence.of("cli.info.none"), language))]
    hint = say(Sentence.of("cli.info.unknown-hint"), language)
    return [*_counted(label, found, language, len(found)), ("", hint)]


def _parts(trace: Trace, language: str) -> list[tuple[str, str]]:
    """The graphs or levels to choose from, and which of them was read."""
    parts = trace.source.parts
    width = max((len(part.name) for part in parts), default=0)
    texts = []
    for number, part in enumerate(parts, 1):
        ops = say(Sentence.of("cli.info.part-ops", count=f"{part.ops:,}"), language)
        read = say(Sentence.of("cli.info.part-read"), language) if part.read else ""
        texts.append(f"{number:>2}  {part.name:<{width}}  {ops}  {read}".rstrip())
    return _labelled(say(Sentence.of("cli.info.parts"), language), texts)


def _labelled(label: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    return [(label if place == 0 else "", text) for place, text in enumerate(texts)]


def _place(problem: Problem, language: str) -> str:
    several = problem.last_line > problem.line
    code = "cli.problem-places" if several else "cli.problem-place"
    args = {"line": problem.line, "last_line": problem.last_line}
    place = say(Sentence.of(code, **args), language)
    return f"{place}: {say(problem.sentence, language)}"
