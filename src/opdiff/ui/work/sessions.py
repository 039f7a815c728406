"""Sessions in the window: open, save, save as, lately opened ones, and what is not saved yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox

from opdiff.compare import Side
from opdiff.errors import OpdiffError
from opdiff.session import Session, Work, read_session, save_session
from opdiff.session.document import SUFFIX, View, files_read
from opdiff.session.places import row_named
from opdiff.session.source_map import source_map_from_json
from opdiff.trace import Trace
from opdiff.ui.commands.menus import ROW_SWITCHES
from opdiff.ui.files.opening import Opening
from opdiff.ui.frame.dialog import may_replace
from opdiff.ui.main_thread import aside
from opdiff.ui.settings import SESSIONS
from opdiff.ui.work.autosave import Autosave

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow


class Sessions(QObject):
    """The document the work belongs to, if any. Signals: ``saved(path)``, ``renamed()``."""

    saved = Signal(object)
    renamed = Signal()

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._store = window.store
        self.autosave: Autosave | None = None
        self.path: Path | None = None
        self._coming: tuple[Session, Path | None] | None = None
        """What is being opened, and the document it belongs to."""
        self._place: tuple[Side, int] | None = None
        self._baseline: Work | None = None
        """The work before the first decision since it was opened or saved."""
        self._store.workChanged.connect(self._work_changed)
        window.opener.opened.connect(self._opened)
        window.failed.connect(self._failed)
        for ready in (window.comparisonReady, window.opener.settled):
            ready.connect(self._go_to_place)

    @property
    def changed(self) -> bool:
        """Whether anything was decided since the work was opened or saved."""
        if self._store.both() is None or self._baseline is None:
            return False
        # Which way was compared is no decision, as the first comparison of every window says one.
        before = self._baseline.request
        now = replace(self._store.work.request, direction=before.direction)
        return replace(self._store.work, request=now) != self._baseline

    @property
    def unsaved(self) -> bool:
        """Whether to ask before closing: anchors and filters alone are quickly set again."""
        if self._baseline is None or not self.changed:
            return False
        return _decisions(self._store.work) != _decisions(self._baseline)

    def open(self, path: Path) -> None:
        """Open a session; raises OpdiffError where it cannot be read."""
        self._start(read_session(path), path)

    def open_copy(self, copy: Path, document: Path | None, restored: Callable[[], None]) -> None:
        """Open an autosaved copy of a document, or of what has none; then call *restored*."""
        self._start(read_session(copy), document, restored)

    def _start(
        self, session: Session, document: Path | None, restored: Callable[[], None] | None = None
    ) -> None:
        def restore(left: Trace, right: Trace) -> Work:
            work = self._restore(session, left, right)
            if restored is not None:
                self._baseline = Work()  # all of it is still to be saved
                restored()
            return work

        self._window.open(
            Opening(
                {Side.LEFT: Path(session.left.path), Side.RIGHT: Path(session.right.path)},
                graphs={Side.LEFT: session.left.graph, Side.RIGHT: session.right.graph},
                told=session.told(),
                values=session.values(),
                restore=restore,
                compare=session.direction(),
            )
        )
        # Behind that: what was opened before may only now come to its end, and is not this.
        self._coming = (session, document)

    def ask_and_open(self) -> None:
        """Let the user choose a session."""
        title, kinds = self.tr("Open session"), self.tr("Sessions (*.opdiff);;All files (*)")
        path, _ = QFileDialog.getOpenFileName(self._window, title, self._folder(), kinds)
        if path:
            self.try_open(Path(path))

    def try_open(self, path: Path) -> None:
        """Open a session, or say why that is impossible."""
        try:
            self.open(path)
        except OpdiffError as error:
            self._window.showError(error)

    def save(self) -> bool:
        """Save where the session is; ask where it is nowhere yet. False where nothing was saved."""
        return self.save_as() if self.path is None else self.save_to(self.path)

    def save_as(self) -> bool:
        """Ask where to save."""
        title, kinds = self.tr("Save session"), self.tr("Sessions (*.opdiff)")
        path, _ = QFileDialog.getSaveFileName(self._window, title, self._suggested(), kinds)
        if not path:
            return False
        if path.endswith(SUFFIX):
            return self.save_to(Path(path))
        # The system's dialog asked about the name without its ending.
        target = Path(path + SUFFIX)
        return may_replace(target, self._window) and self.save_to(target)

    def save_to(self, path: Path) -> bool:
        """Save here."""
        both = self._store.both()
        if both is None:
            return False
        work, view, values = self._store.work, self.view(), self._window.tasks.values.choice
        try:
            # The first time, large traces are read for their digests.
            aside(lambda: save_session(path, work, *both, view, values))
        except OpdiffError as error:
            self._window.showError(error)
            return False
        self.path = path
        self._baseline = work  # undoing what is in the document is a change too
        self._window.settings.add_recent(path, SESSIONS)
        self.saved.emit(path)
        self.renamed.emit()
        return True

    def start_autosave(self, folder: Path | None = None) -> None:
        """Keep a copy from now on, and offer what a crash left behind."""
        try:
            self.autosave = Autosave(self._window, self, folder)
        except OSError:
            return  # no place for it, as on a read-only disk: all the rest works
        self.autosave.offer()

    def may_close(self) -> bool:
        """Whether the window may be closed; after that nothing is left to restore."""
        if self.unsaved and not self._may_lose():
            return False
        if self.autosave is not None:
            self.autosave.close()
            self.autosave = None
        return True

    def _may_lose(self) -> bool:
        """Whether nothing is lost by closing, or the user does not mind."""
        answer = self.ask_whether_to_save()
        if answer == QMessageBox.StandardButton.Save:
            return self.save()
        return answer == QMessageBox.StandardButton.Discard

    def ask_whether_to_save(self) -> QMessageBox.StandardButton:
        """Save, discard or cancel?"""
        buttons = QMessageBox.StandardButton
        return QMessageBox.question(
            self._window,
            self.tr("Save session?"),
            self.tr("Pins, rules or notes have not been saved in a session."),
            buttons.Save | buttons.Discard | buttons.Cancel,
            buttons.Save,
        )

    def files_read(self) -> list[str]:
        """The files that what is shown comes from."""
        traces = (self._store.trace(side) for side in Side)
        files = files_read(self._store.work, *traces)
        return files if self.path is None else [*files, str(self.path)]

    def view(self) -> View:
        """How the window looks."""
        view: dict[str, object] = {
            name: self._window.commands[name].isChecked() for name in ROW_SWITCHES
        }
        place = self._window.shown.place
        trace = self._store.trace(place[0]) if place is not None else None
        if place is not None and trace is not None:
            view["side"] = place[0].name.lower()
            view["line"] = int(trace.line_of(place[1]))
        sources = self._window.sources.map
        if sources:
            view["sourceMap"] = sources.as_json()
        return view

    def _restore(self, session: Session, left: Trace, right: Trace) -> Work:
        # The files are read for their digests, and ops that moved are looked for.
        restored = aside(lambda: session.restore(left, right))
        for name in ROW_SWITCHES:
            wanted = session.view.get(name)
            if isinstance(wanted, bool) and wanted != self._window.commands[name].isChecked():
                self._window.commands[name].trigger()
        sources = self._window.sources
        sources.setMap(sources.map.joined(source_map_from_json(session.view.get("sourceMap"))))
        self._place = _place(session.view, (left, right))
        self._window.reloading.tell(restored.remarks)
        return restored.work

    def _go_to_place(self) -> None:
        """Where the user was when the session was saved."""
        if self._place is not None:
            self._window.frame.view.selectRow(*self._place)
        self._place = None

    def _opened(self) -> None:
        self.path = None if self._coming is None else self._coming[1]
        if self.path is not None:
            self._window.settings.add_recent(self.path, SESSIONS)
        self._coming = self._baseline = None
        self.renamed.emit()

    def _failed(self) -> None:
        self._coming = None

    def _work_changed(self, before: Work, after: Work, label: str) -> None:
        if label and self._baseline is None:
            self._baseline = before
        self.renamed.emit()

    def _suggested(self) -> str:
        """Where the session is, else a name that says what is compared."""
        both = self._store.both()
        if self.path is not None or both is None:
            return self._folder()
        names = [_name_of(Path(trace.source.path)) for trace in both]
        return str(Path(self._folder(), "-".join(dict.fromkeys(names)) + SUFFIX))

    def _folder(self) -> str:
        if self.path is not None:
            return str(self.path)
        trace = self._store.trace(Side.LEFT)
        return "" if trace is None else str(Path(trace.source.path).absolute().parent)


def _name_of(path: Path) -> str:
    """What tells a trace from another: its name, or its folder's where all are called the same."""
    name = path.name.partition(".")[0]
    return path.absolute().parent.name if name == "tracker_graph" else name


def _decisions(work: Work) -> tuple[object, ...]:
    request = work.request
    return (
        request.pins,
        request.alone_left,
        request.alone_right,
        request.ignored_left,
        request.ignored_right,
        request.equivalent_here,
        work.rules_text,
        work.known_kinds,
        work.known_groups,
        work.notes,
    )


def _place(view: View, traces: tuple[Trace, Trace]) -> tuple[Side, int] | None:
    side, line = view.get("side"), view.get("line")
    if side not in ("left", "right") or not isinstance(line, int):
        return None
    where = Side.LEFT if side == "left" else Side.RIGHT
    try:
        return where, row_named(traces[where], line)
    except OpdiffError:
        return None  # the trace has changed; there is no such row to go to
