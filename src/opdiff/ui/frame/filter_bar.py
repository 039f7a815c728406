"""The second row: which kinds are shown, how the rows are shown, and the walk through them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import accumulate

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from opdiff.compare import Kind
from opdiff.report.verdict import may_change_values
from opdiff.ui.commands.actions import Actions, bind, plain
from opdiff.ui.commands.menus import ROW_SWITCHES
from opdiff.ui.frame.boxes import NONE, in_row
from opdiff.ui.look.language import Retranslating, kind_name
from opdiff.ui.look.plain_text import ElidedLabel
from opdiff.ui.look.theme import sign_of, styled
from opdiff.ui.store import Store

ONE_SIDED = (Kind.ONLY_LEFT, Kind.ONLY_RIGHT)
CHIPS = tuple(
    ONE_SIDED if kind in ONE_SIDED else (kind,) for kind in Kind if kind is not ONE_SIDED[1]
)
"""The kinds of each chip."""
# Users ask for these first: that there are none is news as well.
ALWAYS_SHOWN = (Kind.OP_TYPE, Kind.CONTIGUOUS, Kind.LAYOUT_MISSING, Kind.CPU_FALLBACK)


SPACING = 7
ROOM_FOR_ONE = 60


class KindFilter(Retranslating, QWidget):
    """One chip a kind that occurs: sign, word and count. Checked kinds are shown.

    Where the line is too short those of which there are none are left out first; then those that
    cannot change values, and then the last ones, are in a menu at the end.
    """

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.setObjectName("kindFilter")
        self._store = store
        self._line = in_row(self, margins=NONE, spacing=SPACING)
        self._line.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._chips: dict[tuple[Kind, ...], QPushButton] = {}
        for kinds in CHIPS:
            chip = _chip(f"kind-{kinds[0]}")
            chip.setProperty("kind", str(kinds[0]))
            chip.setCheckable(True)
            chip.setChecked(True)
            chip.clicked.connect(lambda on, kinds=kinds: self._toggle(kinds, on))
            chip.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            chip.customContextMenuRequested.connect(
                lambda at, kinds=kinds: self._open_menu(kinds, at)
            )
            self._line.addWidget(chip)
            self._chips[kinds] = chip
        self._rest = _chip("kindRest")
        self._rest_menu = QMenu(self)
        self._rest.setMenu(self._rest_menu)
        self._line.addWidget(self._rest)
        self._line.addStretch(1)
        store.visibleChanged.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        """As high as a chip also where there is none: nothing below moves when one comes."""
        return QSize(2 * ROOM_FOR_ONE, self._rest.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Narrow: the chips see to themselves, but how many are left out can be read."""
        room = max(ROOM_FOR_ONE, self._rest.sizeHint().width())
        return QSize(room, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the room there is."""
        super().resizeEvent(event)
        self._fit()

    def _toggle(self, kinds: tuple[Kind, ...], shown: bool) -> None:
        work = self._store.work
        hidden = work.hidden_kinds - set(kinds) if shown else work.hidden_kinds | set(kinds)
        self._store.setWork(replace(work, hidden_kinds=frozenset(hidden)), self.tr("filter"))

    def _show_only(self, kinds: tuple[Kind, ...]) -> None:
        work = replace(self._store.work, hidden_kinds=frozenset(set(Kind) - set(kinds)))
        self._store.setWork(work, self.tr("filter"))

    def _open_menu(self, kinds: tuple[Kind, ...], at: QPoint) -> None:
        menu = QMenu(self)
        menu.addAction(self.tr("Show only these"), lambda: self._show_only(kinds))
        menu.addAction(self.tr("Show all kinds"), lambda: self._show_only(tuple(Kind)))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._chips[kinds].mapToGlobal(at))

    def _refresh(self, *_: object) -> None:
        comparison = self._store.comparison
        counts = self._store.kind_counts()
        hidden = self._store.work.hidden_kinds
        groups = () if comparison is None else comparison.groups
        suspect = {group.kind for group in groups if may_change_values(group)}
        for kinds, chip in self._chips.items():
            count = sum(counts.get(kind, 0) for kind in kinds)
            word = self._word(kinds)
            found = any(kind in counts for kind in kinds)
            wanted = found or kinds[0] in ALWAYS_SHOWN
            chip.setProperty("wanted", comparison is not None and wanted)
            chip.setProperty("count", count)
            chip.setEnabled(found)
            chip.setProperty("rank", 0 if suspect & set(kinds) else 1 if found else 2)
            chip.setChecked(kinds[0] not in hidden)
            tip = self.tr("Show or hide: {kind} ({count} found). Right click: show only these")
            chip.setToolTip(tip.format(kind=word, count=f"{count:,}"))
            chip.setAccessibleName(f"{word} {count}")
        self._rest.setToolTip(self.tr("Further kinds"))
        self._rest.setAccessibleName(self.tr("Further kinds"))
        self.setAccessibleName(self.tr("Kinds of differences"))
        self._fit()

    retranslate = _refresh

    def _word(self, kinds: tuple[Kind, ...]) -> str:
        return kind_name(kinds[0]) if len(kinds) == 1 else self.tr("only one side")

    def _label(self, kinds: tuple[Kind, ...]) -> str:
        count = self._chips[kinds].property("count")
        return f"{sign_of(kinds[0])}  {self._word(kinds)}  {count:,}"

    def _fit(self) -> None:
        """Show what finds room: first what may change values, last what does not occur."""
        wanted = [kinds for kinds, chip in self._chips.items() if chip.property("wanted")]
        wanted.sort(key=lambda kinds: int(self._chips[kinds].property("rank")))
        for kinds in wanted:
            self._chips[kinds].setText(self._label(kinds))
        width = {kinds: self._chips[kinds].sizeHint().width() + SPACING for kinds in wanted}
        occurring = [kinds for kinds in wanted if self._chips[kinds].isEnabled()]
        room = self.width() + SPACING
        if sum(width[kinds] for kinds in occurring) > room:
            self._rest.setText(f"+ {len(occurring)}")
            room -= self._rest.sizeHint().width() + SPACING
        ends = accumulate(width[kinds] for kinds in wanted)
        shown = {kinds for kinds, end in zip(wanted, ends, strict=True) if end <= room}
        for kinds, chip in self._chips.items():
            chip.setVisible(kinds in shown)
        self._offer_rest([kinds for kinds in occurring if kinds not in shown])

    def _offer_rest(self, left_out: list[tuple[Kind, ...]]) -> None:
        self._rest.setText(f"+ {len(left_out)}")
        self._rest.setVisible(bool(left_out))
        self._rest_menu.clear()
        for kinds in left_out:
            action = self._rest_menu.addAction(self._label(kinds))
            action.setCheckable(True)
            action.setChecked(self._chips[kinds].isChecked())
            action.setEnabled(self._chips[kinds].isEnabled())
            action.triggered.connect(lambda on, kinds=kinds: self._toggle(kinds, on))


def _chip(name: str) -> QPushButton:
    return styled(QPushButton(), "chip", name=name)


_DIGIT = re.compile("[0-9]")


class _Position(ElidedLabel):
    """As wide as its *widest* words: nothing beside it moves in a walk. It may be narrower."""

    widest = ""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        """Room for the widest words, whichever digits stand in them."""
        letters = self.fontMetrics()
        digit = max("0123456789", key=letters.horizontalAdvance)
        width = letters.horizontalAdvance(_DIGIT.sub(digit, self.widest)) + 1
        return QSize(width, super().sizeHint().height())


class FilterBar(Retranslating, QWidget):
    """Chips, check boxes, and "‹ difference 3 of 610 · group 1 of 4 ›"."""

    def __init__(self, store: Store, actions: Actions) -> None:
        super().__init__()
        self._store = store
        styled(self, "panel", filled=True)
        self.kinds = KindFilter(store)
        self._boxes = [_check_box(actions[name], name) for name in ROW_SWITCHES]
        previous = bind(QToolButton(), actions["previousDifference"], "previousDifferenceButton")
        following = bind(QToolButton(), actions["nextDifference"], "nextDifferenceButton")
        back = bind(QToolButton(), actions["goBack"], "backButton")
        forward = bind(QToolButton(), actions["goForward"], "forwardButton")
        back.setText("←")
        forward.setText("→")
        previous.setText("‹")
        following.setText("›")
        self._place = styled(_Position(), "heading", name="differencePosition")
        row = in_row(self, (self.kinds, 1), margins=(14, 0, 8, 6), spacing=6)
        row.addSpacing(6)
        for box in self._boxes:
            row.addWidget(box)
            row.addSpacing(8)
        for button in (back, forward, previous):
            row.addWidget(button)
        row.addWidget(self._place)
        row.addWidget(following)
        for signal in (store.currentChanged, store.visibleChanged, store.orderChanged):
            signal.connect(self._say_place)
        self._say_place()

    def _say_place(self, *_: object) -> None:
        total = len(self._store.visible)
        if self._store.comparison is None:
            text = ""
        elif total == 0:
            text = self.tr("no differences")
        else:
            text = self._place_text(total)
        groups = len(self._store.outline.listed)
        self._place.widest = self._words(total, total, groups, groups) if total else ""
        self._place.setWholeText(text)

    retranslate = _say_place

    def _place_text(self, total: int) -> str:
        current, outline = self._store.current, self._store.outline
        position = self._store.position()
        group = None if current is None else outline.row_with(current)
        if position is None or group is None:
            return self.tr("{total} differences").format(total=f"{total:,}")
        return self._words(position + 1, total, group + 1, len(outline.listed))

    def _words(self, n: int, total: int, group: int, groups: int) -> str:
        return self.tr("difference {n} of {total} · group {group} of {groups}").format(
            n=f"{n:,}", total=f"{total:,}", group=f"{group:,}", groups=f"{groups:,}"
        )


def _check_box(action: QAction, name: str) -> QCheckBox:
    """A check box that is the same thing as a checkable action."""
    box = bind(styled(QCheckBox(), "dim"), action, f"{name}Box")

    def follow() -> None:
        box.setText(plain(action.text()).lower())
        box.setChecked(action.isChecked())

    action.changed.connect(follow)
    follow()
    return box
