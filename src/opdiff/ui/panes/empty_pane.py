"""What a pane without a trace says: how to fill it, how far reading is, or what went wrong."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QPushButton, QWidget

from opdiff.compare import Side
from opdiff.errors import OpdiffError
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.look.theme import current, draw_box, styled
from opdiff.ui.panes.metrics import metrics
from opdiff.ui.panes.pane_header import reading_title
from opdiff.ui.translations import language


class EmptyPane(QObject):
    """Stands in the middle of a pane's viewport. Signal: ``openRequested()``."""

    openRequested = Signal()

    def __init__(self, side: Side, viewport: QWidget) -> None:
        super().__init__(viewport)
        self._side, self._viewport = side, viewport
        self.reading: tuple[str, int] | None = None
        """The file that is being read, and how far that is."""
        self.trouble: OpdiffError | None = None
        """Why a file is not shown."""
        pane = "leftPane" if side is Side.LEFT else "rightPane"
        self._told = styled(PlainLabel(parent=viewport, wrap=True), "error", name=f"{pane}Trouble")
        self._told.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom)
        self._told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._open = styled(QPushButton(viewport), name=f"{pane}OpenButton")
        self._open.clicked.connect(self.openRequested)

    def refresh(self, empty: bool) -> None:
        """Offer to open a trace in the middle of an empty pane, and say what went wrong."""
        left = self._side is Side.LEFT
        self._open.setText(self.tr("Open left…") if left else self.tr("Open right…"))
        self._open.setVisible(empty and self.reading is None)
        self._open.adjustSize()
        area = self._viewport.rect()
        top = area.center().y() + round(1.2 * metrics().em)
        self._open.move((area.width() - self._open.width()) // 2, top)
        self._told.setText("" if self.trouble is None else self.trouble.text(language()))
        self._told.setVisible(self.trouble is not None and self._open.isVisibleTo(self._viewport))
        self._told.setGeometry(16, 0, area.width() - 32, top - 8)

    def paint(self, painter: QPainter) -> None:
        """Say how far reading is, else what the pane is there for."""
        area = self._viewport.rect()
        painter.setFont(metrics().medium)
        if self.reading is not None:
            painter.setPen(current().text)
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, reading_title(*self.reading))
            self._paint_bar(painter, self.reading[1] / 1000)
        elif self.trouble is None:
            left = self._side is Side.LEFT
            painter.setPen(current().dim)
            text = self.tr("Drop the right trace here")
            text = self.tr("Drop the left trace here") if left else text
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_bar(self, painter: QPainter, done: float) -> None:
        area, em = self._viewport.rect(), metrics().em
        width, height = min(area.width() * 0.6, em * 18), max(4.0, em * 0.3)
        bar = QRectF((area.width() - width) / 2, area.center().y() + em, width, height)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        for part, colour in ((1.0, current().line), (done, current().accent)):
            piece = QRectF(bar.topLeft(), QSizeF(bar.width() * part, bar.height()))
            draw_box(painter, piece, height / 2, colour)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
