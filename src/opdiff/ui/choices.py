"""Which rank, step or graph to open, where a folder or a file holds several: asked in a banner."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from opdiff.compare import Side
from opdiff.errors import OpdiffError
from opdiff.readers import ranks_in
from opdiff.session.steps import StepPair, Steps, steps_of
from opdiff.trace import Trace
from opdiff.ui.opening import Opening
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

SEVERAL_RANKS = "reading.several-ranks"
"""What reading says of a folder that needs a choice."""
FIRST_GRAPH = "reading.first-graph"
"""What reading says of a file of which it has read the first graph, there being more."""
_BACKWARD = re.compile(r"Backward graph (.+)")


def offer_ranks(window: MainWindow, opening: Opening, error: OpdiffError) -> None:
    """Let the user choose among the ranks of what could not be opened, for both sides at once."""
    ranks = common_ranks(opening)
    if not ranks:
        window.showError(error)
        return
    question = OpdiffError(Sentence.of("window.several-ranks"), path=error.path)
    window.frame.banner.show_choice(
        question,
        [f"rank {rank}" for rank in ranks],
        lambda index: window.open(with_rank(opening, ranks[index])),
    )


def offer_steps(window: MainWindow, opening: Opening, steps: Steps) -> OpdiffError:
    """Let the user choose among the steps that two folders have; returns the question."""
    question = OpdiffError(Sentence.of("window.several-steps"), path=str(opening.paths[Side.LEFT]))
    window.frame.banner.show_choice(
        question,
        [f"step {step.number}" for step in steps.both],
        lambda index: window.open(with_step(opening, steps.both[index])),
    )
    return question


def offer_graphs(window: MainWindow, opening: Opening) -> None:
    """Let the user choose, where the traces that were just read have more than one graph."""
    traces = {side: window.store.trace(side) for side in opening.paths}
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
    window.frame.banner.show_choice(
        question,
        graphs,
        lambda index: window.open(with_graph(opening, list(asking), graphs[index])),
    )


def steps_to_choose(opening: Opening) -> Steps | None:
    """The steps that both folders have; None where they are no folders of several."""
    return steps_of([str(path) for _, path in sorted(opening.paths.items())])


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
