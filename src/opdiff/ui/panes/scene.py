"""What the panes show: traces, comparison, marks and the layout that follows. Knows no widget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from opdiff.compare import Comparison, Direction, Kind, Section, Side, SideResult, State, state_of
from opdiff.compare.sides.noise import noise_of
from opdiff.report.flags import Flag
from opdiff.structure.part_names import PartNames
from opdiff.trace import Trace
from opdiff.trace.columns import Flags, Floats, Ints, Longs
from opdiff.ui.panes.alignment import RowPairs, ShownRows, SideLines, side_by_side
from opdiff.ui.panes.layout import EMPTY, Layout, SideRows, aligned_layout, free_layout, severity

States = NDArray[np.uint8]
T = TypeVar("T", np.uint8, np.bool_)
LANES = 2
"""What may change values, and what cannot or did not: each has a lane of the overview."""


MOST_FLAGS_UNFOLDED = 2000
"""With more of them, folding would fold nothing."""


def _no_rows() -> Ints:
    return np.zeros(0, np.int32)


def _no_flags() -> Flags:
    return np.zeros(0, bool)


@dataclass(slots=True)
class SideScene:
    """One side: its trace and what is to be seen of every row."""

    trace: Trace | None = None
    state: States = field(default_factory=lambda: np.zeros(0, np.uint8))
    """The state to paint: that of the comparison, less what the user has greyed."""
    greyed: Flags = field(default_factory=_no_flags)
    """Rows of which nothing is left to be shown: settled, or hidden by the filters."""
    filtered: Flags = field(default_factory=_no_flags)
    """Rows that differ, but in nothing that the filters let through: they fold like equal ones."""
    lanes: tuple[States, ...] = ()
    """The gravest state that is left of each row, of what may change values and of the rest."""
    partner: Ints = field(default_factory=_no_rows)
    opened: Flags = field(default_factory=_no_flags)
    hits: Flags = field(default_factory=_no_flags)
    """Rows that a search has found."""
    noted: frozenset[int] = frozenset()
    """Rows of differences that the user wrote a note on."""
    pins: frozenset[int] = frozenset()
    flags: Mapping[int, tuple[Flag, ...]] = field(default_factory=dict)
    """Rows that another tool flagged."""
    anchor: int | None = None
    names: PartNames | None = None
    """What the parts of the trace are called; None while that is not known."""
    errors: Floats | None = None
    """How far the values of every row are off, where that is known."""
    floors: Floats | None = None
    revealed: set[int] = field(default_factory=set)
    """Rows that would be hidden, but which the user went to."""

    def __len__(self) -> int:
        return 0 if self.trace is None else len(self.trace)

    def wanted(self) -> list[int]:
        """Rows that are always shown."""
        anchor = [] if self.anchor is None else [self.anchor]
        flagged = self.flags if len(self.flags) <= MOST_FLAGS_UNFOLDED else ()
        return [*anchor, *self.pins, *flagged, *self.revealed]

    def partner_of(self, row: int) -> int | None:
        """The row's counterpart."""
        other = int(self.partner[row])
        return other if other >= 0 else None


@dataclass(slots=True)
class Options:
    """How the user wants it shown."""

    folded: bool = True
    noise_hidden: bool = True
    aligned: bool = True
    swallowed_shown: bool = False
    following: bool = True
    """Whether the other side comes along where each scrolls on its own."""


def _uncompared(trace: Trace | None) -> States:
    if trace is None:
        return np.zeros(0, np.uint8)
    noise = noise_of(trace, trace)
    return np.where(noise, np.uint8(State.NOISE), np.uint8(State.EQUAL))


