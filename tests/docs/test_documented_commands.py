"""Every command in the documents is run, and prints what they say it prints."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from console_blocks import ROOT, Store, blocks, refreshed, shown

PAGES = sorted(
    path
    for path in [*ROOT.glob("README*.md"), *ROOT.glob("docs/**/*.md")]
    if "```console" in path.read_text(encoding="utf-8")
)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_the_commands_of_a_page(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    store = Store(tmp_path)
    now = refreshed(text, store)
    assert store.failures == []
    assert now == text, "tools/refresh-consoles brings the page up to date"


def test_the_window_of_the_first_page_can_be_rendered(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [command for block in blocks(text) for command, _ in block.commands]
    words = next(shlex.split(c)[1:] for c in commands if "--compare up" in c)
    picture = tmp_path / "window.png"
    subprocess.run(
        [sys.executable, "-m", "opdiff", *words, "--screenshot", str(picture)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        check=True,
    )
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_pages_exist_in_both_languages_with_the_same_commands() -> None:
    english = sorted((ROOT / "docs" / "walkthroughs").glob("*.md"))
    assert english
    for page in english:
        chinese = ROOT / "docs" / "zh" / "walkthroughs" / page.name
        theirs = [
            command for block in blocks(chinese.read_text("utf-8")) for command, _ in block.commands
        ]
        ours = [
            command for block in blocks(page.read_text("utf-8")) for command, _ in block.commands
        ]
        assert [command.replace(" --lang zh", "") for command in theirs] == ours, page.name


_LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")


@pytest.mark.parametrize(
    "page",
    sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("samples/**/*.md")]),
    ids=name,
)
def test_links_and_pictures_lead_somewhere(page: Path) -> None:
    targets = _LINK.findall(page.read_text(encoding="utf-8"))
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert missing == []


def test_pictures_are_small() -> None:
    large = [name(p) for p in ROOT.glob("docs/pictures/*.png") if p.stat().st_size > 250_000]
    assert large == []


def test_long_output_is_shortened() -> None:
    assert shown("a  \nb\nc\n", 2) == "a\nb\n…\n"
    assert shown("a\n", 2) == "a\n"
