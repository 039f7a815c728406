"""Reports and pictures of what is shown, written to a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPoint, QRectF, QSize
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from opdiff import report
from opdiff.errors import OpdiffError
from opdiff.report import FILES, ReportOptions, rendered
from opdiff.report.writing import write_atomically
from opdiff.session.work import greyed_groups, notes_by_index
from opdiff.ui.aside import aside
from opdiff.ui.desk import Desk
from opdiff.ui.translations import language
from opdiff.wording import Sentence

SUFFIXES = {**report.SUFFIXES, "png": ".png", "svg": ".svg"}
"""What can be exported, and how such files end."""

_PICTURE_SCALE = 2
"""Pixels a point: sharp on paper and on dense screens."""


def export(desk: Desk, picture_of: QWidget, kind: str, path: Path, *, only_shown: bool) -> None:
    """Write a report, or a picture of a widget; errors name the file."""
    if kind in FILES:
        make = report_of(desk, kind, only_shown=only_shown)
    else:
        make = (svg_of if kind == "svg" else png_of)(picture_of)
    aside(lambda: write_atomically(path, make()))


def report_of(desk: Desk, kind: str, *, only_shown: bool) -> Callable[[], bytes]:
    """What makes the report in one of its formats, with the user's notes, on whatever thread."""
    comparison = desk.comparison
    if comparison is None:  # another trace came while the dialog was open
        raise OpdiffError(Sentence.of("report.nothing-compared"))
    notes, group_notes = notes_by_index(desk.work, comparison)
    some = only_shown and len(desk.visible) < len(comparison.divergences)
    options = ReportOptions(
        language=language(),
        only=tuple(desk.visible.tolist()) if some else None,
        notes=notes,
        group_notes=group_notes,
        greyed=greyed_groups(desk.work, comparison),
        flags=desk.flags,
    )
    return lambda: rendered(comparison, kind, options)


def png_of(widget: QWidget) -> Callable[[], bytes]:
    """A picture of a widget as it is on the screen, to be packed on whatever thread."""
    image = QImage(widget.size() * _PICTURE_SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(_PICTURE_SCALE)
    image.fill(widget.palette().window().color())
    widget.render(image)
    return lambda: _packed(image)


def _packed(image: QImage) -> bytes:
    out = QBuffer()
    out.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(out, QByteArray(b"png")).write(image)
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
