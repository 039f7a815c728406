"""Fields as a table of labels that are kept and refilled."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from opdiff.compare import Side
from opdiff.ui.details.cells import FieldCell, Look
from opdiff.ui.details.table import Field
from opdiff.ui.fonts import ui_font
from opdiff.ui.plain_text import PlainLabel


class FieldGrid(QWidget):
    """A row a field: its label, the left cell, the right cell.

    Signals: ``followed(link)`` when a link of a cell is activated.
    """

    followed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("sheet", True)
        self._rows: list[tuple[PlainLabel, FieldCell, FieldCell]] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 5, 14, 8)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(10)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(2, 1)
        column.addLayout(self._grid)
        column.addStretch(1)

    def showFields(self, fields: Sequence[Field], look: Look) -> None:
        """Show these fields and no others."""
        while len(self._rows) < len(fields):
            self._add_row()
        heading = ""
        for index, widgets in enumerate(self._rows):
            if index < len(fields):
                # What has no label of its own belongs to the field above.
                heading = fields[index].label or heading
                self._fill(index, fields[index], heading, look)
            else:
                for widget in widgets:
                    widget.clear()
                    widget.hide()

    def cells(self) -> list[FieldCell]:
        """The cells from left to right and from top to bottom."""
        return [cell for _, left, right in self._rows for cell in (left, right)]

    def _fill(self, index: int, field: Field, heading: str, look: Look) -> None:
        label, left, right = self._rows[index]
        self._grid.removeWidget(left)
        self._grid.addWidget(left, index, *((0, 1, 3) if field.wide else (1, 1, 1)))
        label.setText(field.label)
        label.setFont(ui_font(look.scale))
        label.setFixedHeight(look.line_height + 2)
        names = (f"{heading}, " + self.tr("left"), f"{heading}, " + self.tr("right"))
        for cell, side in ((left, Side.LEFT), (right, Side.RIGHT)):
            name = self.tr("difference") if field.wide else names[side]
            cell.show_cell(field.cell(side), field.kind, look, name)
        left.show()
        for widget in (label, right):
            widget.setVisible(not field.wide)

    def _add_row(self) -> None:
        label, left, right = PlainLabel(), FieldCell(), FieldCell()
        label.setProperty("dim", True)
        row = len(self._rows)
        self._grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(left, row, 1)
        self._grid.addWidget(right, row, 2)
        for cell in (left, right):
            cell.followed.connect(self.followed)
        self._rows.append((label, left, right))
