"""Which rank, step or graph to open, where a folder or a file holds several."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from opdiff.compare import Request, Rules, Section, Side, compare
from opdiff.errors import OpdiffError
from opdiff.progress import Progress
from opdiff.readers import ranks_in
from opdiff.session.rules_text import load_rules
from opdiff.session.steps import StepPair, Steps
from opdiff.trace import Trace
from opdiff.ui.files.opening import Opening
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

SEVERAL_RANKS = "reading.several-ranks"
"""What reading says of a folder that needs a choice."""
FIRST_GRAPH = "reading.first-graph"
"""What reading says of a file of which it has read the first graph, there being more."""
_BACKWARD = re.compile(r"Backward graph (.+)")
TOPIC = "step"


def _offer(
    window: MainWindow,
    several: str,
    path: str | None,
    entries: Sequence[str],
    opening_of: Callable[[int], Opening],
) -> OpdiffError:
    """Let the user choose among several of a kind; returns the question."""
    question = OpdiffError(Sentence.of(f"window.several-{several}"), path=path)
    window.frame.banner.show_choice(question, entries, lambda index: window.open(opening_of(index)))
    return question


def offer_ranks(window: MainWindow, opening: Opening, error: OpdiffError) -> None:
    """Let the user choose among the ranks of what could not be opened, for both sides at once."""
    ranks = common_ranks(opening)
    if not ranks:
        window.showError(error)
        return
    names = [f"rank {rank}" for rank in ranks]
    _offer(window, "ranks", error.path, names, lambda at: with_rank(opening, ranks[at]))


def offer_steps(window: MainWindow, opening: Opening, steps: Steps) -> OpdiffError:
    """Let the user choose among the steps that two folders have; returns the question."""
    path, names = str(opening.paths[Side.LEFT]), [f"step {step.number}" for step in steps.both]
    return _offer(window, "steps", path, names, lambda at: with_step(opening, steps.both[at]))


def offer_graphs(window: MainWindow, opening: Opening) -> None:
    """Let the user choose, where the traces that were just read have more than one graph."""
    asking = {
        side: trace
        for side in opening.paths
        if (trace := window.store.trace(side)) is not None
        and any(note.code == FIRST_GRAPH for note in trace.notes)
    }
    if asking:
        traces, sides = list(asking.values()), list(asking)
        graphs = common_graphs(traces)
        path = traces[0].source.path
        _offer(window, "graphs", path, graphs, lambda at: with_graph(opening, sides, graphs[at]))


def with_step(opening: Opening, step: StepPair) -> Opening:
    """The same opening with the traces of one step in place of the folders."""
    return replace(opening, paths={Side.LEFT: step.left, Side.RIGHT: step.right})


def common_ranks(opening: Opening) -> list[int]:
    """The ranks that every folder of several ranks has."""
    offered = [set(found) for path in opening.paths.values() if (found := _several(path))]
    return sorted(set.intersection(*offered)) if offered else []


def with_rank(opening: Opening, rank: int) -> Opening:
    """The same opening with the trace of one rank in place of each folder of several."""
    paths = {side: _several(path).get(rank, path) for side, path in opening.paths.items()}
    return replace(opening, paths=paths)


def _several(path: Path) -> dict[int, Path]:
    found = ranks_in(path) if path.is_dir() else {}
    return found if len(found) > 1 else {}


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


class FirstStep(QObject):
    """Looks for the first step in which anything but noise differs; the user can choose another."""

    _ended = Signal(object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._looking: tuple[Opening, Steps] | None = None
        self._found: tuple[Opening, Steps, StepPair, bool] | None = None
        self._ended.connect(self._open)
        window.tasks.cancelled.connect(self._ask)
        for fruitless in (window.tasks.failed, window.tasks.crashed):
            fruitless.connect(self.forget)
        window.opener.opened.connect(self._tell)

    def look(self, opening: Opening, steps: Steps) -> None:
        """Compare step after step until one differs; with anchors, ask which is meant."""
        values, tasks = opening.values, self._window.tasks
        if opening.lines or opening.pins or values.left or values.right:
            self._window.failed.emit(offer_steps(self._window, opening, steps))
            return
        tasks.cancel()
        rules = self._window.store.work.request.rules
        self._looking = opening, steps
        tasks.values.choice = values
        tasks.do(lambda progress: self._first(opening, steps, rules, progress), self._ended)
        self._window.loading.begin(opening, together=True)

    def _first(
        self, opening: Opening, steps: Steps, rules: Rules, progress: Progress
    ) -> tuple[StepPair, bool] | None:
        """On another thread; the last step where none differs, None where there are ranks."""
        tasks = self._window.tasks
        if opening.rules_path is not None:
            rules = load_rules(opening.rules_path)
        request = Request(rules=opening.rules(rules))
        for step in steps.both:
            try:
                files = with_step(opening, step).to_read()
                left, right = (file.read(progress, cache=tasks.cache) for file in files)
            except OpdiffError as error:
                if error.sentence.code == SEVERAL_RANKS:
                    return None
                raise
            held = tasks.values.of(left, right, progress)
            found = compare(left, right, request, progress, held)
            if any(group.section is Section.SUSPECT for group in found.groups):
                return step, True
        return step, False

    def _open(self, found: tuple[StepPair, bool] | None) -> None:
        if self._looking is None:
            return
        if found is None:
            self._window.loading.give_up()
            self._window.failed.emit(offer_steps(self._window, *self._looking))
            self.forget()
            return
        opening, steps = self._looking
        step, differs = found
        self._looking = None
        self._window.open(with_step(opening, step))
        self._found = opening, steps, step, differs

    def _ask(self) -> None:
        """Who stops the search chooses."""
        if self._looking is not None:
            offer_steps(self._window, *self._looking)
            self._looking = None

    def forget(self, *_: object) -> None:
        """Something else is wanted."""
        self._looking = self._found = None

    def _tell(self) -> None:
        """Say which step it is, once it is open."""
        found, self._found = self._found, None
        if found is None:
            self._window.frame.notice.end(TOPIC)
            return
        opening, steps, step, differs = found

        def words() -> str:
            if differs:
                said = self.tr("Step {n} is the first of {count} that differs.")
            else:
                said = self.tr("None of {count} steps differs; this is the last, step {n}.")
            return said.format(n=step.number, count=len(steps.both))

        self._window.frame.notice.tell(
            TOPIC,
            words,
            lambda: self.tr("Another step…"),
            lambda: offer_steps(self._window, opening, steps),
        )
