"""All notes: listed, gone to, changed, removed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QHeaderView, QWidget

from opdiff.compare import Comparison, Divergence, Side
from opdiff.session import DivergenceKey, GroupKey, Note
from opdiff.session.work import group_key, index_of
from opdiff.ui.desk import Desk
from opdiff.ui.language import kind_name, spoken
from opdiff.ui.plain_text import tip
from opdiff.ui.theme import sign_of
from opdiff.ui.work.decisions_dialog import DecisionsDialog

Ask = Callable[[GroupKey | DivergenceKey], None]


class NotesDialog(DecisionsDialog):
    """Lists the notes with what they are about."""

    def __init__(self, desk: Desk, ask: Ask, parent: QWidget) -> None:
        super().__init__(desk, "note", parent)
        self._ask = ask
        self.list.setRootIsDecorated(False)
        header = self.list.header()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(False)
        self._edit = self.add_button("edit")
        self._edit.clicked.connect(self.edit_selected)
        self.resize(680, 360)
        desk.comparisonChanged.connect(self.fill)
        self.finish()

    def add_all(self) -> None:
        """List the notes of the work as it is now."""
        for note in self._desk.work.notes:
            about, lines = self._about(note)
            item = self.add(self.list, [note.text.replace("\n", " "), about, lines], note)
            item.setToolTip(0, tip(note.text))
            item.setToolTip(1, tip(about))
        self.list.setCurrentIndex(self.list.model().index(0, 0))

    def _note(self) -> Note | None:
        note = self.selected()
        return note if isinstance(note, Note) else None

    def show_selected(self) -> None:
        """Go to the difference that the selected note is about."""
        note, comparison = self._note(), self._desk.comparison
        index = _index(comparison, note) if note is not None and comparison is not None else None
        if index is not None:
            self._desk.setCurrent(index)

    def edit_selected(self) -> None:
        """Write the selected note otherwise."""
        note = self._note()
        if note is not None:
            self._ask(note.about)

    def remove_selected(self) -> None:
        """Take the selected note away; it can be undone."""
        note = self._note()
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

    def name_all(self) -> None:
        """Say everything in the present language."""
        self.setWindowTitle(self.tr("Notes"))
        self._hint.setText(
            self.tr("Nothing yet. T writes a note on a difference, Shift+T on its group.")
        )
        self.list.setHeaderLabels([self.tr("Note"), self.tr("About"), self.tr("Lines")])
        self._edit.setText(self.tr("Change…"))


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
