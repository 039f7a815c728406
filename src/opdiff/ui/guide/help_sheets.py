"""What the Help menu shows: all keys, what every sign and colour means, which version this is."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from opdiff import __version__
from opdiff.compare import Kind
from opdiff.ui.commands.actions import ActionSpec, MenuSpec, keys_text, plain, translated
from opdiff.ui.frame.boxes import NONE, in_column, in_row
from opdiff.ui.frame.dialog import Dialog
from opdiff.ui.look import theme
from opdiff.ui.look.language import kind_name
from opdiff.ui.look.plain_text import SELECTABLE, PlainLabel
from opdiff.ui.look.theme import styled
from opdiff.ui.panes.row_painter import NOISE_SIGN

COLUMNS = 3
_BETWEEN_BLOCKS = 10
_BOX = 24


class HelpSheet(Dialog):
    """Words in columns that scroll where the screen, or larger text, leaves no room for all."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(name, parent)
        self._content = QWidget()
        self._columns = in_row(self._content, margins=(24, 20, 24, 24), spacing=36)

    def finish(self, title: str) -> None:
        """Let the columns, which are complete, be all of it: as large as they want, if they can."""
        self.setWindowTitle(title)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(self._content)
        area.setAccessibleName(title)
        in_column(self, area, margins=NONE)
        bar = area.verticalScrollBar().sizeHint().width()
        self.resize(self._content.sizeHint() + QSize(bar, 2))
        area.setFocus()


class CheatSheet(HelpSheet):
    """One block a menu: the keys and what they do. Esc closes it."""

    def __init__(self, menus: Iterable[MenuSpec], parent: QWidget) -> None:
        super().__init__("cheatSheet", parent)
        columns = [QGridLayout() for _ in range(COLUMNS)]
        heights = [0] * COLUMNS
        for menu in menus:
            shortest = heights.index(min(heights))
            _add_block(columns[shortest], translated(menu.title), menu.actions)
            heights[shortest] += len(menu.actions) + 2
        for column in columns:
            column.setHorizontalSpacing(16)
            column.setVerticalSpacing(4)
            column.setColumnStretch(1, 1)
            column.setRowStretch(column.rowCount(), 1)
            self._columns.addLayout(column)
        self.finish(self.tr("Keys"))


def _add_block(grid: QGridLayout, title: str, specs: Iterable[ActionSpec]) -> None:
    """A menu below what stands in a column already: keys under keys, words under words."""
    first = grid.rowCount() + 1
    if grid.count():
        grid.setRowMinimumHeight(first - 1, _BETWEEN_BLOCKS)
    heading = theme.styled(PlainLabel(plain(title)), "heading")
    grid.addWidget(heading, first, 0, 1, 2)
    for number, spec in enumerate(specs, start=first + 1):
        keys = theme.styled(PlainLabel(keys_text(spec)), "code")
        words = PlainLabel(plain(translated(spec.text)).rstrip("…"))
        words.setToolTip(translated(spec.tip))
        words.setProperty("dim", True)
        grid.addWidget(keys, number, 0)
        grid.addWidget(words, number, 1)


def _sign_box(sign: str, kind: Kind | None) -> PlainLabel:
    """A sign as the list draws it, on the colour of its kind."""
    box = styled(PlainLabel(sign), "sign")
    box.setProperty("kind", None if kind is None else str(kind))
    box.setAlignment(Qt.AlignmentFlag.AlignCenter)
    box.setFixedSize(_BOX, _BOX)
    return box


