"""Every command in the documents is run, and prints what they say it prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from console_blocks import ENVIRONMENTS, ROOT, Desk, Real, blocks, refreshed, shown

PAGES = sorted(
    path
    for path in [*ROOT.glob("README*.md"), *ROOT.glob("docs/**/*.md")]
    if "```console" in path.read_text(encoding="utf-8")
)


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def is_chinese(path: Path) -> bool:
    return "zh" in path.parts or "zh-CN" in path.name


def marked(page: Path) -> ParameterSet:
    """A page with the marks of the environments its commands use, so that `make real` runs it."""
    used = {block.environment for block in blocks(page.read_text(encoding="utf-8"))}
    real = [] if is_chinese(page) else sorted(used & set(ENVIRONMENTS))
    return pytest.param(page, id=name(page), marks=[getattr(pytest.mark, each) for each in real])


@pytest.mark.parametrize("page", [marked(page) for page in PAGES])
def test_the_commands_of_a_page(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    desk = Desk(tmp_path)
    # The real runs of a Chinese page are those of the English one (a test below sees to it).
    now = refreshed(text, desk, Real.SKIP if is_chinese(page) else Real.RUN)
    assert desk.failures == []
    assert now == text, "tools/refresh-consoles brings the page up to date"


@pytest.mark.parametrize("environment", sorted(ENVIRONMENTS))
def test_real_commands_are_not_left_out_unnoticed(environment: str) -> None:
    if not ENVIRONMENTS[environment].is_dir():
        pytest.skip(f"no .venv-{environment}: make real makes it")
    pages = [page for page in PAGES if f"console {environment}" in page.read_text(encoding="utf-8")]
    assert pages


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
