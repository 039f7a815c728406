"""The first row: the two traces and their anchors, the ways to compare, and the search."""

from __future__ import annotations

from PySide6.QtWidgets import QGridLayout, QPushButton, QWidget

from opdiff.compare import Side
from opdiff.ui.actions import Actions
from opdiff.ui.anchor_edit import AnchorEdit
from opdiff.ui.bound_buttons import bind
from opdiff.ui.desk import Desk
from opdiff.ui.language import Speaking
from opdiff.ui.plain_text import PlainLabel
from opdiff.ui.search_edit import SearchEdit
from opdiff.ui.theme import styled
from opdiff.ui.trace_combo import TraceCombo


class TopBar(Speaking, QWidget):
    """Labels above, fields below, in one line."""

    def __init__(self, desk: Desk, actions: Actions) -> None:
        super().__init__()
        styled(self, "panel", filled=True)
        self.combos = {side: TraceCombo(side) for side in Side}
        self.anchors = {side: AnchorEdit(desk, side) for side in Side}
        self.up = bind(QPushButton(), actions["compareUp"], "compareUpButton")
        self.up.setProperty("primary", True)
        self.down = bind(QPushButton(), actions["compareDown"], "compareDownButton")
        self.whole = bind(QPushButton(), actions["compareWhole"], "compareWholeButton")
        self.search = SearchEdit()
        self._labels = {
            name: PlainLabel() for name in ("left", "leftAnchor", "right", "rightAnchor")
        }
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(14, 4, 14, 8)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        fields: tuple[tuple[str, QWidget, int], ...] = (
            ("left", self.combos[Side.LEFT], 8),
            ("leftAnchor", self.anchors[Side.LEFT], 0),
            ("right", self.combos[Side.RIGHT], 8),
            ("rightAnchor", self.anchors[Side.RIGHT], 0),
            ("", self.up, 0),
            ("", self.down, 0),
            ("", self.whole, 0),
            ("", self.search, 7),
        )
        for column, (name, field, stretch) in enumerate(fields):
            if name:
                label = self._labels[name]
                label.setProperty("dim", True)
                label.setProperty("small", True)
                label.setBuddy(field)
                grid.addWidget(label, 0, column)
            grid.addWidget(field, 1, column)
            grid.setColumnStretch(column, stretch)
        self._fields = [field for _, field, _ in fields]
        self.setScale(1.0)

    def setScale(self, scale: float) -> None:
        """Make room for text so much larger than normal."""
        for edit in self.anchors.values():
            edit.setFixedWidth(round(98 * scale))
        self.up.setMinimumWidth(round(150 * scale))
        # Signs from another font would make one of them taller than the next.
        height = max(field.sizeHint().height() for field in self._fields)
        for field in self._fields:
            field.setFixedHeight(height)

    def retranslate(self) -> None:
        """Say everything again."""
        self._labels["left"].setText(self.tr("Left trace"))
        self._labels["leftAnchor"].setText(self.tr("Left anchor"))
        self._labels["right"].setText(self.tr("Right trace"))
        self._labels["rightAnchor"].setText(self.tr("Right anchor"))
        self.up.setText(self.tr("▲  Compare upward"))
        self.down.setText(self.tr("▼ Down"))
        self.whole.setText(self.tr("⇅ Whole"))
