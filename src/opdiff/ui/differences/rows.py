"""What the rows of the list are, and what can be asked of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from opdiff.compare import Group
from opdiff.ui.differences.outline import Listed

FIRST_SHOWN = 3
MORE_SHOWN = 200
GROUPS_SHOWN = 200
"""So many groups are listed at once: Qt lays out and measures all that there are."""
MOST_GROUPS_SHOWN = 2 * GROUPS_SHOWN
"""However many more are asked for: those at the other end go."""

CARD = Qt.ItemDataRole.UserRole
"""What the delegate and the view ask for, besides Qt's own roles."""

Index: TypeAlias = QModelIndex | QPersistentModelIndex


class Item(IntEnum):
    """What a row of the list is."""

    GROUP = 0
    MEMBER = 1
    EARLIER = 2
    MORE = 3
    SECTION = 4
    """The heading of what cannot change values; opens and closes it."""


@dataclass(slots=True)
class TopRow:
    """A row at the top.

    A group with the stretch of its members that is shown, the heading, or what stands for the
    groups before and after those that are listed.
    """

    row: int
    """Which row of the outline it is; of those before and after, how many they are."""
    listed: Listed | None
    start: int = 0
    end: int = 0
    what: Item = Item.GROUP
    taken_out: bool = False
    """While another stretch takes the place of this one."""

    @property
    def group(self) -> Group:
        """The group; a heading has none and is never asked."""
        assert self.listed is not None
        return self.listed.group

    @property
    def earlier(self) -> int:
        """1 where a row stands for members before the stretch."""
        return int(self.start > 0)

    @property
    def rows(self) -> int:
        """How many rows there are below the group."""
        if self.taken_out or self.listed is None:
            return 0
        return self.earlier + (self.end - self.start) + int(self.end < self.group.count)

    def item(self, row: int) -> Item:
        """What one of these rows is."""
        if self.earlier and row == 0:
            return Item.EARLIER
        return Item.MEMBER if row - self.earlier < self.end - self.start else Item.MORE
