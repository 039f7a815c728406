from __future__ import annotations

import io

import openpyxl
import pytest
from hand_made import chain, compared, divergence

from opdiff.cli import main
from opdiff.compare import Kind
from opdiff.report import ReportOptions, rendered
from opdiff.wording import Sentence


def book_of(names: list[str], **options: object) -> openpyxl.Workbook:
    left, right = chain(names), chain(names, "right.ir")
    records = [
        divergence(Kind.OP_TYPE, row, row, row % 2, sentence=Sentence.of("report.note", text=name))
        for row, name in enumerate(names)
    ]
    made = compared(left, right, records)
    content = rendered(made, "xlsx", ReportOptions(**options))  # type: ignore[arg-type]
    return openpyxl.load_workbook(io.BytesIO(content))


def test_a_row_a_difference_a_row_a_group() -> None:
    book = book_of(["Add", "Mul", "Sub", "Div"])
    assert book.sheetnames == ["summary", "groups", "differences"]
    header, *rows = book["differences"].iter_rows(values_only=True)
    kinds = [row[header.index("kind")] for row in rows]
    assert kinds == ["op-type"] * 4
    assert [row[header.index("left_ops")] for row in rows] == ["Add", "Mul", "Sub", "Div"]
    assert [row[3] for row in book["groups"].iter_rows(min_row=2, values_only=True)] == [2, 2]
    assert book["differences"].freeze_panes == "A2"
    assert book["differences"].auto_filter.ref == "A1:T5"


@pytest.mark.parametrize(
    "name", ["=1+1", "+cmd|' /C calc'!A0", "@x", "-1", "\x1b[31m", "\x00\x01", "a\nb", "x" * 40_000]
)
def test_nothing_in_it_runs_or_breaks_it(name: str) -> None:
    book = book_of([name, "Add"])
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert all(cell.data_type != "f" for cell in cells)
    texts = [cell.value for cell in cells if isinstance(cell.value, str)]
    assert all(len(text) <= 32_767 and text.isprintable() for text in texts)


def test_it_needs_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "a", "b", "--format", "xlsx"]) == 2
    assert "-o" in capsys.readouterr().err
