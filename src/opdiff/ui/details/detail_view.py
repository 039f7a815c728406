"""Both ops of a pair side by side, field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QMenu, QScrollArea, QSizePolicy

from opdiff.compare import Comparison, Divergence, Kind, Side, State
from opdiff.ui.details.field_grid import FieldCell, FieldGrid, LinkWalk
from opdiff.ui.details.fields import FieldTable
from opdiff.ui.details.pair_view import PairView
from opdiff.ui.details.table import Cell, DetailRow, GoTo, Link, OpenSource, Span, Unfold, cell_text
from opdiff.ui.look.language import Retranslating, kind_name, spoken
from opdiff.ui.look.plain_text import ElidedLabel
from opdiff.ui.look.theme import sign_of, styled


class DetailView(Retranslating, PairView):
    """The details of the selected pair.

    Signals: ``goTo(side, row)`` when an op is clicked, ``openSource(file, line)`` when a stack
    frame is.
    """

    goTo = Signal(int, int)
    openSource = Signal(str, int)

    says_again_on = (QEvent.Type.LanguageChange, QEvent.Type.FontChange, QEvent.Type.PaletteChange)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("detailView")
        self._unfolded = False
        self._note_on: Callable[[Divergence], str] = lambda _: ""
        self.fields: list[DetailRow] = []
        """What is shown now."""
        self._build()
        self.refresh()

    def setNotes(self, note_on: Callable[[Divergence], str]) -> None:
        """Show what the user wrote on a divergence and its group; an empty text is no note."""
        self._note_on = note_on
        self.refresh()

    def showPair(self, left_row: int | None, right_row: int | None) -> None:
        """Show two ops, or one, or none."""
        self._unfolded = False
        super().showPair(left_row, right_row)
        self._links.begin()
        self._scroll.verticalScrollBar().setValue(0)

    def plainText(self) -> str:
        """Everything shown, one field a line, its sides apart by tabs."""
        lines = [self._title.wholeText(), self._message.wholeText()]
        lines += [
            "\t".join((field.label, cell_text(field.left), cell_text(field.right)))
            for field in self.fields
        ]
        return "\n".join(line for line in lines if line.strip())

    def copy(self) -> None:
        """Copy the text selected in a cell, else everything."""
        cell = QApplication.focusWidget()
        chosen = cell.chosen_text() if isinstance(cell, FieldCell) else ""
        QGuiApplication.clipboard().setText(chosen or self.plainText())

    def event(self, event: QEvent) -> bool:
        """Claim the key for copying before an action of the window takes it."""
        if event.type() == QEvent.Type.ShortcutOverride and _is_copy(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy by key, and open the menu."""
        if _is_copy(event):
            self.copy()
        elif _asks_for_menu(event):
            self._open_menu()
        else:
            super().keyPressEvent(event)

    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.addActions(self.actions())
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._scroll.mapToGlobal(self._scroll.rect().topLeft()))

    def _build(self) -> None:
        self._title = styled(ElidedLabel(), "heading")
        # As wide as its text: what is said of the pair has the rest.
        self._title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._message = styled(ElidedLabel(), "dim")
        self._message.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._table = FieldGrid()
        self._table.followed.connect(self._follow)
        self._scroll = styled(QScrollArea(), "sheet", "ring")
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._table)
        self._links = LinkWalk(self._scroll, self._table)
        self._fill(self.heading, self._title, (self._message, 1), contents=self._scroll)
        self.setFocusProxy(self._scroll)

        self._copy_action = QAction(self)
        self._copy_action.triggered.connect(self.copy)
        self.addAction(self._copy_action)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def refresh(self) -> None:
        """Say everything again."""
        shown = any(self.shown.compared(side) is not None for side in Side)
        self.setAccessibleName(self.tr("Details"))
        self._scroll.setAccessibleName(self.tr("Details field by field"))
        self._copy_action.setText(self.tr("Copy details"))
        self.heading.setText(self.tr("Details"))
        self._hint.setText(self.tr("Select an op to see both sides field by field."))
        self._show_contents(shown)
        self._title.setWholeText(self._title_text() if shown else "")
        self.fields = self._all_fields() if shown else []
        self._message.setWholeText(self._message_text() if shown else "")
        self._table.showFields(self.fields)
        self._links.refresh()

    retranslate = refresh

    def _title_text(self) -> str:
        record = self.shown.fusion()
        names = []
        for side, row in zip(Side, self.shown.rows, strict=True):
            rows = record.rows(side) if record else (() if row is None else (row,))
            names.append(self._name(side, rows))
        return "  ↔  ".join(filter(None, names))

    def _name(self, side: Side, rows: tuple[int, ...]) -> str:
        trace = self.shown.traces[side]
        if trace is None or not rows:
            return ""
        first = f"{trace.type_name(rows[0])} ({trace.line_of(rows[0])})"
        more = len(rows) - 1
        rest = self.tr("%n more", "", more)
        return f"{first} + {rest}" if more else first

    def _message_text(self) -> str:
        """The gravest difference in a sentence, or how the ops stand where there is none."""
        if self.shown.comparison is None:
            return ""
        found = self.shown.records()
        if found:
            words = [f"{sign_of(record.kind)} {kind_name(record.kind)}" for record in found]
            if not self._listed(found):
                words.append(spoken(found[0].sentence))
            return " · ".join(words)
        return self._standing(self.shown.comparison)

    def _standing(self, comparison: Comparison) -> str:
        """The state of the shown op, of the left one where there are two."""
        states = (
            comparison.side(side).state[row]
            for side, row in zip(Side, self.shown.rows, strict=True)
            if row is not None
        )
        return {
            State.OUTSIDE: self.tr("outside the compared range"),
            State.NOISE: self.tr("noise, never a difference"),
            State.EQUAL: self.tr("no difference"),
            State.SWALLOWED: self.tr("no difference, by a rule"),
        }.get(State(next(states, State.OUTSIDE)), "")

    def _listed(self, found: list[Divergence]) -> bool:
        """Whether records need lines of their own: a short one without a cause stands above."""
        long = any(record.kind is Kind.FUSED for record in found)
        return long or len(found) > 1 or any(record.caused_by is not None for record in found)

    def _all_fields(self) -> list[DetailRow]:
        comparison, found = self.shown.comparison, self.shown.records()
        said: list[DetailRow] = []
        if comparison is not None:
            said = record_fields(comparison, found) if self._listed(found) else []
            said += note_fields(filter(None, map(self._note_on, found)))
        table = FieldTable(self.shown, unfolded=self._unfolded)
        return [*said, *table.fields()]

    def _follow(self, link: Link) -> None:
        if isinstance(link, GoTo):
            self.goTo.emit(int(link.side), link.row)
        elif isinstance(link, OpenSource):
            self.openSource.emit(link.file, link.line)
        elif isinstance(link, Unfold):
            self._unfolded = True
            self.refresh()


