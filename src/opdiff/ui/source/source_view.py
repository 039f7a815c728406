"""The source of both ops side by side, and what can be done with it: open it, say where it is."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QToolButton, QWidget

from opdiff.compare import Side
from opdiff.trace import Frame
from opdiff.ui.details.pair_view import PairView
from opdiff.ui.frame.boxes import in_row
from opdiff.ui.frame.pages import Pages
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import ElidedLabel
from opdiff.ui.look.theme import styled
from opdiff.ui.moving.shown_row import ShownRow
from opdiff.ui.source.reading import SourceReader
from opdiff.ui.source.source_side import SourceSide
from opdiff.ui.source.sources import Sources
from opdiff.ui.store import Store


class SourceView(Retranslating, PairView):
    """Follows the selected pair. Signal: ``openSource(file, line)`` when a frame is activated.

    Files are read when it is looked at, not before.
    """

    openSource = Signal(str, int)

    def __init__(self, sources: Sources) -> None:
        super().__init__()
        self.setObjectName("sourceView")
        self._stale = True
        self._touched = Side.LEFT
        """Where the user chose a frame last: a click on the button takes the focus from it."""
        self.reader = SourceReader(self)
        self.sides = [SourceSide(side, sources, self.reader, self) for side in Side]
        self._build()
        self.retranslate()
        sources.changed.connect(self._read_again)

    def chosenFrame(self) -> Frame | None:
        """The frame the user is at: that of the side with the focus, None where it is not here."""
        for side in self.sides:
            if self.isVisible() and (side.stack.hasFocus() or side.code.hasFocus()):
                return side.frame()
        return None

    def chooseFrame(self, file: str, line: int) -> None:
        """Show the source at a frame of the shown ops."""
        for side in self.sides:
            if side.choose(file, line):
                side.stack.setFocus()
                return

    def refresh(self) -> None:
        """Show the sources of two ops, or of one, or none, where anybody looks."""
        self._stale = True
        if self.isVisible():
            self._show_ops()

    def dress(self) -> None:
        """Wear the present theme and size of text."""
        for side in self.sides:
            side.dress()

    def showEvent(self, event: QShowEvent) -> None:
        """Read what nobody looked at until now."""
        super().showEvent(event)
        if self._stale:
            self._show_ops()

    def _build(self) -> None:
        self._title = styled(ElidedLabel(), "dim", name="sourceTitle")
        self._open = styled(QToolButton(), "flat", name="openSourceButton")
        self._open.clicked.connect(self._open_chosen)
        both = styled(QWidget(), "sheet")
        self._row = in_row(both, margins=(8, 4, 0, 0), spacing=8)
        for side in self.sides:
            self._row.addWidget(side, 1)
            side.openSource.connect(self.openSource)
            side.stack.currentRowChanged.connect(self._say_frames)
            for signal in (side.stack.currentRowChanged, side.stack.itemPressed):
                signal.connect(lambda _, side=side: self._touch(side))
        self._fill(self.heading, (self._title, 1), self._open, contents=both)
        self.setFocusProxy(self.sides[Side.LEFT].stack)

    def retranslate(self) -> None:
        """Say everything again."""
        self.setAccessibleName(self.tr("Source"))
        self.heading.setText(self.tr("Source"))
        self._open.setText(self.tr("Open in editor"))
        self._open.setToolTip(self.tr("Open the chosen frame in your editor  S"))
        self._hint.setText(self.tr("Select an op to see the lines of your code it comes from."))

    def _open_chosen(self) -> None:
        sides = (self.sides[self._touched], *self.sides)
        frame = next(filter(None, (side.frame() for side in sides)), None)
        if frame is not None:
            self.openSource.emit(frame.file, frame.line)

    def _read_again(self) -> None:
        if self.isVisible():
            for side in self.sides:
                side.read()
        else:
            self._stale = True

    def _show_ops(self) -> None:
        self._stale = False
        ops = [self.shown.op(side) for side in Side]
        self._show_contents(any(ops))
        for side, op in zip(self.sides, ops, strict=True):
            side.showOp(op)
            side.setVisible(op is not None)
            # Side by side where both have a source; one that has none only says why.
            self._row.setStretchFactor(side, 3 if side.has_stack else 1)
        self._say_frames()
        # What is hidden takes no focus: Qt would give it to the next button.
        first = max(self.sides, key=lambda side: (side.has_stack, side.isVisibleTo(self)))
        self.setFocusProxy(first.stack if first.has_stack else first.message)

    def _touch(self, side: SourceSide) -> None:
        self._touched = Side(self.sides.index(side))

    def _say_frames(self) -> None:
        frames = list(filter(None, (side.frame() for side in self.sides)))
        self._open.setEnabled(bool(frames))
        self._title.setWholeText("  ↔  ".join(dict.fromkeys(map(str, frames))))


class SourceActions(QObject):
    """Signal: ``openSource(file, line)`` when the user's editor is wanted."""

    openSource = Signal(str, int)

    def __init__(
        self, store: Store, shown: ShownRow, pages: Pages, view: SourceView, sources: Sources
    ) -> None:
        super().__init__(view)
        self._store, self.shown = store, shown
        self._pages, self._view, self._sources = pages, view, sources

    def frame(self) -> Frame | None:
        """The frame that is meant: the one chosen in the source, else the user's own."""
        chosen = self._view.chosenFrame()
        if chosen is not None:
            return chosen
        sides = [self.shown.place[0]] if self.shown.place is not None else []
        for side in (*sides, *Side):
            trace, row = self._store.trace(side), self.shown.pair()[side]
            frame = trace.user_frame(row) if trace is not None and row is not None else None
            if frame is not None:
                return frame
        return None

    def show(self, file: str, line: int) -> None:
        """Look at one frame of the shown ops."""
        self._pages.enter(self._view)
        self._view.chooseFrame(file, line)

    def open(self) -> None:
        """Open the frame that is meant in the user's editor."""
        frame = self.frame()
        if frame is not None:
            self.openSource.emit(frame.file, frame.line)

    def locate(self) -> None:
        """Let the user say where the file of that frame is."""
        frame = self.frame()
        if frame is not None and self._sources.ask_for(frame.file):
            self.show(frame.file, frame.line)
