"""The same work on a real Dask cluster of several processes, also when one of them is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cluster import Cluster, dropped, renamed
from opdiff.cli import main
from opdiff.errors import OpdiffError
from opdiff.ranks import LocalPool, Question, compare_runs, find_ranks
from opdiff.ranks.dask_cluster import DaskCluster
from opdiff.ranks.json_report import to_json
from opdiff.ranks.one_run import compare_ranks
from opdiff.ranks.pool import Job
from opdiff.ranks.two_runs import jobs_for

pytest.importorskip("distributed")

_CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    cluster = LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None,
        silence_logs=50,
    )
    pids = [worker.pid for worker in cluster.workers.values()]
    print(cluster.scheduler_address, *pids, flush=True)
    sys.stdin.read()
    cluster.close()
"""


@dataclass(frozen=True)
class Scheduler:
    """A cluster in processes of its own."""

    address: str
    workers: list[int]


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scheduler]:
    script = tmp_path_factory.mktemp("scheduler") / "scheduler.py"
    script.write_text(textwrap.dedent(_CLUSTER))
    # Workers read the jobs of this very module.
    tests = Path(__file__).parent
    paths = [str(tests), str(tests.parents[1] / "samples"), os.environ.get("PYTHONPATH", "")]
    here = os.pathsep.join(filter(None, paths))
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": here},
        text=True,
    )
    assert process.stdout is not None
    address, *pids = process.stdout.readline().split()
    yield Scheduler(address, [int(pid) for pid in pids])
    process.communicate("")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    bad = Cluster(
        2,
        2,
        4,
        names={"Slice": "StridedSlice"},
        mistakes={3: dropped("AllReduce", 2), 5: renamed("AllReduce", 1, "AllGather")},
        missing=frozenset({7}),
        cut=frozenset({9}),
    )
    return Cluster(2, 2, 4).write(folder / "good"), bad.write(folder / "bad")


def test_a_cluster_comes_to_what_the_pool_comes_to(
    scheduler: Scheduler, runs: tuple[Path, Path]
) -> None:
    left, right = map(find_ranks, runs)
    pool, cluster = LocalPool(1), DaskCluster(scheduler.address)
    expected = to_json(compare_runs(left, right, Question(), pool))
    assert to_json(compare_runs(left, right, Question(), cluster)) == expected
    alone = to_json(compare_ranks(right, Question(), pool))
    assert to_json(compare_ranks(right, Question(), cluster)) == alone
    pool.close()
    cluster.close()


@dataclass(frozen=True)
class Noted:
    """A job that writes down that it was begun, and kills its process when told to."""

    job: Any
    folder: str
    killer: bool

    @property
    def rank(self) -> int:
        return int(self.job.rank)

    def alone(self) -> Job:
        return self

    def run(self, claim: Any = None) -> Any:
        note = Path(self.folder) / str(self.rank)
        first = not note.exists()
        with note.open("ab") as file:
            file.write(b".")
        if self.killer and first:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.job.run()


def test_a_worker_killed_in_the_middle_loses_nothing_and_nothing_comes_twice(
    scheduler: Scheduler, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    jobs = jobs_for(*map(find_ranks, runs), Question())
    killer = jobs[len(jobs) // 2].rank
    noted = [Noted(job, str(tmp_path), job.rank == killer) for job in jobs]
    cluster = DaskCluster(scheduler.address)
    outcomes = list(cluster.run(noted))
    cluster.close()
    assert sorted(outcome.rank for outcome in outcomes) == [job.rank for job in jobs]
    assert [outcome.trouble.text() for outcome in outcomes if outcome.trouble] == []
    assert all(outcome.verdict is not None for outcome in outcomes)
    assert (tmp_path / str(killer)).read_bytes() == b".."


def test_the_command(
    scheduler: Scheduler, runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folders = [str(folder) for folder in runs]
    assert main(["ranks", *folders, "--jobs", "1"]) == 1
    expected = capsys.readouterr().out
    assert main(["ranks", *folders, "--dask", scheduler.address]) == 1
    assert capsys.readouterr().out == expected


def test_no_scheduler_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opdiff.ranks.dask_cluster._ANSWER_WITHIN", 0.2)
    with pytest.raises(OpdiffError, match="no Dask scheduler"):
        DaskCluster("tcp://127.0.0.1:1")
