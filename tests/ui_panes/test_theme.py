from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from opdiff.compare import Kind
from opdiff.compare.comparison import state_of
from opdiff.ui.look.fonts import code_font, ui_font
from opdiff.ui.look.stylesheet import stylesheet
from opdiff.ui.look.theme import (
    DARK,
    LIGHT,
    THEMES,
    Theme,
    apply_theme,
    blend,
    current,
    restyle,
    sign_of,
)
from opdiff.ui.panes.row_painter import RowLooks

BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def luminance(colour: QColor) -> float:
    parts = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: QColor, other: QColor) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@BOTH
def test_text_can_be_read_on_everything_it_stands_on(theme: Theme) -> None:
    grounds = [theme.background, theme.panel, theme.fold, theme.selection, theme.anchor_tint]
    grounds += [theme.chip, theme.hover]
    grounds += [theme.tint(kind) for kind in Kind]
    for ground in grounds:
        assert contrast(theme.text, ground) >= 7
        assert contrast(theme.dim, ground) >= 4.5
    assert contrast(theme.outside, theme.background) >= 4.5
    assert contrast(theme.text, theme.background) >= 3 * contrast(theme.outside, theme.background)
    assert contrast(theme.on_accent, theme.accent) >= 4.5
    assert contrast(theme.error, theme.background) >= 4.5


@BOTH
def test_words_of_greyed_rows_can_be_read(theme: Theme) -> None:
    look = RowLooks(theme)._make(state_of(Kind.DTYPE), True, False, False, False)
    for ink in (look.text, look.dim, look.line):
        assert contrast(ink, theme.background) >= 4.5


@BOTH
def test_kinds_that_share_a_colour_are_told_apart_by_word_and_else_by_sign(theme: Theme) -> None:
    colour_of_sign: dict[str, set[str]] = {}
    for kind in Kind:
        assert sign_of(kind)
        for ground in (theme.tint(kind), theme.background):
            assert contrast(theme.ink(kind), ground) >= 4.5
        colour_of_sign.setdefault(sign_of(kind), set()).add(theme.full(kind).name())
    assert all(len(colours) == 1 for colours in colour_of_sign.values())


@BOTH
def test_the_whole_application_wears_a_theme(theme: Theme, qapp: QApplication) -> None:
    apply_theme(qapp, theme)
    assert current() is theme
    assert THEMES[theme.name] is theme
    assert qapp.palette().color(QPalette.ColorRole.Base) == theme.background
    assert qapp.palette().color(QPalette.ColorRole.WindowText) == theme.text


@BOTH
def test_the_style_sheet_is_complete(theme: Theme) -> None:
    rules = stylesheet(theme)
    assert "@" not in rules
    images = [Path(name) for name in re.findall(r'url\("(.*?)"\)', rules)]
    assert images
    assert all(image.is_file() for image in images)


def test_a_property_set_later_takes_effect(qtbot: QtBot) -> None:
    button = QPushButton("Compare")
    qtbot.addWidget(button)
    button.show()
    plain = button.grab().toImage().pixelColor(button.width() // 2, 4)
    button.setProperty("primary", True)
    restyle(button)
    assert button.grab().toImage().pixelColor(button.width() // 2, 4) == LIGHT.accent != plain


def test_fonts_differ_for_words_and_code() -> None:
    assert ui_font().families() != code_font().families()
    assert ui_font(2.0).pixelSize() == 2 * ui_font().pixelSize()
    assert ui_font(0.01).pixelSize() >= 6


def test_blending_goes_from_one_colour_to_the_other() -> None:
    black, white = QColor("black"), QColor("white")
    assert blend(black, white, 0.0) == white
    assert blend(black, white, 1.0) == black