class Scene:
    """Both sides, and where everything stands."""

    def __init__(self) -> None:
        self.sides = (SideScene(), SideScene())
        self.comparison: Comparison | None = None
        self.options = Options()
        self.settled: Flags = _no_flags()
        """The divergences that are called known or hidden by the filters."""
        self._bases: tuple[Comparison, tuple[bool, bool], list[SideRows]] | None = None
        self._lined: tuple[Comparison, tuple[Flags, Flags], SideLines] | None = None
        """The rows of a comparison as they were lined up last."""
        self.layout: Layout = EMPTY
        self.aligned: Layout = EMPTY
        """The aligned layout, whichever is shown: the overview always speaks of this one."""

    def side(self, side: Side) -> SideScene:
        """One side."""
        return self.sides[side]

    def set_trace(self, side: Side, trace: Trace | None) -> None:
        """Show another trace; whatever was known of the old one is forgotten."""
        self.sides[side].trace = trace
        self.sides[side].anchor = None
        self.sides[side].hits = np.zeros(len(self.sides[side]), bool)
        self.sides[side].names = None
        self.set_comparison(None)

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show a comparison, or none."""
        self.comparison = comparison
        for side in Side:
            scene = self.sides[side]
            count = len(scene)
            scene.opened = np.zeros(count, bool)
            scene.greyed = np.zeros(count, bool)
            scene.filtered = np.zeros(count, bool)
            scene.revealed = set()
            told = None if comparison is None else comparison.values
            scene.errors = None if told is None else told.error_of_rows(side)
            scene.floors = None if told is None else told.floor_of_rows(side)
            scene.noted = frozenset()
            if comparison is None:
                scene.state = _uncompared(scene.trace)
                scene.partner = np.full(count, -1, np.int32)
                scene.pins = frozenset()
                continue
            result = comparison.side(side)
            scene.state, scene.partner = result.state, result.partner
            scene.pins = frozenset(pin[side] for pin in comparison.request.pins)
            if result.anchor is not None:
                scene.anchor = result.anchor
        self.set_greyed(np.zeros(0, np.int64))

    def add_links(self, left_rows: Ints, right_rows: Ints) -> None:
        """Pairs known while the comparison is still running; a finished one knows better."""
        if self.comparison is not None:
            return
        left, right = self.sides
        left.partner[left_rows] = right_rows
        right.partner[right_rows] = left_rows

    def set_pins(self, pins: Iterable[tuple[int, int]]) -> None:
        """Mark pairs that the user has decreed."""
        pairs = list(pins)
        for side in Side:
            self.sides[side].pins = frozenset(pair[side] for pair in pairs)

    def set_greyed(self, indices: ArrayLike, hidden: ArrayLike = ()) -> bool:
        """Paint these divergences as settled; a row keeps the colour of what is left of it.

        *hidden* are those of them that the filters hide. Returns whether other rows may fold now.
        """
        comparison = self.comparison
        if comparison is None:
            self.settled = _no_flags()
            for scene in self.sides:
                scene.lanes = (np.zeros(len(scene), np.uint8),) * LANES
            return False
        self.settled = np.zeros(len(comparison.divergences), bool)
        self.settled[np.asarray(indices, np.int64)] = True
        groups = comparison.groups
        # What only follows is shown as equal.
        grave = np.array([0 if each.quiet else state_of(each.kind) for each in groups], np.uint8)
        lane = np.array([each.section is not Section.SUSPECT for each in groups], np.int64)
        listed = np.ones(len(self.settled), bool)
        listed[np.asarray(hidden, np.int64)] = False
        refold = False
        state = grave[comparison.group_of] if len(grave) else np.zeros(0, np.uint8)
        lanes = lane[comparison.group_of] if len(lane) else np.zeros(0, np.int64)
        state[self.settled] = 0
        parted = [np.where(lanes == number, state, np.uint8(0)) for number in range(LANES)]
        for side in Side:
            scene, result = self.sides[side], comparison.side(side)
            rows, rests = result.differing, [_worst(result, amounts) for amounts in parted]
            scene.lanes = tuple(_spread(rows, rest, len(scene)) for rest in rests)
            rest, touched = np.maximum.reduce(rests), _worst(result, self.settled)
            scene.greyed = _spread(rows, touched & (rest == 0), len(scene))
            scene.state = result.state.copy()
            scene.state[rows] = np.where(touched & (rest > 0), rest, result.state[rows])
            filtered = _spread(rows, ~_worst(result, listed), len(scene))
            refold |= not np.array_equal(filtered, scene.filtered)
            scene.filtered = filtered
        return refold

    def lane(self, lane: int) -> States:
        """The gravest state at each aligned height of what may change values (0) or the rest."""
        if self.comparison is None:
            return np.zeros(len(self.aligned.left), np.uint8)
        return severity(self.aligned, *(scene.lanes[lane] for scene in self.sides))

    def open_fold(
        self, left: tuple[int, int] | None, right: tuple[int, int] | None, opened: bool
    ) -> None:
        """Open or close the stretches between first and last row of each side."""
        for scene, span in zip(self.sides, (left, right), strict=True):
            if span is not None:
                scene.opened[span[0] : span[1] + 1] = opened

    def prepare(self, comparison: Comparison) -> None:
        """Line up the rows for a comparison that is going to be shown; on any thread."""
        left, right = self._bases_of(comparison)
        self._line_up(comparison, left, right)

    def rebuild(self) -> None:
        """Work out the layout anew."""
        left, right = (self._rows_of(side) for side in Side)
        folded = self.options.folded
        if self.comparison is None:
            lines = side_by_side(left, right, self._known_pairs())
        else:
            lines = self._line_up(self.comparison, left, right)
        self.aligned = aligned_layout(lines, left, right, folded=folded)
        self.layout = (
            self.aligned if self.options.aligned else free_layout(left, right, folded=folded)
        )

    def _line_up(self, comparison: Comparison, left: ShownRows, right: ShownRows) -> SideLines:
        """The rows before they are folded: as before, where only filters and folds have changed."""
        if self._lined is not None:
            known, shown, lines = self._lined
            same = known is comparison and np.array_equal(shown[0], left.shown)
            if same and np.array_equal(shown[1], right.shown):
                return lines
        lines = side_by_side(left, right, _pairs(comparison))
        self._lined = (comparison, (left.shown, right.shown), lines)
        return lines

    def eye_level(self) -> float:
        """How far down to show a place: when comparing upward, what matters is above it."""
        if self.comparison is None:
            return 0.5
        return {Direction.UP: 0.7, Direction.DOWN: 0.3}.get(self.comparison.request.direction, 0.5)

    def severity(self) -> States:
        """The more severe state at each aligned height."""
        if self.comparison is None:
            return np.full(len(self.aligned.left), State.EQUAL, np.uint8)
        return severity(self.aligned, *(scene.state for scene in self.sides))

    def _rows_of(self, side: Side) -> SideRows:
        scene = self.sides[side]
        if self.comparison is None:
            return self._plain_rows(scene)
        base = self._bases_of(self.comparison)[side]
        shown, wanted = base.shown, scene.wanted()
        if not shown[wanted].all():
            shown = shown.copy()
            shown[wanted] = True
        quiet = base.quiet | scene.filtered
        quiet[wanted] = False
        return SideRows(shown, base.loose, quiet, scene.opened)

    def _bases_of(self, comparison: Comparison) -> list[SideRows]:
        """What is shown and what may be folded of each side, before filters and wishes."""
        options = (self.options.noise_hidden, self.options.swallowed_shown)
        known = self._bases
        if known is None or known[0] is not comparison or known[1] != options:
            bases = [self._base(comparison.side(side)) for side in Side]
            known = self._bases = (comparison, options, bases)
        return known[2]

    def _base(self, result: SideResult) -> SideRows:
        state = result.state
        noise = (state == State.NOISE) | (result.noise & (state == State.OUTSIDE))
        alone = (state == State.SWALLOWED) & (result.partner < 0)
        shown = ~noise if self.options.noise_hidden else np.ones(len(noise), bool)
        quiet = (state == State.EQUAL) | noise | self._amid(result.compared, state)
        if not self.options.swallowed_shown:
            shown &= ~alone
            quiet |= state == State.SWALLOWED
        return SideRows(shown, (state == State.OUTSIDE) | noise | alone, quiet, _no_flags())

    def _plain_rows(self, scene: SideScene) -> SideRows:
        rows = SideRows.plain(len(scene))
        if self.options.noise_hidden:
            np.not_equal(scene.state, State.NOISE, out=rows.shown)
            rows.shown[scene.wanted()] = True
        return rows

    @staticmethod
    def _amid(compared: Flags, state: States) -> Flags:
        """Rows that were left out amid compared ones, as those the anchor does not depend on."""
        amid = np.zeros(len(compared), bool)
        inside = np.flatnonzero(compared)
        if len(inside):
            span = slice(int(inside[0]), int(inside[-1]) + 1)
            amid[span] = state[span] == State.OUTSIDE
        return amid

    def _known_pairs(self) -> RowPairs:
        """What is known to belong together before anything is compared, or while it is."""
        left, right = self.sides
        partner = left.partner
        if left.anchor is not None and right.anchor is not None:
            partner = partner.copy()
            partner[left.anchor] = right.anchor
        rows = np.flatnonzero(partner >= 0).astype(np.int32)
        return RowPairs(rows, partner[rows])


def _worst(result: SideResult, amounts: NDArray[T]) -> NDArray[T]:
    """Of each row that differs, the largest amount of its divergences."""
    rows = result.differing
    if not len(rows):
        return amounts[:0]
    worst: NDArray[T] = np.maximum.reduceat(amounts[result.record], result.record_start[rows])
    return worst


def _spread(rows: Longs, amounts: NDArray[T], count: int) -> NDArray[T]:
    """The amounts of some rows among all of them; nothing for the others."""
    spread = np.zeros(count, amounts.dtype)
    spread[rows] = amounts
    return spread


def _pairs(comparison: Comparison) -> RowPairs:
    """Which rows should stand at the same height."""
    partner, other = comparison.left.partner.copy(), comparison.right.partner
    for moved in _of_kind(comparison, Kind.MOVED):
        partner[list(moved[0])] = -1
    for several, others in _of_kind(comparison, Kind.FUSED):
        if several and others and partner[several[0]] < 0 and other[others[0]] < 0:
            partner[several[0]] = others[0]
    rows = np.flatnonzero(partner >= 0).astype(np.int32)
    return RowPairs(rows, partner[rows])


def _of_kind(comparison: Comparison, kind: Kind) -> list[tuple[Sequence[int], Sequence[int]]]:
    members = (
        comparison.divergences[index]
        for group in comparison.groups
        if group.kind is kind
        for index in group.members
    )
    return [(found.left_rows, found.right_rows) for found in members]
