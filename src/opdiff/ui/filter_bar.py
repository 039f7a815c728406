"""The second row: which kinds are shown, how the rows are shown, and the walk through them."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QToolButton, QWidget

from opdiff.ui.actions import Actions, plain
from opdiff.ui.bound_buttons import bind
from opdiff.ui.boxes import in_row
from opdiff.ui.desk import Desk
from opdiff.ui.differences.panel import DifferencePanel
from opdiff.ui.kind_filter import KindFilter
from opdiff.ui.language import Speaking
from opdiff.ui.menus.view import ROW_SWITCHES
from opdiff.ui.plain_text import PlainLabel
from opdiff.ui.theme import styled


class FilterBar(Speaking, QWidget):
    """Chips, check boxes, and "‹ difference 3 of 610 · group 1 of 4 ›"."""

    def __init__(self, desk: Desk, actions: Actions, differences: DifferencePanel) -> None:
        super().__init__()
        self._desk = desk
        self._differences = differences
        styled(self, "panel", filled=True)
        self.kinds = KindFilter(desk)
        self._boxes = [_check_box(actions[name], name) for name in ROW_SWITCHES]
        previous = bind(QToolButton(), actions["previousDifference"], "previousDifferenceButton")
        following = bind(QToolButton(), actions["nextDifference"], "nextDifferenceButton")
        back = bind(QToolButton(), actions["goBack"], "backButton")
        forward = bind(QToolButton(), actions["goForward"], "forwardButton")
        back.setText("←")
        forward.setText("→")
        previous.setText("‹")
        following.setText("›")
        self._place = styled(PlainLabel(), "heading", name="differencePosition")
        row = in_row(self, (self.kinds, 1), margins=(14, 0, 8, 6), spacing=6)
        row.addSpacing(6)
        for box in self._boxes:
            row.addWidget(box)
            row.addSpacing(8)
        for button in (back, forward, previous):
            row.addWidget(button)
        row.addWidget(self._place)
        row.addWidget(following)
        for signal in (desk.currentChanged, desk.visibleChanged, desk.orderChanged):
            signal.connect(self._say_place)
        self._say_place()

    def _say_place(self, *_: object) -> None:
        total = len(self._desk.visible)
        if self._desk.comparison is None:
            text = ""
        elif total == 0:
            text = self.tr("no differences")
        else:
            text = self._place_text(total)
        self._place.setText(text)
        self._place.setMinimumWidth(self._widest(total))

    retranslate = _say_place

    def _widest(self, total: int) -> int:
        """The room that the longest of these words takes: nothing beside them moves in a walk."""
        groups = len(self._desk.outline.listed)
        text = self._words(total, total, groups, groups) if total else ""
        return self._place.fontMetrics().horizontalAdvance(text)

    def _place_text(self, total: int) -> str:
        position = self._desk.position()
        group = self._differences.group_position()
        if position is None or group is None:
            return self.tr("{total} differences").format(total=f"{total:,}")
        return self._words(position + 1, total, *group)

    def _words(self, n: int, total: int, group: int, groups: int) -> str:
        return self.tr("difference {n} of {total} · group {group} of {groups}").format(
            n=f"{n:,}", total=f"{total:,}", group=f"{group:,}", groups=f"{groups:,}"
        )


def _check_box(action: QAction, name: str) -> QCheckBox:
    """A check box that is the same thing as a checkable action."""
    box = styled(QCheckBox(), "dim", name=f"{name}Box")

    def follow() -> None:
        box.setText(plain(action.text()).lower())
        box.setToolTip(action.toolTip())
        box.setAccessibleDescription(action.statusTip())
        box.setEnabled(action.isEnabled())
        box.setChecked(action.isChecked())

    action.changed.connect(follow)
    action.toggled.connect(box.setChecked)
    box.clicked.connect(action.trigger)
    follow()
    return box
