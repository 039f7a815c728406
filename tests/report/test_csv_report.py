from __future__ import annotations

import csv
import io

import pytest
from hand_made import hostile, small
from hypothesis import given
from hypothesis import strategies as st

from opdiff.report import ReportOptions, render
from opdiff.report.csv_report import HEADER, safe_cell


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_row_a_difference_with_crlf() -> None:
    text = render(small(), "csv")
    assert text.startswith(",".join(HEADER) + "\r\n")
    assert text.count("\r\n") == 11
    assert rows(text)[1] | {"message": ""} == {
        "number": "1",
        "group": "1",
        "kind": "dataflow",
        "title": "note: Op 1",
        "left_lines": "25",
        "right_lines": "25",
        "left_ops": "Add",
        "right_ops": "Add",
        "caused_by": "2",
        "known": "no",
        "message": "",
        "note": "",
        "harmless": "no",
        "left_source": "",
        "right_source": "",
        "left_place": "",
        "right_place": "",
        "value_cause": "",
        "value_error": "",
        "neutral": "",
    }


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r", " =", "|", "%"])
def test_no_cell_starts_a_formula(start: str) -> None:
    assert safe_cell(f"{start}cmd()")[0] == "'"


@given(st.text())
def test_any_text_stays_one_harmless_cell(text: str) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow([safe_cell(text), "end"])
    [[cell, end]] = list(csv.reader(io.StringIO(out.getvalue(), newline="")))
    assert end == "end"
    assert cell.strip(" ")[:1] not in set("=+-@\t\r\n")


def test_notes_and_known_groups_are_told() -> None:
    options = ReportOptions(notes={0: "=1+1"}, group_notes={3: "renamed"}, greyed=frozenset({0}))
    told = rows(render(small(), "csv", options))
    assert told[0]["note"] == "'=1+1"
    assert told[0]["known"] == "yes"
    assert told[5]["note"] == "renamed"


def test_a_hostile_name_is_quoted() -> None:
    [row] = rows(render(hostile(), "csv"))
    assert row["left_ops"].endswith("\\x1b[31m\\u202e")
