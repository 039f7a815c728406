"""Text folded at the edge of a terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from opdiff.report.text_report import folded
from opdiff.wording.columns import columns_of

WORDS = st.lists(st.text("abc中文%:", min_size=1, max_size=9), min_size=1, max_size=30)


def texts(line: str, width: int) -> list[str]:
    return ["".join(t for t, _ in spans).rstrip() for spans in folded([[(line, "")]], width)]


def test_what_follows_is_indented_under_what_it_belongs_to() -> None:
    line = "    left 118 Slice (rotary.py:46 apply) and then more words"
    assert texts(line, 32) == [
        "    left 118 Slice (rotary.py:46",
        "        apply) and then more",
        "        words",
    ]
    assert texts(line, 200) == [line]
    assert texts(line, 10) == [line], "too narrow for anything"


def test_styles_are_kept() -> None:
    lines = list(folded([[("one two three four twelve ", "bold"), ("five six seven", "dim")]], 26))
    assert lines[0] == [
        (w, "bold") for w in ("one", " ", "two", " ", "three", " ", "four", " ", "twelve", " ")
    ]
    assert ("five", "dim") in lines[1]


@given(WORDS, st.integers(24, 60))
def test_nothing_is_lost_and_no_line_is_too_long(words: list[str], width: int) -> None:
    line = " ".join(words)
    found = texts(line, width)
    assert "".join("".join(found).split()) == "".join(line.split())
    assert all(columns_of(each) <= width for each in found)


def test_chinese_letters_take_two_columns() -> None:
    assert columns_of("左侧 a") == 6
    assert columns_of("e\u0301") == 1
    narrow = [chr(code) for code in range(0xA0, 0x2200) if columns_of(chr(code)) == 1]
    assert [each for each in narrow if cell_len(each) != 1] == []
