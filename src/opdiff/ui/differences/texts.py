"""What the list says of a difference: its lines, and where in the model it is."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication

from opdiff.compare import Comparison, Divergence, Side
from opdiff.compare.comparison import Region
from opdiff.trace import Trace

_LAYER = re.compile(r"(?:layers?|blocks?|cells?)[._/-]?(\d+)", re.IGNORECASE)

WHOLE_GRAPH = "Default"
"""The scope of everything in a compiled graph: no place at all."""


def lines_of(trace: Trace, rows: tuple[int, ...]) -> str:
    """``493``, or ``493, 496``, or ``493 … 511 (7)``; a dash where there are none."""
    if not rows:
        return "—"
    lines = [int(trace.line_of(row)) for row in rows]
    if len(lines) <= 2:
        return ", ".join(map(str, lines))
    return f"{lines[0]} … {lines[-1]} ({len(lines)})"


def lines_text(comparison: Comparison, found: Divergence | Region) -> str:
    """``left 493 ↔ right 499``; only one side where there is only one."""
    translate = QCoreApplication.translate
    left = lines_of(comparison.left.trace, found.left_rows)
    right = lines_of(comparison.right.trace, found.right_rows)
    if not found.right_rows:
        return translate("Differences", "left {line}").format(line=left)
    if not found.left_rows:
        return translate("Differences", "right {line}").format(line=right)
    return translate("Differences", "left {left} ↔ right {right}").format(left=left, right=right)


def region_text(comparison: Comparison, region: Region) -> str:
    """Where a region lies, and of how many such blocks it is one."""
    lines = lines_text(comparison, region)
    if region.of is None:
        return lines
    words = QCoreApplication.translate("Differences", "{lines} · one of {n} such blocks")
    return words.format(lines=lines, n=region.of)


def place_text(comparison: Comparison, found: Divergence) -> str:
    """The layer, else the function or the scope it happens in; empty if unknown."""
    for side in (Side.LEFT, Side.RIGHT):
        for row in found.rows(side)[:1]:
            place = place_of(comparison.side(side).trace, row)
            if place:
                return place
    return ""


def place_of(trace: Trace, row: int) -> str:
    """The layer, else the function or the scope of an op; empty if unknown."""
    scope = trace.scope_name(row)
    layer = _LAYER.search(scope)
    if layer:
        return QCoreApplication.translate("Differences", "layer {n}").format(n=layer[1])
    frame = trace.user_frame(row)
    if frame is not None:
        return str(frame)
    last = scope.rpartition("/")[2]
    return "" if last == WHOLE_GRAPH else last
