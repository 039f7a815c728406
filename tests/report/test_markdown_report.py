from __future__ import annotations

import re

from hand_made import hostile, small

from opdiff.report import ReportOptions, render
from opdiff.report.markdown_report import escaped


def test_a_table_of_groups_and_their_places() -> None:
    text = render(small(), "markdown")
    assert "| ⚠ cpu-fallback | note: Op 2 | 1 | 22 | 22 |" in text
    assert "| ⤳ dataflow | ↳ note: Op 1 | 1 | 25 | 25 |" in text
    assert "*(known)*" in text
    assert "- left 28 Relu: anchor at line 7: Some op" in text


def test_every_row_of_the_table_has_the_same_number_of_cells() -> None:
    for comparison in (small(), hostile()):
        table = [line for line in render(comparison, "markdown").splitlines() if line[:1] == "|"]
        assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {6}


def test_marks_tags_links_and_mentions_are_escaped() -> None:
    assert escaped("a|b <img> *x* @you #1 http://x") == (
        "a\\|b &lt;img&gt; \\*x\\* &#64;you \\#1 http:&#47;&#47;x"
    )
    text = render(hostile(), "markdown")
    assert "<script" not in text
    assert "](http" not in text


def test_notes_are_quoted_and_long_groups_shortened() -> None:
    options = ReportOptions(notes={0: "one <b>"}, group_notes={3: "harmless"})
    text = render(small(), "markdown", options)
    assert "> harmless" in text
    assert "  - one &lt;b&gt;" in text
