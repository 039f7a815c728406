"""What the files that were opened cannot tell, said once: guessed links, no outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from opdiff.compare import Side
from opdiff.trace import Trace
from opdiff.ui.graph_choice import FIRST_GRAPH
from opdiff.ui.language import spoken
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow
    from opdiff.ui.work.notice import Notice

TOPIC = "limits"
_MOST = 4


class FormatLimits(QObject):
    """Tells of the limits of a format when traces of it are opened, until the user closes it."""

    def __init__(self, window: MainWindow, notice: Notice) -> None:
        super().__init__(window)
        self._desk = window.desk
        self._notice = notice
        window.opener.opened.connect(self._tell)

    def _tell(self) -> None:
        traces = [trace for side in Side if (trace := self._desk.trace(side)) is not None]
        limits = limits_of(traces)
        if limits:
            self._notice.tell(TOPIC, lambda: "\n".join(_line(*limit) for limit in limits))
        else:
            self._notice.end(TOPIC)


def limits_of(traces: list[Trace]) -> list[tuple[str, Sentence]]:
    """The formats and what they do not tell, each once, though both sides may be of one format."""
    found = {
        (trace.source.format, note): None
        for trace in traces
        for note in trace.notes
        if note.code != FIRST_GRAPH  # which graph is read is asked in the banner
    }
    return list(found)[:_MOST]


def _line(name: str, limit: Sentence) -> str:
    return f"{name}: {spoken(limit)}"
