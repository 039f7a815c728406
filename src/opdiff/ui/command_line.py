"""The command line that opens the very view on the screen again."""

from __future__ import annotations

import shlex

from opdiff.compare import Comparison, Side
from opdiff.session import Work
from opdiff.session.source_map import SourceMap
from opdiff.session.value_choice import ValueChoice
from opdiff.trace import Trace
from opdiff.ui.differences.outline import Order

_AS_USUAL = ValueChoice()
_NO_MAP = SourceMap()


def command_line(
    left: Trace,
    right: Trace,
    work: Work,
    comparison: Comparison | None,
    values: ValueChoice = _AS_USUAL,
    sources: SourceMap = _NO_MAP,
    rows: tuple[int | None, int | None] = (None, None),
    order: Order = Order.CAUSE,
) -> str:
    """``opdiff LEFT RIGHT …`` with every option that makes the view, quoted for a shell.

    *rows* are those that the user is at, *order* is that of the list.
    """
    words = ["opdiff", left.source.path, right.source.path]
    words += _graphs(left, right)
    for side, trace in ((Side.LEFT, left), (Side.RIGHT, right)):
        row = work.anchor(side)
        if row is not None:
            words += [f"--{side.name.lower()}-anchor", str(trace.line_of(row))]
    request = work.request
    for left_row, right_row in request.pins:
        words += ["--pin", f"{left.line_of(left_row)}:{right.line_of(right_row)}"]
    if work.rules_path is not None:
        words += ["--rules", work.rules_path]
    else:
        # A glob of ops alone can be said on the command line; one of scopes needs the rules file.
        globs = (ignore.op for ignore in request.rules.ignore if ignore.scope == "*")
        words += [word for glob in globs for word in ("--ignore", glob)]
    if not request.rules.builtin:
        words.append("--no-default-rules")
    if request.ancestors:
        words.append("--ancestors")
    words += values.words()
    words += [word for e in sources.entries for word in ("--source-map", "=".join(e))]
    words += _listing(work, order)
    if comparison is not None:
        words += ["--compare", str(comparison.request.direction)]
    if rows != (None, None):
        lines = (
            "" if r is None else str(t.line_of(r)) for t, r in zip((left, right), rows, strict=True)
        )
        words += ["--goto", ":".join(lines)]
    return shlex.join(words)


def _listing(work: Work, order: Order) -> list[str]:
    """What the list leaves out, and its order."""
    words = [word for kind in sorted(work.hidden_kinds) for word in ("--hide-kind", kind.value)]
    words += ["--hide-known"] if work.known_hidden else []
    return words if order is Order.CAUSE else [*words, "--order", order.value]


def _graphs(left: Trace, right: Trace) -> list[str]:
    """Which graphs of the files; a file without a choice has but one."""
    graphs = [trace.source.graph for trace in (left, right)]
    return [word for graph in graphs for word in ("--graph", graph or "1")] if any(graphs) else []
