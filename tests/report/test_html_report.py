from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hand_made import chain, compared, divergence, hostile, small

import opdiff
from opdiff.compare import Comparison, Kind
from opdiff.report import ReportOptions, render

SOURCES = Path(opdiff.__file__).parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


class Elements(HTMLParser):
    """Every element of a page with its attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.found if name == tag]


def page(comparison: Comparison, **options: object) -> str:
    return render(comparison, "html", ReportOptions(**options))  # type: ignore[arg-type]


def test_groups_rows_and_filters_are_there() -> None:
    elements = Elements(page(small()))
    groups = [group for group in elements.of("details") if "data-kind" in group]
    assert [group["data-kind"] for group in groups] == [
        "only-left",
        "cpu-fallback",
        "dataflow",
        "op-type",
    ]
    boxes = [box["data-kind"] for box in elements.of("input") if "data-kind" in box]
    assert sorted(map(str, boxes)) == ["cpu-fallback", "dataflow", "only-left", "op-type"]
    rows = [div for div in elements.of("div") if div.get("class") == "row"]
    assert len(rows) == 10


@pytest.mark.parametrize("comparison", [small(), hostile()], ids=["small", "hostile"])
def test_nothing_refers_elsewhere_or_runs_from_a_trace(comparison: Comparison) -> None:
    elements = Elements(page(comparison, notes={0: "<img src=x onerror=alert(1)>"}))
    for tag, attrs in elements.found:
        assert not {"src", "href", "style", "action"} & attrs.keys(), tag
        assert not [name for name in attrs if name.startswith("on")], tag
    assert len(elements.of("script")) == 1
    assert not elements.of("link")
    assert not elements.of("img")


def test_the_policy_allows_the_page_s_own_script_and_style_only() -> None:
    [policy] = [
        str(meta["content"])
        for meta in Elements(page(small())).of("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert len(re.findall("'sha256-[^']+'", policy)) == 2


def test_templates_escape_whatever_they_print() -> None:
    """Only the page's own style, script and policy are markup; no template makes an exception."""
    sources = [path for path in SOURCES.glob("**/*") if path.suffix in (".py", ".html")]
    trusting = [path.name for path in sources if re.search(r"\bMarkup\b", path.read_text("utf-8"))]
    assert trusting == ["html_page.py"]
    templates = [path.read_text("utf-8") for path in sources if path.suffix == ".html"]
    assert len(templates) >= 4
    for text in templates:
        assert not re.search(r"\|\s*safe\b|autoescape|xmlattr", text)
        # Escaping guards the inside of quotes alone.
        assert not re.search(r"=\s*\{\{", text)


def test_a_note_of_several_lines_keeps_them_and_nothing_else() -> None:
    text = page(small(), group_notes={0: "first <b>\nsecond\u202e\x1b[31m"})
    assert "first &lt;b&gt;<br>second\\u202e\\x1b[31m" in text


def test_notes_languages_and_themes() -> None:
    text = page(small(), language="zh", group_notes={2: "回退 <known>"})
    assert '<html lang="zh-CN">' in text
    assert "回退 &lt;known&gt;" in text
    assert "prefers-color-scheme: dark" in text


def test_large_comparisons_are_capped_with_a_word() -> None:
    names = ["Add"] * 5000
    many = [divergence(Kind.OP_TYPE, row, row, 0) for row in range(5000)]
    comparison = compared(chain(names), chain(names), many)
    text = page(comparison)
    assert text.count('class="row"') == 100
    assert "This page shows 100 of 5,000 differences" in text
    assert page(comparison, everything=True).count('class="row"') == 5000


@pytest.mark.chromium
@pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium here: the page is not opened in a browser"
)
def test_a_browser_shows_the_page_and_runs_nothing_hostile(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    report.write_text(page(hostile(), notes={0: "<script>document.title='ran'</script>"}), "utf-8")
    assert CHROMIUM is not None
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    flags += "--disable-background-networking --disable-component-update --disable-sync"
    run = subprocess.run(
        [
            CHROMIUM,
            *flags.split(),
            f"--user-data-dir={tmp_path}/profile",
            "--dump-dom",
            report.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    # The page's own script counted the rows; the op's script stayed text.
    assert '<output id="found">1</output>' in run.stdout
    assert "<title>Where the two runs differ</title>" in run.stdout
    assert "&lt;script&gt;document.title='ran'" in run.stdout
    assert "Refused" not in run.stderr
