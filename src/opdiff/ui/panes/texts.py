"""The words of a row: what its cells, its tooltip and a screen reader say."""

from __future__ import annotations

import re
from functools import lru_cache

from opdiff.compare import Side
from opdiff.report.flag_phrases import flag_sentence
from opdiff.report.flags import SIGN
from opdiff.trace import Trace
from opdiff.trace.stacks import innermost_first, is_no_stack, user_frame
from opdiff.ui.language import spoken
from opdiff.ui.panes.scene import Scene
from opdiff.ui.theme import sign_of

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
    return "\t".join(cell for cell in cells if cell)


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
    lines += [f"{SIGN} {spoken(flag_sentence(flag))}" for flag in flags]
    if facts and trace is not None:
        lines.append(full_text(trace, row))
    return "\n".join(lines)
