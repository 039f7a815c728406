"""Where everything stands in the window."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from opdiff.compare import Side
from opdiff.ui.commands.actions import Actions
from opdiff.ui.comparison_notes import ComparisonNotes
from opdiff.ui.details import DataflowView, DetailView
from opdiff.ui.differences.panel import DifferencePanel
from opdiff.ui.frame.boxes import NONE, divided, in_column
from opdiff.ui.frame.filter_bar import FilterBar
from opdiff.ui.frame.messages import Banner, Notice, NoticeLine
from opdiff.ui.frame.pages import Pages
from opdiff.ui.frame.status_bar import StatusBar
from opdiff.ui.frame.top_bar import TopBar
from opdiff.ui.guide.welcome import Welcome
from opdiff.ui.main_thread import next_turn
from opdiff.ui.panes import ComparisonView
from opdiff.ui.source import Sources, SourceView
from opdiff.ui.store import Store
from opdiff.ui.structure.panel import LEAST_WIDTH, WIDTH, StructurePanel
from opdiff.ui.structure.structures import Structures
from opdiff.ui.values import ErrorCurve

SIDE_WIDTH = 362
LEAST_SIDE_WIDTH = 304
_CROWDED_SIDE_WIDTH = 220
"""With the structure beside the panes, where types of ops would be cut else."""
WIDEST_SIDE_WIDTH = 520
SIDE_SHARE = 0.2
"""Of a window that is wide enough for more than the list needs."""
MOST_SIDE_SHARE = 0.28
STRUCTURE_SHARE = 0.21
"""Of a window too narrow for what the structure wants: the op types need the room more."""
DETAIL_HEIGHT = 232
BARS_HEIGHT = 120
"""What the bars above and below take of the window's height, roughly."""
DETAIL_SHARE = 0.28
"""Of the window, where that is more: a high one shows more of the details and the source."""
MOST_DETAIL_SHARE = 0.3
LEAST_ROWS = 8
"""Of the panes: in a low window the details leave them so many, as far as they can be made low."""
_SIDEWAYS = Qt.Orientation.Horizontal


PANELS = ("showDifferences", "showDetails", "showDataflow")
"""The switches, each of one panel; shown at first."""
_STRUCTURE = "showStructure"
"""The panel beside the panes, hidden at first: it sees to itself."""


