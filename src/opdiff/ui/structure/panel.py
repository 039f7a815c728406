"""The panel beside the panes: what a trace is made of, and which layers differ how."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from opdiff.compare import Comparison, Kind, Side
from opdiff.report.summary_table import SummaryPlace
from opdiff.ui.frame.boxes import NONE, divided, in_column, in_row
from opdiff.ui.look.language import Retranslating, kind_name, spoken
from opdiff.ui.look.plain_text import ElidedLabel, PlainLabel
from opdiff.ui.look.theme import styled
from opdiff.ui.store import Store
from opdiff.ui.structure.structures import PartCounts, Structures
from opdiff.ui.structure.summary_view import SummaryView
from opdiff.ui.structure.tree_view import StructureView

WIDTH, LEAST_WIDTH = 300, 200
_MARGIN = 8
_SOON_MS = 1

Narrowed = tuple[SummaryPlace, Kind | None]
"""Where alone differences are let through, and of which kind."""


class StructurePanel(Retranslating, QWidget):
    """The tree of one side above, the table of layers below."""

    def __init__(self, store: Store, structures: Structures) -> None:
        super().__init__()
        styled(self, "panel", name="structurePanel")
        self._store, self._structures = store, structures
        self._side = Side.LEFT
        self._row: int | None = None
        self._narrowed: Narrowed | None = None
        self._resumed: Narrowed | None = None
        """What was left before the user decided something, until the new answer is counted."""
        self._answered: Comparison | None = None
        self.tree = StructureView()
        self.table = SummaryView()
        self._said = styled(PlainLabel(wrap=True), name="layersSaid")
        self._all = styled(QToolButton(), name="allPlacesButton")
        self._buttons: dict[Side, QToolButton] = {}
        self._lay_out()
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self._fill)
        structures.found.connect(self._found)
        structures.counted.connect(self._show_counts)
        store.comparisonChanged.connect(self._compared)
        self.table.chosen.connect(self._choose)
        self._all.clicked.connect(self.show_all)
        self.retranslate()

    def showRow(self, side: Side, row: int) -> None:
        """Unfold the tree where the user is."""
        self._row = row
        if side is not self._side:
            self._side = side
            self._buttons[side].setChecked(True)
            self._show_side()
        elif self.isVisible() and not self._soon.isActive():
            self.tree.follow(row)

    def retranslate(self) -> None:
        """Speak the present language."""
        for side, button in self._buttons.items():
            button.setText(self.tr("left") if side is Side.LEFT else self.tr("right"))
            button.setToolTip(
                self.tr("Structure of the left trace")
                if side is Side.LEFT
                else self.tr("Structure of the right trace")
            )
        self._title.setWholeText(self.tr("Structure"))
        for part in (self.tree, self.table):
            part.retranslate()
        self._say()

    def show_all(self) -> None:
        """Let differences of all places through again."""
        self._narrowed = self._resumed = None
        self.table.setCurrentIndex(QModelIndex())
        self._store.narrow(None)
        self._say()

    def _lay_out(self) -> None:
        group = QButtonGroup(self)
        top = QHBoxLayout()
        top.setContentsMargins(_MARGIN, _MARGIN // 2, _MARGIN, _MARGIN // 2)
        self._title = styled(ElidedLabel(), "heading")
        top.addWidget(self._title, 1)
        for side in Side:
            button = QToolButton()
            button.setCheckable(True)
            button.setChecked(side is self._side)
            button.setObjectName(f"{side.name.lower()}StructureButton")
            button.clicked.connect(lambda _=False, side=side: self._choose_side(side))
            group.addButton(button)
            top.addWidget(button)
            self._buttons[side] = button
        self._below = QWidget()
        line = in_row(None, (self._said, 1), margins=(_MARGIN, _MARGIN // 2, _MARGIN, _MARGIN // 2))
        line.addWidget(self._all, 0, Qt.AlignmentFlag.AlignTop)
        in_column(self._below, line, (self.table, 1), margins=NONE, spacing=0)
        self._below.hide()
        parts = divided(Qt.Orientation.Vertical, (self.tree, 3), (self._below, 2))
        in_column(self, top, (parts, 1), margins=NONE, spacing=0)
        self.setMinimumWidth(LEAST_WIDTH)

    def _choose_side(self, side: Side) -> None:
        self._side, self._row = side, None
        self._show_side()

    def showEvent(self, event: QShowEvent) -> None:
        """Only now is it worth while to fill it."""
        super().showEvent(event)
        self._show_side()
        self._show_counts()

    def _found(self, side: int) -> None:
        if Side(side) is self._side:
            self._show_side()

    def _show_side(self) -> None:
        if self.isVisible():
            self._soon.start()
        else:
            self.tree.show_outline(self._side, None, None)

    def _fill(self) -> None:
        """Show the tree, a turn later than what else changes: it may have very many parts."""
        side = self._side
        self.tree.show_outline(side, self._structures.outline(side), self._store.trace(side))
        if self._row is not None:
            self.tree.follow(self._row)

    def _compared(self) -> None:
        self._resumed, self._narrowed = self._narrowed or self._resumed, None
        comparison = self._store.comparison
        if comparison is not None:
            if not self.isVisible() or not _same_question(self._answered, comparison):
                self._resumed = None
            self._answered = comparison
        counts = comparison is not None and len(comparison.divergences) > 0
        if not counts:
            self._leave_to_the_tree()
        self._say()

    def _leave_to_the_tree(self) -> None:
        """Where there is nothing to count, or no place to name, the tree has all the room."""
        if self.table.hasFocus():
            self.tree.setFocus()
        self._below.hide()

    def _show_counts(self) -> None:
        part_counts = self._structures.part_counts if self.isVisible() else None
        if part_counts is not None:
            self._resume(part_counts)
        self.tree.show_part_counts(part_counts)
        self.table.show_table(None if part_counts is None else part_counts.table)
        if part_counts is not None:
            if len(part_counts.comparison.divergences) and part_counts.table.tells:
                self._below.show()
            else:
                self._leave_to_the_tree()
        self._say()

    def _choose(self, row: int, column: int) -> None:
        """Leave only what a cell counts; all again when it is chosen twice."""
        part_counts = self._structures.part_counts
        if part_counts is None:
            return
        wanted = (part_counts.table.places[row], self.table.cells.kind_of(column))
        if wanted == self._narrowed:
            self.show_all()
            return
        if self._narrow(part_counts, row, wanted) and len(self._store.visible):
            self._store.setCurrent(int(self._store.outline.walk[0]))

    def _narrow(self, part_counts: PartCounts, row: int, wanted: Narrowed) -> bool:
        """Leave only what a cell counts; False where that is nothing."""
        kept = part_counts.table.place_of == row
        if wanted[1] is not None:
            kept &= part_counts.comparison.kinds == wanted[1].number
        if not kept.any():
            return False
        self._narrowed = wanted
        self._store.narrow(kept)
        self._say()
        return True

    def _resume(self, part_counts: PartCounts) -> None:
        """Leave what was left before something was decided, where there still is any of it."""
        wanted, self._resumed = self._resumed, None
        if wanted is None or part_counts.comparison is not self._store.comparison:
            return
        for row, place in enumerate(part_counts.table.places):
            if (place.what, place.name) == (wanted[0].what, wanted[0].name):
                self._narrow(part_counts, row, (place, wanted[1]))

    def _say(self) -> None:
        part_counts = self._structures.part_counts
        table = None if part_counts is None else part_counts.table
        self._all.setText(self.tr("show all"))
        self._all.setVisible(self._narrowed is not None)
        said = "" if table is None or table.said is None else spoken(table.said)
        if self._narrowed is not None:
            place, kind = self._narrowed
            words = [spoken(place.name)] + ([] if kind is None else [kind_name(kind)])
            said = self.tr("only {what}").format(what=" · ".join(words))
        self._said.setText(said)
        self._said.setVisible(bool(said))


def _same_question(before: Comparison | None, now: Comparison) -> bool:
    """Whether only decisions lie between two answers."""
    return (
        before is not None
        and before.left.trace is now.left.trace
        and before.right.trace is now.right.trace
        and before.request.asks_as(now.request)
    )
