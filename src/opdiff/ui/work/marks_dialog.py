"""All pins, ops without counterpart, ignored and equivalent ops: listed, gone to, removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QHeaderView, QTreeWidgetItem, QWidget

from opdiff.compare import Side
from opdiff.session import Work
from opdiff.session.edits import drop_equivalent, remove_pin, set_alone, set_ignored
from opdiff.ui.desk import Desk
from opdiff.ui.work.decisions_dialog import DecisionsDialog

_NAMED_OPS = 3


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing the user said of rows, and how to take it back."""

    section: str
    left: tuple[int, ...]
    right: tuple[int, ...]
    without: Callable[[Work], Work]


def marks_of(work: Work) -> Iterator[Mark]:
    """Everything that was said of single ops."""
    request = work.request
    for pin in request.pins:
        yield Mark("pin", (pin[0],), (pin[1],), partial(remove_pin, pin=pin))
    for side, alone, ignored in (
        (Side.LEFT, request.alone_left, request.ignored_left),
        (Side.RIGHT, request.alone_right, request.ignored_right),
    ):
        for row in sorted(alone):
            without = partial(set_alone, side=side, rows=[row], alone=False)
            yield _single("alone", side, row, without)
        for row in sorted(ignored):
            without = partial(set_ignored, side=side, rows=[row], ignored=False)
            yield _single("ignored", side, row, without)
    for index, (left, right) in enumerate(request.equivalent_here):
        yield Mark("equivalent", left, right, partial(drop_equivalent, index=index))


def _single(section: str, side: Side, row: int, without: Callable[[Work], Work]) -> Mark:
    left, right = ((row,), ()) if side is Side.LEFT else ((), (row,))
    return Mark(section, left, right, without)


class MarksDialog(DecisionsDialog):
    """Lists the marks by section."""

    def __init__(self, desk: Desk, go_to: Callable[[int, int], None], parent: QWidget) -> None:
        super().__init__(desk, "mark", parent)
        self._go_to = go_to
        self.list.header().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        self.list.header().resizeSection(0, 48)
        self.resize(560, 380)
        self.finish()

    def add_all(self) -> None:
        """List the marks of the work as it is now."""
        sections: dict[str, QTreeWidgetItem] = {}
        for mark in marks_of(self._desk.work):
            if mark.section not in sections:
                title = self._section_title(mark.section)
                sections[mark.section] = QTreeWidgetItem(self.list, [title])
                sections[mark.section].setFirstColumnSpanned(True)
                sections[mark.section].setExpanded(True)
            texts = ["", self._ops(Side.LEFT, mark.left), self._ops(Side.RIGHT, mark.right)]
            self.add(sections[mark.section], texts, mark)

    def remove_selected(self) -> None:
        """Take the selected mark back."""
        mark = self.selected()
        if isinstance(mark, Mark):
            label = self.tr("remove {what}").format(what=self._section_title(mark.section))
            self._desk.setWork(mark.without(self._desk.work), label)

    def show_selected(self) -> None:
        """Go to the op of the selected mark."""
        mark = self.selected()
        if isinstance(mark, Mark):
            side = Side.LEFT if mark.left else Side.RIGHT
            self._go_to(side, (mark.left or mark.right)[0])

    def _ops(self, side: Side, rows: tuple[int, ...]) -> str:
        trace = self._desk.trace(side)
        if trace is None or not rows:
            return ""
        named = [f"{trace.line_of(row)} {trace.type_name(row)}" for row in rows[:_NAMED_OPS]]
        return ", ".join(named) + (" …" if len(rows) > _NAMED_OPS else "")

    def _section_title(self, section: str) -> str:
        return {
            "pin": self.tr("Pins"),
            "alone": self.tr("No counterpart"),
            "ignored": self.tr("Ignored"),
            "equivalent": self.tr("Equivalent here"),
        }[section]

    def name_all(self) -> None:
        """Say everything in the present language."""
        self.setWindowTitle(self.tr("Pins and ignored ops"))
        self._hint.setText(
            self.tr("Nothing yet. Select an op and press M to pin it, or I to ignore it.")
        )
        self.list.setHeaderLabels(["", self.tr("Left"), self.tr("Right")])
