"""``opdiff capture --values``: MindSpore's dump is set up, brought home, and found by comparing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from opdiff.cli.main import main

PROGRAM = """
import json, os, sys
from pathlib import Path
import numpy as np
settings = json.loads(Path(os.environ["MINDSPORE_DUMP_CONFIG"]).read_text())
common = settings["common_dump_settings"]
assert common["saved_data"] == "tensor" and settings["e2e_dump_settings"]["enable"]
Path("tracker_graph.ir").write_text(
    "".join(
        f"(%{n + 2}) = Default/Add-op{n}(%{n + 1}), task_info: {n}, attrs {{stream_id=0}} \\n"
        "    (Float32:[4]) <- (Float32:[4])\\n    # \\n"
        for n in range(3)
    )
)
held = np.ones(4, np.float32)
for rank in range(int(sys.argv[2])):
    folder = Path(common["path"], f"rank_{rank}", "Net", "0", "0")
    folder.mkdir(parents=True)
    for n in range(3):
        for io in ("input", "output"):
            if io == "output":
                held = held + float(sys.argv[1]) * n
            name = f"Add.Default_Add-op{n}.0.0.{n}.{io}.0.DefaultFormat.Float32.npy"
            np.save(folder / name, held)
"""


@pytest.fixture(autouse=True)
def _in_an_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MINDSPORE_DUMP_CONFIG", raising=False)
    Path("program.py").write_text(PROGRAM, encoding="utf-8")


def capture(home: str, constant: float = 1.0, ranks: int = 1) -> int:
    command = [sys.executable, "program.py", str(constant), str(ranks)]
    return main(["capture", "--values", "--out", home, "--", *command])


def test_the_dump_comes_home_and_is_compared(capfd: pytest.CaptureFixture[str]) -> None:
    assert capture("left") == 0
    assert "brought home the values of 6 operands, in left/dump" in capfd.readouterr().err
    assert capture("right", 1.5) == 0
    capfd.readouterr()
    assert main(["compare", "left", "right", "--format", "json"]) == 1
    first = json.loads(capfd.readouterr().out)["summary"]["values"]["first"]
    assert (first["left_line"], first["cause"]) == (4, "compute")


def test_a_dump_takes_the_place_of_our_earlier_one_only(capfd: pytest.CaptureFixture[str]) -> None:
    assert capture("home") == 0
    assert capture("home", 2.0) == 0
    assert not [path for path in Path("home").iterdir() if path.name.startswith("dump-part")]
    Path("other/dump").mkdir(parents=True)
    Path("other/dump/mine.txt").write_text("mine", encoding="utf-8")
    capfd.readouterr()
    assert capture("other") == 2
    assert "no dump that opdiff made" in capfd.readouterr().err
    assert Path("other/dump/mine.txt").read_text(encoding="utf-8") == "mine"


def test_nothing_dumped_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    assert capture("home", ranks=0) == 0
    assert "no tensor was dumped" in capfd.readouterr().err
    assert not Path("home/dump").exists()


def test_each_rank_has_its_own_dump() -> None:
    assert capture("home", ranks=2) == 0
    for rank in range(2):
        assert len(list(Path(f"home/rank_{rank}/dump").rglob("*.npy"))) == 6


def test_a_dump_of_the_users_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MINDSPORE_DUMP_CONFIG", "/mine.json")
    assert capture("home") == 2
    assert "MINDSPORE_DUMP_CONFIG is set already" in capfd.readouterr().err
    assert not Path("home").exists()


def test_a_folder_whose_name_mindspore_refuses(capfd: pytest.CaptureFixture[str]) -> None:
    assert capture("with a.dot") == 0
    assert "with a.dot/dump" in capfd.readouterr().err
