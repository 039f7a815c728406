from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from opdiff.capture import CaptureRequest, CaptureRun, run_and_collect, why_no_trace, write_manifest
from opdiff.capture.running import signal_name
from opdiff.errors import OpdiffError
from opdiff.wording import LANGUAGES, say

FAKE = str(Path(__file__).parent / "fake_training.py")


def capture(
    folder: Path, *words: str, rank: int | None = None, environment: dict[str, str] | None = None
) -> CaptureRun:
    work = folder / "work"
    work.mkdir(exist_ok=True)
    request = CaptureRequest(
        (sys.executable, FAKE, *words), folder / "home", directory=work, rank=rank
    )
    return run_and_collect(request, environment or {})


def reason(run: CaptureRun) -> str:
    sentence = why_no_trace(run)
    assert sentence is not None
    assert all(say(sentence, language) for language in LANGUAGES)
    return sentence.code


def test_a_trace_in_the_working_directory_comes_home(tmp_path: Path) -> None:
    run = capture(tmp_path, "trace=Add+Mul", "tables")
    assert why_no_trace(run) is None
    assert sorted(path.name for path in run.files) == [
        "memory_block.csv",
        "task.csv",
        "tracker_graph.ir",
    ]
    assert all(path.parent == tmp_path / "home" for path in run.files)
    assert list((tmp_path / "work").iterdir()) == []


def test_every_rank_comes_home_to_its_own_folder(tmp_path: Path) -> None:
    run = capture(tmp_path, "into=rank_0", "trace=Add", "into=rank_1", "trace=Mul")
    assert [str(p.relative_to(tmp_path / "home")) for p in run.traces] == [
        "rank_0/tracker_graph.ir",
        "rank_1/tracker_graph.ir",
    ]


def test_one_rank_of_several(tmp_path: Path) -> None:
    run = capture(tmp_path, "into=rank_0", "trace=Add", "into=rank_1", "trace=Mul", rank=1)
    assert [path.parent.name for path in run.traces] == ["rank_1"]


def test_a_rank_that_left_nothing(tmp_path: Path) -> None:
    run = capture(tmp_path, "into=rank_0", "trace=Add", rank=7)
    assert not run.traces


def test_the_path_of_the_tracker_is_searched_and_left_in_place(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    run = capture(
        tmp_path,
        f"into={elsewhere}/rank_0",
        "trace=Add",
        environment={"MS_ALLOC_CONF": f"memory_tracker_path:{elsewhere}"},
    )
    assert [path.parent.name for path in run.traces] == ["rank_0"]
    assert (elsewhere / "rank_0" / "tracker_graph.ir").exists()


def test_a_trace_of_an_earlier_run_is_not_taken_for_this_ones(tmp_path: Path) -> None:
    capture(tmp_path, "trace=Add")
    (tmp_path / "work" / "tracker_graph.ir").write_text("an older one")
    run = capture(tmp_path, "print=HOME")
    assert run.files == ()
    assert run.kept_earlier
    assert reason(run) == "capture.no-mindspore"
    assert (tmp_path / "work" / "tracker_graph.ir").read_text() == "an older one"


def test_what_is_at_home_stays_until_there_is_something_new(tmp_path: Path) -> None:
    capture(tmp_path, "into=rank_0", "trace=Add", "into=rank_1", "trace=Mul")
    home = tmp_path / "home"
    kept = {path: path.read_text() for path in home.rglob("tracker_graph.ir")}
    assert len(kept) == 2
    for words in (["print=HOME"], ["exit=3"], ["trace="]):  # nothing; failed; an empty trace
        assert capture(tmp_path, *words).kept_earlier
        assert {path: path.read_text() for path in home.rglob("tracker_graph.ir")} == kept
    with pytest.raises(OpdiffError):
        run_and_collect(CaptureRequest(("no-such-program",), home, directory=tmp_path), {})
    assert {path: path.read_text() for path in home.rglob("tracker_graph.ir")} == kept
    new = capture(tmp_path, "into=rank_0", "trace=Sub")
    assert not new.kept_earlier
    assert "Sub" in (home / "rank_0" / "tracker_graph.ir").read_text()


def test_what_an_earlier_capture_brought_goes_and_what_the_user_put_there_stays(
    tmp_path: Path,
) -> None:
    write_manifest(capture(tmp_path, "into=rank_0", "trace=Add", "into=rank_1", "trace=Mul"))
    home = tmp_path / "home"
    (home / "task.csv").write_text("my own table")
    write_manifest(capture(tmp_path, "into=rank_0", "trace=Sub"))
    # Rank 1 is of the earlier run: it would pass for this one's.
    assert [*home.rglob("tracker_graph.ir")] == [home / "rank_0" / "tracker_graph.ir"]
    assert (home / "task.csv").read_text() == "my own table"


@pytest.mark.parametrize("manifest", ["", "[]", '{"files": ["../work/keep", 3]}', '{"files": 1}'])
def test_a_manifest_removes_nothing_but_the_tracker_s_files(tmp_path: Path, manifest: str) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "work").mkdir()
    for path in (tmp_path / "work" / "keep", home / "keep"):
        path.write_text("kept")
    (home / "capture.json").write_text(manifest)
    write_manifest(capture(tmp_path, "trace=Sub"))
    assert (tmp_path / "work" / "keep").exists()
    assert (home / "keep").exists()
    assert json.loads((home / "capture.json").read_text())["files"] == ["tracker_graph.ir"]


