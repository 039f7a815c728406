"""Which graph to read, where a file holds several and none was asked for."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from opdiff.compare import Side
from opdiff.errors import OpdiffError
from opdiff.trace import Trace
from opdiff.ui.opening import Opening
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

FIRST_GRAPH = "reading.first-graph"
"""What reading says of a file of which it has read the first graph, there being more."""
_BACKWARD = re.compile(r"Backward graph (.+)")


class GraphChoice(QObject):
    """Asks in the banner which graph is meant, and reads it: on both sides if both have it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def offer(self, opening: Opening) -> None:
        """Let the user choose, where the traces that were just read have more than one graph."""
        traces = {side: self._window.desk.trace(side) for side in opening.paths}
        asking = {
            side: trace
            for side, trace in traces.items()
            if trace is not None and any(note.code == FIRST_GRAPH for note in trace.notes)
        }
        if not asking:
            return
        graphs = common_graphs(list(asking.values()))
        first = next(iter(asking.values()))
        question = OpdiffError(Sentence.of("window.several-graphs"), path=first.source.path)
        self._window.frame.banner.show_choice(
            question,
            graphs,
            lambda index: self._window.open(with_graph(opening, list(asking), graphs[index])),
        )


def common_graphs(traces: list[Trace]) -> list[str]:
    """The graphs that all files have, and a backward one also with its forward one."""
    names = [part.name for part in traces[0].source.parts]
    for trace in traces[1:]:
        others = {part.name for part in trace.source.parts}
        names = [name for name in names if name in others]
    pairs = [
        f"Forward graph {match[1]}+{name}"
        for name in names
        if (match := _BACKWARD.fullmatch(name)) and f"Forward graph {match[1]}" in names
    ]
    return [*names, *pairs]


def with_graph(opening: Opening, sides: list[Side], graph: str) -> Opening:
    """The same opening with one graph of the files on these sides."""
    return replace(opening, graphs={**opening.graphs, **dict.fromkeys(sides, graph)})
