"""Where the sources are: what the user has said of it, and asking for more."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from opdiff.session.source_map import SourceMap


class Sources(QObject):
    """The map of this window. Signal: ``changed()`` when files may be found elsewhere."""

    changed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._map = SourceMap()

    @property
    def map(self) -> SourceMap:
        """What is known."""
        return self._map

    def setMap(self, known: SourceMap) -> None:
        """Know other places."""
        if known != self._map:
            self._map = known
            self.changed.emit()

    def path_of(self, file: str) -> str:
        """Where a file of a trace is here."""
        return self._map.path_of(file)

    def ask_for(self, file: str) -> bool:
        """Let the user show where a file is; everything beside it is known with it."""
        name = file.replace("\\", "/").rsplit("/", 1)[-1]
        path, _ = QFileDialog.getOpenFileName(
            self._window,
            self.tr("Where is {name}?").format(name=name),
            str(Path.cwd() / name),
            self.tr("Python sources (*.py *.pyi *.pyw *.pyx);;All files (*)"),
        )
        if path:
            self.setMap(self._map.with_file(file, path))
        return bool(path)
