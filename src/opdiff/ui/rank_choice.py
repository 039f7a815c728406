"""Which rank or step to open, where folders hold the traces of several."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from opdiff.compare import Side
from opdiff.errors import OpdiffError
from opdiff.readers import ranks_in
from opdiff.session.steps import Step, Steps, steps_of
from opdiff.ui.opening import Opening
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

SEVERAL_RANKS = "reading.several-ranks"
"""What reading says of a folder that needs a choice."""


class RankChoice(QObject):
    """Asks in the banner which rank is meant, and opens it: on both sides if both are folders."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def offer(self, opening: Opening, error: OpdiffError) -> None:
        """Let the user choose among the ranks of what could not be opened."""
        ranks = common_ranks(opening)
        if not ranks:
            self._window.showError(error)
            return
        question = OpdiffError(Sentence.of("window.several-ranks"), path=error.path)
        self._window.frame.banner.show_choice(
            question,
            [f"rank {rank}" for rank in ranks],
            lambda index: self._window.open(with_rank(opening, ranks[index])),
        )

    def offer_steps(self, opening: Opening, steps: Steps) -> OpdiffError:
        """Let the user choose among the steps that two folders have; returns the question."""
        question = OpdiffError(
            Sentence.of("window.several-steps"), path=str(opening.paths[Side.LEFT])
        )
        self._window.frame.banner.show_choice(
            question,
            [f"step {step.number}" for step in steps.both],
            lambda index: self._window.open(with_step(opening, steps.both[index])),
        )
        return question


def steps_to_choose(opening: Opening) -> Steps | None:
    """The steps that both folders have; None where they are no folders of several."""
    return steps_of([str(path) for _, path in sorted(opening.paths.items())])


def with_step(opening: Opening, step: Step) -> Opening:
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
