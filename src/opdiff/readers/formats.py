"""What a reader of a format is, and which ones there are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from opdiff.progress import SILENT, Progress
from opdiff.readers.problems import Problems
from opdiff.readers.unpacking import unpacked
from opdiff.regular_files import open_regular
from opdiff.trace import Trace
from opdiff.trace.told import NOTHING_TOLD, Told
from opdiff.wording import Sentence

CHUNK = 4 << 20


class Content(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Up to *size* bytes; none at the end."""


@dataclass(slots=True)
class Input:
    """An opened file as readers see it: decompressed bytes, and how far they have come."""

    path: str
    stream: Content
    """Uncompressed content; reading a damaged archive ends early instead of raising."""
    on_disk: IO[bytes]
    """The file itself: its position tells the progress, also inside an archive."""
    size: int
    progress: Progress = SILENT
    graph: str | None = None
    """Which of several graphs or levels is wanted, as the user put it; None: the usual one."""
    told: Told = NOTHING_TOLD
    """What the user says of it that it does not say itself."""
    cut: list[Sentence] = field(default_factory=list)
    """Why the content ended early, where it did; readers make a problem of it."""
    problems: Problems = field(default_factory=Problems)
    """What of it could not be read."""
    last_line: int = 1
    """The last line that was read, where the content has lines."""

    @classmethod
    @contextmanager
    def opened(
        cls,
        path: str | Path,
        progress: Progress = SILENT,
        graph: str | None = None,
        told: Told = NOTHING_TOLD,
    ) -> Iterator[Input]:
        """A file, plain or gzipped; raises OSError as ever, and OpdiffError for what is no file."""
        with open_regular(path) as on_disk:
            size = os.fstat(on_disk.fileno()).st_size
            source = cls(str(path), on_disk, on_disk, size, progress, graph, told)
            source.stream = unpacked(on_disk, source.cut)
            yield source

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        """The content piece by piece, telling the progress between the pieces."""
        while True:
            self.progress.report("reading", min(self.on_disk.tell(), self.size), self.size)
            piece = self.stream.read(size)
            if not piece:
                return
            yield piece


class Format(Protocol):
    """One format: a module or an object with these two functions."""

    def sniff(self, head: bytes) -> bool:
        """Whether a file that begins so is of this format."""

    def read(self, source: Input) -> Trace:
        """Everything in the file; raises OpdiffError if there is no op in it."""


def formats() -> Iterator[Format]:
    """All formats, in the order in which they are asked; the usual one first.

    Each is imported when its turn comes, for a command that knows its file starts sooner.
    """
    from opdiff.readers import tracker

    yield tracker
    from opdiff.readers.mindspore import dump, execute_order
    from opdiff.readers.msprobe import dump as msprobe
    from opdiff.readers.pytorch import chrome_trace, execution_trace

    yield dump.Arrays()
    yield dump.Archive()
    yield msprobe
    yield execution_trace
    yield chrome_trace
    yield execute_order
    yield dump.Statistics()
    from opdiff.readers.ascend import npu_log, torchair
    from opdiff.readers.mindspore import graph_ir
    from opdiff.readers.pytorch import debugmode, fx

    yield graph_ir
    yield npu_log
    yield debugmode
    yield torchair.Code()
    yield fx
    yield torchair.Proto()


def usual_format() -> Format:
    """The format that also reads what none recognises, and says what was expected."""
    from opdiff.readers import tracker

    return tracker
