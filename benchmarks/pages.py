"""The tables that benchmarks print, in the pages that speak of them."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
PAGES = (DOCS / "performance.md", DOCS / "zh" / "performance.md")


def put(name: str, printed: str) -> None:
    """Put what a benchmark printed in the place of what it printed before, where a page has it."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(with_table(text, name, printed), encoding="utf-8")


def with_table(text: str, name: str, printed: str) -> str:
    """The text of a page with another table between ``<!-- NAME -->`` and ``<!-- end -->``."""
    place = re.compile(rf"(<!-- {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    table = f"```text\n{printed.strip(chr(10))}\n```\n"
    return place.sub(lambda found: found[1] + table + found[2], text)
