"""No output overwrites an input, and damage costs the damaged record only."""

from __future__ import annotations

import io
import os
import random
import re
import shutil
from itertools import product
from pathlib import Path

import pytest

from opdiff.cli import main
from opdiff.compare import Request
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace, opening
from opdiff.readers.formats import Input
from opdiff.readers.mindspore import graph_ir
from opdiff.report.writing import write_atomically
from opdiff.session import Work, save_session
from opdiff.session.value_choice import ValueChoice

DATA = Path(__file__).parent / "data"
SAMPLES = Path(__file__).parents[2] / "samples"
IR = [*sorted((SAMPLES / "assign_ir").glob("*.ir")), DATA / "two_good.ir"]


# Reading


@pytest.mark.parametrize("name", ["last.ir", "last2.ir"])
def test_a_damaged_end_costs_one_record(name: str) -> None:
    trace = open_trace(DATA / name)
    assert len(trace) == 79
    assert [problem.sentence.code for problem in trace.problems] == ["reading.unexpected-text"]
    assert trace.problems[0].line == 238


def test_a_file_of_one_damaged_record_holds_no_op() -> None:
    with pytest.raises(OpdiffError) as error:
        open_trace(DATA / "only.ir")
    assert error.value.sentence.code == "reading.no-ops"


def test_a_mistake_of_ours_is_not_called_an_unreadable_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("a mistake")

    monkeypatch.setattr(opening, "_read", broken)
    with pytest.raises(ValueError, match="a mistake"):
        open_trace(DATA / "last.ir")


def test_a_path_that_cannot_exist_is_told() -> None:
    with pytest.raises(OpdiffError) as error:
        open_trace("a\0b")
    assert error.value.sentence.code == "reading.unreadable"


@pytest.mark.parametrize(
    ("name", "ops", "codes"),
    [
        ("two_good.ir", 44, []),
        ("two_second_header_damaged.ir", 44, ["graph-ir.headless"]),
        ("stray_brace.ir", 22, ["graph-ir.ended"]),
    ],
)
def test_graph_ir_keeps_every_node(name: str, ops: int, codes: list[str]) -> None:
    trace = open_trace(DATA / name)
    assert len(trace) == ops
    assert [problem.sentence.code for problem in trace.problems] == codes


def test_what_a_stray_bracket_cut_off_still_reads_what_stands_before_it() -> None:
    whole, cut = open_trace(DATA / "two_good.ir"), open_trace(DATA / "stray_brace.ir")
    for row in range(len(cut)):
        assert cut.producers(row) == whole.producers(row)


_NODE = re.compile(rb"^\s+%\d+\(.*\) = ")


