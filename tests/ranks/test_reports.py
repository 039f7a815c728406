"""Reports of many ranks: pages that nothing in a trace can misuse, and workbooks."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest

from cluster import Cluster, Op, dropped, printed, renamed
from opdiff.cli import main
from opdiff.ranks import LocalPool, Question, compare_runs, find_ranks
from opdiff.ranks.phrases import heat_of
from opdiff.ranks.text_report import to_text

ROOT = Path(__file__).parents[2]
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    good = Cluster(2, 1, 2, layers=1)
    bad = Cluster(
        2,
        1,
        2,
        layers=1,
        mistakes={1: renamed("MatMul", 0, HOSTILE), 2: dropped("MatMul")},
        missing=frozenset({3}),
    )
    return str(good.write(tmp_path / "left")), str(bad.write(tmp_path / "right"))


def _status(*arguments: str) -> int:
    return main(["ranks", *arguments, "--jobs", "1"])


def test_html_has_a_heat_map_and_a_page_a_rank(runs: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "report & more.html"
    assert _status(*runs, "--format", "html", "-o", str(out)) == 1
    page = out.read_text(encoding="utf-8")
    folder = tmp_path / "report & more_ranks"
    assert sorted(path.name for path in folder.iterdir()) == [f"rank_{n}.html" for n in range(4)]
    for link in re.findall(r'href="([^"]+)"', page):
        assert (tmp_path / link.replace("%20", " ").replace("%26", "&")).is_file()
    assert 'class="number heat-4">1<' in page
    assert "missing on the right" in page
    of_rank = (folder / "rank_2.html").read_text(encoding="utf-8")
    assert "MatMul" in of_rank
    assert "opdiff " in of_rank
    assert 'href="../report%20%26%20more.html"' in of_rank


def test_nothing_in_a_trace_becomes_markup(
    runs: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert _status(*runs, "--format", "html") == 1
    page = capsys.readouterr().out
    assert "script" in page
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert 'id="rank-2"' in page


def test_html_tells_clusters_and_where_communication_parts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hanging = str(ROOT / "samples" / "ranks" / "hanging")
    assert _status(hanging, "--format", "html") == 1
    page = capsys.readouterr().out
    assert _status(hanging, "--format", "json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["clusters"]
    assert document["collectives"]
    assert page.count("<li>") >= len(document["clusters"]) + len(document["collectives"])
    for parting in document["collectives"]:
        assert parting["message"] in unescape(page)


def test_csv_starts_no_formula(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, ops in (("left", [Op("Add")]), ("right", [Op("Add"), Op("=cmd()")])):
        folder = tmp_path / name / "rank_0"
        folder.mkdir(parents=True)
        (folder / "tracker_graph.ir").write_text(printed(ops))
    assert _status(str(tmp_path / "left"), str(tmp_path / "right"), "--format", "csv") == 1
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 1
    assert not any(value.startswith("=") for value in rows[0].values())


def test_terminal_codes_are_spelled_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, ops in (("left", [Op("Add")]), ("right", [Op("Add"), Op("Mul\x1b[31m")])):
        folder = tmp_path / name / "rank_0"
        folder.mkdir(parents=True)
        (folder / "tracker_graph.ir").write_text(printed(ops))
    for format_ in ("text", "json", "csv", "html"):
        _status(str(tmp_path / "left"), str(tmp_path / "right"), "--format", format_)
        assert "\x1b" not in capsys.readouterr().out


def test_a_workbook_holds_ranks_groups_and_communication(
    runs: tuple[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("openpyxl")
    out = tmp_path / "report.xlsx"
    assert _status(*runs, "--format", "xlsx", "-o", str(out)) == 1
    with zipfile.ZipFile(out) as book:
        names = re.findall(r'<sheet name="([^"]+)"', book.read("xl/workbook.xml").decode())
        assert names == ["ranks", "groups"]
        first = book.read("xl/worksheets/sheet1.xml").decode()
        assert first.count("<row ") == 5
    assert _status(*runs, "--format", "xlsx") == 2


def test_heat_grows_with_the_count() -> None:
    heats = [heat_of(count, 1000) for count in (1, 10, 100, 1000)]
    assert heats == sorted(heats)
    assert heats[0] == 1
    assert heats[-1] == 4
    assert heat_of(1, 1) == 4


def test_long_lists_are_cut_short_with_a_word(tmp_path: Path) -> None:
    good = Cluster(1, 1, 48, layers=1)
    mistakes = {rank: renamed("Mul", 0, f"Mul{rank}") for rank in range(48)}
    mistakes |= {rank: renamed("AllReduce", 0, f"AllGather{rank}") for rank in range(1, 48)}
    bad = Cluster(1, 1, 48, layers=1, mistakes=mistakes)
    left, right = (
        find_ranks(run.write(tmp_path / name)) for name, run in (("l", good), ("r", bad))
    )
    with closing(LocalPool(2)) as pool:
        result = compare_runs(left, right, Question(), pool)
    short, whole = to_text(result), to_text(result, everything=True)
    assert len(result.groups) >= 48
    assert "more groups" in short
    assert "… and" not in whole
    assert short.count("only on rank") == 30
    assert whole.count("only on rank") == 48
