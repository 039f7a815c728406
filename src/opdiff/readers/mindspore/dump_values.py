"""What the tensors of a dump held: the arrays themselves, or what the table says of them."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from opdiff.readers.formats import Input
from opdiff.readers.mindspore.dump import (
    Archive,
    DumpedOp,
    TensorOfOp,
    arranged,
    listed,
    tensors_of,
)
from opdiff.readers.mindspore.dump_files import files_in, files_of_archive
from opdiff.readers.opening import head_of
from opdiff.readers.problems import Problems
from opdiff.readers.unpacking import unpacked
from opdiff.readers.value_rows import ValueRow
from opdiff.trace import Trace
from opdiff.values.measures import Measure
from opdiff.values.npy_files import array_in
from opdiff.values.table import as_numbers

Where = tuple[int, bool, int]
"""The row of an op, whether it is an output, and the place of an operand there."""
_ARCHIVE = Archive()
_NONFINITE = ("NaN Count", "Negative Inf Count", "Positive Inf Count")


def rows(source: Input, _: Trace) -> Iterator[ValueRow]:
    """A row for every operand."""
    if Path(source.path).is_dir():
        found = arranged(tensors_of(files_in(Path(source.path)), source.problems))
        for where, tensor in _operands(found):
            # Whoever wants values measures the array: that is not done twice.
            measure = Measure(count=prod(tensor.spec.shape), dtype=tensor.spec.dtype)
            yield ValueRow(*where, measure, str(Path(source.path) / tensor.dumped.file))
        return
    with Path(source.path).open("rb") as on_disk:
        head = head_of(on_disk)
    if _ARCHIVE.sniff(head):
        yield from sorted(_archived(Path(source.path)), key=lambda row: (row.op, row.is_output))
        return
    for where, tensor in _operands(arranged(listed(source))):
        if tensor.row:
            yield ValueRow(*where, _printed(tensor))


def _archived(path: Path) -> Iterator[ValueRow]:
    """Rows of the arrays in an archive, as they come: it is gone through twice, never unpacked."""
    with path.open("rb") as file, suppress(tarfile.TarError, EOFError):
        tensors: list[TensorOfOp] = []
        with suppress(tarfile.TarError, EOFError):
            tensors.extend(tensors_of(files_of_archive(unpacked(file)), Problems()))
        known = {t.dumped: (where, t.spec.dtype) for where, t in _operands(arranged(tensors))}
        file.seek(0)
        for dumped, content, _ in files_of_archive(unpacked(file)):
            if dumped in known:
                where, dtype = known[dumped]
                with suppress(ValueError, OSError, EOFError):
                    values = array_in(content.read())
                    yield ValueRow(*where, _calculated(as_numbers(values, dtype)))


def _operands(ops: list[DumpedOp]) -> Iterator[tuple[Where, TensorOfOp]]:
    for row, op in enumerate(ops):
        for is_output, tensors in ((False, op.inputs), (True, op.outputs)):
            for place, tensor in enumerate(tensors):
                yield (row, is_output, place), tensor


def _calculated(values: NDArray[Any]) -> Measure:
    numbers = np.asarray(values, np.float64 if values.dtype.kind in "biuf" else None).ravel()
    if numbers.dtype.kind != "f":
        return Measure(count=int(numbers.size))
    finite = np.isfinite(numbers)
    kept = numbers if finite.all() else numbers[finite]
    known = bool(kept.size)
    return Measure(
        count=int(numbers.size),
        nonfinite=int(numbers.size - kept.size),
        minimum=float(kept.min()) if known else None,
        maximum=float(kept.max()) if known else None,
        mean=float(kept.mean()) if known else None,
        norm=float(np.linalg.norm(kept)) if known else None,
    )


def _printed(tensor: TensorOfOp) -> Measure:
    row: Mapping[str, str] = tensor.row
    told = [_number(row.get(column)) for column in _NONFINITE]
    nonfinite = [count for count in told if count is not None]
    return Measure(
        count=prod(tensor.spec.shape),
        nonfinite=int(sum(nonfinite)) if nonfinite else None,
        minimum=_number(row.get("Min Value")),
        maximum=_number(row.get("Max Value")),
        mean=_number(row.get("Avg Value")),
        norm=_number(row.get("L2Norm Value")),
        digest=row.get("MD5") or None,
    )


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
