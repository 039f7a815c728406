"""Small traces written as text, one op a line."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from opdiff.compare import Comparison, Kind
from opdiff.trace import ColumnsBuilder, Operand, Source, TensorSpec, Trace

_OP = re.compile(r"^(?:(?P<out>[^=]*?) = )?(?P<name>[^\s(]+)\((?P<ins>[^)]*)\)(?: (?P<attrs>.*))?$")
_OPERAND = re.compile(
    r"^(?P<id>\d+)(?::(?P<dtype>\w+))?(?:\[(?P<shape>[\d ]*)\])?(?:/(?P<view>.*))?$"
)

TraceOf = Callable[..., Trace]
Records = set[tuple[Kind, tuple[int, ...], tuple[int, ...]]]


def _operand(text: str) -> Operand:
    """``7``, ``7:F16``, ``7:F16[2 3]`` or, for a view, ``7[2 3]/3 1+4``."""
    match = _OPERAND.match(text.strip())
    assert match, text
    written = match["shape"] if match["shape"] is not None else "4 4"
    shape = tuple(int(size) for size in written.split())
    dtype = match["dtype"] or "F32"
    if match["view"] is None:
        return Operand(int(match["id"]), TensorSpec(dtype, shape))
    strides, _, offset = match["view"].partition("+")
    return Operand(
        int(match["id"]),
        TensorSpec(dtype, shape, tuple(int(step) for step in strides.split()), int(offset or 0)),
    )


def _trace_of(*ops: str) -> Trace:
    builder = ColumnsBuilder()
    for text in ops:
        match = _OP.match(text)
        assert match, text
        outputs, inputs = (
            [_operand(part) for part in (match[side] or "").split(",") if part.strip()]
            for side in ("out", "ins")
        )
        attrs = dict(part.split("=", 1) for part in (match["attrs"] or "stream_id=0").split(";"))
        builder.add(match["name"], outputs, inputs, attrs=attrs)
    columns, tables = builder.build()
    return Trace(Source("trace.ir", "test"), columns, tables)


@pytest.fixture
def trace_of() -> TraceOf:
    """Makes a trace of lines such as ``3 = Mul(1, 2:F16[4 4]) stream_id=1``."""
    return _trace_of


@pytest.fixture
def records() -> Callable[[Comparison], Records]:
    """The divergences of a comparison as a set of kind and rows."""

    def collect(comparison: Comparison) -> Records:
        found = {(d.kind, d.left_rows, d.right_rows) for d in comparison.divergences}
        assert len(found) == len(comparison.divergences), "the same record twice"
        return found

    return collect
