"""The files of MindSpore's tensor dump: a tensor each, and all that is known of it in its name.

Add.Default_net_Add-op0.0.0.1794812542691477.output.0.DefaultFormat.Float32.npy
type.node.task.stream.time.side.slot.format[.dtype].npy
"""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Iterator
from hashlib import blake2b
from math import prod
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from opdiff.errors import OpdiffError
from opdiff.readers.arguments import whole
from opdiff.readers.formats import Content
from opdiff.readers.mindspore.csv_rows import split_row
from opdiff.readers.specs import dtype_name
from opdiff.regular_files import open_regular, read_bounded
from opdiff.trace import TensorSpec
from opdiff.values.npy_files import read_head
from opdiff.values.table import as_numbers

_NAME = re.compile(
    r"(?P<type>[^./]+)\.(?P<node>[^/]+)\.(?P<task>\d{1,18})\.(?P<stream>\d{1,9})\.(?P<time>\d{1,18})\."
    r"(?P<side>input|output)\.(?P<slot>\d{1,5})\.(?P<format>[^./]+)(?:\.(?P<dtype>[^./]+))?\.npy$"
)
_COUNTED = re.compile(r"-op\d+$")
_LOOK = 64 << 10
"""So much is read of a file to know it again; of larger ones also something of its end."""
_FEW = 8
"""A tensor of so few elements may be an argument: an axis, an epsilon."""
_MAPPING = "mapping.csv"
_LARGEST_MAPPING = 64 << 20


class Dumped(NamedTuple):
    """What the name of a file says."""

    type: str
    node: str
    stream: str
    time: int
    side: str
    slot: int
    dtype: str
    file: str

    @property
    def name(self) -> str:
        """The op's name with its scope, whose slashes were replaced when it was dumped."""
        counter = _COUNTED.search(self.node)
        ending = self.type + (counter[0] if counter else "")
        scope = self.node.removesuffix(ending).rstrip("_/") if counter else ""
        return f"{scope}/{ending}" if scope else ending


def read_name(file: str, original: str | None = None) -> Dumped | None:
    """Take the name of a file apart; None if it is no tensor of a dump."""
    match = _NAME.match(original or file)
    if match is None:
        return None
    return Dumped(
        whole(match["type"]),
        whole(match["node"]),
        match["stream"],
        int(match["time"]),
        match["side"],
        int(match["slot"]),
        match["dtype"] or "",
        file,
    )


def is_dumped(name: str) -> bool:
    """Whether a file of this name belongs to a dump."""
    return _NAME.match(name) is not None


class ArrayFacts(NamedTuple):
    """What a look at a file tells."""

    spec: TensorSpec
    print: bytes | None
    """Equal for equal content, as far as was looked; None for what is full of one number."""
    text: str | None
    """The elements, where they are few."""


class DumpedFile(NamedTuple):
    """A tensor of a dump, and its content as far as it is asked for."""

    dumped: Dumped
    file: IO[bytes]
    size: int


def files_in(folder: Path) -> Iterator[DumpedFile]:
    """The tensors right in a folder; each file is good until the next one is asked for."""
    originals = _mapping(folder)
    for path in sorted(folder.iterdir()):
        dumped = read_name(path.name, originals.get(path.name))
        if dumped is not None and path.is_file():
            with open_regular(path) as file:
                yield DumpedFile(dumped, file, path.stat().st_size)


def files_of_archive(content: Content) -> Iterator[DumpedFile]:
    """The tensors of a tar archive, whatever folders they lie in.

    Raises EOFError where the archive ends without the zeros that end one, after all else.
    """
    stream: Any = _Watched(content)
    with tarfile.open(fileobj=stream, mode="r|") as archive:
        for member in archive:
            dumped = read_name(Path(member.name).name)
            file = archive.extractfile(member) if dumped is not None and member.isreg() else None
            if dumped is not None and file is not None:
                data = file.read()
                yield DumpedFile(dumped, io.BytesIO(data), len(data))
    if stream.end.strip(b"\0"):
        raise EOFError("no end")


class _Watched:
    """Content that remembers the last block that was read of it."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self.end = b""

    def read(self, size: int) -> bytes:
        data = self._content.read(size)
        self.end = data[-tarfile.BLOCKSIZE :] or self.end
        return data


def _mapping(folder: Path) -> dict[str, str]:
    """Names too long for a file system are numbers instead, and ``mapping.csv`` has the names."""
    try:
        content = read_bounded(folder / _MAPPING, _LARGEST_MAPPING)
    except (OSError, OpdiffError):
        return {}
    rows = [split_row(line) or [] for line in content.decode("utf-8", "replace").splitlines()]
    return {row[0]: row[1] for row in rows if len(row) >= 2}


def look_at(dumped: DumpedFile) -> ArrayFacts:
    """Dtype, shape and a fingerprint; raises ValueError for what is no array."""
    head = dumped.file.read(_LOOK)
    shape, dtype, order, start = found = read_head(head)
    found.expect(dumped.size)
    samples = [head]
    if dumped.size > _LOOK:
        dumped.file.seek(-_LOOK // 16, io.SEEK_END)
        samples.append(dumped.file.read())
    spec = TensorSpec(dtype_name(dumped.dumped.dtype or dtype.name), shape)
    text = None
    if prod(shape) <= _FEW:
        values = np.frombuffer(head, dtype, prod(shape), start).reshape(shape, order=order)
        text = _text(values, spec.dtype)
    return ArrayFacts(spec, _print(samples, start, dtype.itemsize), text)


def _print(samples: list[bytes], start: int, item: int) -> bytes | None:
    data = samples[0][start:]
    if len(data) > item and data == data[:item] * (len(data) // max(item, 1)):
        return None
    digest = blake2b(digest_size=16)
    for sample in samples:
        digest.update(sample)
    return digest.digest()


def _text(values: NDArray[Any], dtype: str) -> str:
    """The elements as a call would have them: ``1e-05``, ``[0, 2, 1]``."""
    plain = as_numbers(values, dtype)
    texts = [str(value) for value in plain.ravel()]
    return texts[0] if not plain.shape and texts else f"[{', '.join(texts)}]"
