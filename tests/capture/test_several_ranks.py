"""Capturing what a launcher starts: all ranks, and a word on those that left nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from opdiff.capture.launchers import Launched, launched_by, ranks_without
from opdiff.cli import main

_RECORD = (
    "(%2) = {name}(%1), task_info: 1, attrs {{stream_id=0}} \n"
    "    (Float32:[2]) <- (Float32:[2])\n    # \n"
)

_LAUNCHER = """#!{python}
import pathlib, sys
for rank in {ranks}:
    folder = pathlib.Path("somewhere") / f"rank_{{rank}}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / {name!r}).write_text({text!r})
    (folder / {sidecar!r}).write_text("values")
"""


def _launcher(folder: Path, program: str, ranks: list[int], name: str) -> Path:
    """A launcher by name, whose ranks leave their files in folders of their own."""
    path = folder / program
    text = _RECORD.format(name="Add")
    sidecar = name.partition(".")[0] + ".values.csv"
    path.write_text(
        _LAUNCHER.format(python=sys.executable, ranks=ranks, name=name, text=text, sidecar=sidecar)
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_all_ranks_are_brought_home_and_the_missing_one_is_told(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    launcher = _launcher(here, "msrun", [0, 1, 3], "tracker_graph.ir")
    command = [str(launcher), "--worker_num=4", "--local_worker_num=4", "train.py"]
    assert main(["capture", "--out", "home", "--", *command]) == 0
    assert sorted(path.name for path in (here / "home").glob("rank_*")) == [
        "rank_0",
        "rank_1",
        "rank_3",
    ]
    assert "left nothing: rank 2;" in capfd.readouterr().err
    manifest = json.loads((here / "home" / "capture.json").read_text())
    assert manifest["ranks_without"] == [2]


def test_what_the_recorder_wrote_by_rank_is_brought_home(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    launcher = _launcher(here, "torchrun", [0, 1], "eager.ir")
    command = [str(launcher), "--nproc-per-node", "2", "train.py"]
    assert main(["capture", "--out", "home", "--", *command]) == 0
    said = capfd.readouterr().err
    assert "left nothing" not in said
    for rank in (0, 1):
        assert (here / "home" / f"rank_{rank}" / "eager.ir").is_file()
        assert (here / "home" / f"rank_{rank}" / "eager.values.csv").is_file()
    assert main(["ranks", "home", "--jobs", "1"]) == 0


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("msrun --worker_num=8 --local_worker_num=8 t.py", Launched(8, alone=True)),
        ("msrun --worker_num 16 --local_worker_num 8 t.py", Launched(8, alone=False)),
        ("msrun t.py", Launched(8, alone=True)),
        ("torchrun --nproc_per_node=4 t.py --nproc_per_node=9", Launched(4, alone=True)),
        ("/opt/bin/torchrun --nnodes=2 --nproc-per-node=4 t.py", Launched(4, alone=False)),
        ("python -m torch.distributed.run --nproc-per-node=2 t.py", Launched(2, alone=True)),
        ("mpirun -np 4 python t.py", Launched(4, alone=True)),
        ("python train.py --worker_num=3", None),
        ("bash run.sh", None),
    ],
)
def test_launchers(command: str, expected: Launched | None) -> None:
    assert launched_by(command.split()) == expected


def test_ranks_without() -> None:
    assert ranks_without(Launched(4, alone=True), {0, 2}) == (1, 3)
    assert ranks_without(Launched(4, alone=False), {8, 9, 11}) == (10,)
    assert ranks_without(None, {0, 1, 4}) == (2, 3)
    assert ranks_without(None, set()) == ()
