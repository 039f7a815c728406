"""Two runs of 64 ranks with known mistakes: every one is found, and nothing else."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster import Cluster, dropped, line_of, place_of, renamed
from opdiff.cli import main
from opdiff.compare import Rules
from opdiff.compare.rules import Ignore
from opdiff.errors import OpdiffError
from opdiff.ranks import LocalPool, Question, RanksResult, Status, compare_runs, find_ranks
from opdiff.ranks.two_runs import jobs_for
from opdiff.trace.told import Kernel

LOST, SWAPPED, CUT, MISSING = 17, 35, 9, 40


POOL = LocalPool(2)
"""Processes for all tests here: starting them is what takes time."""


@pytest.fixture(scope="module", autouse=True)
def _end_processes() -> Iterator[None]:
    yield
    POOL.close()


def _compared(left: Path, right: Path, **options: object) -> RanksResult:
    return compare_runs(find_ranks(left), find_ranks(right), Question(**options), POOL)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    good = Cluster()
    bad = Cluster(
        names={"Slice": "StridedSlice"},
        mistakes={LOST: dropped("AllReduce", 2), SWAPPED: renamed("AllReduce", 1, "AllGather")},
        missing=frozenset({MISSING}),
        cut=frozenset({CUT}),
    )
    return good.write(folder / "good"), bad.write(folder / "bad")


@pytest.fixture(scope="module")
def result(runs: tuple[Path, Path]) -> RanksResult:
    return _compared(*runs)


def test_every_rank_has_one_outcome(result: RanksResult) -> None:
    assert [outcome.rank for outcome in result.outcomes] == list(range(64))
    statuses = {outcome.rank: outcome.status for outcome in result.outcomes}
    assert statuses.pop(MISSING) is Status.MISSING_RIGHT
    assert set(statuses.values()) == {Status.DIFFERS}


def test_what_all_ranks_share_is_one_group(result: RanksResult) -> None:
    shared = [group for group in result.groups if len(group.ranks) == 63]
    assert [(group.kind, group.count, group.harmless) for group in shared] == [
        ("op-type", 3 * 63, True)
    ]


def test_each_odd_rank_has_its_mistake_and_no_other_has_it(result: RanksResult) -> None:
    own = {group.ranks: group for group in result.groups if len(group.ranks) == 1}
    assert set(own) == {(LOST,), (SWAPPED,), (CUT,)}
    ops = Cluster().ops(SWAPPED)
    line = line_of(ops, place_of(ops, "AllReduce", 1))
    swapped = own[(SWAPPED,)]
    assert (swapped.kind, swapped.first.left_line, swapped.first.right_line) == (
        "op-type",
        line,
        line,
    )
    assert own[(LOST,)].kind == "only-left"
    assert own[(LOST,)].count == 1
    assert own[(CUT,)].count > 1


def test_communication_parts_where_the_mistakes_are(result: RanksResult) -> None:
    found = {(each.side.name, each.parting.ranks) for each in result.partings}
    assert found == {("RIGHT", (LOST,)), ("RIGHT", (SWAPPED,)), ("RIGHT", (CUT,))}
    swapped = next(each.parting for each in result.partings if each.parting.ranks == (SWAPPED,))
    ops = Cluster().ops(SWAPPED)
    assert swapped.index == 2
    assert swapped.expected == "AllReduce BFloat16 [64]"
    assert swapped.found == "AllGather BFloat16 [64]"
    assert swapped.line == line_of(ops, place_of(ops, "AllReduce", 1))
    assert swapped.others == (32, 33, 34)


def test_the_cut_trace_is_named(result: RanksResult) -> None:
    assert [note.ranks for note in result.notes if note.code == "problems"] == [(CUT,)]


def test_equal_content_is_compared_once(runs: tuple[Path, Path]) -> None:
    good, bad = map(find_ranks, runs)
    outcomes = list(POOL.run(jobs_for(good, bad, Question())))
    compared = [outcome.rank for outcome in outcomes if outcome.same_as is None]
    # One for each of the stages (the two in the middle do the same), and the three odd ones.
    assert len(compared) == 3 + 3
    assert sorted(outcome.rank for outcome in outcomes) == sorted({*range(64)} - {MISSING})
    assert all(outcome.verdict is not None for outcome in outcomes)
    # What is said of a rank is said of its own files.
    for outcome in outcomes:
        assert outcome.left is not None
        assert f"rank_{outcome.rank}/" in outcome.left.path


def test_equal_runs_are_equal(tmp_path: Path, runs: tuple[Path, Path]) -> None:
    result = _compared(runs[0], runs[0])
    assert result.count(Status.EQUAL) == 64
    assert not result.differs


def test_broken_files_stop_nothing(tmp_path: Path) -> None:
    small = Cluster(1, 2, 2, layers=1)
    left, right = small.write(tmp_path / "left"), small.write(tmp_path / "right")
    (left / "rank_1" / "tracker_graph.ir").write_bytes(b"\0\1\2" * 100)
    (right / "rank_2" / "tracker_graph.ir").write_bytes(b"")
    shutil.rmtree(right / "rank_3")
    (right / "rank_3").mkdir()
    result = _compared(left, right)
    assert [str(outcome.status) for outcome in result.outcomes] == [
        "equal",
        "failed",
        "failed",
        "missing-right",
    ]
    errors = [outcome.trouble.text() if outcome.trouble else "" for outcome in result.outcomes]
    assert "rank_1" in errors[1]
    assert "rank_2" in errors[2]
    assert "empty" in errors[3]


def test_two_folders_of_one_rank_are_told(tmp_path: Path) -> None:
    small = Cluster(1, 1, 2, layers=1)
    left, right = small.write(tmp_path / "left"), small.write(tmp_path / "right")
    shutil.copytree(right / "rank_1", right / "rank_01")
    result = _compared(left, right)
    assert [str(outcome.status) for outcome in result.outcomes] == ["equal", "failed"]
    trouble = result.outcomes[1].trouble
    assert trouble is not None
    assert "rank_01" in trouble.text()


def test_rules_count_on_every_rank(runs: tuple[Path, Path]) -> None:
    rules = Rules(ignore=(Ignore(op="StridedSlice"), Ignore(op="Slice")))
    result = _compared(*runs, rules=rules)
    assert result.count(Status.EQUAL) == 60
    assert result.count(Status.DIFFERS) == 3


def test_what_rules_say_of_kernels_is_heeded_when_ranks_are_read(tmp_path: Path) -> None:
    log = (
        "[rank:0]:[77] [2026-03-30 10:15:30:102] torch_npu.op_plugin: [INFO] [77] "
        "aclnnMine EXEC_NPU_CMD stream_id=2, aic_num=24 aiv_num=48 with task_queue = 1\n"
        "here: Tensor size: [2], stride: [1], offset: 0, dtype: float, device ID: 0, "
        "data_ptr: 0x10\n"
        "there: Tensor size: [2], stride: [1], offset: 0, dtype: float, device ID: 0, "
        "data_ptr: 0x20\n\n"
    )
    for name in ("left", "right"):
        folder = tmp_path / name / "rank_0"
        folder.mkdir(parents=True)
        (folder / "log.txt").write_text(log)
    rules = Rules(kernels=(("aclnnMine", Kernel(out=("there",))),))
    question = Question(rules=rules)
    assert question.told.kernels == {"aclnnMine": Kernel(out=("there",))}
    result = _compared(tmp_path / "left", tmp_path / "right", rules=rules)
    assert [str(outcome.status) for outcome in result.outcomes] == ["equal"]


def test_folders_without_ranks(tmp_path: Path) -> None:
    with pytest.raises(OpdiffError, match="no ranks"):
        find_ranks(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(OpdiffError, match="is a file"):
        find_ranks(tmp_path / "file")
    with pytest.raises(OpdiffError):
        find_ranks(tmp_path / "nowhere")


def test_ranks_are_found_in_steps_and_by_file_names(tmp_path: Path) -> None:
    (tmp_path / "step0" / "rank0").mkdir(parents=True)
    (tmp_path / "step0" / "rank0" / "dump.json").write_text("{}")
    (tmp_path / "step0" / "rank10").mkdir()
    (tmp_path / "step0" / "rank10" / "dump.json").write_text("{}")
    assert find_ranks(tmp_path).ranks == [0, 10]
    files = tmp_path / "files"
    files.mkdir()
    for name in ("trace.rank3.ir", "trace_rank_4.ir.gz", "trace.rank3.values.csv", "other.ir"):
        (files / name).write_text("")
    assert find_ranks(files).paths == {
        3: str(files / "trace.rank3.ir"),
        4: str(files / "trace_rank_4.ir.gz"),
    }


@pytest.fixture
def small_runs(tmp_path: Path) -> tuple[str, str]:
    good = Cluster(2, 1, 2, layers=1)
    bad = Cluster(2, 1, 2, layers=1, mistakes={2: renamed("AllReduce", 0, "AllGather")})
    return str(good.write(tmp_path / "left")), str(bad.write(tmp_path / "right"))


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict]:  # type: ignore[type-arg]
    status = main(["ranks", *arguments, "--format", "json", "--jobs", "1"])
    return status, json.loads(capsys.readouterr().out)


def test_json_follows_the_schema(
    small_runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    status, document = _json(capsys, *small_runs)
    assert status == 1
    assert document["schema"] == "opdiff-ranks/1"
    ranks = {rank["rank"]: rank for rank in document["ranks"]}
    assert [ranks[rank]["status"] for rank in range(4)] == ["equal", "equal", "differs", "equal"]
    ops = Cluster(2, 1, 2, layers=1).ops(2)
    line = line_of(ops, place_of(ops, "AllReduce"))
    first = ranks[2]["first"]
    assert (first["left_line"], first["right_line"]) == (line, line)
    assert "AllGather" in first["title"]
    assert ranks[0]["first"] is None
    assert ranks[2]["divergences"] == 1
    assert ranks[2]["groups"] == 1
    (group,) = document["groups"]
    assert group["kind"] == "op-type"
    assert (group["ranks"], group["count"], group["harmless"]) == ([2], 1, False)
    (parting,) = document["collectives"]
    assert parting["group"] == "tp-1-0"
    assert parting["index"] == 1
    assert parting["line"] is not None


def test_exit_status(small_runs: tuple[str, str], tmp_path: Path) -> None:
    left, right = small_runs
    assert main(["ranks", left, left, "--jobs", "1"]) == 0
    assert main(["ranks", left, right, "--jobs", "1", "--rank", "0-1"]) == 0
    assert main(["ranks", left, right, "--jobs", "1", "--rank", "2"]) == 1
    for rank in range(4):
        (Path(right) / f"rank_{rank}" / "tracker_graph.ir").write_bytes(b"")
    assert main(["ranks", left, right, "--jobs", "1"]) == 2
    assert main(["ranks", left, str(tmp_path / "nowhere")]) == 2
    assert main(["ranks", left, right, "--rank", "7-3"]) == 2
    assert main(["ranks", left, right, "--rank", "100"]) == 2
    assert main(["ranks", left, right, "--jobs", "0"]) == 2
    assert main(["ranks", left, right, "--anchor", "MatMul"]) == 2
    assert main(["ranks", left, left, left]) == 2


def test_a_missing_rank_is_a_difference(small_runs: tuple[str, str]) -> None:
    left, _ = small_runs
    copy = Path(left).with_name("copy")
    shutil.copytree(left, copy)
    shutil.rmtree(copy / "rank_3")
    assert main(["ranks", left, str(copy), "--jobs", "1", "--fail-on", "suspect"]) == 1


def test_anchors_are_found_on_every_rank(
    small_runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    status, document = _json(capsys, *small_runs, "--anchor", "MatMul:1")
    assert status == 1  # the traces agree up to there, communication does not
    assert {rank["status"] for rank in document["ranks"]} == {"equal"}
    status, document = _json(capsys, *small_runs, "--anchor", "MatMul:2")
    assert [rank["status"] for rank in document["ranks"]][2] == "differs"
    status, document = _json(capsys, *small_runs, "--anchor", "LogSoftmax:1")
    assert {rank["rank"]: rank["status"] for rank in document["ranks"]}[0] == "failed"


def test_a_baseline_is_left_out(
    small_runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    left, right = small_runs
    _, document = _json(capsys, left, right, "--baseline", left, right)
    assert {rank["status"] for rank in document["ranks"]} == {"equal"}
    assert document["groups"] == []


def test_reports_are_written_and_inputs_are_not(
    small_runs: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.csv"
    assert main(["ranks", *small_runs, "--jobs", "1", "--format", "csv", "-o", str(out)]) == 1
    rows = out.read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("rank,status,cluster,kind,title")
    assert sum(row.startswith("2,differs") for row in rows) == 1
    assert any(",collective," in row for row in rows)
    trace = Path(small_runs[0]) / "rank_0" / "tracker_graph.ir"
    before = trace.read_bytes()
    assert main(["ranks", *small_runs, "-o", str(trace)]) == 2
    assert trace.read_bytes() == before


def test_text_speaks_chinese(
    small_runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ranks", *small_runs, "--jobs", "1", "--lang", "zh"]) == 1
    said = capsys.readouterr().out
    assert "通信不一致" in said
    assert "仅 rank 2 上" in said
