"""What to open and how to start, and what is seen of files while they are read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from opdiff.compare import Direction, Ignore, Kind, Rules, Side
from opdiff.compare.rules_file import merge_rules
from opdiff.errors import OpdiffError
from opdiff.msprobe.mapping_files import NO_MAPPINGS, Mappings
from opdiff.session import Work
from opdiff.session.edits import work_with_mappings
from opdiff.session.places import row_named
from opdiff.session.rules_text import read_rules
from opdiff.session.value_choice import ValueChoice
from opdiff.trace import Trace
from opdiff.trace.told import NOTHING_TOLD, Told
from opdiff.ui.files.trace_combo import short_paths
from opdiff.ui.main_thread import next_turn
from opdiff.ui.store import Store
from opdiff.ui.tasks import ReadOutcome, Tasks, ToRead

if TYPE_CHECKING:
    from opdiff.ui.frame.window_frame import WindowFrame

Goto = tuple[int | None, int | None]
"""The lines of an op on the left and the right to stand at; None where there is none."""
NOWHERE: Goto = (None, None)


@dataclass(frozen=True, slots=True)
class Opening:
    """One or two traces and what to do with them; anchors and pins are lines."""

    paths: dict[Side, Path]
    rank: int | None = None
    graphs: dict[Side, str | None] = field(default_factory=dict)
    """Which graph or level of a file that holds several."""
    lines: dict[Side, int] = field(default_factory=dict)
    pins: tuple[tuple[int, int], ...] = ()
    rules_path: Path | None = None
    ignore: tuple[str, ...] = ()
    builtin_rules: bool = True
    mappings: Mappings = NO_MAPPINGS
    """msprobe's files of what corresponds."""
    told: Told = NOTHING_TOLD
    """What the user says of the files that they do not say themselves."""
    msprobe_result: Path | None = None
    """The table of msprobe's own compare."""
    ancestors: bool = False
    compare: Direction | None = None
    values: ValueChoice = field(default_factory=ValueChoice)
    """Where the values of these traces are, and how they are compared."""
    hidden_kinds: frozenset[Kind] = frozenset()
    """Filters: kinds of differences that are not listed, and whether known ones are."""
    known_hidden: bool = False
    goto: Goto = NOWHERE
    restore: Callable[[Trace, Trace], Work] | None = None
    """Gives the work to go on with, once two traces are there; instead of all the above."""

    def to_read(self) -> list[ToRead]:
        """The files, the left one first."""
        return [
            ToRead(side, path, self.rank, self.graphs.get(side), self.told)
            for side, path in sorted(self.paths.items())
        ]

    def rules(self, rules: Rules) -> Rules:
        """Rules, with what the opening says besides."""
        ignored = Rules(ignore=tuple(Ignore(op=glob) for glob in self.ignore))
        rules = merge_rules(rules, ignored)
        return replace(rules, builtin=rules.builtin and self.builtin_rules)


