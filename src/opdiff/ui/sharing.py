"""Handing a finding on: a command that opens it, the difference as Markdown, what was exported."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication

from opdiff.compare import Comparison, Side
from opdiff.errors import OpdiffError
from opdiff.report.one_difference import SharedBesides, difference_markdown
from opdiff.report.source_text import Excerpt, read_source
from opdiff.session import Work
from opdiff.session.places import row_named
from opdiff.session.source_map import SourceMap
from opdiff.session.value_choice import ValueChoice
from opdiff.trace import Frame, Trace
from opdiff.ui.differences.outline import Order
from opdiff.ui.files.opening import NOWHERE, Goto
from opdiff.ui.files.trace_combo import short_path
from opdiff.ui.frame.messages import Offer
from opdiff.ui.look.plain_text import tip
from opdiff.ui.main_thread import aside
from opdiff.ui.translations import language
from opdiff.ui.work.export_dialog import SUFFIXES

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

_AS_USUAL = ValueChoice()
_NO_MAP = SourceMap()


def command_line(
    left: Trace,
    right: Trace,
    work: Work,
    comparison: Comparison | None,
    values: ValueChoice = _AS_USUAL,
    sources: SourceMap = _NO_MAP,
    rows: tuple[int | None, int | None] = (None, None),
    order: Order = Order.CAUSE,
) -> str:
    """``opdiff LEFT RIGHT …`` with every option that makes the view, quoted for a shell.

    *rows* are those that the user is at, *order* is that of the list.
    """
    words = ["opdiff", left.source.path, right.source.path]
    words += _graphs(left, right)
    for side, trace in ((Side.LEFT, left), (Side.RIGHT, right)):
        row = work.anchor(side)
        if row is not None:
            words += [f"--{side.name.lower()}-anchor", str(trace.line_of(row))]
    request = work.request
    for left_row, right_row in request.pins:
        words += ["--pin", f"{left.line_of(left_row)}:{right.line_of(right_row)}"]
    if work.rules_path is not None:
        words += ["--rules", work.rules_path]
    else:
        # A glob of ops alone can be said on the command line; one of scopes needs the rules file.
        globs = (ignore.op for ignore in request.rules.ignore if ignore.scope == "*")
        words += [word for glob in globs for word in ("--ignore", glob)]
    if not request.rules.builtin:
        words.append("--no-default-rules")
    if request.ancestors:
        words.append("--ancestors")
    words += values.words()
    words += [word for e in sources.entries for word in ("--source-map", "=".join(e))]
    words += _listing(work, order)
    if comparison is not None:
        words += ["--compare", str(comparison.request.direction)]
    if rows != (None, None):
        lines = (
            "" if r is None else str(t.line_of(r)) for t, r in zip((left, right), rows, strict=True)
        )
        words += ["--goto", ":".join(lines)]
    return shlex.join(words)


def _listing(work: Work, order: Order) -> list[str]:
    """What the list leaves out, and its order."""
    words = [word for kind in sorted(work.hidden_kinds) for word in ("--hide-kind", kind.value)]
    words += ["--hide-known"] if work.known_hidden else []
    return words if order is Order.CAUSE else [*words, "--order", order.value]


def _graphs(left: Trace, right: Trace) -> list[str]:
    """Which graphs of the files; a file without a choice has but one."""
    graphs = [trace.source.graph for trace in (left, right)]
    return [word for graph in graphs for word in ("--graph", graph or "1")] if any(graphs) else []


class Sharing(QObject):
    """Copies links and differences, goes where a link leads, tells what was written."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._store = window.store
        self._goto: Goto = NOWHERE
        window.opener.opened.connect(self._opened)
        window.opener.settled.connect(self._go)
        window.comparisonReady.connect(self._go)
        window.failed.connect(self._forget)
        window.sessions.saved.connect(self._tell_saved)

    def copy_command(self) -> None:
        """Copy the command that opens this comparison at the selected op."""
        text = self.command()
        if text:
            QGuiApplication.clipboard().setText(text)
            self._window.toast.tell(self.tr("Copied: a command that opens this view again"))

    def command(self) -> str:
        """The command that opens this comparison at the selected op; empty without two traces."""
        both = self._store.both()
        if both is None:
            return ""
        return command_line(
            *both,
            self._store.work,
            self._store.comparison,
            self._window.tasks.values.choice,
            self._window.sources.map,
            self._window.shown.pair(),
            self._store.outline.order,
        )

    def copy_difference(self) -> None:
        """Copy the selected difference as Markdown, with the source of both sides."""
        comparison, index = self._store.comparison, self._window.shown.difference()
        if comparison is None or index is None:
            return
        found = comparison.divergences[index]
        sources, spoken = self._window.sources.map, language()
        notes = tuple(self._window.noting.notes_on(found))
        shared = SharedBesides(lambda frame: _excerpt(sources, frame), self.command(), notes)
        # Sources are read for it, perhaps from a disk that is far away.
        text = aside(lambda: difference_markdown(comparison, index, spoken, shared))
        QGuiApplication.clipboard().setText(text)
        self._window.toast.tell(self.tr("Copied: this difference as Markdown, with its sources"))

    def tell_written(self, path: Path) -> None:
        """Say where a report or picture is, and offer to look at it."""
        offers = [Offer("Reveal", self.tr("Show in folder"), lambda: _show(path.parent))]
        if path.suffix.lower() in SUFFIXES.values():
            # By another ending the desktop might take it for a program.
            offers.insert(0, Offer("Open", self.tr("Open"), lambda: _show(path)))
        said = self.tr("Written: {path}").format(path=short_path(str(path)))
        self._window.toast.tell(said, offers, tip(str(path.absolute())))

    def _tell_saved(self, path: Path) -> None:
        self._window.toast.tell(self.tr("Session saved: {name}").format(name=path.name))

    def go_when_ready(self, goto: Goto) -> None:
        """Go to a difference as soon as it is known."""
        self._goto = goto

    def _forget(self, *_: object) -> None:
        self._goto = NOWHERE

    def _opened(self) -> None:
        latest = self._window.opener.latest
        if latest is not None and latest.goto != NOWHERE:
            self._goto = latest.goto

    def _go(self, *_: object) -> None:
        """Go where the link leads, once what it speaks of is there."""
        goto, self._goto = self._goto, NOWHERE
        if goto == NOWHERE:
            return
        try:
            rows = [self._row(side, goto[side]) for side in Side]
        except OpdiffError as error:
            self._window.showError(error)
            self._window.failed.emit(error)
            return
        comparison = self._store.comparison
        index = None if comparison is None else _divergence(comparison, rows)
        if index is not None and self._store.shows(index):
            self._store.setCurrent(index)
            return
        side = Side.LEFT if rows[0] is not None else Side.RIGHT
        row = rows[side]
        assert row is not None, "one of them was given"
        self._window.frame.view.selectRow(side, row)

    def _row(self, side: Side, line: int | None) -> int | None:
        trace = self._store.trace(side)
        return None if line is None or trace is None else row_named(trace, line)


def _divergence(comparison: Comparison, rows: list[int | None]) -> int | None:
    """The divergence of these rows; where only one row is given, the first with it."""
    for side in Side:
        row = rows[side]
        if row is None:
            continue
        other = rows[side.other]
        for index in comparison.side(side).records_at(row):
            found = comparison.divergences[index]
            if other is None or other in found.rows(side.other) or not found.rows(side.other):
                return index
    return None


def _excerpt(sources: SourceMap, frame: Frame) -> Excerpt | None:
    path = sources.path_of(frame.file)
    try:
        return read_source(path, named_by_user=path != frame.file).around(frame.line)
    except OpdiffError:
        return None


def _show(path: Path) -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.absolute())))
