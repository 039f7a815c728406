"""What tests of all formats do: read content that has no file, and damage it."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

from hypothesis import strategies as st

from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.trace import Trace

DATA = Path(__file__).parent / "data"


def content_of(path: Path) -> bytes:
    """The content of a file, unpacked."""
    data = path.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def text_of(path: Path) -> str:
    return content_of(path).decode()


def open_content(content: str | bytes, graph: str | None = None) -> Trace:
    """The trace in a file that holds this, and nothing beside it."""
    data = content.encode() if isinstance(content, str) else content
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "content"
        path.write_bytes(data)
        return open_trace(path, graph=graph)


def codes(trace: Trace) -> list[str]:
    """The codes of the problems, without the topic they all have."""
    return [problem.sentence.code.removeprefix("reading.") for problem in trace.problems]


def note_codes(trace: Trace) -> list[str]:
    return [note.code.removeprefix("reading.") for note in trace.notes]


def producer_types(trace: Trace, row: int) -> list[str | None]:
    """The type of the op that made each input."""
    return [None if p is None else trace.type_name(p) for p in trace.producers(row)]


_FILLINGS = [
    *(bytes([byte]) for byte in b"\n()[]{}\"',:=\0\xff"),
    *(b"\r\n", b"9" * 25, b"9" * 5000, b"[" * 2000, b"\\ud800"),
]


@st.composite
def edited(draw: st.DrawFn, content: bytes) -> bytes:
    """The content with some bytes replaced, removed, doubled or inserted, or cut off."""
    data = bytearray(content)
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(data)))
        size = draw(st.sampled_from([0, 1, 3, 40, 400]))
        filling = draw(
            st.one_of(
                st.binary(max_size=12),
                st.sampled_from(_FILLINGS),
                st.just(bytes(data[place : place + 2 * size])),
            )
        )
        data[place : place + size] = filling
    return bytes(data[: draw(st.sampled_from([len(data), len(data) // 2, len(data) // 7]))])


def check_survives(content: bytes, graph: str | None = None) -> None:
    """Reading gives a trace that holds together, or the program's own error."""
    try:
        trace = open_content(content, graph)
    except OpdiffError:
        return
    assert len(trace) > 0
    assert len(trace.links.producer) == len(trace.inputs.memory)
    for op in trace:
        assert 1 <= op.line <= op.last_line
        assert op.name.encode()
        assert trace.row_at(op.line) == op.row
        assert all(value.encode() for value in op.attrs.values() if value)
        for frame in op.stack:
            assert (frame.file + frame.function).encode() is not None
    for problem in trace.problems:
        assert 1 <= problem.line <= problem.last_line
        assert str(problem.sentence)
    assert all(str(note) for note in trace.notes)
