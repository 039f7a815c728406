"""What the head of a folded stretch says."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication

from opdiff.compare import Side, State
from opdiff.ui.language import spoken
from opdiff.ui.panes.folding import Fold
from opdiff.ui.panes.scene import Scene


class FoldTexts:
    """The words of each fold, worked out when it first comes into view."""

    def __init__(self) -> None:
        self._known: dict[Fold, str] = {}

    def clear(self) -> None:
        """Forget all: the language or the scene has changed."""
        self._known.clear()

    def text(self, scene: Scene, fold: Fold, side: Side) -> str:
        """Such as ``┈ 246 equal ops · layers 0–40 ┈ ▸``."""
        known = self._known.get(fold)
        if known is None:
            known = self._known[fold] = _text(scene, fold, side)
        return known


def _text(scene: Scene, fold: Fold, side: Side) -> str:
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
