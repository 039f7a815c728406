"""Jobs in processes of this machine: one pair of traces at a time in each, and no more."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Protocol

from opdiff.progress import SILENT, Progress
from opdiff.ranks.job import Claim, all_new, failed
from opdiff.ranks.outcome import RankOutcome
from opdiff.wording import Sentence

MOST_TRIES = 3
"""How often a job is begun whose process ended under it."""
_OWN_MEMORY = 100 << 20
"""What a process takes before it reads; comparing then takes less than what it reads."""
_PATIENCE = 0.2
"""Seconds between two looks at whether the user has had enough."""


class Job(Protocol):
    """Work on one rank."""

    @property
    def rank(self) -> int:
        """Whose work it is."""

    def run(self, claim: Claim = all_new) -> Any:
        """Do it, wherever that is."""

    def alone(self) -> Job:
        """The same without asking whether another one does it too."""


class Runner(Protocol):
    """Whoever has jobs done: processes here, or a cluster."""

    def run(self, jobs: Sequence[Job], progress: Progress = SILENT) -> Iterator[Any]:
        """What each job came to, as they get done, each exactly once."""

    def close(self) -> None:
        """Let go of what does the work."""


def usable_processors() -> int:
    """How many of them this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def fitting_jobs(largest: int) -> int:
    """How many processes to use where a job reads at most so many bytes: one a processor, as far
    as memory goes.
    """
    need = _OWN_MEMORY + largest
    return max(1, min(usable_processors(), _available_memory() // need))


def _available_memory() -> int:
    """Bytes that can be used without harm to others; plenty where the system does not tell."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            known = dict(line.split(":", 1) for line in file)
        return int(known["MemAvailable"].split()[0]) << 10
    except (OSError, KeyError, ValueError):
        return 1 << 50


class LocalPool:
    """So many processes, each with one job at a time; they last until they are closed.

    A process that is killed, as for want of memory, costs its job another try and nothing else.
    """

    def __init__(self, jobs: int | None = None) -> None:
        self.jobs = max(1, usable_processors() if jobs is None else jobs)
        self._workers: list[_Worker] = []

    def run(self, jobs: Sequence[Job], progress: Progress = SILENT) -> Iterator[Any]:
        """What each job came to, in no order. Whoever stops listening ends the processes."""
        work = _RankWork(jobs)
        try:
            while work.left:
                self._occupy(work, len(jobs))
                for worker in _ready(self._workers):
                    yield from work.take(worker)
                progress.report(f"ranks {work.done}/{len(jobs)}", work.done, len(jobs))
        finally:
            if work.left:
                self.close()

    def _occupy(self, work: _RankWork, count: int) -> None:
        """Let nobody be idle while there is work."""
        self._workers = [worker for worker in self._workers if worker.alive]
        while len(self._workers) < min(self.jobs, count):
            self._workers.append(_Worker())
        for worker in self._workers:
            if worker.job is None:
                worker.begin(work.next())

    def process_ids(self) -> list[int]:
        """The processes that there are now."""
        return [worker.process_id for worker in self._workers if worker.alive]

    def close(self) -> None:
        """End the processes at once, whatever they are doing."""
        for worker in self._workers:
            worker.kill()
        self._workers.clear()


@dataclass
class _RankWork:
    """What is to be done, who does what, and which content is whose."""

    jobs: Sequence[Job]
    done: int = 0
    _waiting: deque[Job] = field(default_factory=deque)
    _tries: dict[int, int] = field(default_factory=dict)
    _claims: dict[bytes, int] = field(default_factory=dict)
    """Content → the rank that is compared for all that have it."""
    _contents: dict[int, list[bytes]] = field(default_factory=dict)
    """The same the other way round."""
    _whole: dict[int, RankOutcome] = field(default_factory=dict)
    """Ranks that were compared for others too."""
    _alike: dict[bytes, list[tuple[Job, RankOutcome]]] = field(default_factory=dict)
    """Ranks that wait for what another one of the same content comes to."""

    def __post_init__(self) -> None:
        self._waiting.extend(self.jobs)

    @property
    def left(self) -> bool:
        """Whether anything is to be done."""
        return self.done < len(self.jobs)

    def next(self) -> Job | None:
        """The job to begin now, if there is any."""
        return self._waiting.popleft() if self._waiting else None

    def take(self, worker: _Worker) -> Iterator[Any]:
        """Hear what a process has to say."""
        job = worker.job
        try:
            word, content = worker.pipe.recv()
        except (EOFError, OSError):
            worker.kill()
            if job is not None:
                yield from self._lost(job)
            return
        if job is None:
            return
        if word == "claim":
            if content not in self._claims:
                self._contents.setdefault(job.rank, []).append(content)
            owner = self._claims.setdefault(content, job.rank)
            with contextlib.suppress(OSError):  # it is heard of soon that it has ended
                worker.pipe.send(owner == job.rank)
            return
        worker.job = None
        yield from self._finished(job, content)

    def _finished(self, job: Job, outcome: Any) -> Iterator[Any]:
        key = getattr(outcome, "same_as", None)
        if key is not None:
            twin = self._whole.get(self._claims.get(key, -1))
            if twin is None:
                self._alike.setdefault(key, []).append((job, outcome))
                return
            if not twin.may_be_shared:
                self._waiting.append(job.alone())
                return
            outcome = outcome.with_verdict_of(twin)
        self.done += 1
        yield outcome
        mine = self._contents.get(job.rank, [])
        if mine:
            self._whole[job.rank] = outcome
        for content in mine:
            for other, waiting in self._alike.pop(content, []):
                yield from self._finished(other, waiting)

    def _lost(self, job: Job) -> Iterator[Any]:
        """A process ended under its job: what others expected of it they do themselves."""
        for content in self._contents.pop(job.rank, []):
            del self._claims[content]
            self._waiting.extend(other for other, _ in self._alike.pop(content, []))
        self._tries[job.rank] = self._tries.get(job.rank, 0) + 1
        if self._tries[job.rank] < MOST_TRIES:
            self._waiting.append(job)
        else:
            self.done += 1
            yield failed(job.rank, Sentence.of("ranks.process-ended", tries=MOST_TRIES))


class _Worker:
    """One process."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process: SpawnProcess = context.Process(
            target=serve, args=(theirs,), daemon=True, name="opdiff ranks"
        )
        self.job: Job | None = None
        with _without_interrupts():
            self._process.start()
        theirs.close()
        self.alive = True

    def begin(self, job: Job | None) -> None:
        """Give it something to do."""
        self.job = job
        if job is not None:
            with contextlib.suppress(OSError):  # it has ended, as will be heard of at once
                self.pipe.send(job)

    @property
    def process_id(self) -> int:
        """Its number in the system."""
        return self._process.pid or 0

    def kill(self) -> None:
        """End it at once."""
        self.alive, self.job = False, None
        self._process.kill()
        self._process.join()
        self.pipe.close()


def _ready(workers: Sequence[_Worker]) -> list[_Worker]:
    pipes = {worker.pipe: worker for worker in workers if worker.alive}
    return [pipes[pipe] for pipe in wait(list(pipes), _PATIENCE)]  # type: ignore[index] # pipes all


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ctrl-C goes to all processes of a terminal; those started here leave it to us."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    # Python starts one process for all others, and after that no signal is blocked any more.
    resource_tracker.ensure_running()
    came: list[int] = []
    # Blocked for the process to be, put off for us: libraries have threads that take signals.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    usual = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    if came:
        signal.raise_signal(signal.SIGINT)


def serve(pipe: Connection) -> None:
    """What a process does: one job after the other, until nobody listens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not sys.warnoptions:
        warnings.simplefilter("ignore")

    def claim(key: bytes) -> bool:
        pipe.send(("claim", key))
        return bool(pipe.recv())

    with contextlib.suppress(EOFError, OSError):
        while True:
            job: Job = pipe.recv()
            pipe.send(("done", job.run(claim)))
