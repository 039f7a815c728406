"""The statistics in msprobe's dump, an operand each; in its tensor mode, the tensors themselves.

Tensors lie in ``dump_tensor_data`` beside the dump, by the ``data_name`` of the operand: files of
NumPy's (``.npy``) or PyTorch's (``.pt``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

from opdiff.readers.formats import Input
from opdiff.readers.msprobe.dump import calls
from opdiff.readers.msprobe.entries import spec_of
from opdiff.readers.value_rows import ValueRow
from opdiff.trace import Trace
from opdiff.values.measures import Measure

_TENSORS = "dump_tensor_data"
_ENDINGS = (".npy", ".pt")


def rows(source: Input, trace: Trace) -> Iterator[ValueRow]:
    """The rows of those levels that the trace was read with."""
    levels = {part.name for part in trace.source.parts if part.read}
    op = 0
    folder = Path(source.path).parent / _TENSORS
    kept = folder if folder.is_dir() else None
    for called in calls(source):
        if called.name.level not in levels:
            continue
        call = called.read()
        for is_output, tensors in ((False, call.inputs), (True, call.outputs)):
            for place, tensor in enumerate(tensors):
                file = _file(tensor, kept)
                yield ValueRow(op, is_output, place, _measure(tensor, file), file)
        op += 1


def _file(tensor: Mapping[str, Any], folder: Path | None) -> str | None:
    """The file that holds a tensor; a name that leads anywhere else is none."""
    name = tensor.get("data_name")
    if folder is None or not isinstance(name, str) or not name.endswith(_ENDINGS):
        return None
    if Path(name).name != name or "\0" in name:
        return None
    path = folder / name
    return str(path) if path.is_file() else None


def _measure(tensor: Mapping[str, Any], file: str | None) -> Measure:
    md5, spec = tensor.get("md5"), spec_of(tensor)
    return Measure(
        count=prod(spec.shape),
        minimum=_number(tensor.get("Min")),
        maximum=_number(tensor.get("Max")),
        mean=_number(tensor.get("Mean")),
        norm=_number(tensor.get("Norm")),
        digest=md5 if isinstance(md5, str) else None,
        dtype=spec.dtype if file else "",
    )


def _number(value: object) -> float | None:
    """A statistic as files print it; None for what is no number."""
    if isinstance(value, (bool, int, float)):
        try:
            return float(value)
        except OverflowError:
            return None
    return None
