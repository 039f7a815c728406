"""Several views in one place: beside each other where there is room, else one at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QToolButton, QWidget

from opdiff.ui.details.pair_view import PairView
from opdiff.ui.frame.boxes import NONE, in_row
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.theme import styled

ROOM_EACH = 720
"""Points of width a view needs to stand beside another."""


class Pages(Retranslating, QWidget):
    """The headings become tabs where only one view has room."""

    def __init__(self, views: Sequence[tuple[PairView, Callable[[], str]]]) -> None:
        """*views* come with what gives their names in the window's language."""
        super().__init__()
        self._views = [view for view, _ in views]
        self._names = [name for _, name in views]
        self.current: QWidget = self._views[0]
        """The view that is shown where there is room for one only."""
        self._roomy = False
        self._tabs: list[list[QToolButton]] = [self._make_tabs(view) for view in self._views]
        row = in_row(self, margins=NONE, spacing=1)
        for view in self._views:
            row.addWidget(view, 1)
        self._arrange()

    def show_page(self, view: QWidget) -> None:
        """Bring a view to the front."""
        self.current = view
        self._arrange()

    def show_named(self, name: str) -> None:
        """Bring the view of an object name to the front, if there is one."""
        for view in self._views:
            if view.objectName() == name:
                self.show_page(view)

    def enter(self, view: QWidget) -> None:
        """Bring a view to the front and move there."""
        self.show_page(view)
        view.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """There is room for all, or there is not."""
        super().resizeEvent(event)
        roomy = event.size().width() >= ROOM_EACH * len(self._views)
        if roomy != self._roomy:
            self._roomy = roomy
            self._arrange()

    def _make_tabs(self, home: PairView) -> list[QToolButton]:
        """A tab for every view in the bar of each: whichever is shown has them all."""
        tabs = []
        for place, view in enumerate(self._views):
            tab = styled(QToolButton(), "tab", name=f"{view.objectName()}Tab")
            tab.setCheckable(True)
            tab.setAutoRaise(True)
            tab.clicked.connect(lambda _=False, view=view: self.enter(view))
            home.header.insertWidget(place, tab)
            tabs.append(tab)
        return tabs

    def _name_tabs(self) -> None:
        for tabs in self._tabs:
            for tab, name in zip(tabs, self._names, strict=True):
                tab.setText(name())
                tab.setAccessibleName(name())

    retranslate = _name_tabs

    def _arrange(self) -> None:
        self._name_tabs()
        for view, tabs in zip(self._views, self._tabs, strict=True):
            view.setVisible(self._roomy or view is self.current)
            view.heading.setVisible(self._roomy)
            for tab, target in zip(tabs, self._views, strict=True):
                tab.setVisible(not self._roomy)
                tab.setChecked(target is self.current)
