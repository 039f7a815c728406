"""What can be done with the source of the selected op: look at it, open it, say where it is."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from opdiff.compare import Side
from opdiff.trace import Frame
from opdiff.ui.desk import Desk
from opdiff.ui.pages import Pages
from opdiff.ui.shown_row import ShownRow
from opdiff.ui.source.source_view import SourceView
from opdiff.ui.source.sources import Sources


class SourceActions(QObject):
    """Signal: ``openSource(file, line)`` when the user's editor is wanted."""

    openSource = Signal(str, int)

    def __init__(
        self, desk: Desk, shown: ShownRow, pages: Pages, view: SourceView, sources: Sources
    ) -> None:
        super().__init__(view)
        self._desk, self._shown = desk, shown
        self._pages, self._view, self._sources = pages, view, sources

    def frame(self) -> Frame | None:
        """The frame that is meant: the one chosen in the source, else the user's own."""
        chosen = self._view.chosenFrame()
        if chosen is not None:
            return chosen
        sides = [self._shown.place[0]] if self._shown.place is not None else []
        for side in (*sides, *Side):
            trace, row = self._desk.trace(side), self._shown.pair()[side]
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
