from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from format_files import DATA

from opdiff.cli import main

DUMPS = DATA / "msprobe"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for side, name in (("npu", "A_L1"), ("bench", "B_norm_eps_L1")):
        for rank in (0, 1):
            shutil.copytree(DUMPS / name, tmp_path / side / "step0" / f"rank{rank}")
    return tmp_path


def written(folder: Path, **content: object) -> str:
    path = folder / "compare.json"
    path.write_text(json.dumps(content, indent=1))
    return str(path)


def report(path: str, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, str]]:
    assert main(["compare", path, "--format", "json", "--no-values", *words]) == 1
    found: dict[str, dict[str, str]] = json.loads(capsys.readouterr().out)
    return found


def test_two_dumps(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = {key: f"{side}/step0/rank0/dump.json.gz" for key, side in KEYS.items()}
    path = written(folder, **paths, stack_path="npu/stack.json", is_print_compare_log=True)
    found = report(path, capsys)
    assert found["left"]["path"] == str(folder / paths["npu_path"])
    assert found["right"]["path"] == str(folder / paths["bench_path"])
    assert found["summary"]["divergences"] == 1


KEYS = {"npu_path": "npu", "bench_path": "bench"}


def test_ranks_and_steps(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(folder, **KEYS, rank_id=[1], step_id=[0])
    assert report(path, capsys)["left"]["path"].endswith("npu/step0/rank1/dump.json.gz")
    path = written(folder, npu_path="npu/step0", bench_path="bench/step0")
    assert main(["compare", path]) == 2
    assert "several ranks (0, 1)" in capsys.readouterr().err
    assert report(path, capsys, "--rank", "0")["left"]["path"].endswith("rank0/dump.json.gz")


def test_paths_are_those_of_where_the_command_runs(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "deep").mkdir()
    path = written(folder / "deep", **{key: f"{side}/step0/rank0" for key, side in KEYS.items()})
    assert report(path, capsys)["left"]["path"] == "npu/step0/rank0/dump.json.gz"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"npu_path": "a"\n "bench_path": "b"}', "compare.json:2: "),
        ('{"npu_path": "a", "bench_path": 3}', "bench_path is missing"),
        ('{"npu_path": "a", "bench_path": "b", "rank_id": [1, 2]}', "rank_id is not a list of one"),
        ('{"npu_path": "a", "bench_path": "b"}', "no such file"),
        ('{"npu": "a"}', "give two traces"),
        ('["npu_path", "bench_path"]', "give two traces"),
    ],
)
def test_files_that_name_nothing(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "compare.json"
    path.write_text(text)
    assert main(["compare", str(path)]) == 2
    assert said in capsys.readouterr().err


def test_the_file_is_not_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(folder, **KEYS, rank_id=0, step_id=0)
    before = Path(path).read_bytes()
    assert main(["compare", path, "-o", path]) == 2
    assert Path(path).read_bytes() == before
