"""The field that names the trace of a side, takes a path, and offers others to open."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy

from opdiff.compare import Side
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import tip
from opdiff.ui.look.theme import styled

_PATH = Qt.ItemDataRole.UserRole


class PathEdit(QLineEdit):
    """Shows a short name, and the whole path while it has the focus.

    Signals: ``entered(str)`` on Return.
    """

    entered = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.path = self.name = ""
        """The file that is named; empty where there is none."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the whole path, to be changed or copied."""
        super().focusInEvent(event)
        self.setText(self.path)
        self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show what is open again: what was typed and not entered is nothing."""
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return opens, Esc takes back."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit(self.text())
        elif event.key() == Qt.Key.Key_Escape:
            self.setText(self.path)
            self.selectAll()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out of a long name what does not fit."""
        super().resizeEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Show the name, unless somebody is typing."""
        if not self.hasFocus():
            room = self.contentsRect().width() - 12
            name = self.fontMetrics().elidedText(self.name, Qt.TextElideMode.ElideMiddle, room)
            self.setText(name)
            self.setCursorPosition(0)


class TraceCombo(Retranslating, QComboBox):
    """The open trace, recent ones, "Open…". Signals: ``pathChosen(str)``, ``openRequested()``."""

    pathChosen = Signal(str)
    openRequested = Signal()

    def __init__(self, side: Side) -> None:
        super().__init__()
        self._side = side
        self._recent: list[str] = []
        styled(self, "code", name="leftTraceCombo" if side is Side.LEFT else "rightTraceCombo")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(9)
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.edit = styled(PathEdit(), "code", "inner")
        self.setLineEdit(self.edit)
        self.setCompleter(None)  # type: ignore[arg-type]  # Qt's way to have none
        self.edit.entered.connect(self._enter)
        self.activated.connect(self._choose)
        self._fill()

    def setPath(self, path: str, name: str) -> None:
        """Name the open trace."""
        self.edit.path, self.edit.name = path, name
        self._fill()

    def setRecent(self, recent: list[str]) -> None:
        """Offer these files."""
        self._recent = recent
        self._fill()

    def _fill(self) -> None:
        left = self._side is Side.LEFT
        name = self.tr("Left trace") if left else self.tr("Right trace")
        self.setAccessibleName(name)
        self.edit.setAccessibleName(name)
        open_ = self.edit.path
        self.setToolTip(
            tip(open_) or self.tr("Open a trace: type or paste its path, or drop it here")
        )
        self.clear()
        here = os.path.abspath(open_) if open_ else ""
        paths = [open_, *(path for path in self._recent if os.path.abspath(path) != here)]
        names = [self.edit.name or self.tr("no trace"), *map(short_path, paths[1:])]
        for path, name in zip(paths, names, strict=True):
            self.addItem(name)
            self.setItemData(self.count() - 1, path, _PATH)
            self.setItemData(self.count() - 1, tip(path), Qt.ItemDataRole.ToolTipRole)
        self.insertSeparator(self.count())
        self.addItem(self.tr("Open…"))
        self.setCurrentIndex(0)
        self.edit.setPlaceholderText(self.tr("no trace"))
        self.edit.refresh()

    retranslate = _fill

    def _enter(self, text: str) -> None:
        """Open what was typed or pasted; an empty field is none."""
        path = typed_path(text)
        if path and path != self.edit.path:
            self.pathChosen.emit(path)

    def _choose(self, index: int) -> None:
        path = self.itemData(index, _PATH)
        self.setCurrentIndex(0)
        self.edit.refresh()
        if index == self.count() - 1:
            self.openRequested.emit()
        elif path and path != self.edit.path:
            self.pathChosen.emit(path)


def typed_path(text: str) -> str:
    """The path that somebody typed or pasted: with quotes, a tilde or as ``file://…``."""
    plain = text.strip().strip("\"'")
    if plain.startswith("file://"):
        plain = QUrl(plain).toLocalFile()
    with contextlib.suppress(RuntimeError):  # nobody of that name has a home here
        plain = str(Path(plain).expanduser()) if plain else ""
    return plain


def short_path(path: str) -> str:
    """The file and its folder: what usually tells two traces apart."""
    parts = Path(path).parts
    return "/".join(parts[-2:]) if len(parts) > 1 else path


def short_paths(left: str, right: str) -> tuple[str, str]:
    """Both, and where they are called the same, as ranks are, also the first folder that is not."""
    names = short_path(left), short_path(right)
    if names[0] == names[1]:
        ways = zip(Path(left).parts[-3::-1], Path(right).parts[-3::-1], strict=False)
        for step, (one, other) in enumerate(ways):
            if one != other:
                between = "/…/" if step else "/"
                return f"{one}{between}{names[0]}", f"{other}{between}{names[1]}"
    return names
