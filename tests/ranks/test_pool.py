"""Processes that are killed, interrupted, or given what cannot be read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from cluster import Cluster
from opdiff.progress import Cancelled, Progress
from opdiff.ranks.job import Claim, all_new
from opdiff.ranks.outcome import RankOutcome, RankVerdict, Status
from opdiff.ranks.pool import MOST_TRIES, LocalPool, fitting_jobs

EQUAL = RankVerdict(0, 0, ())


@dataclass(frozen=True)
class Killed:
    """Ends its process as often as it is told to, counted in a file."""

    rank: int
    folder: str
    times: int

    def alone(self) -> Killed:
        return self

    def run(self, claim: Claim = all_new) -> RankOutcome:
        path = Path(self.folder) / f"tries-{self.rank}"
        tries = len(path.read_bytes()) if path.exists() else 0
        with path.open("ab") as file:
            file.write(b".")
        claim(b"content")
        if tries < self.times:
            os.kill(os.getpid(), signal.SIGKILL)
        return RankOutcome(self.rank, verdict=EQUAL)


@dataclass(frozen=True)
class Twin:
    """Waits for the other job of the same content."""

    rank: int

    def alone(self) -> Twin:
        return self

    def run(self, claim: Claim = all_new) -> RankOutcome:
        if not claim(b"content"):
            return RankOutcome(self.rank, same_as=b"content")
        return RankOutcome(self.rank, verdict=EQUAL)


@dataclass(frozen=True)
class Endless:
    """Never ends by itself."""

    rank: int

    def alone(self) -> Endless:
        return self

    def run(self, claim: Claim = all_new) -> RankOutcome:
        threading.Event().wait()
        raise AssertionError


def test_no_more_processes_than_memory_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opdiff.ranks.pool.usable_processors", lambda: 64)
    monkeypatch.setattr("opdiff.ranks.pool._available_memory", lambda: 16 << 30)
    assert fitting_jobs(1 << 20) == 64
    assert fitting_jobs(4 << 30) == 3
    assert fitting_jobs(100 << 30) == 1


def test_a_killed_process_costs_a_try_and_nothing_else(tmp_path: Path) -> None:
    pool = LocalPool(2)
    jobs = [Killed(0, str(tmp_path), 1), *(Twin(rank) for rank in range(1, 6))]
    outcomes = list(pool.run(jobs))
    pool.close()
    assert sorted(outcome.rank for outcome in outcomes) == list(range(6))
    assert {outcome.status for outcome in outcomes} == {Status.EQUAL}
    assert (tmp_path / "tries-0").read_bytes() == b".."


def test_a_job_that_kills_every_process_is_given_up(tmp_path: Path) -> None:
    pool = LocalPool(1)
    outcomes = list(pool.run([Killed(0, str(tmp_path), 99), Twin(1)]))
    pool.close()
    assert {outcome.rank: str(outcome.status) for outcome in outcomes} == {0: "failed", 1: "equal"}
    assert (tmp_path / "tries-0").read_bytes() == b"." * MOST_TRIES


def test_cancelling_ends_the_processes() -> None:
    class Impatient(Progress):
        def report(self, stage: str, done: int, total: int) -> None:
            raise Cancelled

    pool = LocalPool(2)
    with pytest.raises(Cancelled):
        list(pool.run([Endless(0), Endless(1)], Impatient()))
    assert pool._workers == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_the_command_quietly(tmp_path: Path) -> None:
    run = Cluster(1, 4, 4, layers=40)
    left, right = run.write(tmp_path / "left"), run.write(tmp_path / "right")
    command = [sys.executable, "-m", "opdiff", "ranks", str(left), str(right), "--jobs", "2"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        pytest.skip("needs /proc")
    while process.poll() is None and len(children.read_text().split()) < 3:
        pass  # the tracker of resources, and two that work
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate()
    assert process.returncode == 130
    assert out == b""
    assert err == b""


BLOCKING = """
from opdiff.ranks.pool import _Worker

workers = [_Worker() for _ in range(2)]
for worker in workers:
    with open(f"/proc/{worker.process_id}/status") as status:
        facts = dict(line.split(":", 1) for line in status)
    print(int(facts["SigBlk"], 16) >> 1 & 1)
    worker.kill()
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells what is blocked")
def test_no_process_hears_an_interrupt_while_it_begins() -> None:
    """The first one too, which is begun together with Python's own process for all of them."""
    done = subprocess.run(
        [sys.executable, "-c", BLOCKING], capture_output=True, check=True, timeout=300
    )
    assert done.stdout.split() == [b"1", b"1"]
