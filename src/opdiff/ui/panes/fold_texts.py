"""What the head of a folded stretch says."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication

from opdiff.compare import Side, State
from opdiff.ui.panes.folding import Fold
from opdiff.ui.panes.scene import SideScene
from opdiff.ui.panes.texts import stretch_facts


class FoldTexts:
    """The words of each fold, worked out when it first comes into view."""

    def __init__(self) -> None:
        self._known: dict[Fold, str] = {}

    def clear(self) -> None:
        """Forget all: the language or the scene has changed."""
        self._known.clear()

    def text(self, scene: SideScene, fold: Fold, side: Side) -> str:
        """Such as ``┈ 246 equal ops · layers 0–40 ┈ ▸``."""
        known = self._known.get(fold)
        if known is None:
            known = self._known[fold] = _text(scene, fold, side)
        return known


def _text(scene: SideScene, fold: Fold, side: Side) -> str:
    say = QCoreApplication.translate
    span = fold.span(side)
    arrow = "▾" if fold.opened else "▸"
    if span is None or scene.trace is None:
        return f"┈  {arrow}"
    first, last = span
    equal = int(np.count_nonzero(scene.state[first : last + 1] == State.EQUAL))
    words = [say("FoldRow", "{count} equal ops").format(count=f"{equal:,}")]
    facts = stretch_facts(scene.trace, first, last)
    if facts.layers is not None:
        low, high = facts.layers
        if low == high:
            words.append(say("FoldRow", "layer {number}").format(number=low))
        else:
            words.append(say("FoldRow", "layers {first}–{last}").format(first=low, last=high))
    elif facts.places:
        words.append(", ".join(facts.places))
    return f"┈  {' · '.join(words)}  ┈  {arrow}"
