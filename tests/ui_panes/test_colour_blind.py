"""What the kinds look like to eyes that lack one sort of cones: their colours stay apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtGui import QColor

from opdiff.compare import Kind
from opdiff.report.signs import COLOURS
from opdiff.ui.look.theme import DARK, LIGHT, Theme, sign_of

# Machado, Oliveira and Fernandes (2009), for linear RGB, with one sort of cones missing altogether.
EYES = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = TO_XYZ.sum(axis=1)
JUST_SEEN = 2.3
"""The least distance in CIELAB that a person notices."""


def seen(colour: QColor, eyes: np.ndarray) -> np.ndarray:
    """A colour in CIELAB, as such eyes see it."""
    parts = np.array([colour.redF(), colour.greenF(), colour.blueF()])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    ratio = TO_XYZ @ np.clip(eyes @ linear, 0, 1) / WHITE
    bent = np.where(ratio > 0.008856, np.cbrt(ratio), 7.787 * ratio + 16 / 116)
    return np.array([116 * bent[1] - 16, 500 * (bent[0] - bent[1]), 200 * (bent[1] - bent[2])])


def apart(one: QColor, other: QColor, eyes: np.ndarray) -> float:
    return float(np.linalg.norm(seen(one, eyes) - seen(other, eyes)))


@pytest.mark.parametrize("eyes", EYES)
def test_edges_and_links_of_different_colours_stay_apart(eyes: str) -> None:
    colours = [QColor(name) for name in sorted(set(COLOURS.values()))]
    for one, other in combinations(colours, 2):
        assert apart(one, other, EYES[eyes]) >= 4 * JUST_SEEN, (one.name(), other.name())


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("eyes", EYES)
def test_rows_that_differ_are_told_from_equal_ones(theme: Theme, eyes: str) -> None:
    for kind in Kind:
        assert apart(theme.tint(kind), theme.background, EYES[eyes]) >= 2 * JUST_SEEN, kind


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_kinds_of_one_colour_have_signs_or_words_of_their_own(theme: Theme) -> None:
    for one, other in combinations(Kind, 2):
        if sign_of(one) != sign_of(other):
            continue
        # The same sign is the same sort of difference; the chip and the details name it.
        assert theme.full(one) == theme.full(other)


def test_the_check_can_fail() -> None:
    red, green = QColor("#b05030"), QColor("#7a7030")
    assert apart(red, green, EYES["usual"]) > 5 * apart(red, green, EYES["deuteranopia"]) / 2
