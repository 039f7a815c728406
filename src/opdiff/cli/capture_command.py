"""``opdiff capture``: run a program with the tracker on and bring its trace home."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from opdiff.capture import CaptureRequest, CaptureRun, run_and_collect, why_no_trace, write_manifest
from opdiff.capture.children import CHILDREN
from opdiff.capture.dumping import dumping
from opdiff.cli.options import Parser, add_language, settle_language
from opdiff.cli.output import tell
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.trace import Trace
from opdiff.values.sources import dump_beside
from opdiff.wording import Sentence, say

if TYPE_CHECKING:
    from opdiff.capture.jit_matrix import Setting

TROUBLE = 2
_DIFFERENT = 1
_MOST_RANKS = 20


def run(argv: Sequence[str]) -> int:
    """Capture; the exit status is the command's, or 2 where it succeeded without a trace."""
    with CHILDREN.end_with_us():
        return _run(argv)


def _run(argv: Sequence[str]) -> int:
    ours, command = _split(argv)
    options = _parser().parse_args(ours)
    settle_language(options)
    tasks = [bool(command), bool(options.pair), bool(options.jit_matrix)]
    if sum(tasks) > 1:
        raise OpdiffError("capture.two-tasks")
    if options.pair:
        return _pair(options)
    if options.jit_matrix:
        return _jit_matrix(options)
    if not command:
        raise OpdiffError("capture.no-command")
    return _capture(options, tuple(command), Path(options.out or "capture"))


def _split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Our options, and the command after the first ``--``."""
    words = list(argv)
    if "--" not in words:
        return words, []
    place = words.index("--")
    return words[:place], words[place + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="opdiff capture",
        usage="opdiff capture [options] -- COMMAND\n"
        "       opdiff capture [options] --pair LEFT.py RIGHT.py\n"
        "       opdiff capture [options] --jit-matrix SCRIPT.py:FUNCTION",
        description="help.about-capture",
        epilog="help.status-capture",
    )
    parser.add_argument("--out", metavar="DIR", help="help.out")
    parser.add_argument("--stacks", action="store_true", help="help.stacks")
    parser.add_argument("--values", action="store_true", help="help.captured-values")
    parser.add_argument("--rank", type=int, metavar="N", help="help.rank-of-capture")
    parser.add_argument("--pair", nargs=2, metavar=("LEFT.py", "RIGHT.py"), help="help.pair")
    parser.add_argument("--no-window", action="store_true", help="help.no-window")
    parser.add_argument("--jit-matrix", metavar="SCRIPT:FUNCTION", help="help.jit-matrix")
    parser.add_argument(
        "--settings", action="append", default=[], metavar="GLOB", help="help.settings"
    )
    parser.add_argument("--inputs", default="example_inputs", metavar="NAME", help="help.inputs")
    parser.add_argument("--repeat", type=int, default=100, metavar="N", help="help.repeat")
    parser.add_argument("--python", metavar="PROGRAM", help="help.python")
    add_language(parser)
    return parser


def _capture(options: argparse.Namespace, command: tuple[str, ...], home: Path) -> int:
    request = CaptureRequest(command, home, stacks=options.stacks, rank=options.rank)
    if options.values:
        with dumping(home, os.environ) as environment:
            outcome = run_and_collect(request, environment)
    else:
        outcome = run_and_collect(request)
    if not outcome.kept_earlier:  # what is there tells of the trace that is there
        write_manifest(outcome)
    reason = why_no_trace(outcome)
    if reason is not None:
        _tell(Sentence.of("capture.none", why=reason), options)
        if outcome.kept_earlier:
            _tell(Sentence.of("capture.kept", path=str(home)), options)
        return outcome.exit_status or TROUBLE
    _describe(outcome, options)
    return outcome.exit_status


def _describe(outcome: CaptureRun, options: argparse.Namespace) -> None:
    for path in outcome.traces:
        trace = open_trace(path)
        _tell(Sentence.of("capture.got", ops=len(trace), path=str(path)), options)
        if not len(trace.inputs.memory) and not len(trace.outputs.memory):
            _tell(Sentence.of("capture.no-operands"), options)
        if options.values:
            _tell(_values_of(trace), options)
    without = outcome.ranks_without
    if without:
        listed = ", ".join(map(str, without[:_MOST_RANKS]))
        more = " …" if len(without) > _MOST_RANKS else ""
        _tell(Sentence.of("capture.ranks-without", ranks=listed + more), options)
    if outcome.status:
        _tell(Sentence.of("capture.exit", status=outcome.exit_status), options)


def _values_of(trace: Trace) -> Sentence:
    """How many values there are beside a trace, or why there are none."""
    from opdiff.readers.trace_values import read_values  # only where they were asked for

    if dump_beside(trace.source.path) is None:
        return Sentence.of("capture.no-values")
    values = read_values(trace)
    known = 0 if values is None else values.known
    return Sentence.of("capture.values", count=known, path=str(Path(trace.source.path).parent))


def _tell(sentence: Sentence, options: argparse.Namespace) -> None:
    """On the error stream: the output stream belongs to the command."""
    tell(say(sentence, options.lang))


def _pair(options: argparse.Namespace) -> int:
    if not options.no_window:
        from opdiff.cli.window_command import require_qt  # a plain capture needs none of it

        require_qt()  # before two programs have run for nothing
    home = Path(options.out or "capture")
    python = _python(options)
    scripts = [_words(script) for script in options.pair]
    traces: list[str] = []
    for name, words in zip(("left", "right"), scripts, strict=True):
        status = _capture(options, (python, *words), home / name)
        if status:
            return status
        traces.append(str(home / name))
    from opdiff.cli.main import main  # here, because main imports the commands

    rank = [] if options.rank is None else ["--rank", str(options.rank)]
    language = ["--lang", options.lang]
    if options.no_window:
        return main(["compare", *traces, *rank, *language])
    return main([*traces, *rank, *language, "--compare", "whole"])


def _words(script: str) -> list[str]:
    """A script and its arguments, given as one word."""
    try:
        words = shlex.split(script)
    except ValueError:  # a quotation mark without its pair
        words = []
    if not words:
        raise OpdiffError("capture.empty-script")
    return words


def _python(options: argparse.Namespace) -> str:
    """The Python asked for, ours if it has MindSpore, else the one on the path."""
    if options.python:
        # A relative path holds wherever the run's own directory is; links stay, as a virtual
        # environment is known by its link.
        named = str(options.python)
        return os.path.abspath(named) if os.path.dirname(named) else named
    if importlib.util.find_spec("mindspore"):
        return sys.executable
    return shutil.which("python") or shutil.which("python3") or sys.executable


def _jit_matrix(options: argparse.Namespace) -> int:
    # Comparing is imported only here: a plain capture needs none of it.
    from opdiff.capture.jit_matrix import EAGER, Target, chosen_settings, jit_matrix, table

    home = Path(options.out or "capture").resolve()
    target = Target.parse(
        options.jit_matrix, _python(options), inputs=options.inputs, repeat=max(1, options.repeat)
    )

    def announce(what: str, setting: Setting, number: int, total: int) -> None:
        code = f"capture.matrix-{what}"
        _tell(Sentence.of(code, setting=setting.name, number=number, total=total), options)

    outcomes = jit_matrix(target, home, announce, chosen_settings(options.settings))
    print(table(outcomes, options.lang))
    _tell(Sentence.of("capture.matrix-kept", path=str(home)), options)
    wrong = any(not o.equal and not o.error for o in outcomes if o.setting is not EAGER)
    return _DIFFERENT if wrong else 0
