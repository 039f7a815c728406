"""Two folders of training steps: the first step that differs is looked for, and opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from opdiff.compare import Request, Rules, Section, Side, compare
from opdiff.errors import OpdiffError
from opdiff.progress import Progress
from opdiff.readers import open_trace
from opdiff.session.rules_text import load_rules
from opdiff.session.steps import StepPair, Steps
from opdiff.ui.choices import SEVERAL_RANKS, offer_steps, with_step
from opdiff.ui.opening import Opening

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

TOPIC = "step"


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
                left, right = (
                    open_trace(
                        path,
                        rank=opening.rank,
                        graph=opening.graphs.get(side),
                        told=opening.told,
                        progress=progress,
                        cache=tasks.cache,
                    )
                    for side, path in ((Side.LEFT, step.left), (Side.RIGHT, step.right))
                )
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
            lambda: self._choose(opening, steps),
        )

    def _choose(self, opening: Opening, steps: Steps) -> None:
        offer_steps(self._window, opening, steps)
