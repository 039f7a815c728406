"""A list of what the user decided: shown, gone to, removed; notes and marks each fill one."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from opdiff.ui.boxes import in_column
from opdiff.ui.desk import Desk
from opdiff.ui.dialog import Dialog
from opdiff.ui.language import Speaking
from opdiff.ui.plain_text import PlainLabel
from opdiff.ui.theme import styled

_DECISION = Qt.ItemDataRole.UserRole


class DecisionsDialog(Speaking, Dialog):
    """The list, a hint where it is empty, and buttons; follows the desk while it is open.

    A subclass says what is listed (``add_all``), what it is called (``name_all``) and what is done
    with the selected decision.
    """

    def __init__(self, desk: Desk, name: str, parent: QWidget) -> None:
        """*name* begins the object names: ``note`` makes ``notesDialog``, ``removeNoteButton``."""
        super().__init__(f"{name}sDialog", parent)
        self._desk, self._name = desk, name
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
        desk.workChanged.connect(self.fill)

    def add_button(self, does: str) -> QPushButton:
        """A button for the selected decision."""
        button = styled(QPushButton(), name=f"{does}{self._name.capitalize()}Button")
        self._row.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        self._buttons.append(button)
        return button

    def finish(self) -> None:
        """To be called when everything is made: the last button, and the words."""
        self._show = self.add_button("show")
        self._show.clicked.connect(self.show_selected)
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
