"""The chips that show and hide kinds of differences: one line, whatever occurs."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QMenu, QPushButton, QSizePolicy, QWidget

from opdiff.compare import Kind
from opdiff.ui.desk import Desk
from opdiff.ui.language import kind_name
from opdiff.ui.theme import sign_of

CHIPS: tuple[tuple[Kind, ...], ...] = (
    (Kind.OP_TYPE,),
    (Kind.CONTIGUOUS,),
    (Kind.LAYOUT_MISSING,),
    (Kind.LAYOUT,),
    (Kind.CPU_FALLBACK,),
    (Kind.DTYPE,),
    (Kind.SHAPE,),
    (Kind.OPERANDS,),
    (Kind.ATTRS,),
    (Kind.DATAFLOW,),
    (Kind.MOVED,),
    (Kind.FUSED,),
    (Kind.ONLY_LEFT, Kind.ONLY_RIGHT),
    (Kind.VALUE,),
)
MOST_WITH_EMPTY_ONES = 5
# Users ask for these first: that there are none is news as well.
ALWAYS_SHOWN = (Kind.OP_TYPE, Kind.CONTIGUOUS, Kind.LAYOUT_MISSING, Kind.CPU_FALLBACK)


SPACING = 7
ROOM_FOR_ONE = 60


class KindFilter(QWidget):
    """One chip a kind that occurs: sign, word and count. Checked kinds are shown.

    Where the line is too short those of which there are none lose their words, which tooltips
    still say, then the last ones; what finds no room at all is in a menu at the end.
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setObjectName("kindFilter")
        self._desk = desk
        self._roomy = True
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(SPACING)
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
        desk.visibleChanged.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        """As high as a chip also where there is none: nothing below moves when one comes."""
        return QSize(2 * ROOM_FOR_ONE, self._rest.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Narrow: the chips see to themselves."""
        return QSize(ROOM_FOR_ONE, self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Speak the window's language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._refresh()
        super().changeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the room there is."""
        super().resizeEvent(event)
        self._fit()

    def setRoomy(self, roomy: bool) -> None:
        """Whether there is room for kinds that do not occur."""
        if roomy != self._roomy:
            self._roomy = roomy
            self._refresh()

    def _toggle(self, kinds: tuple[Kind, ...], shown: bool) -> None:
        work = self._desk.work
        hidden = work.hidden_kinds - set(kinds) if shown else work.hidden_kinds | set(kinds)
        self._desk.setWork(replace(work, hidden_kinds=frozenset(hidden)), self.tr("filter"))

    def _show_only(self, kinds: tuple[Kind, ...]) -> None:
        work = replace(self._desk.work, hidden_kinds=frozenset(set(Kind) - set(kinds)))
        self._desk.setWork(work, self.tr("filter"))

    def _open_menu(self, kinds: tuple[Kind, ...], at: QPoint) -> None:
        menu = QMenu(self)
        menu.addAction(self.tr("Show only these"), lambda: self._show_only(kinds))
        menu.addAction(self.tr("Show all kinds"), lambda: self._show_only(tuple(Kind)))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._chips[kinds].mapToGlobal(at))

    def _refresh(self, *_: object) -> None:
        comparison = self._desk.comparison
        counts = self._desk.kind_counts()
        hidden = self._desk.work.hidden_kinds
        # Where many kinds occur, those that do not would take the room.
        roomy = self._roomy and len(counts) <= MOST_WITH_EMPTY_ONES
        for kinds, chip in self._chips.items():
            count = sum(counts.get(kind, 0) for kind in kinds)
            word = self._word(kinds)
            found = any(kind in counts for kind in kinds)
            wanted = found or (roomy and kinds[0] in ALWAYS_SHOWN)
            chip.setProperty("wanted", comparison is not None and wanted)
            chip.setProperty("count", count)
            chip.setEnabled(found)
            chip.setChecked(kinds[0] not in hidden)
            tip = self.tr("Show or hide: {kind} ({count} found). Right click: show only these")
            chip.setToolTip(tip.format(kind=word, count=f"{count:,}"))
            chip.setAccessibleName(f"{word} {count}")
        self._rest.setToolTip(self.tr("Further kinds"))
        self._rest.setAccessibleName(self.tr("Further kinds"))
        self.setAccessibleName(self.tr("Kinds of differences"))
        self._fit()

    def _word(self, kinds: tuple[Kind, ...]) -> str:
        return kind_name(kinds[0]) if len(kinds) == 1 else self.tr("only one side")

    def _label(self, kinds: tuple[Kind, ...], *, words: bool) -> str:
        word = [self._word(kinds)] if words else []
        return "  ".join([sign_of(kinds[0]), *word, f"{self._chips[kinds].property('count'):,}"])

    def _fit(self) -> None:
        """Give each chip its words as long as there is room, from the left on."""
        wanted = [kinds for kinds, chip in self._chips.items() if chip.property("wanted")]
        widths = {kinds: self._widths(kinds) for kinds in wanted}
        worded = self._worded(widths)
        room = self.width() + SPACING
        short = sum(brief + SPACING for _, brief in widths.values())
        if room < short:
            room -= self._rest.sizeHint().width() + SPACING
        left_out = []
        for kinds, chip in self._chips.items():
            shown = kinds in widths
            if shown:
                full, brief = widths[kinds]
                words = kinds in worded
                room -= (full if words else brief) + SPACING
                shown = room >= 0
                chip.setText(self._label(kinds, words=words))
                left_out += [] if shown else [kinds]
            chip.setVisible(shown)
        self._offer_rest(left_out)

    def _worded(self, widths: dict[tuple[Kind, ...], tuple[int, int]]) -> set[tuple[Kind, ...]]:
        """The chips whose words find room: what occurs goes before what does not."""
        spare = self.width() + SPACING - sum(brief + SPACING for _, brief in widths.values())
        worded = set()
        for kinds in sorted(widths, key=lambda kinds: not self._chips[kinds].isEnabled()):
            full, brief = widths[kinds]
            spare -= full - brief
            if spare < 0:
                break
            worded.add(kinds)
        return worded

    def _widths(self, kinds: tuple[Kind, ...]) -> tuple[int, int]:
        """How wide a chip is with and without its words."""
        chip = self._chips[kinds]
        found = []
        for words in (True, False):
            chip.setText(self._label(kinds, words=words))
            found.append(chip.sizeHint().width())
        return found[0], found[1]

    def _offer_rest(self, left_out: list[tuple[Kind, ...]]) -> None:
        self._rest.setText(f"+ {len(left_out)}")
        self._rest.setVisible(bool(left_out))
        self._rest_menu.clear()
        for kinds in left_out:
            action = self._rest_menu.addAction(self._label(kinds, words=True))
            action.setCheckable(True)
            action.setChecked(self._chips[kinds].isChecked())
            action.setEnabled(self._chips[kinds].isEnabled())
            action.triggered.connect(lambda on, kinds=kinds: self._toggle(kinds, on))


def _chip(name: str) -> QPushButton:
    chip = QPushButton()
    chip.setObjectName(name)
    chip.setProperty("chip", True)
    return chip
