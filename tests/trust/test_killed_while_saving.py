"""Killed in the middle of saving: the old file is whole, and what is left goes the next time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from opdiff import drafts
from opdiff.capture import collecting
from opdiff.report.writing import write_atomically

# Writes a file, and stops to wait for the test when everything but its last step is done.
WRITER = """
import os, sys
from pathlib import Path
from opdiff.report import writing

def told(descriptor):
    print("there", flush=True)
    sys.stdin.readline()

os.fsync = told
writing.write_atomically(sys.argv[1], b"of the other")
"""


@contextmanager
def _in_the_middle(target: Path) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"there\n"
        yield writer


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", ["work.opdiff", "[a]*(b)?.txt", "注" * 84, "x" * 255])
def test_what_a_killed_writer_left_goes_with_the_next_one(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    target.write_bytes(b"old")
    for _ in range(3):
        with _in_the_middle(target) as writer:
            writer.send_signal(signal.SIGKILL)
    assert target.read_bytes() == b"old"
    assert len(_names(tmp_path)) == 2  # each removed what the one before it left
    write_atomically(target, b"new")
    assert _names(tmp_path) == [name]
    assert target.read_bytes() == b"new"


def test_one_who_still_writes_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "work.opdiff"
    monkeypatch.setattr(drafts, "_OLD", -1.0)  # the lock alone has to tell
    with _in_the_middle(target) as writer:
        write_atomically(target, b"ours")
        assert len(_names(tmp_path)) == 2
        assert target.read_bytes() == b"ours"
        writer.communicate(b"\n")
    assert writer.returncode == 0
    assert target.read_bytes() == b"of the other"
    assert _names(tmp_path) == ["work.opdiff"]


def test_a_process_that_runs_is_believed_without_a_lock(tmp_path: Path) -> None:
    target = tmp_path / "work.opdiff"
    mine = tmp_path / f".work.opdiff.{os.getpid()}-0123abcd.part"
    mine.touch()
    write_atomically(target, b"x")
    assert mine.exists()


def test_files_that_only_look_alike_stay(tmp_path: Path) -> None:
    others = [
        ".work.opdiff.part",
        ".work.opdiff.0123abcd.part",
        ".work.opdiff.999999999-0123abcd.part.txt",
        ".other.opdiff.999999999-0123abcd.part",
        "work.opdiff.999999999-0123abcd.part",
    ]
    for name in others:
        (tmp_path / name).touch()
    write_atomically(tmp_path / "work.opdiff", b"x")
    assert _names(tmp_path) == sorted([*others, "work.opdiff"])


def test_what_a_killed_capture_left_goes_too(tmp_path: Path) -> None:
    home, run = tmp_path / "home", tmp_path / "run"
    home.mkdir()
    run.mkdir()
    (run / "tracker_graph.ir").write_bytes(b"new")
    with _in_the_middle(home / "tracker_graph.ir") as writer:
        writer.send_signal(signal.SIGKILL)
    assert len(_names(home)) == 1
    found = collecting.RankFiles(None, (run / "tracker_graph.ir",))
    collecting.bring_home(found, home, keep=True)
    assert _names(home) == ["tracker_graph.ir"]
    assert (home / "tracker_graph.ir").read_bytes() == b"new"
