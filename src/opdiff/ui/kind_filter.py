"""The chips that show and hide kinds of differences."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy, QWidget

from opdiff.compare import Kind
from opdiff.ui.desk import Desk
from opdiff.ui.flow import FlowLayout
from opdiff.ui.kind_names import kind_name
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


class KindFilter(QWidget):
    """One chip a kind that occurs: sign, word and count. Checked kinds are shown."""

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.setObjectName("kindFilter")
        self._desk = desk
        self._roomy = True
        flow = FlowLayout(self, spacing=7)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._chips: dict[tuple[Kind, ...], QPushButton] = {}
        for kinds in CHIPS:
            chip = QPushButton()
            chip.setObjectName(f"kind-{kinds[0]}")
            chip.setProperty("chip", True)
            chip.setProperty("kind", str(kinds[0]))
            chip.setCheckable(True)
            chip.setChecked(True)
            chip.clicked.connect(lambda on, kinds=kinds: self._toggle(kinds, on))
            chip.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            chip.customContextMenuRequested.connect(
                lambda at, kinds=kinds: self._open_menu(kinds, at)
            )
            flow.addWidget(chip)
            self._chips[kinds] = chip
        desk.comparisonChanged.connect(self._refresh)
        desk.workChanged.connect(self._refresh)
        self._refresh()

    def changeEvent(self, event: QEvent) -> None:
        """Speak the window's language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._refresh()
        super().changeEvent(event)

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
        counts = comparison.by_kind if comparison is not None else {}
        hidden = self._desk.work.hidden_kinds
        # Where many kinds occur, those that do not would take the room.
        roomy = self._roomy and len(counts) <= MOST_WITH_EMPTY_ONES
        for kinds, chip in self._chips.items():
            count = sum(counts.get(kind, 0) for kind in kinds)
            word = kind_name(kinds[0]) if len(kinds) == 1 else self.tr("only one side")
            chip.setText(f"{sign_of(kinds[0])}  {word}  {count:,}")
            shown = count > 0 or (roomy and kinds[0] in ALWAYS_SHOWN)
            chip.setVisible(comparison is not None and shown)
            chip.setEnabled(count > 0)
            chip.setChecked(kinds[0] not in hidden)
            tip = self.tr("Show or hide: {kind} ({count} found)").format(kind=word, count=count)
            chip.setToolTip(tip)
            chip.setAccessibleName(f"{word} {count}")
        self.updateGeometry()