class Legend(HelpSheet):
    """Two columns: the kinds of differences, and the marks of rows and links. Esc closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("legend", parent)
        kinds = [
            (theme.sign_of(kind), kind, kind_name(kind), told)
            for kind, told in self._kinds().items()
        ]
        marks = [(sign, None, name, told) for sign, name, told in self._marks()]
        self._columns.addLayout(self._block(self.tr("Differences"), kinds))
        self._columns.addLayout(self._block(self.tr("Rows and links"), marks))
        self.finish(self.tr("Signs and colours"))

    def _block(self, title: str, lines: Sequence[tuple[str, Kind | None, str, str]]) -> QVBoxLayout:
        column, grid = QVBoxLayout(), QGridLayout()
        heading = theme.styled(PlainLabel(title), "heading")
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(5)
        for number, (sign, kind, name, told) in enumerate(lines):
            words = theme.styled(PlainLabel(told), "dim")
            grid.addWidget(_sign_box(sign, kind), number, 0)
            grid.addWidget(PlainLabel(name), number, 1)
            grid.addWidget(words, number, 2)
        column.setSpacing(8)  # else that of the row of columns
        column.addWidget(heading)
        column.addLayout(grid)
        column.addStretch()
        return column

    def _kinds(self) -> dict[Kind, str]:
        told = {
            Kind.OP_TYPE: self.tr("counterparts of different op types"),
            Kind.CONTIGUOUS: self.tr("a copy into contiguous memory on one side"),
            Kind.LAYOUT_MISSING: self.tr("only one side prints strides and offset"),
            Kind.LAYOUT: self.tr("other strides or another offset"),
            Kind.CPU_FALLBACK: self.tr("ran on the host on one side"),
            Kind.DTYPE: self.tr("another data type"),
            Kind.SHAPE: self.tr("another shape"),
            Kind.OPERANDS: self.tr("another number of operands"),
            Kind.ATTRS: self.tr("another stream or attribute"),
            Kind.DATAFLOW: self.tr("reads what another op wrote"),
            Kind.MOVED: self.tr("the same op at another place"),
            Kind.FUSED: self.tr("several ops became one"),
            Kind.ONLY_LEFT: self.tr("no counterpart on the right"),
            Kind.ONLY_RIGHT: self.tr("no counterpart on the left"),
            Kind.VALUE: self.tr("what the tensors hold parts here"),
        }
        # What a newer engine finds besides is named, if not told.
        return {kind: told.get(kind, "") for kind in Kind}

    def _marks(self) -> list[tuple[str, str, str]]:
        return [
            (theme.ANCHOR_SIGN, self.tr("anchor"), self.tr("comparing starts here")),
            (theme.PIN_SIGN, self.tr("pin"), self.tr("a pair that you decreed")),
            (theme.NOTE_SIGN, self.tr("note"), self.tr("you wrote about it")),
            (theme.SWALLOWED_SIGN, self.tr("by a rule"), self.tr("no difference, as you said")),
            (NOISE_SIGN, self.tr("noise"), self.tr("bookkeeping, never a difference")),
            ("╱", self.tr("hatching"), self.tr("nothing on this side")),
            ("▸", self.tr("fold"), self.tr("equal ops, click to open")),
            ("●", self.tr("dot"), self.tr("the other end of a link is out of sight")),
            ("×", self.tr("× 61"), self.tr("the same difference so many times")),
        ]


class AboutDialog(Dialog):
    """Name, version and licence; the versions can be copied into a report. Esc closes it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("aboutDialog", parent)
        self.setWindowTitle(self.tr("About opdiff"))
        name = styled(PlainLabel(f"opdiff {__version__}"), "heading")
        purpose = PlainLabel(
            self.tr("Shows where two runs of the same model stop doing the same thing.")
        )
        self._versions = styled(PlainLabel(self.versions()), "dim")
        self._versions.setTextInteractionFlags(SELECTABLE)
        licence = styled(
            PlainLabel(self.tr("Apache License 2.0. Everything runs on this machine.")), "dim"
        )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton(self.tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.versions()))
        buttons.rejected.connect(self.reject)
        buttons.button(QDialogButtonBox.StandardButton.Close).setDefault(True)
        in_column(
            self,
            name,
            purpose,
            self._versions,
            licence,
            buttons,
            margins=(24, 20, 24, 16),
            spacing=10,
        )

    @staticmethod
    def versions() -> str:
        """The versions that matter to whoever reads a report."""
        return (
            f"opdiff {__version__} · Python {platform.python_version()} · Qt {qVersion()} · "
            f"{platform.system()} {platform.machine()}"
        )
