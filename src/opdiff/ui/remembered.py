"""How the window was when it was closed, and how the user likes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize

from opdiff.compare import Side
from opdiff.ui.commands.menus import ROW_SWITCHES
from opdiff.ui.differences.outline import Order
from opdiff.ui.frame.window_frame import PANELS
from opdiff.ui.translations import language

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

DEFAULT_SIZE = QSize(1440, 900)
LARGEST_SIZE = QSize(1920, 1200)
SCREEN_SHARE = 0.75
"""Of a large screen; what is larger still is left to who wants it."""
FRAME_HEIGHT = 36
"""What systems put around a window: a title above it."""
SWITCHES = {
    **dict.fromkeys((*ROW_SWITCHES, "followScrolling", *PANELS), True),
    "showStructure": False,
}
"""Checkable actions that are remembered, and how they are at first."""


def fitting_size(screen: QSize) -> QSize:
    """The size of the first window: all of it, its frame included, is on the screen."""
    wanted = (screen * SCREEN_SHARE).boundedTo(LARGEST_SIZE).expandedTo(DEFAULT_SIZE)
    return wanted.boundedTo(screen - QSize(0, FRAME_HEIGHT))


class Remembered(QObject):
    """Restores and saves size, layout, order, switches and recent files."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        for name in SWITCHES:
            window.commands[name].toggled.connect(
                lambda on, name=name: window.settings.put(name, on)
            )
        window.store.orderChanged.connect(lambda order: window.settings.put("order", order.value))

    def restore(self) -> None:
        """Make the window as it was."""
        window, settings = self._window, self._window.settings
        window.resize(fitting_size(window.screen().availableSize()))
        geometry = settings.state("geometry")
        if geometry is not None:
            window.restoreGeometry(geometry)
        body, upper = settings.state("body"), settings.state("upper")
        if body is None or upper is None:
            window.frame.resize(window.size())
            window.frame.reset_layout()
        else:
            window.frame.restore_layout(body, upper)
            window.frame.structure_width = settings.number("structureWidth", 0)
            height = window.frame.detail_height
            window.frame.detail_height = settings.number("detailHeight", height)
        window.frame.below.show_named(settings.text("page", "detailView"))
        for name, default in SWITCHES.items():
            # Triggered, not only checked: what the switch stands for follows.
            if settings.flag(name, default) != window.commands[name].isChecked():
                window.commands[name].trigger()
        window.frame.apply_panels()
        orders = [order.value for order in Order]
        order = settings.text("order", Order.CAUSE.value)
        if order in orders:
            window.store.setOrder(Order(order))
        self._restore_panes(settings.text("panes", "{}"))
        self._check_choices()
        self.offer_recent()

    def order_this_time(self, order: Order) -> None:
        """List differences as the command line asks; what the user likes is not forgotten."""
        liked = self._window.settings.text("order", Order.CAUSE.value)
        self._window.store.setOrder(order)
        self._window.settings.put("order", liked)

    def save(self) -> None:
        """Remember how the window is."""
        window, settings = self._window, self._window.settings
        settings.put("geometry", window.saveGeometry())
        settings.put("page", window.frame.below.current.objectName())
        body, upper = window.frame.layout_state()
        settings.put("body", body)
        settings.put("upper", upper)
        settings.put("structureWidth", window.frame.structure_width)
        settings.put("detailHeight", window.frame.detail_height)
        settings.put("panes", json.dumps(window.frame.view.saveState()))

    def offer_recent(self) -> None:
        """Offer the files opened lately, in both fields and in the menu."""
        recent = self._window.settings.recent()
        for side in Side:
            self._window.frame.top.combos[side].setRecent(recent)

    def _restore_panes(self, text: str) -> None:
        try:
            state = json.loads(text)
        except ValueError:
            return
        if isinstance(state, dict):
            self._window.frame.view.restoreState(state)

    def _check_choices(self) -> None:
        commands, look = self._window.commands, self._window.appearance
        commands[f"theme{look.theme_choice.capitalize()}"].setChecked(True)
        spoken = "languageChinese" if language() == "zh" else "languageEnglish"
        commands[spoken].setChecked(True)
