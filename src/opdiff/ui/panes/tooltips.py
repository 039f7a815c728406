"""Everything about a row, for those who rest the mouse on it."""

from __future__ import annotations

from opdiff.compare import Side
from opdiff.report.flag_phrases import flag_sentence
from opdiff.report.flags import SIGN
from opdiff.ui.language import spoken
from opdiff.ui.panes.scene import Scene
from opdiff.ui.panes.texts import full_text
from opdiff.ui.theme import sign_of


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
