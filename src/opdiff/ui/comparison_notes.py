"""What files cannot tell and what a comparison could not see, in lines to be put away."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QToolButton

from opdiff.compare import Comparison, Side
from opdiff.compare.comparison import Note, What
from opdiff.compare.judging.notes import told_once
from opdiff.trace import Trace
from opdiff.ui.commands.actions import bind
from opdiff.ui.files.choices import FIRST_GRAPH
from opdiff.ui.frame.messages import MessageLine, Notice
from opdiff.ui.look.language import spoken
from opdiff.ui.look.theme import styled
from opdiff.ui.store import Store
from opdiff.wording import Sentence

SIGN = "ℹ"
TOPIC = "limits"
_MOST = 4


class ComparisonNotes(MessageLine):
    """One line with the first note and how many more there are; all of them when opened.

    What the user has put away stays so until other traces are opened.
    """

    def __init__(self, store: Store, take_hint: QAction) -> None:
        more = styled(QToolButton(), "flat", name="comparisonNotesMore")
        hint = bind(QPushButton(), take_hint, "takeHintButton")
        super().__init__("comparisonNotes", more, hint)
        self._store, self._more, self._hint = store, more, hint
        self._read: set[Note] = set()
        self._opened = False
        self._more.clicked.connect(self._open)
        store.traceChanged.connect(self._forget)
        store.comparisonChanged.connect(self.retranslate)
        self.retranslate()

    def notes(self) -> list[Note]:
        """What is left to be said, what can be acted on first."""
        comparison = self._store.comparison
        if comparison is None:
            return []
        notes = [note for note in _all_notes(comparison) if note not in self._read]
        return sorted(notes, key=lambda note: note is not comparison.anchor_hint)

    def _open(self) -> None:
        self._opened = not self._opened
        self.retranslate()

    def put_away(self) -> None:
        """Say these no more, until other traces are opened."""
        self._read.update(self.notes())
        self.retranslate()

    def _forget(self) -> None:
        self._read.clear()
        self._opened = False
        self.retranslate()

    def retranslate(self) -> None:
        """Say what is left to be said, in the window's language."""
        super().retranslate()
        notes = self.notes()
        shown = notes if self._opened else notes[:1]
        text = "\n".join(f"{SIGN}  {_sentence(note)}" for note in shown)
        self._text.setText(text)
        self._text.setAccessibleName(text)
        self._more.setVisible(len(notes) > 1)
        more = self.tr("{n} more").format(n=len(notes) - 1)
        self._more.setText(self.tr("fewer") if self._opened else more)
        self._more.setToolTip(self.tr("Show all notes on this comparison, or only the first"))
        self._more.setAccessibleName(self._more.toolTip())
        self._hint.setText(self.tr("Take these anchors"))
        self._hint.setVisible(self._store.anchor_hint() in notes)
        self.setVisible(bool(notes))


def _all_notes(comparison: Comparison) -> list[Note]:
    """What the comparison notes, and what runs once more on one side."""
    # What a format cannot tell was said when the trace was opened.
    notes = [note for note in told_once(comparison.notes) if note.code != "format"]
    regions = [group for group in comparison.groups if group.region is not None]
    again = [each for each in regions if each.region and each.region.what is What.AGAIN]
    return [*notes, *(Note("again", group.title) for group in again)]


def _sentence(note: Note) -> str:
    """The note as a sentence of its own: reports put it after a colon."""
    text = spoken(note.sentence)
    name = "::" in text.partition(" ")[0]  # of an op, which is spelled as it is
    return text if name else text[:1].upper() + text[1:]


def tell_limits(store: Store, notice: Notice) -> None:
    """Tell of the limits of the formats of the traces that are open, until the user closes it."""
    limits = limits_of([trace for side in Side if (trace := store.trace(side)) is not None])
    if limits:
        notice.tell(TOPIC, lambda: "\n".join(f"{name}: {spoken(limit)}" for name, limit in limits))
    else:
        notice.end(TOPIC)


def limits_of(traces: list[Trace]) -> list[tuple[str, Sentence]]:
    """The formats and what they do not tell, each once, though both sides may be of one format."""
    found = {
        (trace.source.format, note): None
        for trace in traces
        for note in trace.notes
        if note.code != FIRST_GRAPH  # which graph is read is asked in the banner
    }
    return list(found)[:_MOST]
