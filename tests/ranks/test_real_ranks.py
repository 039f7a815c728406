"""Real runs on two ranks, started by the launchers of their frameworks (``make real``)."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path

import pytest

from opdiff.cli import main

ROOT = Path(__file__).parents[2]
TORCH = ROOT / ".venv-torch" / "bin" / "python"
MINDSPORE = ROOT / ".venv-mindspore" / "bin"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:  # type: ignore[type-arg]
    assert main(["ranks", *arguments, "--jobs", "1", "--format", "json"]) in (0, 1)
    found: dict = json.loads(capsys.readouterr().out)  # type: ignore[type-arg]
    return found


@pytest.mark.torch
@pytest.mark.skipif(not TORCH.exists(), reason="no .venv-torch: make real makes it")
def test_two_ranks_of_pytorch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = Path(__file__).parent / "real_torch_ranks.py"
    for name in ("right", "wrong"):
        command = [str(TORCH), "-m", "torch.distributed.run", "--nproc-per-node=2"]
        command += [f"--master-port={_free_port()}", str(program), f"{name}/step.ir", name]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    left, right = str(tmp_path / "right"), str(tmp_path / "wrong")
    found = _json(capsys, left, right, "--values-of", "--no-values")
    assert [rank["status"] for rank in found["ranks"]] == ["equal", "differs"]
    (group,) = found["groups"]
    assert (group["kind"], group["ranks"]) == ("only-right", [1])
    assert "aten::mul" in group["title"]
    # The mistake of one rank is in what all of them reduce.
    errors = {
        call["name"]: call["ranks"]
        for sheet in found["values"]
        if sheet["figure"] == "Error"
        for call in sheet["calls"]
    }
    assert errors["c10d.allreduce_.0.forward.input.0"]["0"] == 0
    assert errors["c10d.allreduce_.0.forward.input.0"]["1"] > 0.1
    assert errors["c10d.allreduce_.0.forward.output.0"]["0"] > 0.1
    # Values tell it of the rank that did nothing wrong, too.
    held = _json(capsys, left, right)
    assert [rank["status"] for rank in held["ranks"]] == ["differs", "differs"]
    assert "value" in {group["kind"] for group in held["groups"] if 0 in group["ranks"]}
    # Groups, and what is sent and received, agree.
    assert found["collectives"] == []
    trace = (tmp_path / "right" / "rank_0" / "step.ir").read_text()
    assert "group=0-1;comm_rank=0 1" in trace
    assert "dst_rank=1" in trace


@pytest.mark.mindspore
@pytest.mark.skipif(not (MINDSPORE / "msrun").exists(), reason="no .venv-mindspore: make real")
def test_two_ranks_of_mindspore_are_captured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = Path(__file__).parent / "real_mindspore_ranks.py"
    monkeypatch.setenv("PATH", f"{MINDSPORE}{os.pathsep}{os.environ['PATH']}")
    for name in ("right", "wrong"):
        work = tmp_path / f"work-{name}"
        work.mkdir()
        monkeypatch.chdir(work)
        command = ["msrun", "--worker_num=2", "--local_worker_num=2", "--join=True"]
        command += [f"--master_port={_free_port()}", "--log_dir=logs", str(program), name]
        assert main(["capture", "--out", str(tmp_path / name), "--", *command]) == 0
    said = capsys.readouterr().err
    assert "left nothing" not in said
    found = _json(capsys, str(tmp_path / "right"), str(tmp_path / "wrong"))
    assert [rank["status"] for rank in found["ranks"]] == ["equal", "differs"]
    alone = _json(capsys, str(tmp_path / "wrong"))
    assert [rank["status"] for rank in alone["ranks"]] == ["equal", "differs"]
