"""Comparisons made by hand, so that reports are tested without the engine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from opdiff.compare import Comparison, Divergence, Group, Kind, Request, Side, SideResult
from opdiff.compare.records.findings import Columns, Detail
from opdiff.compare.results import Divergences
from opdiff.trace import ColumnsBuilder, Operand, Source, TensorSpec, Trace
from opdiff.wording import Sentence

SPEC = TensorSpec("BFloat16", (64, 2), (2, 1), 0)


def chain(names: Sequence[str], path: str = "left.ir") -> Trace:
    """Ops that each read what the one before wrote."""
    builder = ColumnsBuilder()
    for row, name in enumerate(names):
        builder.add(name, [Operand(row, SPEC)], [Operand(row - 1, SPEC)] if row else [])
    return Trace(Source(path, "mindspore-tracker"), *builder.build())


def divergence(
    kind: Kind, left: int | None, right: int | None, group: int, **more: object
) -> Divergence:
    sentence = more.pop("sentence", Sentence.of("report.anchor", line=7, op="Some op"))
    rows = [() if row is None else (row,) for row in (left, right)]
    return Divergence(kind, rows[0], rows[1], sentence, group, **more)  # type: ignore[arg-type]


def compared(left: Trace, right: Trace, divergences: Sequence[Divergence]) -> Comparison:
    """A comparison in which row r is paired with row r, and the groups are those named."""
    members: dict[int, list[int]] = {}
    for index, record in enumerate(divergences):
        members.setdefault(record.group, []).append(index)
    groups = tuple(
        Group(
            number,
            divergences[here[0]].kind,
            Sentence.of("report.note", text=f"Op {number}"),
            tuple(here),
            root=all(divergences[index].caused_by is None for index in here),
            known=all(divergences[index].known for index in here),
            parent=_group_of(divergences, here),
        )
        for number, here in sorted(members.items())
    )
    both = min(len(left), len(right))
    sides = [
        _side(trace, side, both, divergences)
        for side, trace in zip(Side, (left, right), strict=True)
    ]
    kinds = np.array([each.kind.number for each in divergences], np.int64)
    return Comparison(Request(), *sides, made(divergences), kinds, groups)


def made(records: Sequence[Divergence]) -> Divergences:
    """Divergences as the engine holds them, from records: each a sort of its own."""
    columns = Columns(
        tuple(Detail(each.kind, each.sentence, each.sentence, each.known) for each in records),
        np.arange(len(records), dtype=np.int32),
        *(
            np.array([(each.rows(side) or (-1,))[-1] for each in records], np.int32)
            for side in Side
        ),
        {
            index: (each.left_rows, each.right_rows)
            for index, each in enumerate(records)
            if max(len(each.left_rows), len(each.right_rows)) > 1
        },
        {index: each.lost_links for index, each in enumerate(records) if each.lost_links},
    )
    causes = [-1 if each.caused_by is None else each.caused_by for each in records]
    return Divergences(
        columns,
        np.arange(len(records)),
        np.array([each.group for each in records], np.int32),
        np.array(causes, np.int32),
        np.array([each.harmless for each in records], np.bool_),
    )


def _group_of(divergences: Sequence[Divergence], members: list[int]) -> int | None:
    """The group of what explains the first of some divergences."""
    cause = divergences[members[0]].caused_by
    return None if cause is None else divergences[cause].group


def _side(trace: Trace, side: Side, both: int, divergences: Sequence[Divergence]) -> SideResult:
    size = len(trace)
    partner = np.where(np.arange(size) < both, np.arange(size), -1).astype(np.int32)
    at: list[list[int]] = [[] for _ in range(size)]
    for index, record in enumerate(divergences):
        for row in record.rows(side):
            at[row].append(index)
    start = np.concatenate(([0], np.cumsum([len(here) for here in at]))).astype(np.int64)
    flat = np.array([index for here in at for index in here], np.int32)
    return SideResult(
        trace,
        size - 1,
        np.ones(size, np.bool_),
        np.zeros(size, np.bool_),
        partner,
        np.zeros(size, np.uint8),
        start,
        flat,
        np.ones(len(trace.inputs.spec), np.bool_),
    )


def small() -> Comparison:
    """A cpu-fallback with a consequence, a known rename seven times, and an op on one side."""
    left = chain(["Default/Slice-op1"] * 7 + ["Mul", "Add", "Relu"])
    right = chain(["Default/StridedSlice-op2"] * 7 + ["Mul", "Add", "Gelu"], "right.ir")
    return compared(
        left,
        right,
        [
            divergence(Kind.ONLY_LEFT, 9, None, 0),
            divergence(Kind.DATAFLOW, 8, 8, 1, caused_by=2),
            divergence(Kind.CPU_FALLBACK, 7, 7, 2),
            *(divergence(Kind.OP_TYPE, row, row, 3, known=True) for row in range(6, -1, -1)),
        ],
    )


HOSTILE = (
    "Evil<script>document.title='ran'</script>\"'&`|[x](http://evil.example/)=1+1\x1b[31m\u202e-op1"
)


def hostile() -> Comparison:
    """An op whose name attacks whatever shows it."""
    left, right = chain([HOSTILE, "Add"], HOSTILE), chain(["Mul", "Add"], "right.ir")
    name = left.type_name(0)
    sentence = Sentence.of("report.anchor", line=7, op=name)
    return compared(left, right, [divergence(Kind.ONLY_LEFT, 0, None, 0, sentence=sentence)])
