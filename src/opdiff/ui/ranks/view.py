"""From two folders to the table of ranks, from a rank to its traces, and back again."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from opdiff.compare import Comparison, Direction, Rules, Side
from opdiff.errors import OpdiffError
from opdiff.progress import Progress
from opdiff.ranks import LocalPool, Question, RanksResult, compare_runs, find_ranks
from opdiff.ranks.discovery import holds_ranks
from opdiff.ranks.pool import fitting_jobs
from opdiff.session.rules_text import load_rules
from opdiff.ui.files.opening import Opening
from opdiff.ui.frame.boxes import in_row
from opdiff.ui.look.language import Retranslating, spoken
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.look.theme import styled
from opdiff.ui.ranks.page import RanksPage
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow


@dataclass(frozen=True, slots=True)
class _Visit:
    """A rank whose traces are open."""

    rank: int
    paths: dict[Side, Path]


class ReturnBar(Retranslating, QWidget):
    """Says which rank is open; its button leads back to the table."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("panel", True)
        self.button = styled(QToolButton(), name="ranksReturnButton")
        self._label = PlainLabel()
        self._rank: int | None = None
        in_row(self, self.button, (self._label, 1), margins=(12, 4, 12, 4))
        self.hide()

    def setRank(self, rank: int | None) -> None:
        """The rank that is open; None for none."""
        self._rank = rank
        self._say()
        self.setVisible(rank is not None)

    def _say(self) -> None:
        self.button.setText(spoken(Sentence.of("ranks.back")))
        if self._rank is not None:
            self._label.setText(spoken(Sentence.of("ranks.rank", rank=self._rank)))

    retranslate = _say


class RanksView(QObject):
    """The ranks of two runs. Signal: ``compared(RanksResult)`` when the table is there."""

    compared = Signal(object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self.page = RanksPage()
        self.bar = ReturnBar()
        self._opening: Opening | None = None
        self.result: RanksResult | None = None
        self._visit: _Visit | None = None
        window.frame.addPage(self.page, self.bar)
        self.compared.connect(self._show)
        self.page.rankChosen.connect(self.visit)
        self.bar.button.clicked.connect(self.back)
        window.comparisonReady.connect(self._go_to_first)
        window.opener.opened.connect(self._opened)

    def takes(self, opening: Opening) -> bool:
        """Whether what is to be opened is a pair of runs: folders of ranks, none of them named."""
        if len(opening.paths) != 2 or opening.rank is not None or opening.restore is not None:
            return False
        if opening.lines or opening.pins:
            return False
        return all(holds_ranks(path) for path in opening.paths.values())

    def open(self, opening: Opening) -> None:
        """Compare all ranks; the table is shown when they have been."""
        try:
            runs = [find_ranks(opening.paths[side]) for side in Side]
            question = _question(opening)
        except OpdiffError as error:
            self._window.showError(error)
            self._window.failed.emit(error)
            return
        self._opening = opening
        left, right = runs

        def work(progress: Progress) -> RanksResult:
            jobs = fitting_jobs(left.largest() + right.largest())
            with closing(LocalPool(jobs)) as pool:
                return compare_runs(left, right, question, pool, progress=progress)

        self._window.tasks.do(work, self.compared)
        self._window.loading.begin(opening, together=True)

    def visit(self, rank: int) -> None:
        """Open the traces of a rank at its first difference; say why where that cannot be."""
        outcome = self.result.by_rank.get(rank) if self.result else None
        if outcome is None or self._opening is None:
            return
        left, right = outcome.paths
        if left is None or right is None:
            missing = spoken(Sentence.of(f"ranks.status-{outcome.status.value}"))
            sentence = Sentence.of("ranks.rank-is", rank=rank, status=missing)
            self._window.showError(OpdiffError(sentence))
            return
        paths = {Side.LEFT: Path(left), Side.RIGHT: Path(right)}
        self._visit = _Visit(rank, paths)
        self._window.open(replace(self._opening, paths=paths, compare=Direction.WHOLE))

    def back(self) -> None:
        """Show the table again, as it was left."""
        if self.result is None:
            return
        self._show_bar(None)
        self._window.frame.banner.put_away()
        self._window.frame.showPage(self.page)
        self.page.table.setFocus()

    def _show(self, result: RanksResult) -> None:
        self.result = result
        self._window.loading.end()
        self.page.setResult(result)
        self._show_bar(None)
        self._window.frame.showPage(self.page)
        self.page.table.setFocus()

    def _opened(self) -> None:
        """Other traces are open: the table is out of reach unless they came from it."""
        latest = self._window.opener.latest
        visit = self._visit
        if visit is not None and latest is not None and latest.paths == visit.paths:
            self._show_bar(visit.rank)
        else:
            self._visit = None
            self._show_bar(None)

    def _show_bar(self, rank: int | None) -> None:
        """Say that a rank is open, from which one can go back to the table; None for none."""
        self.bar.setRank(rank)
        self._window.jumps.set_way_out(None if rank is None else self.back)

    def _go_to_first(self, comparison: Comparison) -> None:
        """Stand at what the table calls the first difference."""
        if self._visit is None or not self.bar.isVisible():
            return
        if comparison.groups:
            first = comparison.as_read(comparison.groups[0].members)[0]
            if self._window.store.shows(first):
                self._window.store.setCurrent(first)
        # From here, Back leads to the table.
        self._window.jumps.begin_here()


def _question(opening: Opening) -> Question:
    rules = load_rules(opening.rules_path) if opening.rules_path is not None else Rules()
    return Question(
        rules=opening.rules(rules),
        ancestors=opening.ancestors,
        graphs=(opening.graphs.get(Side.LEFT), opening.graphs.get(Side.RIGHT)),
    )
