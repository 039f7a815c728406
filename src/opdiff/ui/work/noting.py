"""Notes on differences and groups: writing them, listing them, showing them at the differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialogButtonBox, QHeaderView, QPlainTextEdit, QWidget

from opdiff.compare import Comparison, Divergence, Side
from opdiff.errors import OpdiffError
from opdiff.session import DivergenceKey, GroupKey, UserNote, divergence_key, group_key
from opdiff.session.work import index_of, notes_by_index
from opdiff.trace import Trace
from opdiff.trace.columns import Longs
from opdiff.ui.frame.boxes import in_column
from opdiff.ui.frame.dialog import Dialog
from opdiff.ui.look.language import kind_name, spoken
from opdiff.ui.look.plain_text import PlainLabel, tip
from opdiff.ui.look.theme import sign_of, styled
from opdiff.ui.store import Store
from opdiff.ui.work.decisions_dialog import DecisionsDialog
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

Ask = Callable[[GroupKey | DivergenceKey], None]


class NotesDialog(DecisionsDialog):
    """Lists the notes with what they are about."""

    def __init__(
        self, store: Store, go_to: Callable[[int], None], ask: Ask, parent: QWidget
    ) -> None:
        super().__init__(store, "note", parent)
        self._go_to = go_to
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
        store.comparisonChanged.connect(self.fill)
        self.finish()

    def add_all(self) -> None:
        """List the notes of the work as it is now."""
        for note in self._store.work.notes:
            about, lines = self._about(note)
            item = self.add(self.list, [note.text.replace("\n", " "), about, lines], note)
            item.setToolTip(0, tip(note.text))
            item.setToolTip(1, tip(about))
        self.list.setCurrentIndex(self.list.model().index(0, 0))

    def _note(self) -> UserNote | None:
        note = self.selected()
        return note if isinstance(note, UserNote) else None

    def show_selected(self) -> None:
        """Go to the difference that the selected note is about."""
        note, comparison = self._note(), self._store.comparison
        index = _index(comparison, note) if note is not None and comparison is not None else None
        if index is not None:
            self._go_to(index)

    def edit_selected(self) -> None:
        """Write the selected note otherwise."""
        note = self._note()
        if note is not None:
            self._ask(note.about)

    def remove_selected(self) -> None:
        """Take the selected note away; it can be undone."""
        note = self._note()
        if note is not None:
            self._store.setWork(self._store.work.with_note(note.about, ""), self.tr("remove note"))

    def _about(self, note: UserNote) -> tuple[str, str]:
        """What a note is about, and its lines; a difference that is no more is said by its kind."""
        comparison = self._store.comparison
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
        comparison = self._store.comparison
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


def _index(comparison: Comparison, note: UserNote) -> int | None:
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


class NoteEdit(QPlainTextEdit):
    """Where the note is written. Signal: ``written()`` on Ctrl+Return."""

    written = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return begins a line, with Ctrl it ends the note."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.written.emit()
        else:
            super().keyPressEvent(event)


class NoteDialog(Dialog):
    """Asks for a note; an empty one takes the note away."""

    def __init__(self, title: str, about: str, text: str, parent: QWidget) -> None:
        super().__init__("noteDialog", parent)
        self.setWindowTitle(title)
        subject = PlainLabel(about, wrap=True)
        self._edit = styled(NoteEdit(text), name="noteEdit")
        self._edit.setPlaceholderText(self.tr("For example: harmless, same aclnn kernel"))
        self._edit.setTabChangesFocus(True)
        self._edit.setAccessibleName(self.tr("Note"))
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        in_column(self, subject, self._edit, buttons)
        self._edit.written.connect(self.accept)
        ok = buttons.button(QDialogButtonBox.StandardButton.Ok)
        ok.setToolTip(self.tr("Keep the note  Ctrl+Return"))
        self.resize(420, 220)

    @property
    def text(self) -> str:
        """What was written."""
        return self._edit.toPlainText().strip()


class Noting(QObject):
    """Keeps notes and greyed groups in sight in the list and the panes."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._store = window.store
        self._detailed: tuple[UserNote, ...] = ()
        """The notes that the details show."""
        self._painted: tuple[frozenset[int], Longs] = (frozenset(), np.arange(0))
        """Groups called known and differences listed, as the panes show them."""
        self._store.comparisonChanged.connect(self._painted_anew)
        self._store.workChanged.connect(self.show_notes)
        self._store.visibleChanged.connect(self.show_notes)

    def note_difference(self) -> None:
        """Write about the difference that is looked at."""
        found = self._window.shown.divergence()
        if found is not None:
            self._ask(
                self.tr("Note on a difference"), spoken(found.sentence), divergence_key(found)
            )

    def note_group(self) -> None:
        """Write about the group of the difference that is looked at."""
        group = self._window.judging.group()
        if group is not None:
            self._ask(self.tr("Note on a group"), spoken(group.title), group_key(group))

    def ask(self, about: GroupKey | DivergenceKey) -> None:
        """Write about something that has a note already."""
        if isinstance(about, GroupKey):
            self._ask(self.tr("Note on a group"), spoken(about.title), about)
        else:
            self._ask(self.tr("Note on a difference"), kind_name(about.kind), about)

    def _ask(self, title: str, about: str, key: GroupKey | DivergenceKey) -> None:
        dialog = NoteDialog(title, about, self._store.work.note_on(key), self._window)
        traces = self._store.both()
        dialog.accepted.connect(lambda: self._write(key, dialog.text, traces))
        dialog.open()

    def _write(
        self, key: GroupKey | DivergenceKey, text: str, traces: tuple[Trace, Trace] | None
    ) -> None:
        if isinstance(key, DivergenceKey) and self._store.both() != traces:
            # Read anew meanwhile: the rows that it is about are others now.
            self._window.showError(OpdiffError(Sentence.of("session.note-too-late", text=text)))
            return
        self._store.setWork(self._store.work.with_note(key, text), self.tr("note"))

    def notes_on(self, divergence: Divergence) -> list[str]:
        """What was written on a divergence, and on its group."""
        work, comparison = self._store.work, self._store.comparison
        if comparison is None or not work.notes:
            return []
        about_group = work.note_on(group_key(comparison.groups[divergence.group]))
        return list(filter(None, (work.note_on(divergence_key(divergence)), about_group)))

    def show_notes(self) -> None:
        """Show notes and what is known in the list, and grey the rows of what is known."""
        comparison, work = self._store.comparison, self._store.work
        if comparison is None:
            return
        notes, group_notes = notes_by_index(work, comparison)
        groups = comparison.groups if work.known_kinds or work.known_groups else ()
        greyed = frozenset(group.id for group in groups if work.is_known(group) and not group.known)
        frame = self._window.frame
        frame.differences.model.setRemarks(notes, group_notes, greyed)
        if work.notes != self._detailed:
            self._detailed = work.notes
            frame.details.setNotes(lambda found: "\n".join(self.notes_on(found)))
        frame.view.setNoted(notes)
        self._paint_settled(comparison, greyed)

    def _painted_anew(self, comparison: Comparison | None) -> None:
        """The panes show all of a comparison at first."""
        count = 0 if comparison is None else len(comparison.divergences)
        self._painted = (frozenset(), np.arange(count))

    def _paint_settled(self, comparison: Comparison, greyed: frozenset[int]) -> None:
        """Take the colour from what the user calls known, and from what the filters hide."""
        visible, before = self._store.visible, self._painted
        if before[0] == greyed and np.array_equal(before[1], visible):
            return  # whatever was decided, the rows look the same
        self._painted = (greyed, visible)
        hidden = np.ones(len(comparison.divergences), bool)
        hidden[visible] = False
        known = np.zeros(len(comparison.groups), bool)
        known[list(greyed)] = True
        self._window.frame.view.setGreyed(
            np.flatnonzero(hidden | known[comparison.group_of]), np.flatnonzero(hidden)
        )
