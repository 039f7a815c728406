"""Reading and comparing away from the main thread, with progress, early links and Cancel."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QObject, QThreadPool, Signal

from opdiff.compare import Comparison, Request, Side, compare
from opdiff.errors import OpdiffError
from opdiff.progress import Cancelled, Progress
from opdiff.readers import open_trace
from opdiff.readers.opening import first_rows
from opdiff.readers.together import together
from opdiff.session.value_choice import ValueChoice
from opdiff.trace import Trace
from opdiff.trace.columns import Ints
from opdiff.trace.told import NOTHING_TOLD, Told
from opdiff.ui.panes.columns import wishes_of
from opdiff.values.question import Held
from opdiff.wording import Sentence

# Often enough to look alive, seldom enough not to keep the main thread busy.
SECONDS_BETWEEN_REPORTS = 0.04
# Bytes: so small a file is read to its end also beside a bad one, as it may be bad itself.
SOON_READ = 4 << 20
# Enough to fill many screens around the anchor; laying out all of a large trace again and again
# would only slow the comparison down.
EARLY_PAIRS = 20_000
ORDINARY_PATIENCE_SECONDS = 0.005
PATIENCE_SECONDS = 0.0001
FINISHED, FAILED, CRASHED, STOPPED = "finished", "failed", "crashed", "stopped"
"""How a task ends."""


class ValuesRead:
    """What the tensors of two traces held; another thread may ask for it, one at a time."""

    def __init__(self) -> None:
        self.choice = ValueChoice()
        """What the user asked for."""
        self.cache = True
        """Whether large files of values that were read before are not read again."""
        self._known: tuple[Trace, Trace, ValueChoice, Held] | None = None

    def of(self, left: Trace, right: Trace, progress: Progress) -> Held:
        """Those of two traces. Values that are refused are told of, and done without."""
        choice, known = self.choice, self._known
        if known is not None and known[:3] == (left, right, choice):
            return known[3]
        try:
            held = choice.held(left, right, progress, cache=self.cache)
        except OpdiffError as error:
            place = error.path or ""
            if error.line is not None:
                place = f"{place}:{error.line}"
            refused = Sentence.of("values.refused", place=place, reason=error.sentence)
            held = Held(notes=(refused,))
        self._known = (left, right, choice, held)
        return held


@dataclass(frozen=True, slots=True)
class ToRead:
    """A file to read for one side; ``rank`` and ``graph`` choose among several in it."""

    side: Side
    path: Path
    rank: int | None = None
    graph: str | None = None
    told: Told = NOTHING_TOLD

    def read(self, progress: Progress, *, cache: bool) -> Trace:
        """Read it; with *cache*, what was read before is not read again."""
        return open_trace(
            self.path,
            rank=self.rank,
            graph=self.graph,
            told=self.told,
            progress=progress,
            cache=cache,
        )


@dataclass(frozen=True, slots=True)
class ReadOutcome:
    """What came of the files."""

    traces: dict[Side, Trace]
    failures: dict[Side, OpdiffError]


class RunningTask:
    """One piece of work under way: a flag that stops it, and a way to tell of it."""

    def __init__(self, tell: Callable[[RunningTask, str, tuple[Any, ...]], None]) -> None:
        self.cancelled = False
        self._tell = tell

    def tell(self, what: str, *values: Any) -> None:
        """Tell the main thread how it ended, or emit a signal there by its name; on any thread."""
        self._tell(self, what, values)


class _Paced(Progress):
    """Passes on how far the work is, not too often."""

    _next_report = 0.0

    def _due(self) -> bool:
        now = time.monotonic()
        if now < self._next_report:
            return False
        self._next_report = now + SECONDS_BETWEEN_REPORTS
        return True


class TaskProgress(_Paced):
    """Tells how far a task is, and stops the work once the task is cancelled."""

    def __init__(self, task: RunningTask) -> None:
        self.task = task
        self._left: list[Ints] = []
        self._right: list[Ints] = []
        self._told = 0

    def report(self, stage: str, done: int, total: int) -> None:
        """Pass on how far the work is, not too often."""
        if self.task.cancelled:
            raise Cancelled
        if not self._due():
            return
        self.task.tell("reported", stage, _permille(done, total))
        if self._left:
            self.task.tell("linked", np.concatenate(self._left), np.concatenate(self._right))
            self._left.clear()
            self._right.clear()

    def linked(self, left_rows: Ints, right_rows: Ints) -> None:
        """Collect pairs beside the anchor; they travel with the next report."""
        if self.task.cancelled:
            raise Cancelled
        if self._told >= EARLY_PAIRS:
            return
        self._told += len(left_rows)
        self._left.append(np.array(left_rows, np.int32))
        self._right.append(np.array(right_rows, np.int32))


class _SideProgress(_Paced):
    """What reading one of the files tells: to the others as ever, and to its own pane."""

    def __init__(
        self, item: ToRead, task: RunningTask, whole: Progress, failures: dict[Side, OpdiffError]
    ) -> None:
        self._item, self._task, self._whole = item, task, whole
        self._failures = failures

    def report(self, stage: str, done: int, total: int) -> None:
        """Pass on how far this file is, not too often."""
        if self._failures and total > SOON_READ:
            raise Cancelled  # a file beside it cannot be read: nothing comes of this one
        self._whole.report(stage, done, total)
        if self._due():
            self._task.tell("sideReported", self._item.side, _permille(done, total))


def _permille(done: int, total: int) -> int:
    return int(1000 * min(1.0, done / total)) if total else 0


def _do(task: RunningTask, work: Callable[[TaskProgress], Any]) -> None:
    """On another thread. A ``QRunnable`` of Python's may never be freed, and what it holds."""
    try:
        result = work(TaskProgress(task))
    except Cancelled:
        task.tell(STOPPED)
    except OpdiffError as error:
        task.tell(FAILED, error)
    except Exception:  # noqa: BLE001 # the window shows it; dying silently helps nobody
        task.tell(CRASHED, traceback.format_exc())
    else:
        task.tell(FINISHED, result)


