"""What a pane calls its trace: eager or graph, in which order, how many ops."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication

from opdiff.trace import Role, Trace
from opdiff.trace.columns import EAGER, GRAPH


def trace_title(trace: Trace, called: str = "") -> str:
    """Such as ``eager · 206 ops``; *called* is said in place of how it ran."""
    translate = QCoreApplication.translate  # lupdate knows calls by this name only
    name = called or _mode_name(trace)
    if not trace.source.execution_order:
        order = translate("TraceTitle", "topological order")
        name = f"{name}, {order}" if name else order
    count = translate("TraceTitle", "{count} ops").format(count=f"{len(trace):,}")
    return f"{name} · {count}" if name else count


def reading_title(name: str, permille: int) -> str:
    """Of a file that is being read, how far that is."""
    translate = QCoreApplication.translate
    said = translate("TraceTitle", "reading {name} {percent} %")
    return said.format(name=name, percent=permille // 10)


def _mode_name(trace: Trace) -> str:
    """Whether a trace was run eagerly, as a graph, or both."""
    translate = QCoreApplication.translate
    # Where the trace does not say, ops with a scope are those of graphs.
    scope = np.where(trace.scope > 0, GRAPH, EAGER)
    said = trace.columns.mode
    modes = np.where(said > 0, said, scope)[trace.role == Role.OP]
    if not len(modes):
        return ""
    if modes.min() != modes.max():
        return translate("TraceTitle", "eager + graph")
    if modes[0] == EAGER:
        return translate("TraceTitle", "eager")
    return translate("TraceTitle", "graph")
