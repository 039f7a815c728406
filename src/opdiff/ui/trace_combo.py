"""The field that names the trace of a side and offers others to open."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
)

from opdiff.compare import Side
from opdiff.ui.plain_text import tip

_PATH = Qt.ItemDataRole.UserRole


class TraceCombo(QComboBox):
    """The open trace, recent ones, "Open…". Signals: ``pathChosen(str)``, ``openRequested()``."""

    pathChosen = Signal(str)
    openRequested = Signal()

    def __init__(self, side: Side) -> None:
        super().__init__()
        self._side = side
        self._path = ""
        self._recent: list[str] = []
        self.setObjectName("leftTraceCombo" if side is Side.LEFT else "rightTraceCombo")
        self.setProperty("code", True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(9)
        self.activated.connect(self._choose)
        self._fill()

    def setPath(self, path: str) -> None:
        """Name the open trace."""
        self._path = path
        self._fill()

    def setRecent(self, recent: list[str]) -> None:
        """Offer these files."""
        self._recent = recent
        self._fill()

    def changeEvent(self, event: QEvent) -> None:
        """Speak the window's language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._fill()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint it as any other, the middle of a long name left out instead of its end."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        option.currentText = self.fontMetrics().elidedText(
            self.currentText(), Qt.TextElideMode.ElideMiddle, field.width() - 2
        )
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def _fill(self) -> None:
        left = self._side is Side.LEFT
        self.setAccessibleName(self.tr("Left trace") if left else self.tr("Right trace"))
        self.setToolTip(tip(self._path) or self.tr("Open a trace, or drop one on the window"))
        self.clear()
        paths = [self._path, *(path for path in self._recent if path != self._path)]
        for path in paths:
            self.addItem(short_path(path) if path else self.tr("no trace"))
            self.setItemData(self.count() - 1, path, _PATH)
            self.setItemData(self.count() - 1, tip(path), Qt.ItemDataRole.ToolTipRole)
        self.insertSeparator(self.count())
        self.addItem(self.tr("Open…"))
        self.setCurrentIndex(0)

    def _choose(self, index: int) -> None:
        path = self.itemData(index, _PATH)
        self.setCurrentIndex(0)
        if index == self.count() - 1:
            self.openRequested.emit()
        elif path and path != self._path:
            self.pathChosen.emit(path)


def short_path(path: str) -> str:
    """The file and its folder: what tells two traces apart."""
    parts = Path(path).parts
    return "/".join(parts[-2:]) if len(parts) > 1 else path