class Opener(QObject):
    """Reads what is to be opened and puts it into the store.

    Signals: ``begun(opening)`` when files are being read, ``opened()`` once they are there,
    ``compareWanted(direction)`` where that was asked, ``remarked(sentences)`` where the user should
    know more of that, ``flagsWanted(path)`` where another tool's table was given,
    ``failed(OpdiffError)`` where the anchors, pins or rules do not fit, ``halfOpened(OpdiffError)``
    where one of two files is bad, ``settled()`` where there is nothing more to come.
    """

    begun = Signal(object)
    opened = Signal()
    settled = Signal()
    halfOpened = Signal(object)
    compareWanted = Signal(object)
    remarked = Signal(object)
    flagsWanted = Signal(object)
    failed = Signal(object)

    def __init__(self, store: Store, tasks: Tasks) -> None:
        super().__init__(store)
        self._store = store
        self._tasks = tasks
        self._opening: Opening | None = None
        self.latest: Opening | None = None
        """What is open."""
        self._laying: Opening | None = None
        """What has been read and is being put into the store."""
        self._unlaid: list[tuple[Side, Trace]] = []
        self._failures: dict[Side, OpdiffError] = {}
        tasks.tracesRead.connect(self._read)

    def open(self, opening: Opening) -> None:
        """Start reading; what was open stays until the new is there."""
        # What was read before is open, then this comes: each keeps its own anchors and rules.
        while self._laying is not None:
            self._lay_next()
        self._opening = opening
        self._tasks.values.choice = opening.values
        self._tasks.read(
            opening.to_read(),
            # Beside what is open already, half of a new pair would be a pair nobody asked for.
            keep=opening.restore is None and not any(map(self._store.trace, opening.paths)),
        )
        self.begun.emit(opening)

    @property
    def opening(self) -> Opening | None:
        """What was to be opened last, until it is open."""
        return self._opening or self._laying

    def _read(self, read: ReadOutcome) -> None:
        self._laying, self._opening = self._opening, None
        self._unlaid, self._failures = sorted(read.traces.items()), read.failures
        self._store.setComparison(None)
        next_turn(self, self._lay_next)

    def _lay_next(self) -> None:
        """Put one trace into the store a turn: showing a large one takes a moment."""
        if self._unlaid:
            self._store.setTrace(*self._unlaid.pop(0))
            next_turn(self, self._lay_next)
        elif self._laying is not None:
            opening, self._laying = self._laying, None
            self._finish(opening)

    def _finish(self, opening: Opening) -> None:
        self.latest = opening
        self.opened.emit()
        try:
            work = self._started(opening)
        except OpdiffError as error:
            self.failed.emit(error)
            return
        self._store.setWork(work)
        if opening.msprobe_result is not None:
            self.flagsWanted.emit(opening.msprobe_result)
        if self._failures:
            self.halfOpened.emit(next(iter(self._failures.values())))
        elif opening.compare is not None:
            self.compareWanted.emit(opening.compare)
        else:
            self.settled.emit()

    def _started(self, opening: Opening) -> Work:
        """The work that the opening asks for."""
        work, both = self._store.work, self._store.both()
        if opening.restore is not None and both is not None:
            return opening.restore(*both)
        if opening.rules_path is not None:
            work = work.with_rules(read_rules(opening.rules_path), str(opening.rules_path))
        rules = opening.rules(work.request.rules)
        ancestors = opening.ancestors or work.request.ancestors
        request = replace(work.request, rules=rules, ancestors=ancestors)
        if both is not None and opening.pins:
            left, right = both
            pins = tuple((row_named(left, a), row_named(right, b)) for a, b in opening.pins)
            request = replace(request, pins=pins)
        work = replace(
            work,
            request=request,
            hidden_kinds=work.hidden_kinds | opening.hidden_kinds,
            known_hidden=work.known_hidden or opening.known_hidden,
        )
        for side, line in opening.lines.items():
            trace = self._store.trace(side)
            if trace is not None:
                work = work.with_anchor(side, row_named(trace, line))
        if both is not None and opening.mappings:
            work, remarks = work_with_mappings(work, opening.mappings, *both)
            self.remarked.emit(remarks)
        return work


def dropped(paths: list[str], store: Store, side: Side | None = None) -> Opening:
    """What dropping files or folders means: two are left and right, one fills the gap."""
    if len(paths) >= 2:
        return Opening({Side.LEFT: Path(paths[0]), Side.RIGHT: Path(paths[1])})
    if side is None:
        side = Side.RIGHT if store.trace(Side.LEFT) and not store.trace(Side.RIGHT) else Side.LEFT
    return Opening({side: Path(paths[0])})


