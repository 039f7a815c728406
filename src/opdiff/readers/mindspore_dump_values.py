"""What the tensors of a dump held: the arrays themselves, or what the table says of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opdiff.readers.formats import Input
from opdiff.readers.mindspore_dump import (
    DumpedOp,
    DumpedTensor,
    arranged,
    listed,
    tensors_of,
)
from opdiff.readers.mindspore_dump_files import as_numbers, files_in
from opdiff.readers.tracker.problems import Problems
from opdiff.readers.value_rows import ValueRow, count_of, number

_NONFINITE = ("NaN Count", "Negative Inf Count", "Positive Inf Count")


def rows(source: Input, _: Collection[str]) -> Iterator[ValueRow]:
    """A row for every operand. An archive holds no rows: unpack it, and open the folder."""
    if Path(source.path).is_dir():
        for op, side, place, tensor, values in arrays(Path(source.path)):
            yield _calculated(op, side, place, as_numbers(values, tensor.spec.dtype))
        return
    for op, side, place, tensor in _operands(arranged(listed(source, Problems()))):
        if tensor.row:
            yield _printed(op, side, place, tensor)


def arrays(
    folder: Path,
) -> Iterator[tuple[int, str, int, DumpedTensor, NDArray[Any]]]:
    """Every operand's array, read when it is asked for: row, side, place, what is known of it."""
    for op, side, place, tensor in _operands(arranged(tensors_of(files_in(folder), Problems()))):
        path = folder / tensor.dumped.file
        yield op, side, place, tensor, np.load(path, mmap_mode="r", allow_pickle=False)


def _operands(ops: list[DumpedOp]) -> Iterator[tuple[int, str, int, DumpedTensor]]:
    for row, op in enumerate(ops):
        for side, tensors in (("in", op.inputs), ("out", op.outputs)):
            for place, tensor in enumerate(tensors):
                yield row, side, place, tensor


def _calculated(op: int, side: str, place: int, values: NDArray[Any]) -> ValueRow:
    numbers = np.asarray(values, np.float64 if values.dtype.kind in "biuf" else None).ravel()
    if numbers.dtype.kind != "f":
        return ValueRow(op, side, place, count=int(numbers.size))
    finite = np.isfinite(numbers)
    kept = numbers if finite.all() else numbers[finite]
    known = bool(kept.size)
    return ValueRow(
        op,
        side,
        place,
        count=int(numbers.size),
        nonfinite=int(numbers.size - kept.size),
        min=float(kept.min()) if known else None,
        max=float(kept.max()) if known else None,
        mean=float(kept.mean()) if known else None,
        norm=float(np.linalg.norm(kept)) if known else None,
    )


def _printed(op: int, side: str, place: int, tensor: DumpedTensor) -> ValueRow:
    row: Mapping[str, str] = tensor.row
    told = [_number(row.get(column)) for column in _NONFINITE]
    nonfinite = [count for count in told if count is not None]
    return ValueRow(
        op,
        side,
        place,
        count=count_of(tensor.spec.shape),
        nonfinite=int(sum(nonfinite)) if nonfinite else None,
        min=_number(row.get("Min Value")),
        max=_number(row.get("Max Value")),
        mean=_number(row.get("Avg Value")),
        norm=_number(row.get("L2Norm Value")),
        hash=row.get("MD5") or None,
    )


def _number(text: str | None) -> float | None:
    try:
        return number(float(text)) if text else None
    except ValueError:
        return None
