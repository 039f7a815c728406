"""The values that a trace's own files hold: statistics, hashes, whole tensors."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from io import BytesIO
from pathlib import Path

from opdiff.readers import debugmode_values, mindspore_dump_values, msprobe_values
from opdiff.readers.formats import Input
from opdiff.readers.unpacking import Unpacking, is_packed
from opdiff.readers.value_rows import ValueRow
from opdiff.trace import Trace

_READERS: dict[str, Callable[[Input, Collection[str]], Iterator[ValueRow]]] = {
    "mindspore-dump": mindspore_dump_values.rows,
    "msprobe": msprobe_values.rows,
    "torch-debugmode": debugmode_values.rows,
}


def has_values(trace: Trace) -> bool:
    """Whether the files of a trace may hold values, as far as their format tells."""
    return trace.source.format in _READERS


def values_of(trace: Trace) -> Iterator[ValueRow]:
    """Read a trace's files again, for what its tensors held; nothing where they do not tell.

    Rows come in the order of the file; ``op`` is the row of the trace. Raises OSError where a file
    is no longer there.
    """
    reader = _READERS.get(trace.source.format)
    if reader is None:
        return
    path = Path(trace.source.path)
    parts = {part.name for part in trace.source.parts if part.read}
    if path.is_dir():
        nothing = BytesIO()
        yield from reader(Input(str(path), nothing, nothing, 0, told=trace.source.told), parts)
        return
    with path.open("rb") as on_disk:
        size = path.stat().st_size
        source = Input(str(path), on_disk, on_disk, size, told=trace.source.told)
        if is_packed(on_disk):
            source.stream = Unpacking(on_disk, source.cut)
        yield from reader(source, parts)
