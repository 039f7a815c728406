"""Pins in four small steps: add, match, move, remove; and ops that have no counterpart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from opdiff.compare import Side
from opdiff.errors import OpdiffError
from opdiff.session.edits import Pin, add_pin, move_pin, pin_at, remove_pin, set_alone

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow

TOPIC = "pin"


@dataclass(frozen=True, slots=True)
class Begun:
    """A pin that waits for its other end, or one of whose ends waits for another place."""

    side: Side
    row: int
    moved: Pin | None = None

    @property
    def ends_on(self) -> Side:
        """The side on which the waiting end is put."""
        return self.side if self.moved is not None else self.side.other


class Pinning(QObject):
    """Adds and removes pins at the selected row."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._store = window.store
        self._notice = window.frame.notice
        self._begun: Begun | None = None
        self._store.traceChanged.connect(self.give_up)

    def here(self) -> Pin | None:
        """The pin of the selected row."""
        place = self._window.shown.meant()
        return None if place is None else pin_at(self._store.work, *place)

    def can_match(self) -> bool:
        """Whether the pin that was begun can end at the selected row."""
        return self._end_row() is not None

    def _end_row(self) -> int | None:
        """The row current on the side where the pin ends; at first the counterpart found so far."""
        if self._begun is None:
            return None
        return self._window.frame.view.pane(self._begun.ends_on).currentRow()

    def add(self) -> None:
        """Begin a pin at the selected row."""
        place = self._window.shown.meant()
        if place is not None:
            self._begin(Begun(*place))

    def move(self) -> None:
        """Take this end of a pin up, to put it elsewhere."""
        place, pin = self._window.shown.meant(), self.here()
        if place is not None and pin is not None:
            self._begin(Begun(*place, moved=pin))

    def match(self) -> None:
        """End the pin, or its move, at the selected row; crossing others is refused."""
        begun, row, both = self._begun, self._end_row(), self._store.both()
        if begun is None or row is None or both is None:
            return
        try:
            if begun.moved is not None:
                work = move_pin(self._store.work, begun.moved, begun.side, row, both)
                label = self.tr("move pin")
            else:
                pin = (begun.row, row) if begun.side is Side.LEFT else (row, begun.row)
                work = add_pin(self._store.work, pin, both)
                label = self.tr("pin")
        except OpdiffError as error:
            self._window.showError(error)
            return
        self.give_up()
        self._store.setWork(work, label)

    def remove(self) -> None:
        """Take the pin of the selected row out."""
        pin = self.here()
        if pin is not None:
            self._store.setWork(remove_pin(self._store.work, pin), self.tr("remove pin"))

    def alone(self) -> None:
        """Say that the selected op has no counterpart, or take that back."""
        place = self._window.shown.meant()
        if place is None:
            return
        side, row = place
        request = self._store.work.request
        marked = request.alone_left if side is Side.LEFT else request.alone_right
        work = set_alone(self._store.work, side, [row], alone=row not in marked)
        pin = pin_at(work, side, row)
        if pin is not None:
            work = remove_pin(work, pin)
        self._store.setWork(work, self.tr("no counterpart"))

    @property
    def begun(self) -> bool:
        """Whether a pin, or its move, waits for its other end."""
        return self._begun is not None

    def _begin(self, begun: Begun) -> None:
        self._begun = begun
        self._notice.tell(TOPIC, lambda: self._words(begun))
        self._window.commands.refresh()

    def give_up(self) -> None:
        """End the pin that was begun, without one."""
        self._begun = None
        self._notice.end(TOPIC)
        self._window.commands.refresh()

    def _words(self, begun: Begun) -> str:
        trace = self._store.trace(begun.side)
        assert trace is not None, "a row of it was selected"
        op, line = trace.type_name(begun.row), int(trace.line_of(begun.row))
        key = self._window.commands["pinMatch"].shortcut().toString()
        if begun.moved is not None:
            words = self.tr(
                "Moving the pin of {op} (line {line}): select its new op, press {key}; Esc ends it"
            )
        elif begun.side is Side.LEFT:
            words = self.tr(
                "Pin {op} (left line {line}): select its counterpart, press {key}; Esc ends it"
            )
        else:
            words = self.tr(
                "Pin {op} (right line {line}): select its counterpart, press {key}; Esc ends it"
            )
        return words.format(op=op, line=line, key=key)
