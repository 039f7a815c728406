"""Which links are in view between two panes, and where their ends are. Knows no painting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol

from opdiff.compare import Kind, Side, State, kind_of
from opdiff.ui.panes.layout import Column
from opdiff.ui.panes.scene import Scene


class Weight(IntEnum):
    """How much a link stands out; heavier ones are drawn over lighter ones."""

    FOLD = 0
    EQUAL = 1
    DIFFERENT = 2
    PIN = 3
    ANCHOR = 4


@dataclass(frozen=True, slots=True)
class Link:
    """A link: the middle of its row on either side, None where there is no row."""

    left: float | None
    right: float | None
    weight: Weight
    kind: Kind | None = None
    current: bool = False
    """Whether it belongs to the row the user is at."""


class LinkStyle(NamedTuple):
    """What a link looks like."""

    weight: Weight
    kind: Kind | None
    current: bool


class View(Protocol):
    """What must be known of a pane to tell where its rows are."""

    @property
    def column(self) -> Column:
        """Its side of the layout."""

    @property
    def row_height(self) -> int:
        """Pixels a height."""

    def visible_heights(self) -> tuple[int, int]:
        """First and last height in view."""

    def y_of(self, height: int) -> int:
        """Where the top of a height is."""

    def cursor_row(self) -> int | None:
        """The row the user is at."""


def links_in_view(scene: Scene, left: View, right: View) -> list[Link]:
    """The links of all rows in view, light ones first."""
    views = (left, right)
    found: list[Link] = []
    for side in Side:
        for row, height in _rows_in_view(views[side]):
            found.extend(_links_of(scene, views, side, row, height))
    found.extend(_fold_links(views))
    found.sort(key=lambda link: link.weight)
    return found


def counterparts(scene: Scene, side: Side, row: int) -> list[int]:
    """The rows on the other side that a row belongs with: its partner, or all it is fused with."""
    side_scene, comparison = scene.side(side), scene.comparison
    if comparison is not None and side_scene.state[row] >= State.DIFFERENT:
        for index in comparison.side(side).records_at(row):
            divergence = comparison.divergences[index]
            if divergence.kind is Kind.FUSED:
                return list(divergence.rows(side.other))
    partner = side_scene.partner_of(row)
    if partner is not None:
        return [partner]
    anchors = (scene.side(Side.LEFT).anchor, scene.side(Side.RIGHT).anchor)
    other = anchors[side.other]
    return [other] if row == anchors[side] and other is not None else []


def _rows_in_view(view: View) -> Iterator[tuple[int, int]]:
    first, last = view.visible_heights()
    cells = view.column.cells[first : last + 1].tolist()
    return ((cell, height) for height, cell in enumerate(cells, first) if cell >= 0)


def _links_of(
    scene: Scene, views: tuple[View, View], side: Side, row: int, height: int
) -> Iterator[Link]:
    weight, kind = _style(scene, side, row)
    current = row == views[side].cursor_row()
    here = _middle(views[side], height)
    others = counterparts(scene, side, row)
    if not others and kind is not None:
        yield _link(side, here, None, LinkStyle(weight, kind, current))
    view = views[side.other]
    first, last = view.visible_heights()
    for other in others:
        if not view.column.shows(other):
            continue
        place = view.column.height_of(other)
        # Links with both ends in view are found from the left.
        if side is Side.RIGHT and first <= place <= last and view.column.row_at(place) is not None:
            continue
        yield _link(side, here, _middle(view, place), LinkStyle(weight, kind, current))


def _link(side: Side, here: float, there: float | None, style: LinkStyle) -> Link:
    ends = (here, there) if side is Side.LEFT else (there, here)
    return Link(ends[0], ends[1], *style)


def _style(scene: Scene, side: Side, row: int) -> tuple[Weight, Kind | None]:
    side_scene = scene.side(side)
    kind = None if side_scene.greyed[row] else kind_of(int(side_scene.state[row]))
    if row == side_scene.anchor:
        return Weight.ANCHOR, None
    if row in side_scene.pins:
        return Weight.PIN, kind
    return (Weight.EQUAL, None) if kind is None else (Weight.DIFFERENT, kind)


def _fold_links(views: tuple[View, View]) -> Iterator[Link]:
    """Folded stretches that stand opposite each other, as they do in an aligned layout."""
    left, right = views
    if left.column.folds is not right.column.folds:
        return
    first, last = left.visible_heights()
    for height in range(first, last + 1):
        if left.column.fold_at(height) is not None:
            yield Link(_middle(left, height), _middle(right, height), Weight.FOLD)


def _middle(view: View, height: int) -> float:
    return view.y_of(height) + view.row_height / 2
