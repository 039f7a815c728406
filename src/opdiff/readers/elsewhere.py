"""One trace, or what stands beside it, read by another process while this one reads another.

Threads gain little: the interpreter's lock is held for most of the reading. The other process is a
copy of this one where that is sound, which begins at once, else one of its own. It puts the columns
into memory that both share, so none of them is copied, and tells how far it is. Whatever goes wrong
with it, the file is read here.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Generic, TypeVar

from opdiff.errors import OpdiffError
from opdiff.forked import Copy, shared_memory
from opdiff.progress import Progress
from opdiff.readers.kept.arrays import Form, NotKeptError
from opdiff.readers.kept.traces import TRACES, sentence_from, sentence_json
from opdiff.trace import Trace

if TYPE_CHECKING:
    from opdiff.values.sidecar import Parsed

T = TypeVar("T")

_BEGIN = "import sys; sys.path[:] = sys.argv[4:]; from opdiff.readers.elsewhere import main; main()"
"""With the paths of this process: modules of the current folder must not be taken for ours."""

_SETTINGS = {
    "MALLOC_MMAP_THRESHOLD_": "100000000",
    "MALLOC_TRIM_THRESHOLD_": "1000000000",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Arrays of a block are made anew for every block: glibc shall keep their memory, which the system
would clear each time. NumPy's threads would look for work that does not come, for a tenth of a
second. Others do not know these words."""


class FailedElsewhereError(Exception):
    """The other process came to nothing."""


class Elsewhere(Generic[T]):
    """One file that another process reads, from now on."""

    def __init__(self, file: Path, form: Form[T], *, copied: bool = False) -> None:
        """With *copied* by a copy of this process, which must be sound (:func:`can_fork`)."""
        self._form = form
        self._memory = shared_memory()
        try:
            begin = _copied if copied else _Spawned
            self._other = begin(form.name, os.fspath(file), self._memory.fileno())
        except (OSError, ValueError) as error:
            self._memory.close()
            raise FailedElsewhereError from error

    def result(self, report: Callable[[int, int], None]) -> T:
        """What the file holds, waited for; raises as reading it here does."""
        return _heard(self._other.words, self._form, self._memory, report)

    def close(self) -> None:
        """Let go of it, done or not."""
        self._other.end()
        self._memory.close()


def trace_elsewhere(file: Path, progress: Progress) -> Trace:
    """The trace in a file of the usual format; raises as reading it here does."""
    return _read_elsewhere(file, TRACES, "reading", progress)


def sidecar_elsewhere(file: Path, progress: Progress) -> Parsed:
    """What stands in a sidecar; raises as reading it here does."""
    from opdiff.readers.kept.sidecars import SIDECARS

    return _read_elsewhere(file, SIDECARS, "values", progress)


def _read_elsewhere(file: Path, form: Form[T], stage: str, progress: Progress) -> T:
    with closing(Elsewhere(file, form)) as other:
        return other.result(lambda *how: progress.report(stage, *how))


class _Spawned:
    """A process of its own."""

    def __init__(self, name: str, file: str, memory: int) -> None:
        import subprocess

        self._process = subprocess.Popen(
            [sys.executable, "-c", _BEGIN, name, file, str(memory), *sys.path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_SETTINGS},
            pass_fds=(memory,),
        )
        assert self._process.stdout is not None
        self.words = self._process.stdout

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


def _copied(name: str, file: str, memory: int) -> Copy:
    return Copy(lambda words: _read_into(memory, name, file, words))


def _heard(
    words: IO[bytes], form: Form[T], memory: BinaryIO, report: Callable[[int, int], None]
) -> T:
    """What the other process tells, to its end."""
    try:
        for line in words:
            word, *told = json.loads(line)
            if word == "progress":
                report(*told)
            elif word == "error":
                sentence, path, number = told
                raise OpdiffError(sentence_from(sentence), path=path, line=number)
            else:
                path, companions = told
                return form.mapped(memory, path, tuple(companions))
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
    """A process of its own, with its output as the words to whom waits."""
    name, file, memory = sys.argv[1:4]
    _read_into(int(memory), name, file, sys.stdout.buffer)


def _read_into(memory: int, name: str, path: str, words: BinaryIO) -> None:
    """The other process: read, put it into the shared memory, say so."""

    def tell(*what: Any) -> None:
        words.write(json.dumps(what).encode() + b"\n")
        words.flush()

    try:
        with open(memory, "wb", closefd=False) as out:
            if name == TRACES.name:
                from opdiff.readers.opening import read_plainly

                trace = read_plainly(Path(path), _Telling(tell))
                TRACES.write(out, trace, checked=True)
                companions = trace.source.companions
            else:
                # Who waits for a trace waits for these imports too.
                from opdiff.readers.kept.sidecars import SIDECARS
                from opdiff.values.sidecar import parse_sidecar

                parsed = parse_sidecar(path, _Telling(tell))
                if not SIDECARS.fits(parsed):
                    return
                SIDECARS.write(out, parsed, checked=True)
                companions = ()
    except OpdiffError as error:
        tell("error", sentence_json(error.sentence), error.path, error.line)
        return
    tell("read", path, companions)
