"""Asks what to export and where to; reports and pictures of what is shown, written to a file."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRectF, QSize, Signal
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QLineEdit,
    QPushButton,
    QWidget,
)

from opdiff import report
from opdiff.errors import OpdiffError
from opdiff.report import FILES, ReportOptions, rendered
from opdiff.report.writing import refuse_to_overwrite, write_atomically
from opdiff.session.work import greyed_groups, notes_by_index
from opdiff.ui.frame.boxes import in_row
from opdiff.ui.frame.dialog import Dialog, may_replace
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.look.theme import styled
from opdiff.ui.main_thread import aside
from opdiff.ui.store import Store
from opdiff.ui.translations import language
from opdiff.wording import Sentence

SUFFIXES = {**report.SUFFIXES, "png": ".png", "svg": ".svg"}
"""What can be exported, and how such files end."""

_PICTURE_SCALE = 2
"""Pixels a point: sharp on paper and on dense screens."""


def export(store: Store, picture_of: QWidget, kind: str, path: Path, *, only_shown: bool) -> None:
    """Write a report, or a picture of a widget; errors name the file."""
    if kind in FILES:
        make = report_of(store, kind, only_shown=only_shown)
    else:
        make = (svg_of if kind == "svg" else png_of)(picture_of)
    aside(lambda: write_atomically(path, make()))


def report_of(store: Store, kind: str, *, only_shown: bool) -> Callable[[], bytes]:
    """What makes the report in one of its formats, with the user's notes, on whatever thread."""
    comparison = store.comparison
    if comparison is None:  # another trace came while the dialog was open
        raise OpdiffError(Sentence.of("report.nothing-compared"))
    notes, group_notes = notes_by_index(store.work, comparison)
    some = only_shown and len(store.visible) < len(comparison.divergences)
    options = ReportOptions(
        language=language(),
        only=tuple(store.visible.tolist()) if some else None,
        notes=notes,
        group_notes=group_notes,
        greyed=greyed_groups(store.work, comparison),
        flags=store.flags,
    )
    return lambda: rendered(comparison, kind, options)


def png_of(widget: QWidget) -> Callable[[], bytes]:
    """A picture of a widget as it is on the screen, to be packed on whatever thread."""
    image = QImage(widget.size() * _PICTURE_SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(_PICTURE_SCALE)
    image.fill(widget.palette().window().color())
    widget.render(image)
    return lambda: packed(image)


def packed(image: QImage, kind: str = "png") -> bytes:
    """A picture as a file of a kind holds it; empty where Qt knows no such kind."""
    out = QBuffer()
    out.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(out, QByteArray(kind.encode())).write(image)
    return bytes(out.data().data())


def svg_of(widget: QWidget) -> Callable[[], bytes]:
    """A drawing of a widget that stays sharp at any size."""
    content = QByteArray()
    out = QBuffer(content)
    out.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(out)
    drawing.setSize(QSize(widget.width(), widget.height()))
    drawing.setViewBox(QRectF(0, 0, widget.width(), widget.height()))
    drawing.setTitle("opdiff")
    painter = QPainter(drawing)
    widget.render(painter, QPoint())
    painter.end()
    return lambda: bytes(content.data())


class ExportDialog(Retranslating, Dialog):
    """Format, file, and whether all differences or only those shown; says what went wrong.

    Signal: ``written(path)`` when the file is there.
    """

    written = Signal(object)

    def __init__(
        self,
        store: Store,
        picture_of: QWidget,
        folder: Path,
        reads: Callable[[], list[str]],
        parent: QWidget,
    ) -> None:
        super().__init__("exportDialog", parent)
        self._reads = reads
        self._allowed: Path | None = None
        """The file that the user said may be replaced."""
        self._store = store
        self._picture_of = picture_of
        self.kind = styled(QComboBox(), name="exportKind")
        for kind in SUFFIXES:
            self.kind.addItem("", kind)
        self.path = styled(
            QLineEdit(str(folder / f"opdiff-report{SUFFIXES['html']}")), name="exportPath"
        )
        self.path.setMinimumWidth(360)
        self.only_shown = styled(QCheckBox(), name="exportOnlyShown")
        self.only_shown.setChecked(True)
        self.message = styled(PlainLabel(wrap=True), "error", name="exportMessage")
        self._browse = QPushButton("…")
        self._browse.setAutoDefault(False)
        self._browse.clicked.connect(self._ask_for_path)
        self._buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel
        )
        self._buttons.accepted.connect(self.export)
        self._buttons.rejected.connect(self.reject)
        self.kind.currentIndexChanged.connect(self._kind_changed)
        self._lay_out()
        self.retranslate()

    def export(self) -> None:
        """Write the file and close; stay and say why where that is impossible."""
        path = Path(self.path.text())
        with contextlib.suppress(RuntimeError):  # nobody of that name has a home here
            path = path.expanduser()
        kind = self.kind.currentData()
        try:
            refuse_to_overwrite(path, self._reads())
            if path != self._allowed and not may_replace(path, self):
                return
            export(
                self._store, self._picture_of, kind, path, only_shown=self.only_shown.isChecked()
            )
        except OpdiffError as error:
            self.message.setText(error.text(language()))
            return
        self.written.emit(path)
        self.accept()

    def _lay_out(self) -> None:
        row = in_row(None, (self.path, 1), self._browse)
        self._kind_label, self._path_label = PlainLabel(), PlainLabel()
        self._kind_label.setBuddy(self.kind)
        self._path_label.setBuddy(self.path)
        form = QFormLayout(self)
        form.addRow(self._kind_label, self.kind)
        form.addRow(self._path_label, row)
        form.addRow("", self.only_shown)
        form.addRow(self.message)
        form.addRow(self._buttons)

    def _kind_changed(self) -> None:
        kind = self.kind.currentData()
        path = Path(self.path.text())
        if path.suffix in SUFFIXES.values():
            self.path.setText(str(path.with_suffix(SUFFIXES[kind])))
        self.only_shown.setEnabled(kind in FILES)

    def _ask_for_path(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, self.windowTitle(), self.path.text())
        if path:
            self._allowed = Path(path)  # the dialog of the system has asked
            self.path.setText(path)

    def retranslate(self) -> None:
        """Say everything again."""
        self.setWindowTitle(self.tr("Export"))
        self._kind_label.setText(self.tr("Format"))
        self._path_label.setText(self.tr("File"))
        self._browse.setToolTip(self.tr("Choose a file"))
        self._browse.setAccessibleName(self.tr("Choose a file"))
        self.only_shown.setText(self.tr("Only the differences that the filters show"))
        names = {
            "html": self.tr("HTML page"),
            "markdown": self.tr("Markdown, for an issue"),
            "csv": self.tr("CSV table"),
            "xlsx": self.tr("Excel workbook"),
            "json": "JSON",
            "text": self.tr("Plain text"),
            "png": self.tr("Picture of the view (PNG)"),
            "svg": self.tr("Drawing of the view (SVG)"),
        }
        for index, kind in enumerate(SUFFIXES):
            self.kind.setItemText(index, names[kind])
