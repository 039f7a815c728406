"""Where the columns of a pane stand: as wide as their text wants, or as the user dragged them."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtGui import QFontMetricsF

from opdiff.trace import Frame, Role, Trace
from opdiff.trace.columns import Ints
from opdiff.trace.stacks import is_no_stack, user_frame
from opdiff.ui.panes.metrics import Metrics, metrics
from opdiff.ui.panes.texts import shortened

Extent = tuple[float, float]
"""Left end and width."""

LEAST_SHARE = 0.08
_MOST_PLACE = 0.3
_FUNCTION_LETTERS = 24
_NAME_LETTERS = 32
_LAYOUT_LETTERS = 64
_LEAST_OUTPUT = 4.0
_LEAST_PLACE = 2.5
"""In heights of a line: with less a column says nothing, and leaves its room to the others."""
_FITTING = 0.95
"""How many of the rows should not need to be elided."""
_NEARLY_ALL = 0.98
_USUAL_PLACES = 0.85


@dataclass(frozen=True, slots=True)
class ColumnSpans:
    """The columns of a pane at its present width."""

    line: Extent
    sign: Extent
    op: Extent
    output: Extent
    origin: Extent
    error: Extent = (0.0, 0.0)
    """Without width where nothing is known of values."""
    short: bool = False
    """Whether outputs are written in their short form."""

    def boundaries(self) -> tuple[float, float]:
        """What can be dragged: the left ends of output and origin."""
        return self.output[0], self.origin[0]

    def dragged(self, boundary: int, x: float) -> ColumnShares:
        """The shares after boundary 0 or 1 was dragged to *x*."""
        rest = max(1.0, self.op[1] + self.output[1] + self.origin[1])
        op, both = self.op[1] / rest, (self.op[1] + self.output[1]) / rest
        share = (x - self.op[0]) / rest
        if boundary == 0:
            op = min(max(share, LEAST_SHARE), both - LEAST_SHARE)
        else:
            both = min(max(share, op + LEAST_SHARE), 1.0)
        return ColumnShares(op, both - op)


@dataclass(frozen=True, slots=True)
class ColumnShares:
    """How op, output and origin share what line number and sign leave; origin has the rest."""

    op: float
    output: float

    @property
    def is_sound(self) -> bool:
        """Whether every column has some width."""
        return self.op > 0 and self.output > 0 and self.op + self.output <= 1


@dataclass(frozen=True, slots=True)
class ColumnWishes:
    """The name that op, how many letters output and place, and digits the line should show.

    The place is the file and line that an op comes from, without its function.
    """

    op: str = "MatMulExt"
    """The longest name of a type."""
    output: int = 16
    short: int = 12
    """The output in its short form, where there is no room for the other."""
    digits: int = 4
    place: int = 12

    @classmethod
    def of(cls, trace: Trace) -> ColumnWishes:
        """What nearly all rows of a trace need."""
        if not len(trace):
            return cls()
        specs = trace.tables.specs
        return cls(
            op=_widest(trace),
            output=_letters([len(spec.text) for spec in specs], trace.outputs.spec, _NEARLY_ALL),
            short=_letters([len(shortened(spec.text)) for spec in specs], trace.outputs.spec),
            digits=max(4, len(str(int(trace.columns.line[-1])))),
            place=_letters(
                [_place_letters(s) for s in trace.tables.stacks], trace.columns.stack, _USUAL_PLACES
            ),
        )

    def joined(self, other: ColumnWishes) -> ColumnWishes:
        """What two traces need, so that their columns look alike."""
        return ColumnWishes(
            max(self.op, other.op, key=len),
            max(self.output, other.output),
            max(self.short, other.short),
            max(self.digits, other.digits),
            max(self.place, other.place),
        )

    def spans(self, width: float, shares: ColumnShares | None, error: float = 0.0) -> ColumnSpans:
        """The columns of a pane *width* wide, in the user's *shares* if there are any.

        *error* is the width of the column of errors, where there is one.
        """
        sizes = metrics()
        width -= error
        line, sign, start = self._before(sizes, width)
        rest = max(0.0, width - start)
        shares = shares or self._shares(rest, sizes)
        op, output = rest * shares.op, rest * shares.output
        return ColumnSpans(
            line=line,
            sign=sign,
            op=(start, op),
            output=(start + op, output),
            origin=(start + op + output, rest - op - output),
            error=(width, error),
            short=output < self.output * sizes.digit,
        )

    def least(self) -> float:
        """How wide a pane must be to show the types of its ops whole, and nothing else of them."""
        sizes = metrics()
        return self._before(sizes, 0.0)[2] + self._name(sizes) + 0.5 * sizes.em

    def _name(self, sizes: Metrics) -> float:
        """How wide the longest name is."""
        return QFontMetricsF(sizes.bold).horizontalAdvance(self.op)

    def _before(self, sizes: Metrics, width: float) -> tuple[Extent, Extent, float]:
        """Line number and sign, and where the op begins: close to each other where it has to be."""
        for pad, air, room in ((sizes.pad, 0.25, 1.5), (sizes.pad / 2, 0.1, 1.1)):
            line = (pad, sizes.digit * self.digits + 1)
            sign = (line[0] + line[1] + sizes.em * air, sizes.em * room)
            start = sign[0] + sign[1] + sizes.em * 0.2
            if start + self._name(sizes) + sizes.em <= width:
                break
        return line, sign, start

    def _shares(self, rest: float, sizes: Metrics) -> ColumnShares:
        """The op's type is never cut where there is any room, then comes the place, then the rest.

        Of shapes the beginning says much already, of a place its end.
        """
        room = max(1.0, rest)
        op = min((self._name(sizes) + 1.2 * sizes.em) / room, 1.0)
        place = min((self.place * sizes.small_letter + sizes.em) / room, _MOST_PLACE)
        wish = (self.output * sizes.digit + sizes.em) / room
        if op + place + wish > 1:
            wish = (self.short * sizes.digit + sizes.em) / room
            place = min((self.place * sizes.small_letter + sizes.em) / room, 1 - op - wish)
            place = max(place, min(self.place * sizes.small_letter / room, _MOST_PLACE, 1 - op))
        output = min(wish, 1 - op - place)
        # Where there is room to spare, strides and offsets are shown too.
        comfortable = (self.place + _FUNCTION_LETTERS) * sizes.small_letter / room
        spare = max(0.0, 1 - op - output - comfortable)
        output += min(spare, _LAYOUT_LETTERS * sizes.digit / room)
        if output * room < _LEAST_OUTPUT * sizes.em:
            output = 0.0
        if (1 - op - output) * room < _LEAST_PLACE * sizes.em:
            op = 1 - output
        return ColumnShares(op, output)


_known: WeakKeyDictionary[Trace, ColumnWishes] = WeakKeyDictionary()


def wishes_of(trace: Trace) -> ColumnWishes:
    """What a trace needs, worked out once: that goes through all of it."""
    wishes = _known.get(trace)
    if wishes is None:
        wishes = _known[trace] = ColumnWishes.of(trace)
    return wishes


def _widest(trace: Trace) -> str:
    """The longest name among the types of nearly all ops, or its beginning.

    What is longer, as graphs call what they fuse, takes of the output of its own row.
    """
    types = trace.type[trace.role == Role.OP]
    lengths = [len(name) for name in trace.types]
    most = _letters(lengths, types, _NEARLY_ALL)
    names = (trace.types[index] for index in np.flatnonzero(np.bincount(types)).tolist())
    return max((name for name in names if len(name) <= most), key=len, default="")[:_NAME_LETTERS]


def _place_letters(stack: tuple[Frame, ...]) -> int:
    """The letters of ``rotary.py:51``."""
    frame = None if is_no_stack(stack) else user_frame(stack)
    return 0 if frame is None else str(frame).find(" ")


def _letters(lengths: list[int], uses: Ints, share: float = _FITTING) -> int:
    """The length that such a share of all uses of some texts fit in."""
    if not len(uses):
        return 0
    counts = np.bincount(np.array(lengths, np.int64)[uses])
    return int(np.searchsorted(np.cumsum(counts), share * len(uses)))
