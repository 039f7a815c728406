"""The tables of benchmarks have their places in the pages of both languages."""

from __future__ import annotations

import re

from benchmarks.__main__ import NAMES
from benchmarks.pages import PAGES, with_table


def test_a_table_takes_the_place_of_the_one_before() -> None:
    page = "a\n<!-- one -->\nold\n<!-- end -->\nb\n<!-- two -->\n<!-- end -->\n"
    once = with_table(page, "one", "ops  s\n  1  \\2\n")
    assert once == page.replace("old\n", "```text\nops  s\n  1  \\2\n```\n")
    assert with_table(once, "one", "x") == page.replace("old\n", "```text\nx\n```\n")
    twice = with_table(page, "two", "y")
    assert twice == page.replace("two -->\n", "two -->\n```text\ny\n```\n")
    assert with_table(page, "three", "x") == page


def test_both_pages_have_the_same_tables() -> None:
    ours, theirs = (page.read_text(encoding="utf-8") for page in PAGES)
    tables = [
        re.findall(r"<!-- (\w+) -->\n(.*?)<!-- end -->", each, re.S) for each in (ours, theirs)
    ]
    assert tables[0] == tables[1]
    assert {name for name, _ in tables[0]} <= set(NAMES)
    assert all(table.startswith("```text\n") for _, table in tables[0])
