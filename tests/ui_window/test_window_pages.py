"""The pages about the window name every key and every sign as the window itself does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from opdiff.compare import Kind
from opdiff.report.signs import COLOURS
from opdiff.ui.commands.actions import ActionSpec, plain, translated
from opdiff.ui.commands.menus import ALL_ACTIONS
from opdiff.ui.look.language import kind_name
from opdiff.ui.look.theme import sign_of
from opdiff.ui.translations import install_language

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {"en": DOCS / "window.md", "zh": DOCS / "zh" / "window.md"}


@pytest.fixture(params=sorted(PAGES))
def page(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[str]:
    """The text of the page, while the window speaks its language."""
    install_language(qapp, request.param)
    yield PAGES[request.param].read_text(encoding="utf-8")
    install_language(qapp, "en")


def key_rows() -> list[str]:
    """A line of the table for every action that has keys."""
    return [
        f"| {keys_of(spec)} | {plain(translated(spec.text)).strip('…')} | {translated(spec.tip)} |"
        for spec in ALL_ACTIONS
        if spec.keys
    ]


def keys_of(spec: ActionSpec) -> str:
    """The keys as they are printed on keyboards, not in the words of the system's language."""
    written = (key.replace("Up", "↑").replace("Down", "↓") for key in spec.keys)
    return ", ".join(f"<kbd>{key}</kbd>" for key in written)


def sign_rows() -> list[str]:
    """A line of the table for every kind."""
    return [
        f"| {sign_of(kind)} | {kind_name(kind)} | `{kind}` | {COLOURS[kind]} |" for kind in Kind
    ]


def test_every_key_is_in_the_page(page: str) -> None:
    lines = page.splitlines()
    assert [row for row in key_rows() if row not in lines] == []


def test_no_key_is_in_the_page_that_does_nothing(page: str) -> None:
    rows = [line for line in page.splitlines() if line.startswith("| <kbd>")]
    assert [row for row in rows if row not in key_rows()] == []


def test_every_sign_is_in_the_page(page: str) -> None:
    lines = page.splitlines()
    assert [row for row in sign_rows() if row not in lines] == []
