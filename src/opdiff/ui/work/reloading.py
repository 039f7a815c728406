"""Traces that change on disk while they are open: said at once, read again on demand."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

from opdiff.compare import Side
from opdiff.session import Work
from opdiff.session.coding import Decoder, Encoder
from opdiff.session.json_fields import Field
from opdiff.trace import Trace
from opdiff.ui.files.opening import Opening
from opdiff.ui.look.language import spoken
from opdiff.ui.main_thread import aside
from opdiff.ui.source.reading import state_of
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

CHANGED, MOVED = "changed", "moved"
_SETTLED_MS = 300
"""A file that is being written changes many times: speak of it once it rests."""


class Reloading(QObject):
    """Watches the open traces and reads them again, keeping what was decided by content."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._store = window.store
        self._notice = window.frame.notice
        self._state: dict[str, tuple[int, int] | None] = {}
        self._watcher = QFileSystemWatcher(self)
        self._rest = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._rest.timeout.connect(self._look)
        self._watcher.fileChanged.connect(self._rest.start)
        self._watcher.directoryChanged.connect(self._rest.start)
        window.opener.opened.connect(self._watch)
        window.opener.remarked.connect(self.tell)

    def reload(self) -> None:
        """Read both traces again; anchors, pins and notes are found by content."""
        both = self._store.both()
        if both is None:
            return
        work = self._store.work
        document = aside(lambda: Encoder(*both).encode(work))
        shown = self._store.comparison
        self._window.open(
            Opening(
                {side: Path(both[side].source.path) for side in Side},
                graphs={side: both[side].source.graph for side in Side},
                restore=lambda left, right: self._found_again(document, left, right),
                told=replace(both[Side.LEFT].source.told, kernels=dict(work.request.rules.kernels)),
                compare=None if shown is None else shown.request.direction,
            )
        )

    def _found_again(self, document: dict[str, object], left: Trace, right: Trace) -> Work:
        decoder = Decoder(left, right)
        work = aside(lambda: decoder.decode(Field(document, None)))
        self.tell(tuple(decoder.remarks))
        return work

    def tell(self, remarks: tuple[Sentence, ...]) -> None:
        """Say what moved or was lost, where anything did."""
        if remarks:
            self._notice.tell(MOVED, lambda: "\n".join(spoken(remark) for remark in remarks))

    def _watch(self) -> None:
        self._notice.end(CHANGED)
        for watched in (self._watcher.files(), self._watcher.directories()):
            if watched:
                self._watcher.removePaths(watched)
        paths = [trace.source.path for side in Side if (trace := self._store.trace(side))]
        # The folders too: a file that is replaced is a new file, and no longer watched itself.
        folders = {str(Path(path).absolute().parent) for path in paths}
        self._watcher.addPaths([*dict.fromkeys(paths), *folders])
        self._state = {path: state_of(path) for path in paths}

    def _look(self) -> None:
        changed = [path for path, state in self._state.items() if state_of(path) != state]
        if changed and all(map(os.path.exists, changed)):
            names = ", ".join(dict.fromkeys(Path(path).name for path in changed))
            self._notice.tell(
                CHANGED,
                lambda: self.tr("{names} has changed on disk.").format(names=names),
                lambda: self.tr("Reload"),
                self.reload,
            )