@pytest.mark.parametrize("seed", range(30))
def test_graph_ir_loses_no_node_without_a_problem(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(8):
        lines = chance.choice(IR).read_bytes().split(b"\n")
        for _ in range(chance.randint(1, 4)):
            _damage(lines, chance)
        data = b"\n".join(lines)
        if not graph_ir.sniff(data[: 1 << 16]):
            continue
        stream = io.BytesIO(data)
        try:
            trace = graph_ir.read(Input("graph.ir", stream, stream, len(data)))
        except OpdiffError:
            continue
        told = {line for op in trace for line in range(op.line, op.last_line + 1)}
        for problem in trace.problems:
            told.update(range(problem.line, problem.last_line + 1))
        lost = [n for n, line in enumerate(lines, 1) if _NODE.match(line) and n not in told]
        assert not lost


def _damage(lines: list[bytes], chance: random.Random) -> None:
    at = chance.randrange(len(lines))
    if chance.random() < 0.5:  # where it hurts most
        graphs = [n for n, line in enumerate(lines) if line.startswith((b"subgraph @", b"}"))]
        at = chance.choice(graphs) if graphs else at
    word = chance.choice(("drop", "repeat", "brace", "flip", "cut"))
    if word == "drop":
        del lines[at]
    elif word == "repeat":
        lines.insert(at, lines[chance.randrange(len(lines))])
    elif word == "brace":
        lines.insert(at, b"}")
    elif word == "flip" and lines[at]:
        place = chance.randrange(len(lines[at]))
        lines[at] = lines[at][:place] + bytes([chance.randrange(32, 127)]) + lines[at][place + 1 :]
    else:
        lines[at] = lines[at][: len(lines[at]) // 2]


# Writing


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two traces, a link to each, rules and a session, and the way into it."""
    for name in ("eager.ir", "jit.ir"):
        shutil.copy(SAMPLES / "rope" / name, tmp_path)
    (tmp_path / "link.ir").symlink_to("eager.ir")
    os.link(tmp_path / "jit.ir", tmp_path / "hard.ir")
    (tmp_path / "rules.yaml").write_text("ignore: [Contiguous]\n")
    left, right = open_trace(tmp_path / "eager.ir"), open_trace(tmp_path / "jit.ir")
    save_session(tmp_path / "work.opdiff", Work(Request()), left, right)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "target", ["eager.ir", "jit.ir", "link.ir", "hard.ir", "./sub/../eager.ir", "rules.yaml"]
)
@pytest.mark.parametrize("option", ["-o", "--screenshot"])
def test_no_output_replaces_an_input(
    pair: Path, target: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (pair / "sub").mkdir()
    before = {path: path.read_bytes() for path in pair.glob("*.*")}
    command = ["compare"] if option == "-o" else []
    asked = [*command, "eager.ir", "jit.ir", "--rules", "rules.yaml", option, target]
    assert main(asked) == 2
    assert "would overwrite what is being read" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in pair.glob("*.*")} == before


@pytest.mark.parametrize("target", ["work.opdiff", "eager.ir"])
@pytest.mark.parametrize("option", ["-o", "--screenshot"])
def test_no_output_replaces_the_session_or_its_traces(
    pair: Path, target: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (pair / target).read_bytes()
    command = ["compare"] if option == "-o" else []
    assert main([*command, "work.opdiff", option, target]) == 2
    assert "would overwrite" in capsys.readouterr().err
    assert (pair / target).read_bytes() == before


def test_the_files_of_a_folder_and_those_beside_a_trace_are_inputs_too(
    pair: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = pair / "run"
    folder.mkdir()
    shutil.copy("eager.ir", folder / "tracker_graph.ir")
    (folder / "task.csv").write_text("time_stamp,task_name,node_name,graph_name,\n")
    for name in ("tracker_graph.ir", "task.csv"):
        before = (folder / name).read_bytes()
        assert main(["compare", "run", "jit.ir", "-o", f"run/{name}"]) == 2
        assert "would overwrite" in capsys.readouterr().err
        assert (folder / name).read_bytes() == before


def test_a_pair_known_to_be_good_is_kept_too(
    pair: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (pair / "good").mkdir()
    trace = shutil.copy("eager.ir", "good/tracker_graph.ir")
    asked = ["compare", "eager.ir", "jit.ir", "--baseline", "good", "jit.ir", "-o", trace]
    assert main(asked) == 2
    assert "would overwrite" in capsys.readouterr().err
    assert Path(trace).read_bytes() == Path("eager.ir").read_bytes()


RANKS = ["ranks", "left", "right", "--rules", "rules.yaml", "--baseline", "good", "good"]


@pytest.mark.parametrize(
    "target",
    [
        "left/rank_0/tracker_graph.ir",
        "right/rank_0/tracker_graph.values.csv",
        "right/rank_1/statistic.csv",
        "good/rank_0.ir",
        "good/rank_0.values.csv",
        "link.csv",
        "rules.yaml",
    ],
)
def test_no_report_replaces_what_ranks_have(
    pair: Path, target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for run, rank in product(("left", "right"), (0, 1)):
        folder = pair / run / f"rank_{rank}"
        folder.mkdir(parents=True)
        shutil.copy("eager.ir", folder / "tracker_graph.ir")
        (folder / "tracker_graph.values.csv").write_text("# opdiff-values 1; seed=1\nop\n")
        (folder / "statistic.csv").write_text("Op Type\n")
    (pair / "good").mkdir()
    for rank in (0, 1):
        shutil.copy("eager.ir", pair / "good" / f"rank_{rank}.ir")
    (pair / "good" / "rank_0.values.csv").write_text("# opdiff-values 1; seed=1\nop\n")
    (pair / "link.csv").symlink_to("left/rank_1/statistic.csv")
    before = (pair / target).read_bytes()
    assert main([*RANKS, "--format", "csv", "-o", target]) == 2
    assert "would overwrite what is being read" in capsys.readouterr().err
    assert (pair / target).read_bytes() == before


def test_no_report_replaces_a_rank_that_is_left_out(
    pair: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for run, rank in product(("left", "right"), (0, 1)):
        (pair / run / f"rank_{rank}").mkdir(parents=True)
        shutil.copy("eager.ir", pair / run / f"rank_{rank}" / "tracker_graph.ir")
    trace = pair / "right/rank_1/tracker_graph.ir"
    assert main(["ranks", "left", "right", "--rank", "0", "-o", str(trace)]) == 2
    assert "would overwrite" in capsys.readouterr().err
    assert trace.read_bytes() == Path("eager.ir").read_bytes()


def test_no_session_replaces_the_values_beside_a_trace(pair: Path) -> None:
    traces = [open_trace(name) for name in ("eager.ir", "jit.ir")]
    Path("noise.ir").write_bytes(Path("eager.ir").read_bytes())
    beside = Path("eager.values.csv")
    beside.write_text("# opdiff-values 1; seed=1\nop\n")
    for target in (beside, Path("noise.ir")):
        before = target.read_bytes()
        with pytest.raises(OpdiffError, match="would overwrite"):
            save_session(target, Work(), *traces, values=ValueChoice(noise_run="noise.ir"))
        assert target.read_bytes() == before


def test_a_report_of_ranks_may_lie_beside_them_and_be_written_again(pair: Path) -> None:
    for run in ("left", "right"):
        (pair / run / "rank_0").mkdir(parents=True)
        shutil.copy("eager.ir", pair / run / "rank_0" / "tracker_graph.ir")
    for _ in range(2):
        assert main(["ranks", "left", "right", "--jobs", "1", "-o", "left/report.txt"]) == 0
    assert "rank" in (pair / "left" / "report.txt").read_text()


def test_other_files_are_replaced_as_tools_do(pair: Path) -> None:
    Path("report.txt").write_text("an older report")
    assert main(["compare", "eager.ir", "jit.ir", "-o", "report.txt"]) == 1
    assert "Compared" in Path("report.txt").read_text()


def test_a_session_does_not_replace_a_trace(pair: Path) -> None:
    left, right = open_trace("eager.ir"), open_trace("jit.ir")
    before = Path("eager.ir").read_bytes()
    with pytest.raises(OpdiffError) as error:
        save_session("link.ir", Work(Request()), left, right)
    assert error.value.sentence.code == "report.own-input"
    assert Path("eager.ir").read_bytes() == before


def test_what_is_read_may_be_missing(tmp_path: Path) -> None:
    write_atomically(tmp_path / "new", b"x", reads=[tmp_path / "gone", "a\0b"])
    assert (tmp_path / "new").read_bytes() == b"x"