def _asks(error: OpdiffError) -> bool:
    return error.sentence.code == "reading.several-ranks"


def _joined(failures: dict[Side, OpdiffError]) -> OpdiffError:
    """One error of several: all are named, but a question to the user goes before."""
    asks, each = list(filter(_asks, failures.values())), list(failures.values())
    if asks or len(each) == 1:
        return (asks or each)[0]
    first, second = each[:2]
    return OpdiffError(
        Sentence.of(
            "reading.two-failed",
            first_path=first.path or "",
            first=first.sentence,
            second_path=second.path or "",
            second=second.sentence,
        )
    )


class Tasks(QObject):
    """Does one long thing at a time; a new one, or Cancel, makes the old one's result void.

    Signals: ``started()``, ``reported(stage, permille)``, ``sideReported(side, permille)`` and
    ``firstRows(side, trace)`` of a file that is read, ``sideFailed(side, error)`` of one that
    cannot be while another still may, ``linked(left, right)``, ``tracesRead(ReadOutcome)``,
    ``compared(comparison)``, ``failed(OpdiffError)``, ``crashed(text)``, ``cancelled()``, and
    ``ended()`` before each of these outcomes.
    """

    started = Signal()
    reported = Signal(str, int)
    sideReported = Signal(int, int)
    sideFailed = Signal(int, object)
    firstRows = Signal(int, object)
    linked = Signal(object, object)
    tracesRead = Signal(object)
    compared = Signal(object)
    failed = Signal(object)
    crashed = Signal(str)
    ended = Signal()
    cancelled = Signal()
    _news = Signal(object, str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # Told by the threads, heard here: it lives on the main thread, so Qt queues it.
        self._news.connect(self._hear)
        self._pool = QThreadPool(self)
        # A cancelled task may still be on its way to its next report.
        self._pool.setMaxThreadCount(2)
        self._task: RunningTask | None = None
        self._outcome: Any = None
        self.values = ValuesRead()
        """What the tensors of the traces held."""
        self.cache = True
        """Whether large traces that were read before are not read again."""

    @property
    def running(self) -> bool:
        """Whether something is under way."""
        return self._task is not None

    def read(self, wanted: list[ToRead], *, keep: bool = False) -> None:
        """Read one or two traces; with *keep*, one of them also where the other is bad."""

        def work(progress: TaskProgress) -> ReadOutcome:
            failures: dict[Side, OpdiffError] = {}
            works = [self._reading(item, progress.task, failures, keep) for item in wanted]
            try:
                traces = together(works, progress, [item.path for item in wanted])
            except Cancelled:
                if failures:
                    raise _joined(failures) from None
                raise
            asked = any(map(_asks, failures.values()))
            if failures and (asked or not keep or len(failures) == len(wanted)):
                raise _joined(failures)
            read = zip((item.side for item in wanted), traces, strict=True)
            return ReadOutcome({side: trace for side, trace in read if trace is not None}, failures)

        self.do(work, self.tracesRead)

    def _reading(
        self, item: ToRead, task: RunningTask, failures: dict[Side, OpdiffError], keep: bool
    ) -> Callable[[Progress], Trace | None]:
        """Reading one file; what fails is collected, so that two bad files are both named."""
        cache = self.cache

        def work(progress: Progress) -> Trace | None:
            beginning = first_rows(item.path, item.rank) if item.graph is None else None
            if beginning is not None:
                _ = beginning.role, beginning.links
                task.tell("firstRows", item.side, beginning)
            part = _SideProgress(item, task, progress, {} if keep else failures)
            try:
                trace = item.read(part, cache=cache)
            except OpdiffError as error:
                failures[item.side] = error
                if keep and not _asks(error):
                    task.tell("sideFailed", item.side, error)
                return None
            # Worked out when first asked for: here, not when the window is painted.
            _ = trace.role, trace.links, wishes_of(trace)
            return trace

        return work

    def compare(
        self,
        left: Trace,
        right: Trace,
        request: Request,
        prepare: Callable[[Comparison], None] = lambda _: None,
    ) -> None:
        """Compare two traces, and *prepare* what showing the outcome takes."""

        def work(progress: TaskProgress) -> Comparison:
            held = self.values.of(left, right, progress)
            comparison = compare(left, right, request, progress, held)
            _ = comparison.by_kind, comparison.matched, comparison.suspect
            _ = comparison.left.differing, comparison.right.differing
            prepare(comparison)
            return comparison

        self.do(work, self.compared)

    def cancel(self) -> None:
        """Stop what is under way; nothing of it is heard of again."""
        task = self._task
        if task is None:
            return
        task.cancelled = True
        self._finish()
        self.cancelled.emit()

    def wait(self) -> None:
        """Stop, and return when no thread is left: for closing the window."""
        self.cancel()
        self._pool.waitForDone()

    def do(self, work: Callable[[TaskProgress], Any], outcome: Any) -> None:
        """Do something that takes long, in place of what is under way; a signal tells what came."""
        self.cancel()
        self._task = RunningTask(self._news.emit)
        self._outcome = outcome
        self.started.emit()
        # The main thread asks for the interpreter many times a frame, and would wait this long for
        # it each time while the other thread computes.
        sys.setswitchinterval(PATIENCE_SECONDS)
        self._pool.start(partial(_do, self._task, work))

    def _finish(self) -> None:
        self._task = None
        sys.setswitchinterval(ORDINARY_PATIENCE_SECONDS)
        self.ended.emit()

    def _hear(self, task: RunningTask, what: str, values: tuple[Any, ...]) -> None:
        if task is not self._task:
            return  # late news of a cancelled task
        if what in (FINISHED, FAILED, CRASHED, STOPPED):
            self._finish()
        if what != STOPPED:
            signal = self._outcome if what == FINISHED else getattr(self, what)
            signal.emit(*values)
