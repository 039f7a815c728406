"""The table of msprobe's own compare, beside ours."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import openpyxl
import pytest
from format_files import DATA, content_of, edited
from hypothesis import given, settings
from hypothesis import strategies as st

from opdiff.cli import main
from opdiff.compare import Side
from opdiff.errors import OpdiffError
from opdiff.msprobe.results import read_flags, read_verdicts
from opdiff.readers import open_trace
from opdiff.report.flags import VERDICTS
from opdiff.trace import Trace

FOLDER = DATA / "msprobe"
TABLE = FOLDER / "compare_A_L1_vs_B_norm_eps_L1.csv.gz"
PAIR = [str(FOLDER / "A_L1"), str(FOLDER / "B_norm_eps_L1")]
HEADER = ("NPU Name", "Bench Name", "Result", "Err_message")


def cells() -> list[list[str]]:
    return list(csv.reader(io.StringIO(content_of(TABLE).decode())))


def traces() -> tuple[Trace, Trace]:
    left, right = map(open_trace, PAIR)
    return left, right


def sheet(path: Path, rows: Iterable[Sequence[object]]) -> Path:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(list(row))
    book.save(path)
    return path


def table(path: Path, *rows: Sequence[str], header: Sequence[str] = HEADER) -> Path:
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([header, *rows])
    return path


def test_everything_that_did_not_pass_is_flagged() -> None:
    header, *rows = cells()
    wanted = [row for row in rows if row[header.index("Result")] != "pass"]
    assert len(wanted) == 6
    verdicts = read_verdicts(str(TABLE))
    assert [v.npu for v in verdicts] == [row[0] for row in wanted]
    assert [v.verdict for v in verdicts] == [row[header.index("Result")] for row in wanted]
    assert verdicts[0].message == "The scalar parameters of NPU and Bench are inconsistent."


def test_flags_stand_at_the_ops_of_both_sides() -> None:
    left, right = traces()
    flags = read_flags(TABLE, left, right)
    assert flags.unfound == 0
    (first,) = (flag for flag in flags if flag.verdict == "error")
    assert first.operand == "input.1"
    assert first.left is not None
    assert left.op(first.left).name.endswith("Tensor::__add__-op6")
    assert flags.at(Side.LEFT, first.left) == (first,)
    turned = read_flags(TABLE, right, left)
    assert [(f.left, f.right) for f in turned] == [(f.left, f.right) for f in flags]


def test_a_workbook_says_the_same(tmp_path: Path) -> None:
    path = sheet(tmp_path / "result.xlsx", cells())
    assert read_verdicts(str(path)) == read_verdicts(str(TABLE))


def test_plain_and_packed_say_the_same(tmp_path: Path) -> None:
    plain = tmp_path / "table"
    plain.write_bytes(content_of(TABLE))
    assert read_verdicts(str(plain)) == read_verdicts(str(TABLE))


def test_older_tables_and_unmatched_ops(tmp_path: Path) -> None:
    path = table(
        tmp_path / "old.csv",
        ("Functional.linear.0.forward.output.0", "Functional.linear.0.forward.output.0", "No", ""),
        ("Functional.linear.1.forward.input.0", "Functional.linear.1.forward.input.0", "Yes", ""),
        ("Functional.linear.2.forward.input.0", "N/A", "", "No bench data matched."),
        ("No.such.0.forward.input.0", "No.such.0.forward.input.0", "Warning", "x"),
        ("cut",),
        header=("NPU Name", "Bench Name", "Accuracy Reached or Not", "Err_message"),
    )
    flags = read_flags(path, *traces())
    assert [(f.verdict, f.operand, f.message) for f in flags] == [
        ("error", "output.0", "No"),
        ("unmatched", "input.0", "No bench data matched."),
    ]
    assert flags.flags[1].right is None
    assert flags.unfound == 1


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["compare", *PAIR, "--no-values", "--msprobe-result", str(TABLE), *words]) == 1
    return capsys.readouterr().out


def test_json_tells_flags_and_where_they_stand(capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run(capsys, "--format", "json"))
    assert [record["msprobe"] for record in document["divergences"]] == ["error"]
    told = document["msprobe"]
    assert (told["path"], told["unfound"], len(told["flags"])) == (str(TABLE), 0, 6)
    first, *others = told["flags"]
    assert first["divergences"] == [0]
    assert first["left_line"] == document["divergences"][0]["left_lines"][0]
    assert all(flag["divergences"] == [] for flag in others)
    plain = json.loads(run(capsys, "--format", "json", "--first"))
    assert plain["msprobe"]["flags"][0]["divergences"] == [0]


@pytest.mark.parametrize("format_", ["text", "markdown", "html"])
def test_reports_for_people_tell_flags(format_: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = run(capsys, "--format", format_)
    assert told.count("⚑") == 6
    assert "5 of them belong to ops that do not differ here" in told
    chinese = run(capsys, "--format", format_, "--lang", "zh")
    assert "标记了 6 个操作数" in chinese


def test_csv_gets_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    header, row = csv.reader(io.StringIO(run(capsys, "--format", "csv")))
    assert (header[-1], row[-1]) == ("msprobe", "error input.1")


def test_a_workbook_of_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.xlsx"
    run(capsys, "--format", "xlsx", "-o", str(path))
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["summary", "groups", "differences", "msprobe"]
    header, row = book["differences"].iter_rows(values_only=True)
    assert dict(zip(header, row, strict=True))["msprobe"] == "error input.1"
    assert book["msprobe"].max_row == 7


def test_what_is_no_such_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nonsense = tmp_path / "nonsense.csv"
    nonsense.write_text("a,b\n1,2\n")
    empty = tmp_path / "empty.csv"
    empty.write_text("")
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(b"PK\x03\x04" + bytes(100))
    for path in (nonsense, empty, broken, tmp_path, tmp_path / "none.csv"):
        with pytest.raises(OpdiffError):
            read_flags(path, *traces())
        assert main(["compare", *PAIR, "--msprobe-result", str(path)]) == 2
        assert str(path) in capsys.readouterr().err


def test_excel_without_its_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = sheet(tmp_path / "result.xlsx", [HEADER])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    assert main(["compare", *PAIR, "--msprobe-result", str(path)]) == 2
    assert "pip install 'opdiff[xlsx]'" in capsys.readouterr().err
    out = str(tmp_path / "report.xlsx")
    assert main(["compare", *PAIR, "--format", "xlsx", "-o", out]) == 2
    assert "pip install 'opdiff[xlsx]'" in capsys.readouterr().err
    assert not Path(out).exists()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_random_edits_raise_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = data.draw(edited(content_of(TABLE)[:20_000]))
    path = tmp_path_factory.mktemp("edited") / "table.csv"
    path.write_bytes(content if data.draw(st.booleans()) else gzip.compress(content))
    with contextlib.suppress(OpdiffError):
        assert all(verdict.verdict in VERDICTS for verdict in read_verdicts(str(path)))
