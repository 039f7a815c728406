"""On a small screen nothing the window says is cut off, in either language."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QLabel, QPushButton, QToolButton, QWidget
from window_driving import Driver

from opdiff.ui.translations import language

CUT_ON_PURPOSE = {"statusFacts"}
"""What says more the wider the window is."""
MARGINS = 24
"""Of a field, around its text."""


def too_narrow(parent: QWidget) -> list[str]:
    found = []
    for kind in (QLabel, QPushButton, QToolButton, QCheckBox):
        for widget in parent.findChildren(kind):
            text = widget.text()
            if not text or not widget.isVisibleTo(parent) or widget.objectName() in CUT_ON_PURPOSE:
                continue
            if isinstance(widget, QLabel) and widget.wordWrap():
                continue
            if isinstance(widget, QToolButton) and not widget.icon().isNull():
                continue
            needed = widget.minimumSizeHint().width()
            if isinstance(widget, QAbstractButton):
                needed = min(needed, widget.sizeHint().width())
            if widget.width() < needed:
                found.append(f"{widget.objectName()} {text!r}: {widget.width()} < {needed}")
    return found


def speak(driver: Driver, wanted: str) -> None:
    """Show the window on a small screen in a language."""
    window = driver.window
    window.setFixedSize(1366, 768)
    window.appearance.choose_language(wanted)
    driver.qtbot.waitUntil(lambda: ("比较" in window.frame.top.up.text()) == (wanted == "zh"))
    driver.qtbot.wait(0)
    assert language() == wanted


@pytest.mark.parametrize("wanted", ["en", "zh"])
def test_nothing_is_cut_off(compared: Driver, wanted: str) -> None:
    speak(compared, wanted)
    frame = compared.window.frame

    def everything_fits() -> None:
        assert too_narrow(frame.top) == []
        assert too_narrow(frame.filters) == []
        assert too_narrow(frame.status) == []
        search = frame.top.search
        said = search.fontMetrics().horizontalAdvance(search.placeholderText())
        assert said <= search.width() - MARGINS
        assert frame.filters.kinds.height() < 2 * frame.top.up.height()

    # Chips and buttons of another width are laid out a few turns of the event loop later.
    compared.qtbot.waitUntil(everything_fits)


@pytest.mark.parametrize("wanted", ["en", "zh"])
def test_the_empty_window_is_not_cut_off_either(driver: Driver, wanted: str) -> None:
    speak(driver, wanted)
    assert too_narrow(driver.window.frame.welcome) == []
