"""Many ranks: two processes against one, a Dask cluster against the pool, and the peak of memory.

Every rank is compared, though many of the files are the same: what is measured is the work.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.generate import write_trace
from opdiff.ranks import LocalPool, Question, find_ranks
from opdiff.ranks.job import PairJob
from opdiff.ranks.two_runs import jobs_for

RANKS = 64
_OPS = 20_000
_DISTINCT = 4
_CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
    )
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


def run(ops: list[int]) -> None:
    """Print the times, their ratios, what a rank sends back and how much memory a process takes."""
    size = ops[0] if len(ops) == 1 else _OPS
    with tempfile.TemporaryDirectory() as name:
        jobs = _jobs(Path(name), size)
        read = sum(Path(p).stat().st_size for job in jobs for p in (job.left, job.right))
        print(f"{RANKS} ranks of {size:,} ops, {read / 1e9:.2f} GB")
        one, few = _pooled(jobs, 1), _pooled(jobs[: RANKS // 4], 1)
        two = _pooled(jobs, 2)
        print(f"one process    {one.seconds:6.1f} s   peak {one.peak:,} MB")
        print(f"  of {RANKS // 4} ranks only              peak {few.peak:,} MB")
        print(
            f"two processes  {two.seconds:6.1f} s   {one.seconds / two.seconds:.2f} times as fast"
        )
        print(f"a rank sends back {two.sent / len(jobs):,.0f} bytes")
        with _cluster() as address:
            dask = _on_cluster(jobs, address)
        print(f"Dask, 2 workers {dask:5.1f} s   {dask / two.seconds:.2f} times the pool's time")


def _jobs(folder: Path, ops: int) -> list[PairJob]:
    """Some distinct pairs, and ranks that are links to them."""
    for side, compiled in (("left", False), ("right", True)):
        for number in range(_DISTINCT):
            write_trace(folder / f"{side}-{number}.ir", ops, compiled=compiled, seed=number + 1)
        for rank in range(RANKS):
            inside = folder / side / f"rank_{rank}"
            inside.mkdir(parents=True)
            source = folder / f"{side}-{rank % _DISTINCT}.ir"
            (inside / "tracker_graph.ir").hardlink_to(source)
    left, right = find_ranks(folder / "left"), find_ranks(folder / "right")
    return [replace(job, share=False) for job in jobs_for(left, right, Question())]


class _Pooled:
    def __init__(self, seconds: float, peak: int, sent: int) -> None:
        self.seconds, self.peak, self.sent = seconds, peak, sent


def _pooled(jobs: list[PairJob], processes: int) -> _Pooled:
    with closing(LocalPool(processes)) as pool:
        list(pool.run([replace(jobs[0], rank=-1 - n) for n in range(processes)]))  # imports
        start = perf_counter()
        sent = sum(len(pickle.dumps(outcome)) for outcome in pool.run(jobs))
        seconds = perf_counter() - start
        return _Pooled(seconds, max(map(_peak, pool.process_ids())), sent)


def _peak(process: int) -> int:
    """The most memory a process has held, in MB; 0 where the system does not tell."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


@contextmanager
def _cluster() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", _CLUSTER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.communicate("")


def _on_cluster(jobs: list[PairJob], address: str) -> float:
    from opdiff.ranks.dask_cluster import DaskCluster

    with closing(DaskCluster(address)) as cluster:
        warm: Any = [replace(jobs[0], rank=-1 - number) for number in range(8)]
        list(cluster.run(warm))  # imports, on both workers
        start = perf_counter()
        list(cluster.run(jobs))
        return perf_counter() - start