def test_one_rank_at_a_time_leaves_the_others(tmp_path: Path) -> None:
    words = ("into=rank_0", "trace=Add", "into=rank_1", "trace=Mul")
    write_manifest(capture(tmp_path, *words, rank=0))
    write_manifest(capture(tmp_path, *words, rank=1))
    home = tmp_path / "home"
    assert sorted(path.parent.name for path in home.rglob("*.ir")) == ["rank_0", "rank_1"]


def test_the_status_is_passed_on_with_the_trace(tmp_path: Path) -> None:
    run = capture(tmp_path, "trace=Add", "exit=3")
    assert run.exit_status == 3
    assert len(run.traces) == 1


@pytest.mark.parametrize(
    ("words", "environment", "code"),
    [
        (["kill=SIGTERM"], {}, "capture.killed"),
        (["exit=137"], {}, "capture.killed"),
        (["tables"], {"MS_ALLOC_CONF": "simple_tracker:True"}, "capture.simple-tracker"),
        (["tables"], {}, "capture.only-tables"),
        (["trace="], {}, "capture.nothing-ran"),
        (["exit=4"], {}, "capture.no-mindspore"),
    ],
)
def test_the_reason_for_no_trace(
    tmp_path: Path, words: list[str], environment: dict[str, str], code: str
) -> None:
    assert reason(capture(tmp_path, *words, environment=environment)) == code


def outcome(tmp_path: Path, status: int, versions: dict[str, str]) -> CaptureRun:
    request = CaptureRequest(("python", "x.py"), tmp_path)
    return CaptureRun(request, status, 0.0, 1.0, {}, versions, frozenset(), ())


@pytest.mark.parametrize(
    ("status", "versions", "code"),
    [
        (0, {"python": "3.10", "mindspore": "2.4.10"}, "capture.old-version"),
        (1, {"python": "3.10", "mindspore": "2.10.0"}, "capture.failed"),
        (0, {"python": "3.10", "mindspore": "2.10.0"}, "capture.no-files"),
        (0, {}, "capture.no-files"),
    ],
)
def test_the_reason_where_nothing_was_written(
    tmp_path: Path, status: int, versions: dict[str, str], code: str
) -> None:
    assert reason(outcome(tmp_path, status, versions)) == code


def test_a_command_that_does_not_exist(tmp_path: Path) -> None:
    request = CaptureRequest(("no-such-program-anywhere",), tmp_path / "home")
    with pytest.raises(OpdiffError, match="cannot run no-such-program-anywhere"):
        run_and_collect(request, {})


def test_the_manifest_says_how_the_trace_came_about(tmp_path: Path) -> None:
    environment = {"MS_DEV_RUNTIME_CONF": "7", "SECRET": "no"}
    run = capture(tmp_path, "trace=Add", "exit=3", environment=environment)
    manifest = json.loads(write_manifest(run).read_text())
    assert manifest["command"][1:] == [FAKE, "trace=Add", "exit=3"]
    assert manifest["exit_status"] == 3
    assert manifest["files"] == ["tracker_graph.ir"]
    assert manifest["environment"] == {
        "MS_ALLOC_CONF": "memory_tracker:True",
        "MS_DEV_RUNTIME_CONF": "7",
    }
    assert manifest["versions"]["python"].startswith("3.")
    assert manifest["problem"] is None


def test_unknown_signals_have_a_name_too() -> None:
    assert signal_name(15) == "SIGTERM"
    assert signal_name(99) == "signal 99"
