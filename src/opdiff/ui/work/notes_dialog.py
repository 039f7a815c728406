"""All notes: listed, gone to, changed, removed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from opdiff.compare import Comparison, Divergence, Side
from opdiff.session import DivergenceKey, GroupKey, Note
from opdiff.session.work import group_key, index_of
from opdiff.ui.desk import Desk
from opdiff.ui.kind_names import kind_name
from opdiff.ui.language import spoken
from opdiff.ui.plain_text import PlainLabel, tip
from opdiff.ui.theme import sign_of

Ask = Callable[[GroupKey | DivergenceKey], None]


class NotesDialog(QDialog):
    """Lists the notes with what they are about; follows the desk while it is open."""

    def __init__(self, desk: Desk, ask: Ask, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("notesDialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._desk, self._ask = desk, ask
        self.list = QTreeWidget()
        self.list.setObjectName("notesList")
        self.list.setColumnCount(3)
        self.list.setRootIsDecorated(False)
        self.list.setAlternatingRowColors(True)
        header = self.list.header()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(False)
        self.list.itemActivated.connect(lambda *_: self.show_selected())
        self.list.itemSelectionChanged.connect(self._refresh_buttons)
        self._show, self._edit, self._remove = QPushButton(), QPushButton(), QPushButton()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        for button, name, do in (
            (self._remove, "removeNoteButton", self.remove_selected),
            (self._edit, "editNoteButton", self.edit_selected),
            (self._show, "showNoteButton", self.show_selected),
        ):
            button.setObjectName(name)
            button.clicked.connect(do)
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.close)
        self._hint = PlainLabel()
        self._hint.setObjectName("notesHint")
        self._hint.setProperty("dim", True)
        self._hint.setWordWrap(True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = QVBoxLayout(self)
        column.addWidget(self._hint, 1)
        column.addWidget(self.list)
        column.addWidget(buttons)
        self.resize(680, 360)
        self._retranslate()
        desk.workChanged.connect(self.fill)
        desk.comparisonChanged.connect(self.fill)

    def fill(self, *_: object) -> None:
        """List the notes of the work as it is now."""
        notes = self._desk.work.notes
        self.list.clear()
        for note in notes:
            about, lines = self._about(note)
            item = QTreeWidgetItem(self.list, [note.text.replace("\n", " "), about, lines])
            item.setToolTip(0, tip(note.text))
            item.setToolTip(1, tip(about))
            item.setData(0, Qt.ItemDataRole.UserRole, note)
        self._hint.setVisible(not notes)
        self.list.setVisible(bool(notes))
        self.list.setCurrentIndex(self.list.model().index(0, 0))
        self._refresh_buttons()

    def selected(self) -> Note | None:
        """The note that is selected."""
        items = self.list.selectedItems()
        note = items[0].data(0, Qt.ItemDataRole.UserRole) if items else None
        return note if isinstance(note, Note) else None

    def show_selected(self) -> None:
        """Go to the difference that the selected note is about."""
        note, comparison = self.selected(), self._desk.comparison
        index = _index(comparison, note) if note is not None and comparison is not None else None
        if index is not None:
            self._desk.setCurrent(index)

    def edit_selected(self) -> None:
        """Write the selected note otherwise."""
        note = self.selected()
        if note is not None:
            self._ask(note.about)

    def remove_selected(self) -> None:
        """Take the selected note away; it can be undone."""
        note = self.selected()
        if note is not None:
            self._desk.setWork(self._desk.work.with_note(note.about, ""), self.tr("remove note"))

    def _about(self, note: Note) -> tuple[str, str]:
        """What a note is about, and its lines; a difference that is no more is said by its kind."""
        comparison = self._desk.comparison
        sign = f"{sign_of(note.about.kind)} "
        if isinstance(note.about, GroupKey):
            return sign + self._group_title(note.about), self.tr("group")
        index = None if comparison is None else _index(comparison, note)
        if comparison is None or index is None:
            return sign + self.tr("{kind}, not found now").format(
                kind=kind_name(note.about.kind)
            ), ""
        found = comparison.divergences[index]
        return sign + spoken(comparison.groups[found.group].title), _lines(comparison, found)

    def _group_title(self, key: GroupKey) -> str:
        comparison = self._desk.comparison
        groups = () if comparison is None else comparison.groups
        return next((spoken(g.title) for g in groups if group_key(g) == key), spoken(key.title))

    def _refresh_buttons(self) -> None:
        for button in (self._remove, self._edit, self._show):
            button.setEnabled(self.selected() is not None)

    def changeEvent(self, event: QEvent) -> None:
        """Speak the window's language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Notes"))
        self._hint.setText(
            self.tr("Nothing yet. T writes a note on a difference, Shift+T on its group.")
        )
        self.list.setHeaderLabels([self.tr("Note"), self.tr("About"), self.tr("Lines")])
        self.list.setAccessibleName(self.tr("Notes"))
        self._remove.setText(self.tr("Remove"))
        self._edit.setText(self.tr("Change…"))
        self._show.setText(self.tr("Show"))
        self.fill()


def _index(comparison: Comparison, note: Note) -> int | None:
    """A difference that a note is about: itself, or the first of its group."""
    if isinstance(note.about, DivergenceKey):
        return index_of(comparison, note.about)
    found = (g.members[0] for g in comparison.groups if group_key(g) == note.about)
    return next(found, None)


def _lines(comparison: Comparison, found: Divergence) -> str:
    lines = []
    for side in Side:
        rows = found.rows(side)
        lines.append(str(comparison.side(side).trace.line_of(rows[0])) if rows else "–")
    return " ↔ ".join(lines)
