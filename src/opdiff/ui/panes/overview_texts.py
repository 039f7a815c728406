"""What the overview says of a place when the mouse rests there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from opdiff.compare import Kind, Side
from opdiff.ui.differences.texts import place_of
from opdiff.ui.language import kind_name
from opdiff.ui.panes.scene import Scene
from opdiff.ui.theme import PIN_SIGN, sign_of


def text_of(scene: Scene, heights: range) -> str:
    """The lines at some heights, where in the model that is, and what is found there."""
    rows = {side: _rows_at(scene, side, heights) for side in Side}
    words = [" ↔ ".join(_lines(scene, side, rows[side]) for side in Side), _place(scene, rows)]
    words += [
        f"{sign_of(kind)} {kind_name(kind)}" + (f" × {count:,}" if count > 1 else "")
        for kind, count in _kinds(scene, rows).most_common()
    ]
    words += _marks(scene, rows)
    return "\n".join(filter(None, words))


def _rows_at(scene: Scene, side: Side, heights: range) -> list[int]:
    """The rows at some heights; those of a fold are all alike, its first one stands for them."""
    column = scene.aligned.column(side)
    found = []
    for height in heights:
        row = column.row_at(height)
        fold = column.fold_at(height) if row is None else None
        span = None if fold is None else fold.span(side)
        if row is not None or span is not None:
            found.append(row if row is not None else (span or (0, 0))[0])
    return found


def _lines(scene: Scene, side: Side, rows: list[int]) -> str:
    trace = scene.side(side).trace
    if not rows or trace is None:
        return "–"
    first, last = (f"{trace.line_of(row):,}" for row in (rows[0], rows[-1]))
    return first if first == last else f"{first} … {last}"


def _place(scene: Scene, rows: dict[Side, list[int]]) -> str:
    for side in Side:
        trace = scene.side(side).trace
        if trace is not None and rows[side]:
            place = place_of(trace, rows[side][0])
            if place:
                return place
    return ""


def _kinds(scene: Scene, rows: dict[Side, list[int]]) -> Counter[Kind]:
    """How many of the differences shown there are of each kind."""
    comparison = scene.comparison
    if comparison is None:
        return Counter()
    records = {
        index
        for side in Side
        for row in rows[side]
        for index in comparison.side(side).records_at(row)
    }
    shown: Iterable[int] = (index for index in records if not scene.settled[index])
    return Counter(comparison.groups[int(comparison.group_of[index])].kind for index in shown)


def _marks(scene: Scene, rows: dict[Side, list[int]]) -> list[str]:
    translate = QCoreApplication.translate
    marked = {
        f"{PIN_SIGN} " + translate("Overview", "a pin"): "pins",
        "✎ " + translate("Overview", "a note"): "noted",
    }
    found = "⌕ " + translate("Overview", "found by the search")
    hit = any(scene.side(side).hits[rows[side]].any() for side in Side)
    return [
        words
        for words, what in marked.items()
        if any(not getattr(scene.side(side), what).isdisjoint(rows[side]) for side in Side)
    ] + [found] * hit
