"""The same jobs on an existing Dask cluster: files are read where they are, outcomes come back."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import threading
from collections.abc import Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from opdiff.errors import OpdiffError
from opdiff.progress import SILENT, Progress
from opdiff.ranks.job import failed
from opdiff.ranks.pool import Job
from opdiff.wording import Sentence

_RETRIES = 3
_AHEAD = 2
"""Jobs sent for each thread of the cluster: enough that none waits for the next."""
_MOST_KNOWN = 64
"""Contents that a job is told of: a bound on what is sent with it."""
_PATIENCE = 0.2
_ANSWER_WITHIN = 20
_LONGEST_REASON = 300

_VARIABLE = "MALLOC_TRIM_THRESHOLD_"
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""The names of glibc's ``mallopt``."""
_USUAL_MMAP_THRESHOLD = 128 << 10
_KEPT = 256 << 20
_LARGEST_BLOCK = 32 << 20

_lock = threading.Lock()
_running = [0]


def _distributed() -> Any:
    """The package, which is not needed for anything else."""
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise OpdiffError("ranks.no-dask") from error


class DaskCluster:
    """The workers of a scheduler. What a lost worker had in hand is done by another.

    Workers are not asked during a job what the others do, so a job is told what has been compared
    when it is sent; contents that several begin at the same time are compared by each.
    """

    def __init__(self, address: str) -> None:
        client = _distributed().Client
        try:
            self._client = client(address, timeout=_ANSWER_WITHIN, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            reason = str(error) or type(error).__name__
            raise OpdiffError("ranks.dask-unreachable", reason=reason, path=address) from error

    def run(self, jobs: Sequence[Job], progress: Progress = SILENT) -> Iterator[Any]:
        """What each job came to, in no order and each once."""
        work = _Sent(jobs)
        futures: dict[Any, Job] = {}
        finished: SimpleQueue[Any] = SimpleQueue()
        try:
            while work.done < len(jobs):
                room = self._room()
                while work.waiting and len(futures) < room:
                    job = work.waiting.pop(0)
                    future = self._client.submit(
                        run_knowing, job, work.known(), pure=False, retries=_RETRIES
                    )
                    futures[future] = job
                    future.add_done_callback(finished.put)
                with contextlib.suppress(Empty):
                    future = finished.get(timeout=_PATIENCE)
                    job = futures.pop(future)
                    yield work.take(_outcome_of(future, job))
                progress.report(f"ranks {work.done}/{len(jobs)}", work.done, len(jobs))
        finally:
            if futures:
                with contextlib.suppress(Exception):  # who has had enough is not kept waiting
                    self._client.cancel(list(futures), force=True)

    def _room(self) -> int:
        """How many jobs may be on their way: workers come and go."""
        threads: int = sum(self._client.nthreads().values())
        return max(1, _AHEAD * threads)

    def close(self) -> None:
        """Leave the cluster as it was."""
        self._client.close()


class _Sent:
    """What is to be sent, and which contents have been compared."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self.waiting: list[Job] = list(jobs)
        self.done = 0
        self._whole: dict[bytes, Any] = {}

    def known(self) -> frozenset[bytes]:
        """The contents met last."""
        return frozenset(list(self._whole)[-_MOST_KNOWN:])

    def take(self, found: tuple[Any, tuple[bytes, ...]]) -> Any:
        """An outcome, with the contents it may stand for."""
        outcome, contents = found
        key = getattr(outcome, "same_as", None)
        if key is not None:
            outcome = outcome.with_verdict_of(self._whole[key])
        if getattr(outcome, "may_be_shared", False):
            self._whole.update(dict.fromkeys(contents, outcome))
        self.done += 1
        return outcome


def run_knowing(job: Job, known: frozenset[bytes]) -> tuple[Any, tuple[bytes, ...]]:
    """On a worker: the job, and which contents it was compared for."""
    claimed: list[bytes] = []

    def claim(key: bytes) -> bool:
        if key in known:
            return False
        claimed.append(key)
        return True

    with kept_memory():
        return job.run(claim), tuple(claimed)


def _outcome_of(future: Any, job: Job) -> tuple[Any, tuple[bytes, ...]]:
    """What came of a job, also where the cluster could not do it."""
    try:
        found: tuple[Any, tuple[bytes, ...]] = future.result()
    except Exception as error:  # noqa: BLE001 # whatever a cluster may fail with
        said = [" ".join(str(each).split()) for each in (error.__cause__, error) if each]
        reason = (": ".join(filter(None, said)) or type(error).__name__)[:_LONGEST_REASON]
        return failed(job.rank, Sentence.of("ranks.worker-lost", reason=reason)), ()
    return found


@contextlib.contextmanager
def kept_memory() -> Iterator[None]:
    """Let the memory of a worker be kept within, where it would give every block back at once.

    The nanny starts workers with ``MALLOC_TRIM_THRESHOLD_``, which makes the allocator of glibc map
    and unmap each large array; comparing traces takes twice the time then. Afterwards everything is
    given back, and the worker is as it was.
    """
    threshold = os.environ.get(_VARIABLE, "")
    library = _glibc() if threshold.isdecimal() else None
    if library is None:
        yield
        return
    with _lock:
        _running[0] += 1
        library.mallopt(_TRIM_THRESHOLD, _KEPT)
        library.mallopt(_MMAP_THRESHOLD, _LARGEST_BLOCK)
    try:
        yield
    finally:
        with _lock:
            _running[0] -= 1
            if not _running[0]:  # the last of those that run in this process
                library.mallopt(_TRIM_THRESHOLD, min(int(threshold), _KEPT))
                library.mallopt(_MMAP_THRESHOLD, _USUAL_MMAP_THRESHOLD)
                library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    """The C library, if it has what is needed."""
    try:
        library = ctypes.CDLL(None)
        return library if library.mallopt and library.malloc_trim else None
    except (AttributeError, OSError, TypeError):
        return None