def _is_copy(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Copy)


def _asks_for_menu(event: QKeyEvent) -> bool:
    """Whether it is a key for menus. Not every system tells Qt of them."""
    shift = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
    return event.key() == Qt.Key.Key_Menu or (event.key() == Qt.Key.Key_F10 and shift)


def record_fields(comparison: Comparison, found: Iterable[Divergence]) -> list[DetailRow]:
    """One field a record: sign and word of its kind, its sentence, and because of what it is."""
    return [
        DetailRow(
            "",
            (
                Span(
                    f"{sign_of(record.kind)} {kind_name(record.kind)}", words=True, ink=record.kind
                ),
                Span(f"   {spoken(record.sentence)}", words=True),
                *_cause(comparison, record),
            ),
            (),
            wide=True,
        )
        for record in found
    ]


def note_fields(notes: Iterable[str]) -> list[DetailRow]:
    """One field a note of the user."""
    words = (f"✎ {note}" for note in dict.fromkeys(notes))
    return [DetailRow("", (Span(note, words=True),), (), wide=True) for note in words]


def _cause(comparison: Comparison, record: Divergence) -> Cell:
    if record.caused_by is None:
        return ()
    cause = comparison.divergences[record.caused_by]
    side = Side.LEFT if cause.left_rows else Side.RIGHT
    title = spoken(comparison.groups[cause.group].title)
    text = QCoreApplication.translate("FieldTable", "because of {0}")
    named = text.format(f"{sign_of(cause.kind)} {title}")
    return (Span("  "), Span(named, GoTo(side, cause.rows(side)[0]), words=True))
