"""The first row: the two traces and their anchors, the ways to compare, and the search."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLayout, QPushButton, QWidget

from opdiff.compare import Side
from opdiff.ui.anchors.anchor_edit import AnchorEdit
from opdiff.ui.commands.actions import Actions, bind
from opdiff.ui.files.trace_combo import TraceCombo, short_paths
from opdiff.ui.look.fonts import text_scale
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.look.theme import styled
from opdiff.ui.moving.search import SearchEdit
from opdiff.ui.store import Store

ANCHOR, TIGHT_ANCHOR = 98, 78
"""How wide the field of an anchor is, and where there is little room."""
TIGHT_TRACE = 120


class TopBar(Retranslating, QWidget):
    """Labels above, fields below, in one line.

    Where the line is too short the buttons are signs alone and the fields narrower: the window is
    never wider than a screen because of them.
    """

    def __init__(self, store: Store, actions: Actions) -> None:
        super().__init__()
        styled(self, "panel", filled=True)
        self.combos = {side: TraceCombo(side) for side in Side}
        self.anchors = {side: AnchorEdit(store, side) for side in Side}
        self.up = bind(QPushButton(), actions["compareUp"], "compareUpButton")
        self.up.setProperty("primary", True)
        self.down = bind(QPushButton(), actions["compareDown"], "compareDownButton")
        self.whole = bind(QPushButton(), actions["compareWhole"], "compareWholeButton")
        self.search = SearchEdit()
        self._labels = {
            name: PlainLabel() for name in ("left", "leftAnchor", "right", "rightAnchor")
        }
        self._texts = ("", "", "")
        self._least = 0
        """How narrow it can be."""
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
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
            ("", self.search, 8),
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
        self._grid = grid
        self._fields = [field for _, field, _ in fields]
        self.dress()

    def namePaths(self, paths: Mapping[Side, str]) -> None:
        """Name the traces of both sides, so that they can be told apart; an empty text is none."""
        both = [paths.get(side, "") for side in Side]
        for side, path, name in zip(Side, both, short_paths(*both), strict=True):
            self.combos[side].setPath(path, name)

    def dress(self) -> None:
        """Make room for text of its present size."""
        # Signs from another font would make one of them taller than the next.
        height = max(field.sizeHint().height() for field in self._fields)
        for field in self._fields:
            field.setFixedHeight(height)
        self._measure()

    def minimumSizeHint(self) -> QSize:
        """As narrow as it can be made."""
        return QSize(self._least, self._grid.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the room there is."""
        super().resizeEvent(event)
        self._fit()

    def _measure(self) -> None:
        self._wear(tight=True)
        self._least = self._grid.minimumSize().width()
        self._fit()
        self.updateGeometry()

    def _fit(self) -> None:
        self._wear(tight=False)
        if self._grid.minimumSize().width() > self.width():
            self._wear(tight=True)

    def _wear(self, *, tight: bool) -> None:
        for edit in self.anchors.values():
            edit.setFixedWidth(round((TIGHT_ANCHOR if tight else ANCHOR) * text_scale()))
        for combo in self.combos.values():
            combo.setMinimumWidth(TIGHT_TRACE if tight else 0)
        self.up.setMinimumWidth(0 if tight else round(150 * text_scale()))
        for button, text in zip((self.up, self.down, self.whole), self._texts, strict=True):
            button.setText(text.partition(" ")[0] if tight else text)

    def retranslate(self) -> None:
        """Say everything again."""
        self._labels["left"].setText(self.tr("Left trace"))
        self._labels["leftAnchor"].setText(self.tr("Left anchor"))
        self._labels["right"].setText(self.tr("Right trace"))
        self._labels["rightAnchor"].setText(self.tr("Right anchor"))
        self._texts = (self.tr("▲  Compare upward"), self.tr("▼ Down"), self.tr("⇅ Whole"))
        self._measure()
