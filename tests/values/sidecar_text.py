"""Small traces with values beside them, written as files, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from opdiff.readers import open_trace
from opdiff.trace import Trace

FIRST = "# opdiff-values 1; sketch=count4 seed=1\n"
COLUMNS = "op,side,operand,count,nonfinite,min,max,mean,norm,hash,sketch\n"


def written(folder: Path, text: str | bytes, name: str = "x.values.csv") -> Path:
    """A sidecar with this content."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def sidecar(*rows: str, first: str = FIRST, columns: str = COLUMNS) -> str:
    """A whole file of these rows."""
    return first + columns + "".join(f"{row}\n" for row in rows)


def chain(folder: Path, shapes: Sequence[Sequence[int]], name: str = "x.ir") -> Trace:
    """A trace of ops that each read what the one before wrote; the first one reads a weight."""
    text = ""
    for row, shape in enumerate(shapes):
        source = list(shapes[max(row - 1, 0)])
        text += (
            f"(%{row + 2}) = Op{row}(%{row + 1}), task_info: {row}, attrs {{stream_id=0}} \n"
            f"    (Float32:{list(shape)}) <- (Float32:{source})\n    # \n"
        )
    path = folder / name
    path.write_text(text)
    return open_trace(path)
