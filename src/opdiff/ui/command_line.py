"""The command line that opens the very view on the screen again."""

from __future__ import annotations

import shlex

from opdiff.compare import Comparison, Side
from opdiff.session import Work
from opdiff.trace import Trace


def command_line(left: Trace, right: Trace, work: Work, comparison: Comparison | None) -> str:
    """``opdiff LEFT RIGHT …`` with every option that makes the view, quoted for a shell."""
    words = ["opdiff", left.source.path, right.source.path]
    for side, trace in ((Side.LEFT, left), (Side.RIGHT, right)):
        row = work.anchor(side)
        if row is not None:
            words += [f"--{side.name.lower()}-anchor", str(trace.line_of(row))]
    request = work.request
    for left_row, right_row in request.pins:
        words += ["--pin", f"{left.line_of(left_row)}:{right.line_of(right_row)}"]
    if work.rules_path is not None:
        words += ["--rules", work.rules_path]
    # A glob of ops alone can be said on the command line; one of scopes needs the rules file.
    from_file = work.rules_path is not None
    for ignore in request.rules.ignore:
        if ignore.scope == "*" and not from_file:
            words += ["--ignore", ignore.op]
    if not request.rules.builtin:
        words.append("--no-default-rules")
    if request.ancestors:
        words.append("--ancestors")
    if comparison is not None:
        words += ["--compare", str(comparison.request.direction)]
    return shlex.join(words)
