"""The details of two ops as a table of fields: what is written where, marked and linked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from PySide6.QtCore import QCoreApplication

from opdiff.compare import Kind, Side
from opdiff.trace import Frame, Op, Operand
from opdiff.trace.stacks import innermost_first, is_no_stack, user_frame
from opdiff.ui.details.pairing import ShownPair
from opdiff.ui.details.table import NEW_LINE, Cell, DetailRow, GoTo, OpenSource, Span, Unfold
from opdiff.ui.values.value_fields import value_fields

MOST_NAMED = 6
"""Consumers named before the rest is only counted."""
MOST_FRAMES = 1
MOST_UNFOLDED = 200
"""How much of everything is shown on request: more would only make the window slow."""
MOST_OPERANDS = 24


class FieldTable:
    """Builds the fields of the shown ops."""

    def __init__(self, shown: ShownPair, *, unfolded: bool = False) -> None:
        self._shown = shown
        self._comparison = shown.comparison
        self._unfolded = unfolded
        self._records = shown.records()
        self._kinds = [record.kind for record in self._records]
        self._ops = [shown.op(side) for side in Side]

    def tr(self, text: str, comment: str = "", count: int = -1) -> str:
        """Translated in the context of this class."""
        return QCoreApplication.translate("FieldTable", text, comment, count)

    def fields(self) -> list[DetailRow]:
        """All fields, top to bottom."""
        return [
            *self._fusion(),
            self._type(),
            DetailRow(self.tr("stack"), self._stack(Side.LEFT), self._stack(Side.RIGHT)),
            *self._inputs(),
            *self._outputs(),
            *value_fields(self._shown),
            DetailRow(self.tr("read by"), self._readers(Side.LEFT), self._readers(Side.RIGHT)),
            *self._lost_links(),
            *self._attrs(),
            *self._places(),
        ]

    def _mark(self, *own: Kind) -> Kind | None:
        """The kind that tints a field that differs: its own, else the pair's most severe.

        One op of a fusion has other operands than the fused one, which says nothing.
        """
        if self._ops[0] is None or self._ops[1] is None or not self._kinds:
            return None
        usual = next((kind for kind in self._kinds if kind is not Kind.FUSED), None)
        return next((kind for kind in own if kind in self._kinds), usual)

    def _plain(self, label: str, texts: Sequence[str], *own: Kind) -> DetailRow:
        left, right = texts
        kind = self._mark(*own) if left != right else None
        return DetailRow(label, _cell(left), _cell(right), kind)

    def _type(self) -> DetailRow:
        if self._comparison is None or all(self._ops):
            return self._plain(
                self.tr("type"), [op.type if op else "" for op in self._ops], Kind.OP_TYPE
            )
        alone = _dash(self.tr("no counterpart"))
        cells = [(Span(op.type) if op else alone,) for op in self._ops]
        return DetailRow(
            self.tr("type"), cells[0], cells[1], self._kinds[0] if self._kinds else None
        )

    def _fusion(self) -> Iterable[DetailRow]:
        record = self._shown.fusion()
        if record is not None:
            cells = [self._named(side, record.rows(side)) for side in Side]
            yield DetailRow(self.tr("together"), cells[0], cells[1], Kind.FUSED)

    def _inputs(self) -> Iterable[DetailRow]:
        (left, left_rest), (right, right_rest) = (self._split_inputs(side) for side in Side)
        slots = list(zip_longest(left, right))
        # Numbered as the sentences of the comparison number them.
        for number, slot in enumerate(slots[: self._most(MOST_OPERANDS)]):
            operands = [
                op.inputs[place] if op is not None and place is not None else None
                for op, place in zip(self._ops, slot, strict=True)
            ]
            yield self._operands(self.tr("input {0}").format(number), operands)
            origins = [self._origin(side, slot[side]) for side in Side]
            if any(origins):
                yield DetailRow("", origins[0], origins[1], self._origin_kind(slot))
        yield from self._rest(len(slots))
        if left_rest or right_rest:
            cells = self._constants(Side.LEFT, left_rest), self._constants(Side.RIGHT, right_rest)
            yield DetailRow(self.tr("constants"), *cells)

    def _split_inputs(self, side: Side) -> tuple[list[int], list[int]]:
        known = self._shown.compared(side)
        return ([], []) if known is None else known[0].inputs(known[1])

    def _outputs(self) -> Iterable[DetailRow]:
        outputs = [op.outputs if op else () for op in self._ops]
        count = max(map(len, outputs))
        for number in range(min(count, self._most(MOST_OPERANDS))):
            operands = [side[number] if number < len(side) else None for side in outputs]
            yield self._operands(self.tr("output {0}").format(number), operands)
        yield from self._rest(count)

    def _rest(self, count: int) -> Iterable[DetailRow]:
        left_out = count - self._most(MOST_OPERANDS)
        if left_out > 0:
            yield DetailRow("", (self._more(left_out),), ())

    def _more(self, left_out: int) -> Span:
        link = None if self._unfolded else Unfold()
        return Span(self.tr("%n more", "", left_out), link, words=True)

    def _most(self, usual: int) -> int:
        return MOST_UNFOLDED if self._unfolded else usual

    def _operands(self, label: str, operands: Sequence[Operand | None]) -> DetailRow:
        left, right = operands
        if left is None or right is None:
            alone = [(Span(str(operand)),) if operand else () for operand in operands]
            return DetailRow(label, alone[0], alone[1], self._mark(Kind.OPERANDS))
        kind = self._operand_kind(left, right)
        marked = kind is not None
        cells = [_operand_spans(*pair, marked) for pair in ((left, right), (right, left))]
        return DetailRow(label, cells[0], cells[1], kind)

    def _operand_kind(self, left: Operand, right: Operand) -> Kind | None:
        one, other = left.spec, right.spec
        own = [
            kind
            for kind, differs in (
                (Kind.DTYPE, one.dtype != other.dtype),
                (Kind.SHAPE, one.shape != other.shape),
                (Kind.LAYOUT, one.is_view and other.is_view),
                (Kind.LAYOUT_MISSING, one.is_view != other.is_view),
            )
            if differs
        ]
        return self._mark(*own) if one != other else None

    def _constants(self, side: Side, places: Iterable[int]) -> Cell:
        """Constants are never a difference: they share a line."""
        op = self._ops[side]
        inputs = () if op is None else op.inputs
        spans: list[Span] = []
        for place in places:
            way = self._way(side, place)
            link = GoTo(side, way[0]) if way else None
            spans += [Span(",  ", dim=True), Span(str(inputs[place]), link, dim=True)]
        return tuple(spans[1:])

    def _way(self, side: Side, operand: int | None) -> list[int]:
        known = self._shown.compared(side)
        return [] if known is None or operand is None else known[0].origin(known[1], operand)

    def _origin(self, side: Side, operand: int | None) -> Cell:
        if operand is None:
            return ()
        way = self._way(side, operand)
        if not way:
            return (Span(self.tr("no producer in this trace"), dim=True, words=True),)
        names = [span for row in way for span in (Span(" → "), self._name(side, row))][1:]
        return (Span(self.tr("from") + " ", words=True), *names)

    def _origin_kind(self, slot: tuple[int | None, int | None]) -> Kind | None:
        """Only what the comparison calls a changed dataflow is marked as one."""
        if self._comparison is None or None in slot:
            return None
        left, right = self._way(Side.LEFT, slot[0]), self._way(Side.RIGHT, slot[1])
        kind = next((k for k in (Kind.DATAFLOW, Kind.CPU_FALLBACK) if k in self._kinds), None)
        if kind is None or not (left or right):
            return None
        paired = left and right and int(self._comparison.left.partner[left[-1]]) == right[-1]
        return None if paired else kind

    def _readers(self, side: Side) -> Cell:
        known = self._shown.compared(side)
        if known is None:
            return ()
        readers = known[0].trace.consumers(known[1])
        return self._named(side, readers) if readers else (_dash(self.tr("nothing here")),)

    def _lost_links(self) -> Iterable[DetailRow]:
        """Consumers of an op on the host that read what no op of their trace wrote."""
        links = [link for record in self._records for link in record.lost_links]
        if not links:
            return
        spans: list[Span] = []
        for link in links[: self._most(MOST_NAMED)]:
            place = self.tr("input {0}").format(link.number)
            name = self._name(link.side, link.consumer_row)
            spans += [Span(", "), name, Span(f" {place}", words=True)]
        left_out = len(links) - self._most(MOST_NAMED)
        if left_out > 0:
            spans += [Span(" … "), self._more(left_out)]
        cell = tuple(spans[1:])
        left, right = (cell, ()) if links[0].side is Side.LEFT else ((), cell)
        yield DetailRow(self.tr("lost links"), left, right, Kind.CPU_FALLBACK)

    def _named(self, side: Side, rows: Sequence[int]) -> Cell:
        most = self._most(MOST_NAMED)
        names = [span for row in rows[:most] for span in (Span(", "), self._name(side, row))][1:]
        if len(rows) > most:
            names += [Span(" … "), self._more(len(rows) - most)]
        return tuple(names)

    def _name(self, side: Side, row: int) -> Span:
        trace = self._shown.traces[side]
        assert trace is not None
        return Span(f"{trace.type_name(row)} {trace.line_of(row)}", GoTo(side, row))

    def _attrs(self) -> Iterable[DetailRow]:
        attrs = [op.attrs if op else {} for op in self._ops]
        for name in sorted({*attrs[0], *attrs[1]}, key=lambda key: (key != "stream_id", key)):
            label = self.tr("stream") if name == "stream_id" else name
            yield self._plain(label, [side.get(name, "") for side in attrs], Kind.ATTRS)

    def _places(self) -> Iterable[DetailRow]:
        """Mode and scope: shown, and never a difference."""
        modes = {"eager": self.tr("eager"), "graph": self.tr("graph")}
        texts = [
            " ".join((modes.get(op.mode, ""), op.graph)).strip() if op else "" for op in self._ops
        ]
        # Where there is no stack, the scope stands in its place.
        scopes = [op.scope if op and _has_stack(op) else "" for op in self._ops]
        for label, (left, right) in ((self.tr("mode"), texts), (self.tr("scope"), scopes)):
            if left or right:
                yield DetailRow(label, _cell(left), _cell(right))

    def _stack(self, side: Side) -> Cell:
        op = self._ops[side]
        if op is None:
            return ()
        frames = innermost_first(op.stack)
        if not _has_stack(op):
            return (_dash(self._why_no_stack(op)),)
        first = user_frame(op.stack)
        start = frames.index(first) if first in frames and not self._unfolded else 0
        shown = frames[start : start + self._most(MOST_FRAMES)]
        spans = [span for frame in shown for span in (Span(NEW_LINE), _frame(frame))][1:]
        left_out = len(frames) - len(shown)
        if left_out:
            spans += [Span("   "), self._more(left_out)]
        return tuple(spans)

    def _why_no_stack(self, op: Op) -> str:
        if op.scope and op.mode != "eager":
            return self.tr("compiled graph, scope {0}").format(op.scope)
        return self.tr("compiled graph") if op.mode == "graph" else self.tr("no stack recorded")


def _cell(text: str) -> Cell:
    return (Span(text),) if text else ()


def _has_stack(op: Op) -> bool:
    return bool(op.stack) and not is_no_stack(op.stack)


def _dash(text: str) -> Span:
    return Span(f"— {text}", dim=True, words=True)


def _operand_spans(operand: Operand, other: Operand, marked: bool) -> Cell:
    one, two = operand.spec, other.spec
    shape = f"[{', '.join(map(str, one.shape))}]"
    spans = [
        Span(f"%{operand.memory} "),
        Span(one.dtype, strong=marked and one.dtype != two.dtype),
        Span(" "),
        Span(shape, strong=marked and one.shape != two.shape),
    ]
    if one.is_view:
        layout = (one.strides, one.offset) != (two.strides, two.offset)
        spans += [Span("  "), Span(one.layout_text, strong=marked and layout)]
    return tuple(spans)


def _frame(frame: Frame) -> Span:
    return Span(str(frame), OpenSource(frame.file, frame.line))
