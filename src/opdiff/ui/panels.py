"""Which panels stand beside and below the panes: hidden and shown by key, and all as at first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from opdiff.ui.actions import Actions
from opdiff.ui.window_frame import WindowFrame

PANELS = ("showDifferences", "showDetails", "showDataflow")
"""The switches, each of one panel; shown at first."""


_STRUCTURE = "showStructure"
"""The panel beside the panes, hidden at first: it sees to itself."""


class Panels(QObject):
    """Hides and shows the list, the details with the source, and the dataflow."""

    def __init__(self, frame: WindowFrame, actions: Actions) -> None:
        super().__init__(frame)
        self._frame = frame
        self._actions = actions
        self._put_away: Sequence[str] = PANELS
        self._widgets: dict[str, QWidget] = {
            "showDifferences": frame.differences,
            "showDetails": frame.below,
            "showDataflow": frame.dataflow,
        }

    def apply(self) -> None:
        """Hide and show as the switches say."""
        for name in PANELS:
            self.set_shown(name, self._actions[name].isChecked())

    def set_shown(self, name: str, shown: bool) -> None:
        """Hide or show the panel of a switch."""
        if not shown:
            self._frame.leave(self._widgets[name])
        self._widgets[name].setVisible(shown)
        self._frame.close_ranks()

    def enter(self, name: str, part: QWidget) -> None:
        """Move to a part of a panel, which is shown if it was hidden."""
        self.show(name)
        part.setFocus()

    def enter_page(self, page: QWidget) -> None:
        """Move to the details or the source."""
        self.show("showDetails")
        self._frame.below.enter(page)

    def show(self, name: str) -> None:
        """Show a panel that was hidden."""
        if not self._actions[name].isChecked():
            self._actions[name].trigger()

    def panes_only(self) -> None:
        """Leave the panes alone in the window; once more brings back what was there."""
        shown = [name for name in (*PANELS, _STRUCTURE) if self._actions[name].isChecked()]
        for name in shown or self._put_away:
            self._actions[name].trigger()
        self._put_away = shown or PANELS

    def reset(self) -> None:
        """Divide the window as at first, with all panels, and columns as wide as they want."""
        for name in PANELS:
            self.show(name)
        self._frame.reset_layout()
        self._frame.view.resetColumns()
