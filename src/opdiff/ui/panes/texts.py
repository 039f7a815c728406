"""The words of rows and of folded stretches: in cells, in tooltips, for screen readers."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QCoreApplication

from opdiff.compare import Side, State
from opdiff.report.flags import SIGN
from opdiff.trace import Trace
from opdiff.trace.stacks import innermost_first, is_no_stack, user_frame
from opdiff.ui.look.language import spoken
from opdiff.ui.look.theme import sign_of
from opdiff.ui.panes.layout import Fold
from opdiff.ui.panes.scene import Scene
from opdiff.wording.printable import printable

_DTYPE = re.compile(r"\b(BF|bf|F|f|UI|ui|I|i)(?:loat|nt)(\d+)\b")


def output_text(trace: Trace, row: int, *, short: bool = False) -> str:
    """Dtypes and shapes of the outputs, with strides and offset where the trace prints them."""
    outputs, specs = trace.outputs, trace.tables.specs
    found = [specs[index] for index in outputs.spec[outputs.start[row] : outputs.start[row + 1]]]
    text = "  ".join(
        f"{spec.text} {spec.layout_text}" if spec.is_view else spec.text for spec in found
    )
    return shortened(text) if short else text


@lru_cache(maxsize=10_000)
def shortened(tensors: str) -> str:
    """``BFloat16 [128, 2, 8, 16]`` as ``BF16 [128,2,8,16]``."""
    return _DTYPE.sub(r"\1\2", tensors).replace(", ", ",")


def origin_text(trace: Trace, row: int) -> str:
    """The user's innermost frame, else the scope."""
    stack = trace.tables.stacks[trace.columns.stack[row]]
    frame = None if is_no_stack(stack) else user_frame(stack)
    return str(frame) if frame is not None else trace.scope_name(row)


def row_text(trace: Trace, row: int) -> str:
    """A row on one line, its cells set apart by tabs: for the clipboard and for screen readers."""
    cells = (
        str(trace.line_of(row)),
        trace.type_name(row),
        output_text(trace, row),
        origin_text(trace, row),
    )
    return "\t".join(printable(cell) for cell in cells if cell)


def full_text(trace: Trace, row: int) -> str:
    """Everything of a row, a line a fact."""
    op = trace.op(row)
    stack = () if is_no_stack(op.stack) else innermost_first(op.stack)
    lines = [f"{op.line}  {op.name}"]
    lines += [f"→ {operand}" for operand in op.outputs]
    lines += [f"← {operand}" for operand in op.inputs]
    lines += [f"{frame.file}:{frame.line} {frame.function}" for frame in stack[:8]]
    return "\n".join(lines)


def tooltip(scene: Scene, side: Side, row: int, *, facts: bool = True) -> str:
    """What differs at a row, a sentence a line, then with *facts* all that the trace says."""
    trace, comparison = scene.side(side).trace, scene.comparison
    lines: list[str] = []
    if comparison is not None:
        for index in comparison.side(side).records_at(row):
            found = comparison.divergences[index]
            lines.append(f"{sign_of(found.kind)} {spoken(found.sentence)}")
    flags = scene.side(side).flags.get(row, ())
    lines += [f"{SIGN} {spoken(flag.sentence())}" for flag in flags]
    if facts and trace is not None:
        lines.append(full_text(trace, row))
    return "\n".join(lines)


def fold_text(scene: Scene, fold: Fold, side: Side) -> str:
    """Such as ``┈ 246 equal ops · layers 0–40 ┈ ▸``."""
    translate = QCoreApplication.translate  # lupdate knows calls by this name only
    equal, following, hidden, rows = _counts(scene, fold, side)
    words = []
    if equal:
        one, many = translate("FoldRow", "1 equal op"), translate("FoldRow", "{count} equal ops")
        words.append(_counted(equal, one, many))
    if following:
        one = translate("FoldRow", "1 differs in value only")
        words.append(_counted(following, one, translate("FoldRow", "{count} differ in value only")))
    if hidden:
        words.append(translate("FoldRow", "{count} hidden by filters").format(count=f"{hidden:,}"))
    if not words:
        one = translate("FoldRow", "1 op not compared")
        words.append(_counted(rows, one, translate("FoldRow", "{count} ops not compared")))
    place = _place(scene, fold, side)
    if place:
        words.append(place)
    return f"┈  {' · '.join(words)}  ┈  {'▾' if fold.opened else '▸'}"


def _counted(count: int, one: str, many: str) -> str:
    return one if count == 1 else many.format(count=f"{count:,}")


def _place(scene: Scene, fold: Fold, side: Side) -> str:
    """The layers and functions of a fold, by the structure of this side, else of the other."""
    for which in (side, side.other):
        names, span = scene.side(which).names, fold.span(which)
        if names is not None and span is not None:
            place = names.of_rows(*span)
            if place is not None:
                return spoken(place)
    return ""


def _counts(scene: Scene, fold: Fold, side: Side) -> tuple[int, int, int, int]:
    """How many rows of a fold are equal, are so but in value, hidden by filters; and all of them.

    Values that part further down than their cause are differences, but change no op.
    """
    span = fold.span(side)
    if span is None:
        side = side.other  # what is folded stands on the other side only
        span = fold.span(side)
    if span is None:
        return 0, 0, 0, 0
    rows = slice(span[0], span[1] + 1)
    here, equal = scene.side(side), scene.side(side).state[rows] == State.EQUAL
    differs = np.zeros(len(equal), bool)
    if scene.comparison is not None:
        start = scene.comparison.side(side).record_start
        differs = np.diff(start[span[0] : span[1] + 2]) > 0
    hidden = here.filtered[rows]
    counts = (equal & ~differs, equal & differs & ~hidden, hidden)
    found = [int(np.count_nonzero(each)) for each in counts]
    return found[0], found[1], found[2], span[1] + 1 - span[0]