class Loading(QObject):
    """From the moment files are named until they are open, or will not be.

    Signal: ``told()`` when there is another word on it.
    """

    told = Signal()

    def __init__(self, store: Store, frame: WindowFrame, opener: Opener, tasks: Tasks) -> None:
        super().__init__(frame)
        self._store, self._frame = store, frame
        self._coming: Opening | None = None
        self._together = False
        self._percent = 0
        self._previewed: set[Side] = set()
        opener.begun.connect(self.begin)
        tasks.reported.connect(self._tell_whole)
        tasks.sideReported.connect(self._tell)
        tasks.firstRows.connect(self._show_first)
        tasks.sideFailed.connect(self._tell_trouble)
        for fruitless in (tasks.failed, tasks.crashed, tasks.cancelled):
            fruitless.connect(self.give_up)
        opener.opened.connect(self.end)
        store.traceChanged.connect(self._there)

    def begin(self, opening: Opening, *, together: bool = False) -> None:
        """Name what is on its way; *together*: many files a side, none of which tells of itself."""
        self._coming, self._together, self._percent = opening, together, 0
        self._frame.top.namePaths(self._paths())
        for side in opening.paths:
            self._frame.view.setTrouble(side, None)
            self._tell(side, 0)
        self._frame.setLoading(True)
        self.told.emit()

    def title(self) -> str:
        """``24 % · rope/eager.ir ↔ rope/jit.ir``; empty where nothing is on its way.

        A window's title is cut at its end: how far it is comes first.
        """
        if self._coming is None:
            return ""
        paths = self._paths()
        names = short_paths(*(paths.get(side, "") for side in Side))
        return f"{self._percent} % · {' ↔ '.join(filter(None, names))}"

    def _paths(self) -> dict[Side, str]:
        """What is coming, and beside it what is open."""
        coming = self._coming.paths if self._coming is not None else {}
        return {**self._store.paths(), **{side: str(path) for side, path in coming.items()}}

    def _tell(self, side: int, permille: int) -> None:
        if self._coming is not None and Side(side) in self._coming.paths:
            name = self._coming.paths[Side(side)].name
            self._frame.view.setReading(Side(side), name, permille)

    def _tell_whole(self, _: str, permille: int) -> None:
        """How far all of it is: for the title, and for panes whose files tell nothing of it."""
        if self._coming is not None and self._percent != permille // 10:
            self._percent = permille // 10
            self.told.emit()
        if self._together:
            for side in Side:
                self._tell(side, permille)

    def _tell_trouble(self, side: int, error: OpdiffError) -> None:
        """Say in its own pane what is wrong with a file; the other one is still read."""
        self._there(side)
        self._frame.view.setTrace(side, None)
        self._frame.view.setReading(Side(side), "", None)
        self._frame.view.setTrouble(side, error)

    def _show_first(self, side: int, trace: Trace) -> None:
        """Rows to look at, not to work with; what is open already stays in sight instead."""
        if self._coming is not None and self._store.trace(Side(side)) is None:
            self._previewed.add(Side(side))
            pane = self._frame.view.pane(side)
            self._frame.view.setTrace(side, trace)
            waiting = pane.hasFocus()
            pane.setEnabled(False)
            if waiting:
                self._frame.setFocus()  # Qt gives it to the next button

    def _there(self, side: int) -> None:
        if Side(side) in self._previewed:
            self._previewed.discard(Side(side))
            pane = self._frame.view.pane(side)
            pane.setEnabled(True)
            if self._frame.hasFocus():
                pane.setFocus()

    def give_up(self, *_: object) -> None:
        """It was not to be: what was open before is named and seen again."""
        if self._coming is None:
            return
        for side in self._coming.paths:
            self._frame.view.setTrouble(side, None)
        self.end()
        for side in tuple(self._previewed):
            self._there(side)
            self._frame.view.setTrace(side, None)
        self._frame.top.namePaths(self._store.paths())

    def end(self) -> None:
        """It is there, or will not be."""
        self._coming, self._together = None, False
        for side in Side:
            self._frame.view.setReading(side, "", None)
        self._frame.setLoading(False)
        self.told.emit()
