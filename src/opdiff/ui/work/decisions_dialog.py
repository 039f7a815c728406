"""A list of what the user decided: shown, gone to, removed; and that of pins and ignored ops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from opdiff.compare import Side
from opdiff.session import Work
from opdiff.session.edits import drop_equivalent, remove_pin, set_alone, set_ignored
from opdiff.ui.frame.boxes import in_column
from opdiff.ui.frame.dialog import Dialog
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.look.theme import styled
from opdiff.ui.store import Store

_DECISION = Qt.ItemDataRole.UserRole
_NAMED_OPS = 3


class DecisionsDialog(Retranslating, Dialog):
    """The list, a hint where it is empty, and buttons; follows the store while it is open.

    A subclass says what is listed (``add_all``), what it is called (``name_all``) and what is done
    with the selected decision.
    """

    def __init__(self, store: Store, name: str, parent: QWidget) -> None:
        """*name* begins the object names: ``note`` makes ``notesDialog``, ``removeNoteButton``."""
        super().__init__(f"{name}sDialog", parent)
        self._store, self._name = store, name
        self.list = styled(QTreeWidget(), name=f"{name}sList")
        self.list.setColumnCount(3)
        self.list.setAlternatingRowColors(True)
        self.list.itemActivated.connect(lambda *_: self.show_selected())
        self.list.itemSelectionChanged.connect(self._refresh_buttons)
        self._row = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self._row.rejected.connect(self.close)
        self._buttons: list[QPushButton] = []
        self._remove = self.add_button("remove")
        self._remove.clicked.connect(self.remove_selected)
        self._hint = styled(PlainLabel(wrap=True), "dim", name=f"{name}sHint")
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        in_column(self, (self._hint, 1), self.list, self._row)
        store.workChanged.connect(self.fill)

    def add_button(self, does: str) -> QPushButton:
        """A button for the selected decision."""
        button = styled(QPushButton(), name=f"{does}{self._name.capitalize()}Button")
        self._row.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        button.setAutoDefault(False)  # Enter would remove what is selected
        self._buttons.append(button)
        return button

    def finish(self) -> None:
        """To be called when everything is made: the last button, and the words."""
        self._show = self.add_button("show")
        self._show.clicked.connect(self.show_selected)
        self._show.setDefault(True)
        self.retranslate()

    def fill(self, *_: object) -> None:
        """List what is decided now."""
        self.list.clear()
        self.add_all()
        empty = self.list.topLevelItemCount() == 0
        self._hint.setVisible(empty)
        self.list.setVisible(not empty)
        self._refresh_buttons()

    def selected(self) -> object:
        """The decision that is selected."""
        items = self.list.selectedItems()
        return items[0].data(0, _DECISION) if items else None

    def add_all(self) -> None:
        """Add the items of all decisions."""
        raise NotImplementedError

    def add(
        self, place: QTreeWidget | QTreeWidgetItem, texts: list[str], decision: object
    ) -> QTreeWidgetItem:
        """Add the item of one decision."""
        item = QTreeWidgetItem(place, texts)
        item.setData(0, _DECISION, decision)
        return item

    def name_all(self) -> None:
        """Say title, hint and heads of the columns in the present language."""
        raise NotImplementedError

    def show_selected(self) -> None:
        """Go where the selected decision is about."""
        raise NotImplementedError

    def remove_selected(self) -> None:
        """Take the selected decision back; it can be undone."""
        raise NotImplementedError

    def retranslate(self) -> None:
        """Say everything in the present language."""
        translate = QCoreApplication.translate  # whatever the subclass is called
        self._remove.setText(translate("DecisionsDialog", "Remove"))
        self._show.setText(translate("DecisionsDialog", "Show"))
        self.name_all()
        self.list.setAccessibleName(self.windowTitle())
        self.fill()

    def _refresh_buttons(self) -> None:
        for button in self._buttons:
            button.setEnabled(self.selected() is not None)


@dataclass(frozen=True, slots=True)
class Decision:
    """One thing the user said of rows, and how to take it back."""

    section: str
    left: tuple[int, ...]
    right: tuple[int, ...]
    without: Callable[[Work], Work]


def decisions_of(work: Work) -> Iterator[Decision]:
    """Everything that was said of single ops."""
    request = work.request
    for pin in request.pins:
        yield Decision("pin", (pin[0],), (pin[1],), partial(remove_pin, pin=pin))
    for side, alone, ignored in (
        (Side.LEFT, request.alone_left, request.ignored_left),
        (Side.RIGHT, request.alone_right, request.ignored_right),
    ):
        for row in sorted(alone):
            without = partial(set_alone, side=side, rows=[row], alone=False)
            yield _single("alone", side, row, without)
        for row in sorted(ignored):
            without = partial(set_ignored, side=side, rows=[row], ignored=False)
            yield _single("ignored", side, row, without)
    for index, (left, right) in enumerate(request.equivalent_here):
        yield Decision("equivalent", left, right, partial(drop_equivalent, index=index))


def _single(section: str, side: Side, row: int, without: Callable[[Work], Work]) -> Decision:
    left, right = ((row,), ()) if side is Side.LEFT else ((), (row,))
    return Decision(section, left, right, without)


class MarksDialog(DecisionsDialog):
    """Lists the marks by section."""

    def __init__(self, store: Store, go_to: Callable[[int, int], None], parent: QWidget) -> None:
        super().__init__(store, "mark", parent)
        self._go_to = go_to
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        self.list.header().resizeSection(0, 48)
        self.resize(560, 380)
        self.finish()

    def add_all(self) -> None:
        """List the marks of the work as it is now."""
        sections: dict[str, QTreeWidgetItem] = {}
        for mark in decisions_of(self._store.work):
            if mark.section not in sections:
                title = self._section_title(mark.section)
                sections[mark.section] = QTreeWidgetItem(self.list, [title])
                sections[mark.section].setFirstColumnSpanned(True)
                sections[mark.section].setExpanded(True)
            texts = ["", self._ops(Side.LEFT, mark.left), self._ops(Side.RIGHT, mark.right)]
            self.add(sections[mark.section], texts, mark)

    def remove_selected(self) -> None:
        """Take the selected mark back."""
        mark = self.selected()
        if isinstance(mark, Decision):
            label = self.tr("remove {what}").format(what=self._section_title(mark.section))
            self._store.setWork(mark.without(self._store.work), label)

    def show_selected(self) -> None:
        """Go to the op of the selected mark."""
        mark = self.selected()
        if isinstance(mark, Decision):
            side = Side.LEFT if mark.left else Side.RIGHT
            self._go_to(side, (mark.left or mark.right)[0])

    def _ops(self, side: Side, rows: tuple[int, ...]) -> str:
        trace = self._store.trace(side)
        if trace is None or not rows:
            return ""
        named = [f"{trace.line_of(row)} {trace.type_name(row)}" for row in rows[:_NAMED_OPS]]
        return ", ".join(named) + (" …" if len(rows) > _NAMED_OPS else "")

    def _section_title(self, section: str) -> str:
        return {
            "pin": self.tr("Pins"),
            "alone": self.tr("No counterpart"),
            "ignored": self.tr("Ignored"),
            "equivalent": self.tr("Equivalent here"),
        }[section]

    def name_all(self) -> None:
        """Say everything in the present language."""
        self.setWindowTitle(self.tr("Pins and ignored ops"))
        self._hint.setText(
            self.tr("Nothing yet. Select an op and press M to pin it, or I to ignore it.")
        )
        self.list.setHeaderLabels(["", self.tr("Left"), self.tr("Right")])