class WindowFrame(QWidget):
    """Two bars, the panes beside the list, the details beside the dataflow, the status."""

    def __init__(self, store: Store, actions: Actions, sources: Sources) -> None:
        super().__init__()
        self._store, self._actions = store, actions
        self.top = TopBar(store, actions)
        self.differences = DifferencePanel(store)
        self.filters = FilterBar(store, actions)
        self.banner = Banner()
        self.notice = Notice()
        self.notes = ComparisonNotes(store, actions["takeHint"])
        self.view = ComparisonView()
        self.curve = ErrorCurve()
        self.details = DetailView()
        self.source = SourceView(sources)
        translate = QCoreApplication.translate
        self.below = Pages(
            (
                (self.details, lambda: translate("DetailView", "Details")),
                (self.source, lambda: translate("SourceView", "Source")),
            )
        )
        self.dataflow = DataflowView()
        self.status = StatusBar(store, actions)
        self.hint = Notice("hintNotice")
        self.welcome = Welcome(actions)
        self.structures = Structures(store)
        self.structure = StructurePanel(store, self.structures)
        self._upper = _splitter(_column(self.view, self.curve), self.differences)
        self._lower = _splitter(self.below, self.dataflow)
        sizes = [600, DETAIL_HEIGHT]
        self._body = divided(
            Qt.Orientation.Vertical, (self._upper, 1), (self._lower, 0), sizes=sizes
        )
        sizes = [WIDTH, 1440 - WIDTH]
        self._whole = divided(_SIDEWAYS, (self.structure, 0), (self._body, 1), sizes=sizes)
        self._pages = QStackedWidget()
        self._bars = QVBoxLayout()
        self._start = QScrollArea()
        self._loading = False
        self._dragged = False
        """Whether the user wants the list as wide as it is, however narrow the window is."""
        self.structure_width = 0
        """How wide the user wants the structure; 0 where he leaves that to us."""
        self.detail_height = DETAIL_HEIGHT
        """How high the details are to be where there is room."""
        self._least_rows = LEAST_ROWS
        """So many rows the details leave to the panes; fewer where the user wants it so."""
        self._panels: dict[str, QWidget] = {
            "showDifferences": self.differences,
            "showDetails": self.below,
            "showDataflow": self.dataflow,
        }
        self._put_away: Sequence[str] = PANELS
        self._lay_out()
        self.view.setFocusProxy(self.view.leftPane)
        for line in (self.banner, self.notice, self.notes, self.hint):
            line.left.connect(self.view.setFocus)
        store.traceChanged.connect(self._choose_page)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Who clicks beside everything goes on with the keys in the pane last used."""
        super().focusInEvent(event)
        pane = self.view.focusProxy()
        if pane is not None and pane.isVisible() and pane.isEnabled():
            pane.setFocus()

    def leave(self, part: QWidget) -> None:
        """Before a part is hidden: the focus it has goes to the pane last used, not to a field."""
        focus = part.window().focusWidget()
        if focus is not None and (focus is part or part.isAncestorOf(focus)):
            self.view.setFocus()

    def resize_text(self) -> None:
        """Measure anew what is painted by hand: all text has another size."""
        for part in (self.view, self.top, self.differences, self.source, self.curve):
            part.dress()
        for view in (self.details, self.dataflow):
            view.refresh()
        self._divide()

    def setRunning(self, running: bool) -> None:
        """Show that something is under way."""
        for part in (self.status, self.differences):
            part.setRunning(running)

    def setProgress(self, stage: str, permille: int) -> None:
        """Show how far it is."""
        self.status.setProgress(stage, permille)
        self.differences.setProgress(stage, self.status.how_far)

    def addPage(self, page: QWidget, bar: QWidget) -> None:
        """Let a page take the place of the traces, and a bar stand over them."""
        self._pages.addWidget(page)
        self._bars.addWidget(bar)

    def showPage(self, page: QWidget) -> None:
        """Show a page in the place of the traces, until other traces are opened."""
        self._pages.setCurrentWidget(page)

    def layout_state(self) -> tuple[QByteArray, QByteArray]:
        """How the user has divided the window."""
        return self._body.saveState(), self._upper.saveState()

    def restore_layout(self, body: QByteArray | None, upper: QByteArray | None) -> None:
        """Divide the window as it was."""
        if body is not None and upper is not None:
            self._body.restoreState(body)
            self._upper.restoreState(upper)
            self._lower.restoreState(upper)
            sizes = self._upper.sizes()
            # The structure may have stood beside it.
            self._dragged = sizes[1] > _side_width(sum(sizes) + WIDTH)
            self.detail_height = self._body.sizes()[1]

    def _lay_out(self) -> None:
        self._upper.splitterMoved.connect(lambda *_: self._drag(self._upper, self._lower))
        self._lower.splitterMoved.connect(lambda *_: self._drag(self._lower, self._upper))
        self._whole.splitterMoved.connect(self._widen_structure)
        self._body.splitterMoved.connect(self._drag_details)
        self._body.installEventFilter(self)
        self.structure.hide()
        # A low window must not be kept high by what is seen only while nothing is open.
        self._start.setFrameShape(QScrollArea.Shape.NoFrame)
        self._start.setWidgetResizable(True)
        self._start.setWidget(self.welcome)
        self._pages.addWidget(self._start)
        self._pages.addWidget(self._whole)
        in_column(
            self,
            self.top,
            self.filters,
            self.banner,
            NoticeLine(self.notice, self.hint, self.notes),
            self._bars,
            _rule(),
            (self._pages, 1),
            _rule(),
            self.status,
            margins=NONE,
            spacing=0,
        )

    def _drag(self, moved: QSplitter, other: QSplitter) -> None:
        self._dragged = True
        self._join(moved, other)

    def _join(self, moved: QSplitter, other: QSplitter) -> None:
        """Keep one edge from top to bottom between what is looked at and what is said of it."""
        if 0 not in moved.sizes() and 0 not in other.sizes():
            other.setSizes(moved.sizes())

    def _settle_soon(self) -> None:
        """What is not shown is not laid out: the halves meet once it is."""
        next_turn(self, self._settle)

    def _settle(self) -> None:
        self._join(self._upper, self._lower)
        self._leave_rows()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """However low the halves become together, also for a line of words above them."""
        if event.type() == QEvent.Type.Resize:
            self._settle_soon()
        return super().eventFilter(watched, event)

    def _drag_details(self) -> None:
        pane = self.view.leftPane
        self.detail_height = self._body.sizes()[1]
        self._least_rows = min(LEAST_ROWS, pane.viewport().height() // pane.row_height)

    def _leave_rows(self) -> None:
        """Make the details as high as they are to be, or lower where the panes need the room."""
        if self._lower.isHidden() or not self.view.isVisible():
            return
        pane, room = self.view.leftPane, sum(self._body.sizes())
        besides = self._upper.height() - pane.viewport().height()
        most = room - besides - self._least_rows * pane.row_height
        height = max(self._lower.minimumSizeHint().height(), min(self.detail_height, most))
        self._body.setSizes([room - height, height])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a narrow window the lower half may want more: in a wider one the edges meet again."""
        super().resizeEvent(event)
        self._divide()
        self._settle_soon()

    def _divide(self) -> None:
        """Let structure and list be as wide as they are to be, but not cost what ops are called.

        The structure is also while it is hidden.
        """
        whole = self.width()
        spare = whole - self.view.leastWidth()
        side = _side_width(whole)
        usual = min(WIDTH, round(whole * STRUCTURE_SHARE), max(LEAST_WIDTH, spare - side))
        beside = min(max(self.structure_width, 0), whole // 2) or usual
        self._whole.setSizes([beside, max(1, whole - beside)])
        if self._dragged or self.differences.isHidden():
            return
        if not self.structure.isHidden():
            whole -= beside
            side = min(side, max(_CROWDED_SIDE_WIDTH, spare - beside))
        for splitter in (self._upper, self._lower):
            splitter.setSizes([max(1, whole - side), side])

    def _widen_structure(self, width: int) -> None:
        self.structure_width = width

    def showEvent(self, event: QShowEvent) -> None:
        """Only now it is known how large the window is."""
        super().showEvent(event)
        if not event.spontaneous():
            self._divide()

    def show_structure(self, shown: bool) -> None:
        """Show the structure beside the panes, or hide it: what is beside it has other room."""
        if not shown:
            self.leave(self.structure)
        self.structure.setVisible(shown)
        self._divide()
        self._settle_soon()

    def apply_panels(self) -> None:
        """Hide and show panels as their switches say."""
        for name in PANELS:
            self.set_shown(name, self._actions[name].isChecked())

    def set_shown(self, name: str, shown: bool) -> None:
        """Hide or show the panel of a switch."""
        if not shown:
            self.leave(self._panels[name])
        self._panels[name].setVisible(shown)
        self._close_ranks()

    def enter(self, name: str, part: QWidget) -> None:
        """Move to a part of a panel, which is shown if it was hidden."""
        self._show_panel(name)
        part.setFocus()

    def enter_page(self, page: QWidget) -> None:
        """Move to the details or the source."""
        self._show_panel("showDetails")
        self.below.enter(page)

    def _show_panel(self, name: str) -> None:
        if not self._actions[name].isChecked():
            self._actions[name].trigger()

    def panes_only(self) -> None:
        """Leave the panes alone in the window; once more brings back what was there."""
        shown = [name for name in (*PANELS, _STRUCTURE) if self._actions[name].isChecked()]
        for name in shown or self._put_away:
            self._actions[name].trigger()
        self._put_away = shown or PANELS

    def reset(self) -> None:
        """Divide the window as at first, with all panels, and columns as wide as they want."""
        for name in PANELS:
            self._show_panel(name)
        self.reset_layout()
        self.view.resetColumns()

    def _close_ranks(self) -> None:
        """Leave no empty place where panels were hidden."""
        self._lower.setVisible(not (self.below.isHidden() and self.dataflow.isHidden()))
        if not self.differences.isHidden() and not self.dataflow.isHidden():
            self._join(self._upper, self._lower)
        self._settle_soon()

    def reset_layout(self) -> None:
        """Divide the window as at first: the list as wide as it wants, the details high enough."""
        self._dragged, self.structure_width, self._least_rows = False, 0, LEAST_ROWS
        height = max(DETAIL_HEIGHT, round(self.height() * DETAIL_SHARE))
        height = min(height, round(self.height() * MOST_DETAIL_SHARE))
        self.detail_height = height
        self._body.setSizes([max(1, self.height() - BARS_HEIGHT - height), height])
        self._divide()

    def setLoading(self, loading: bool) -> None:
        """Show the panes as soon as files are on their way."""
        self._loading = loading
        self._choose_page()

    def _choose_page(self) -> None:
        empty = not self._loading and all(self._store.trace(side) is None for side in Side)
        self._pages.setCurrentWidget(self._start if empty else self._whole)
        next_turn(self, self._divide)  # what is not shown has another width
        self._settle_soon()


def _side_width(width: int) -> int:
    """How wide the list is at first in a window: the panes beside it have the better part."""
    wanted = min(WIDEST_SIDE_WIDTH, max(SIDE_WIDTH, round(width * SIDE_SHARE)))
    return min(wanted, max(LEAST_SIDE_WIDTH, round(width * MOST_SIDE_SHARE)))


def _column(tall: QWidget, low: QWidget) -> QWidget:
    """One above the other."""
    holder = QWidget()
    in_column(holder, (tall, 5), (low, 1), margins=NONE, spacing=0)
    return holder


def _splitter(wide: QWidget, narrow: QWidget) -> QSplitter:
    narrow.setMinimumWidth(_CROWDED_SIDE_WIDTH)
    return divided(_SIDEWAYS, (wide, 1), (narrow, 0), sizes=[1440 - SIDE_WIDTH, SIDE_WIDTH])


def _rule() -> QFrame:
    rule = QFrame()
    rule.setFrameShape(QFrame.Shape.HLine)
    rule.setFrameShadow(QFrame.Shadow.Plain)
    rule.setFixedHeight(1)
    return rule
