"""Operands that the tracker printed at the wrong record, moved back to their op.

All eager records share one key, and operands are attached to whatever record owns it when the
kernel has been launched. If an op makes a copy of a strided input on its way, its own record stays
``() = MatMulExt()`` and its operands are printed at the last of the following ``Contiguous``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from opdiff.trace import Operands, Role, Row, Tables, TraceColumns
from opdiff.trace.columns import Interner, Ints, Longs
from opdiff.trace.names import role_of, split_name

_CONTIGUOUS = "Contiguous"


def move_operands_back(
    columns: TraceColumns, tables: Tables
) -> tuple[TraceColumns, tuple[Row, ...]]:
    """The columns with all operands at their own ops, and the rows that got theirs back."""
    owners, holders = _misplaced(columns, tables)
    if not len(owners):
        return columns, ()
    target = np.arange(len(columns.line), dtype=np.int64)
    target[holders] = owners
    own_copy = [row for row in holders.tolist() if _holds_own_copy(columns, tables, row)]
    moved = replace(
        columns,
        outputs=_reassigned(columns.outputs, target, own_copy),
        inputs=_reassigned(columns.inputs, target, own_copy),
    )
    return moved, tuple(Row(row) for row in owners.tolist())


def _misplaced(columns: TraceColumns, tables: Tables) -> tuple[Longs, Longs]:
    """Rows that lost their operands, and for each the Contiguous that holds them."""
    passed = np.array([n == _CONTIGUOUS or n.startswith("Copy") for n in tables.names], bool)
    others = np.flatnonzero(~passed[columns.name])
    suspects = _impossible_copies(columns, tables)
    before = np.searchsorted(others, suspects) - 1
    suspects = suspects[before >= 0]
    owners = others[before[before >= 0]]
    empty = (columns.outputs.counts() == 0) & (columns.inputs.counts() == 0)
    lost = empty[owners]
    lost[lost] = [_is_bare_op(tables.names[name]) for name in columns.name[owners[lost]].tolist()]
    rows, first = np.unique(owners[lost], return_index=True)
    return rows, suspects[lost][first]


def _is_bare_op(name: str) -> bool:
    """Whether it is the name of an eager op: graph kernels have a scope and an own key."""
    split = split_name(name)
    return not split.scope and role_of(name, split) == Role.OP


def _impossible_copies(columns: TraceColumns, tables: Tables) -> Longs:
    """Rows of a Contiguous that is no copy: it reads several tensors, or writes another shape."""
    if _CONTIGUOUS not in tables.names:
        return np.zeros(0, np.int64)
    contiguous = np.array([name == _CONTIGUOUS for name in tables.names], bool)
    rows = np.flatnonzero(contiguous[columns.name])
    read, written = columns.inputs, columns.outputs
    inputs, outputs = read.counts()[rows], written.counts()[rows]
    single = (inputs == 1) & (outputs == 1)
    form: Interner[tuple[str, tuple[int, ...]]] = Interner()
    forms = np.array([form((spec.dtype, spec.shape)) for spec in tables.specs], np.int64)
    changed = np.zeros(len(rows), bool)
    alone = rows[single]
    changed[single] = (
        forms[read.spec[read.start[alone]]] != forms[written.spec[written.start[alone]]]
    )
    return rows[(inputs > 1) | changed]


def _holds_own_copy(columns: TraceColumns, tables: Tables, row: int) -> bool:
    """Whether the Contiguous lists its own copy first, and then the operands of the op."""
    read, written = columns.inputs, columns.outputs
    first_in, first_out = read.start[row], written.start[row]
    if written.start[row + 1] - first_out < 2 or read.start[row + 1] - first_in < 2:
        return False
    source, copy = tables.specs[read.spec[first_in]], tables.specs[written.spec[first_out]]
    alike = (source.dtype, source.shape) == (copy.dtype, copy.shape)
    used = read.memory[first_in + 1 : read.start[row + 1]]
    return alike and written.memory[first_out] in used


def _reassigned(operands: Operands, target: Longs, own_copy: list[int]) -> Operands:
    rows = operands.rows()
    new_rows = target[rows]
    kept = operands.start[own_copy]
    new_rows[kept] = rows[kept]
    order = np.argsort(new_rows, kind="stable")
    counts = np.bincount(new_rows, minlength=len(target))
    spec: Ints = operands.spec[order]
    return Operands.counted(counts, operands.memory[order], spec)
