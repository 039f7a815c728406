"""One trace read by another process, while this one reads another trace.

Threads gain little: the interpreter's lock is held for most of the reading. The other process puts
the columns into memory that both share, so none of them is copied, and tells on its standard output
how far it is. Whatever goes wrong with it, the trace is read here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from opdiff.errors import OpdiffError
from opdiff.progress import Progress
from opdiff.readers.kept_arrays import NotKeptError
from opdiff.readers.kept_form import mapped_trace, sentence_from, sentence_json, write_kept
from opdiff.trace import Trace

WORTH_IT = 24 << 20
"""Bytes of a file: a smaller one is read before another process has begun."""
_BEGIN = "import sys; sys.path[:] = sys.argv[3:]; from opdiff.readers.elsewhere import main; main()"
"""With the paths of this process: modules of the current folder must not be taken for ours."""


class FailedElsewhereError(Exception):
    """The other process came to nothing."""


def can_read_elsewhere(file: Path) -> bool:
    """Whether it pays, and there is a processor and an interpreter for it."""
    if not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2:
        return False
    return file.stat().st_size >= WORTH_IT and bool(sys.executable) and not hasattr(sys, "frozen")


def read_elsewhere(file: Path, progress: Progress) -> Trace:
    """The trace in a file of the usual format; raises as reading it here does."""
    with _shared_memory() as memory:
        handle = memory.fileno()
        command = [sys.executable, "-c", _BEGIN, os.fspath(file), str(handle), *sys.path]
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=(handle,),
            )
        except (OSError, ValueError) as error:
            raise FailedElsewhereError from error
        try:
            assert process.stdout is not None
            return _heard(process.stdout, memory, progress)
        finally:
            process.kill()
            process.communicate()


def _shared_memory() -> BinaryIO:
    """A file without a name: it is gone when nobody looks at it any more."""
    if hasattr(os, "memfd_create"):
        return cast(BinaryIO, os.fdopen(os.memfd_create("opdiff"), "w+b"))
    return cast(BinaryIO, tempfile.TemporaryFile())


def _heard(words: IO[bytes], memory: BinaryIO, progress: Progress) -> Trace:
    """What the other process tells, to its end."""
    try:
        for line in words:
            word, *told = json.loads(line)
            if word == "progress":
                progress.report("reading", *told)
            elif word == "error":
                sentence, path, number = told
                raise OpdiffError(sentence_from(sentence), path=path, line=number)
            else:
                path, companions = told
                return mapped_trace(memory, path, tuple(companions))
    except (NotKeptError, OSError, ValueError, TypeError) as error:
        raise FailedElsewhereError from error
    raise FailedElsewhereError


class _Telling(Progress):
    """Tells the process that waits, a hundred times at most."""

    def __init__(self, tell: Callable[..., None]) -> None:
        self._tell = tell
        self._last = -1

    def report(self, stage: str, done: int, total: int) -> None:
        """Pass it on; a pipe that nobody listens to ends the reading."""
        part = 100 * done // total if total else 0
        if part != self._last:
            self._last = part
            self._tell("progress", done, total)


def main() -> None:
    """The other process: read, put it into the shared memory, say so."""
    from opdiff.readers.opening import read_plainly

    def tell(*words: Any) -> None:
        print(json.dumps(words), flush=True)

    path, handle = sys.argv[1], int(sys.argv[2])
    try:
        trace = read_plainly(Path(path), _Telling(tell))
    except OpdiffError as error:
        tell("error", sentence_json(error.sentence), error.path, error.line)
        return
    with open(handle, "wb") as out:
        write_kept(out, trace)
    tell("read", trace.source.path, trace.source.companions)
