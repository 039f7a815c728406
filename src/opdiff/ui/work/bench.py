"""The workbench: everything of the window that makes an investigation last, put together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from opdiff.compare import Side
from opdiff.session import group_key
from opdiff.session.document import files_read
from opdiff.ui.format_limits import tell_limits
from opdiff.ui.menus.compare import DIFFERENCE_MENU
from opdiff.ui.msprobe_marks import MsprobeMarks
from opdiff.ui.work.autosave import Autosave
from opdiff.ui.work.export_dialog import ExportDialog
from opdiff.ui.work.judging import Judging
from opdiff.ui.work.marks_dialog import MarksDialog
from opdiff.ui.work.noting import Noting
from opdiff.ui.work.pinning import Pinning
from opdiff.ui.work.reloading import Reloading
from opdiff.ui.work.rules_dialog import RulesDialog
from opdiff.ui.work.sessions import Sessions
from opdiff.ui.work.undoing import Undoing

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

_EXPORT_FOLDER = "exportFolder"


class Workbench(QObject):
    """Connects the actions of an investigation to the parts that carry them out.

    Signal: ``exported(path)`` when a report or picture has been written.
    """

    exported = Signal(object)

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._desk = window.desk
        notice = window.frame.notice
        self.undoing = Undoing(window)
        self.pinning = Pinning(window, notice)
        self.judging = Judging(window)
        self.noting = Noting(window)
        self.reloading = Reloading(window, notice)
        self.msprobe = MsprobeMarks(window, notice)
        window.opener.opened.connect(lambda: tell_limits(self._desk, notice))
        self.sessions = Sessions(window, self.reloading)
        self.autosave: Autosave | None = None
        self._connect()

    def start_autosave(self, folder: Path | None = None) -> None:
        """Keep a copy from now on, and offer what a crash left behind."""
        try:
            self.autosave = Autosave(self._window, self.sessions, folder)
        except OSError:
            return  # no place for it, as on a read-only disk: all the rest works
        self.autosave.offer()

    def may_close(self) -> bool:
        """Whether the window may be closed; after that nothing is left to restore."""
        if not self.sessions.may_close():
            return False
        if self.autosave is not None:
            self.autosave.close()
            self.autosave = None
        return True

    def _connect(self) -> None:
        window, desk = self._window, self._desk
        self.undoing.changed.connect(self.name_steps)
        self.pinning.changed.connect(window.refreshActions)
        desk.workChanged.connect(self._check_known)
        for signal in (desk.currentChanged, window.shown.changed):
            signal.connect(self._check_known)
        application = QApplication.instance()
        assert isinstance(application, QApplication), "a window needs one"
        application.focusChanged.connect(self._focus_changed)
        differences = window.frame.differences.list
        differences.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        differences.customContextMenuRequested.connect(self._open_difference_menu)

    def _focus_changed(self, _: QWidget | None, now: QWidget | None) -> None:
        """Another side may be meant now."""
        view = self._window.frame.view
        if now in (view.leftPane, view.rightPane):
            self._window.refreshActions()

    def name_steps(self) -> None:
        """Say in the menu what would be undone and redone."""
        history, commands = self.undoing.history, self._window.commands
        for name, label, words in (
            ("undo", history.undo_label(), self.tr("&Undo {what}")),
            ("redo", history.redo_label(), self.tr("&Redo {what}")),
        ):
            commands[name].setText(words.format(what=label or "").rstrip())
        self._window.refreshActions()

    def _check_known(self) -> None:
        group, work = self.judging.group(), self._desk.work
        commands = self._window.commands
        commands["knownGroup"].setChecked(
            group is not None and group_key(group) in work.known_groups
        )
        commands["knownKind"].setChecked(group is not None and group.kind in work.known_kinds)

    def _open_difference_menu(self, at: QPoint) -> None:
        differences = self._window.frame.differences.list
        if not differences.indexAt(at).isValid():
            return
        at = differences.viewport().mapToGlobal(at)
        self._window.commands.popup(DIFFERENCE_MENU, at)

    def show_marks(self) -> None:
        """List pins, ignored and equivalent ops."""
        MarksDialog(self._desk, self._window.frame.view.selectRow, self._window).show()

    def show_rules(self) -> None:
        """Edit the rules."""
        RulesDialog(self._desk, self.files_read, self._window).show()

    def export(self) -> None:
        """Ask what to export, and where to."""
        view = self._window.frame.view
        dialog = ExportDialog(
            self._desk, view, self._export_folder(), self.files_read, self._window
        )
        dialog.written.connect(self._exported)
        dialog.open()

    def _export_folder(self) -> Path:
        """Where the last report went, else beside the session, else where the program was started.

        Not beside the traces: that folder is often somebody else's.
        """
        last = self._window.settings.text(_EXPORT_FOLDER, "")
        if last and Path(last).is_dir():
            return Path(last)
        if self.sessions.path is not None:
            return self.sessions.path.absolute().parent
        return Path.cwd()

    def _exported(self, path: Path) -> None:
        self._window.settings.put(_EXPORT_FOLDER, str(path.absolute().parent))
        self.exported.emit(path)

    def files_read(self) -> list[str]:
        """The files that what is shown comes from."""
        traces = (self._desk.trace(side) for side in Side)
        files = files_read(self._desk.work, *traces)
        return files if self.sessions.path is None else [*files, str(self.sessions.path)]
