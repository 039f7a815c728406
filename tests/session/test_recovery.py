from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from written_traces import layers, write_trace

from opdiff.own_folders import state_folder
from opdiff.session import Work, read_session
from opdiff.session.recovery import ORIGIN, Recovery, forget

CRASHES = """
import os, signal, sys
from pathlib import Path
from opdiff.compare import Request
from opdiff.readers import open_trace
from opdiff.session import Work
from opdiff.session.recovery import Recovery

left, right, folder = sys.argv[1:]
recovery = Recovery(Path(folder))
work = Work(Request(left_anchor=2, right_anchor=2))
recovery.save(work, open_trace(left), open_trace(right), {"folded": True}, Path("/x/mine.opdiff"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_work_survives_a_crash(tmp_path: Path) -> None:
    left = write_trace(tmp_path / "l.ir", layers(2))
    right = write_trace(tmp_path / "r.ir", layers(2))
    folder = tmp_path / "state"
    paths = [left.source.path, right.source.path, str(folder)]
    subprocess.run([sys.executable, "-c", CRASHES, *paths], check=False)
    recovery = Recovery(folder)
    [copy] = recovery.left_behind()
    session = read_session(copy)
    assert session.restore(left, right).work.request.left_anchor == 2
    assert session.view == {"folded": True, ORIGIN: "/x/mine.opdiff"}
    forget(copy)
    assert recovery.left_behind() == []
    recovery.close()


def test_the_copy_of_a_window_that_is_open_is_left_alone(tmp_path: Path) -> None:
    left = write_trace(tmp_path / "l.ir", layers(1))
    right = write_trace(tmp_path / "r.ir", layers(1))
    one, other = Recovery(tmp_path / "state"), Recovery(tmp_path / "state")
    one.save(Work(), left, right, {}, None)
    assert other.left_behind() == []
    assert one.left_behind() == []
    one.close()
    other.close()
    assert list((tmp_path / "state").iterdir()) == []


def test_a_clean_end_leaves_nothing(tmp_path: Path) -> None:
    left = write_trace(tmp_path / "l.ir", layers(1))
    recovery = Recovery(tmp_path / "state")
    recovery.save(Work(), left, left, {}, None)
    assert recovery.path.exists()
    recovery.discard()
    assert not recovery.path.exists()
    recovery.close()
    assert list((tmp_path / "state").iterdir()) == []


def test_old_locks_with_nothing_to_restore_are_swept_away(tmp_path: Path) -> None:
    for name in ("recovery-1-a.lock", "recovery-2-b.lock"):
        (tmp_path / name).touch()
    os.utime(tmp_path / "recovery-1-a.lock", (0, 0))
    recovery = Recovery(tmp_path)
    recovery.close()
    assert [path.name for path in tmp_path.iterdir()] == ["recovery-2-b.lock"]


def test_the_folder_is_the_system_s(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "opdiff"
