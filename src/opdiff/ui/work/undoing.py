"""Undo and redo of every decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from opdiff.session import History, Work

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow


class Undoing(QObject):
    """Remembers the states of the work."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._store = window.store
        self.history = History(self._store.work)
        self._stepping = False
        self._store.workChanged.connect(self._work_changed)
        window.opener.opened.connect(self._restart)

    def undo(self) -> None:
        """Take the last decision back."""
        self._step(self.history.undo())

    def redo(self) -> None:
        """Bring back what was undone."""
        self._step(self.history.redo())

    def _step(self, work: Work) -> None:
        self._stepping = True
        self._store.setWork(work)
        self._stepping = False
        self.name_steps()

    def _restart(self) -> None:
        """Other traces were opened: what was decided about the old ones is no longer possible."""
        self.history.restart(self._store.work)
        self.name_steps()

    def _work_changed(self, before: Work, after: Work, label: str) -> None:
        if not self._stepping:
            if label:
                self.history.record(after, label)
            else:
                self.history.amend(after)
            self.name_steps()

    def name_steps(self) -> None:
        """Say in the menu what would be undone and redone."""
        for name, label, words in (
            ("undo", self.history.undo_label(), self.tr("&Undo {what}")),
            ("redo", self.history.redo_label(), self.tr("&Redo {what}")),
        ):
            self._window.commands[name].setText(words.format(what=label or "").rstrip())
        self._window.commands.refresh()
