"""The values of two traces, read by other processes while the ops of the traces are paired.

Pairing needs no values, and the text of large ones takes longer to read than the traces.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from pathlib import Path

from opdiff.progress import SILENT, Cancelled, Progress
from opdiff.readers.elsewhere import can_read_elsewhere
from opdiff.session.value_choice import ValueChoice
from opdiff.trace import Trace
from opdiff.values import Held
from opdiff.values.sidecar import sidecar_beside

_LOOK_EVERY = 0.1
"""Seconds."""


@contextlib.contextmanager
def values_ahead(
    choice: ValueChoice,
    left: Trace,
    right: Trace,
    progress: Progress = SILENT,
    rank: int | None = None,
    cache: bool = True,
) -> Iterator[Callable[[], Held]]:
    """What gives the values when they are needed; large ones are read from now on.

    It raises as :meth:`ValueChoice.held` does.
    """
    read = partial(choice.held, left, right, rank=rank, cache=cache)
    if not _pays(choice, left, right):
        yield functools.cache(partial(read, progress))
        return
    meanwhile = _Meanwhile()
    with ThreadPoolExecutor(1, thread_name_prefix="values") as thread:
        future = thread.submit(read, meanwhile, apart=True)
        try:
            yield functools.cache(partial(_waited_for, future, meanwhile, progress))
        finally:
            meanwhile.stopped = True


def _pays(choice: ValueChoice, left: Trace, right: Trace) -> bool:
    """Whether both have large files that other processes can read; noise is measured here."""
    if choice.off or choice.noise_run is not None:
        return False
    wanted = ((left, choice.left), (right, choice.right))
    files = [Path(path) if path else sidecar_beside(trace.source.path) for trace, path in wanted]
    with contextlib.suppress(OSError):  # reading says what is wrong
        return all(file and file.is_file() and can_read_elsewhere(file) for file in files)
    return False


class _Meanwhile(Progress):
    """How far the reading is, for whom it concerns; stopped, it goes no further."""

    def __init__(self) -> None:
        self.stopped = False
        self.latest = ("values", 0, 1)

    def report(self, stage: str, done: int, total: int) -> None:
        """Keep it."""
        if self.stopped:
            raise Cancelled
        self.latest = (stage, done, total)


def _waited_for(future: Future[Held], meanwhile: _Meanwhile, progress: Progress) -> Held:
    while not future.done():
        progress.report(*meanwhile.latest)
        wait([future], _LOOK_EVERY)
    return future.result()
