"""What actions, and the wishes of the parts, do across several parts of the window."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget

from opdiff.compare import Direction, Side
from opdiff.errors import OpdiffError
from opdiff.ui.anchors.finder import Finder
from opdiff.ui.commands.menus import DIFFERENCE_MENU, ROW_MENU
from opdiff.ui.files.opening import Opening
from opdiff.ui.files.trouble_list import TroubleList
from opdiff.ui.guide.samples import Sample, sample_sources
from opdiff.ui.main_thread import next_turn
from opdiff.ui.source.editor import open_in_editor
from opdiff.ui.work.export_dialog import ExportDialog
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

_EXPORT_FOLDER = "exportFolder"


class Handlers(QObject):
    """Connects the parts of the window with each other, and does what no part does alone."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._store = window.store
        self._frame = window.frame
        self._wanted_size: QSize | None = None
        """How large the user wants the window: the text may have made it larger."""
        self._zooming = 0
        """How often the text was given another size that the window does not show yet."""
        window.store.workChanged.connect(self._check_switches)
        window.appearance.dressed.connect(lambda: next_turn(self, self._fit_screen))
        self._connect_parts()

    def _connect_parts(self) -> None:
        frame, window = self._frame, self._window
        frame.view.filesDropped.connect(window.openDropped)
        differences = frame.differences.list
        differences.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        differences.customContextMenuRequested.connect(self._open_difference_menu)
        application = QApplication.instance()
        assert isinstance(application, QApplication), "a window needs one"
        application.focusChanged.connect(self._focus_changed)
        frame.status.explanationWanted.connect(self._list_troubles)
        for part in (frame.details, frame.source, window.showing):
            part.openSource.connect(self._open_source)
        frame.welcome.sampleChosen.connect(self.open_sample)
        frame.structure.tree.goTo.connect(frame.view.selectRow)
        frame.structures.found.connect(self._structure_found)
        window.shown.changed.connect(self._follow_in_structure)
        for side in Side:
            pane, combo, edit = (
                frame.view.pane(side),
                frame.top.combos[side],
                frame.top.anchors[side],
            )
            pane.contextMenuRequested.connect(
                lambda row, at, side=side: self._open_row_menu(side, row, at)
            )
            pane.zoomed.connect(self.zoom)
            for empty in (pane, combo):
                empty.openRequested.connect(lambda side=side: self.ask_for(side))
            combo.pathChosen.connect(
                lambda path, side=side: window.open(Opening({side: Path(path)}))
            )
            edit.anchored.connect(lambda row, side=side: frame.view.selectRow(side, row))
            edit.findRequested.connect(lambda side=side: self.find(side))
            edit.left.connect(frame.view.setFocus)
        frame.top.search.left.connect(frame.view.setFocus)

    def _focus_changed(self, _: QWidget | None, now: QWidget | None) -> None:
        """Another side may be meant now."""
        if now in (self._frame.view.leftPane, self._frame.view.rightPane):
            self._frame.view.setFocusProxy(now)  # who gives the focus back gives it to this one
            self._window.commands.refresh()

    def _structure_found(self, side: int) -> None:
        outline = self._frame.structures.outline(Side(side))
        self._frame.view.setPartNames(side, None if outline is None else outline.names)

    def show_structure(self, shown: bool) -> None:
        """Show the structure beside the panes, where the user is, or hide it."""
        self._follow_in_structure()
        self._frame.show_structure(shown)

    def _follow_in_structure(self) -> None:
        place = self._window.shown.place
        if place is not None:
            self._frame.structure.showRow(*place)

    def cancel(self) -> None:
        """Stop what runs; where nothing does, the pin that waits for its end."""
        if self._window.tasks.running:
            self._window.tasks.cancel()
        else:
            self._window.pinning.give_up()

    def open_sample(self, sample: Sample) -> None:
        """Open a sample pair, compared, from its anchors where it has any."""
        sources = self._window.sources
        sources.setMap(sources.map.joined(sample_sources()))
        self._window.open(
            Opening(
                {Side.LEFT: sample.left, Side.RIGHT: sample.right},
                lines=dict(zip(Side, sample.lines or (), strict=False)),
                compare=Direction.UP if sample.lines else Direction.WHOLE,
            )
        )

    def ask_for(self, side: Side) -> None:
        """Let the user choose a trace of a side."""
        recent = self._window.settings.recent()
        title = self.tr("Open left trace") if side is Side.LEFT else self.tr("Open right trace")
        path, _ = QFileDialog.getOpenFileName(
            self._window,
            title,
            str(Path(recent[0]).parent) if recent else QDir.currentPath(),
            self.tr("Traces (*.ir *.gz *.txt *.json *.csv *.log *.py *.pbtxt);;All files (*)"),
        )
        if path:
            self._window.open(Opening({side: Path(path)}))

    def copy_row(self) -> None:
        """Copy the selected rows as text."""
        place = self._window.shown.place
        if place is not None:
            side, row = place
            pane = self._frame.view.pane(side)
            rows = pane.selectedRows() or [row]
            QGuiApplication.clipboard().setText("\n".join(pane.rowText(each) for each in rows))

    def _list_troubles(self, side: int) -> None:
        trace = self._store.trace(Side(side))
        if trace is not None:
            troubles = TroubleList(Side(side), trace, self._store, self._window)
            troubles.goTo.connect(self._frame.view.selectRow)
            troubles.show()

    def find(self, side: Side) -> None:
        """Find an op of a side to anchor at."""
        finder = Finder(self._store, side, self._window)
        finder.anchored.connect(self._frame.view.selectRow)
        finder.compareWanted.connect(lambda: self._window.compare(Direction.UP))
        finder.show()

    def _open_source(self, file: str, line: int) -> None:
        path = self._window.sources.path_of(file)
        if not os.path.isfile(path):
            self._window.showing.show(file, line)
        elif not open_in_editor(path, line):
            error = OpdiffError(Sentence.of("editor.none"), path=path, line=line)
            self._frame.banner.show_error(error)

    def zoom(self, step: int) -> None:
        """Make the text larger (1) or smaller (-1), or normal again (0)."""
        look = self._window.appearance
        if not self._zooming:
            self._note_size()
        self._zooming += 1
        look.choose_zoom(look.zoom + step if step else 0)

    def _note_size(self) -> None:
        """Remember how large the user wants the window, where it is larger than its text needs."""
        window, wanted = self._window, self._wanted_size
        now, least = window.size(), window.minimumSizeHint()
        if wanted is not None and now.width() <= least.width():
            now.setWidth(min(now.width(), wanted.width()))
        if wanted is not None and now.height() <= least.height():
            now.setHeight(min(now.height(), wanted.height()))
        self._wanted_size = now

    def _fit_screen(self) -> None:
        """Larger text may make the window larger, as far as there is a screen, and no longer."""
        self._zooming = max(0, self._zooming - 1)
        window, room = self._window, self._window.screen().availableSize().width()
        window.setMinimumWidth(0)  # as narrow as its parts can be
        if window.minimumSizeHint().width() > room:
            window.setMinimumWidth(room)
        if self._wanted_size is not None and not (window.isMaximized() or window.isFullScreen()):
            window.resize(self._wanted_size)

    def hide_known(self, hidden: bool) -> None:
        """Leave known renames out of the list, or not."""
        work = replace(self._store.work, known_hidden=hidden)
        self._store.setWork(work, self.tr("known renames"))

    def only_ancestors(self, only: bool) -> None:
        """Compare only what the anchor depends on, or all."""
        request = replace(self._store.work.request, ancestors=only)
        self._store.setWork(replace(self._store.work, request=request), self.tr("ancestors only"))

    def _check_switches(self) -> None:
        work, commands = self._store.work, self._window.commands
        commands["hideKnown"].setChecked(work.known_hidden)
        commands["ancestors"].setChecked(work.request.ancestors)

    def _open_row_menu(self, side: Side, row: int, at: QPoint) -> None:
        commands = self._window.commands
        menu = QMenu(self._window)
        for name in ("anchorHere", "anchorPair", "anchorLastOfFunction"):
            menu.addAction(commands[name])
        self._window.anchoring.offer_calls(menu, side, row)
        names = ("", "copyRow", "copyCommand", "", "goToCause", *ROW_MENU)
        commands.popup(names, at, menu)

    def _open_difference_menu(self, at: QPoint) -> None:
        differences = self._frame.differences.list
        if differences.indexAt(at).isValid():
            self._window.commands.popup(DIFFERENCE_MENU, differences.viewport().mapToGlobal(at))

    def export(self) -> None:
        """Ask what to export, and where to."""
        reads = self._window.sessions.files_read
        folder = self._export_folder()
        dialog = ExportDialog(self._store, self._frame.view, folder, reads, self._window)
        dialog.written.connect(self._exported)
        dialog.open()

    def _export_folder(self) -> Path:
        """Where the last report went, else beside the session, else where the program was started.

        Not beside the traces: that folder is often somebody else's.
        """
        last, session = self._window.settings.text(_EXPORT_FOLDER, ""), self._window.sessions.path
        if last and Path(last).is_dir():
            return Path(last)
        return Path.cwd() if session is None else session.absolute().parent

    def _exported(self, path: Path) -> None:
        self._window.settings.put(_EXPORT_FOLDER, str(path.absolute().parent))
        self._window.sharing.tell_written(path)
