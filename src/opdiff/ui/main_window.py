"""The window: it only puts the parts together and lets them hear of each other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QSettings, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow

from opdiff.compare import Comparison, Direction, Side
from opdiff.errors import OpdiffError
from opdiff.session import Work, is_session
from opdiff.ui import theme
from opdiff.ui.actions import Actions
from opdiff.ui.anchoring import Anchoring
from opdiff.ui.appearance import Appearance
from opdiff.ui.collecting import collect_in_turns
from opdiff.ui.crash import CrashDialog
from opdiff.ui.desk import Desk
from opdiff.ui.file_submenus import RecentMenus, SampleMenu
from opdiff.ui.frame import Frame
from opdiff.ui.graph_choice import GraphChoice
from opdiff.ui.handlers import Handlers
from opdiff.ui.hints import Hints
from opdiff.ui.jump_history import JumpHistory
from opdiff.ui.loading import Loading
from opdiff.ui.menus import MENUS
from opdiff.ui.opening import Opener, Opening, dropped
from opdiff.ui.panels import Panels
from opdiff.ui.rank_choice import SEVERAL_RANKS, RankChoice, steps_to_choose
from opdiff.ui.ranks.view import RanksView
from opdiff.ui.remembered import Remembered
from opdiff.ui.searching import SearchWalk
from opdiff.ui.settings import Settings
from opdiff.ui.sharing import Sharing
from opdiff.ui.shown_row import ShownRow
from opdiff.ui.source import SourceActions, Sources
from opdiff.ui.suggesting import Suggesting
from opdiff.ui.toast import Toast
from opdiff.ui.trace_combo import short_path
from opdiff.ui.turns import next_turn
from opdiff.ui.values.connecting import connect_curve
from opdiff.ui.walking import Walking
from opdiff.ui.work import Workbench
from opdiff.ui.workers import Workshop


class MainWindow(QMainWindow):
    """Two traces side by side.

    Signals: ``tracesLoaded()`` when traces have been read and two are open,
    ``comparisonReady(comparison)``, ``failed(OpdiffError)`` when something could not be opened or
    compared, ``crashed(traceback)`` when a piece of work met what no code foresaw.
    """

    tracesLoaded = Signal()
    comparisonReady = Signal(object)
    failed = Signal(object)
    crashed = Signal(str)

    def __init__(self, settings: QSettings | None = None) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        collect_in_turns()
        self.settings = Settings(settings)
        self.appearance = Appearance(self.settings, self)
        self.desk = Desk(self)
        self.workshop = Workshop(self)
        self._before: tuple[Comparison | None, int | None] | None = None
        self._announced: Comparison | None = None
        self._stay = False
        self.suggesting = Suggesting(self.desk, self.workshop)
        self.opener = Opener(self.desk, self.workshop)
        self.commands = Actions(MENUS, self)
        self.sources = Sources(self)
        self.frame = Frame(self.desk, self.commands, self.sources)
        followers = (self.frame.details, self.frame.dataflow, self.frame.source)
        self.shown = ShownRow(self.desk, self.frame.view, followers)
        self.search = SearchWalk(self.desk, self.frame.top.search, self.frame.view)
        self.jumps = JumpHistory(self.desk, self.shown, self.frame.view)
        self.showing = SourceActions(
            self.desk, self.shown, self.frame.below, self.frame.source, self.sources
        )
        self.panels = Panels(self.frame, self.commands)
        self.loading = Loading(self.desk, self.frame, self.opener, self.workshop)
        self.menus = self.commands.fill(self.menuBar())
        self.toast = Toast(self.frame, self.frame.view)
        self.walking = Walking(self.desk, self.shown, self.commands, self.toast)
        self.anchoring = Anchoring(self.desk, self.shown, self.frame.view, self.toast)
        self.handlers = Handlers(self)
        self.bench = Workbench(self)
        self.sharing = Sharing(self)
        self.samples = SampleMenu(
            self.menus["help"], self.commands["about"], self.handlers.open_sample
        )
        self.hints = Hints(self.desk, self.frame.hint, self.settings, self.suggesting)
        self.comparisonReady.connect(self.hints.arrive)
        self.ranks = RankChoice(self)
        self.ranksView = RanksView(self)
        self.graphs = GraphChoice(self)
        self.recent = RecentMenus(self)
        self.remembered = Remembered(self)
        self.setCentralWidget(self.frame)
        # Not in the first field, where the keys that walk would be typed.
        self.frame.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.frame.setFocus()
        self.frame.setAccessibleName("opdiff")
        self.setAcceptDrops(True)
        self._connect_work()
        self._connect_desk()
        self.bench.sessions.renamed.connect(self._retitle)
        self.remembered.restore()
        self.refreshActions()
        self._retitle()

    def openTraces(self, left: str | Path, right: str | Path) -> None:
        """Read two traces; ``tracesLoaded`` tells when they are there."""
        self.open(Opening({Side.LEFT: Path(left), Side.RIGHT: Path(right)}))

    def open(self, opening: Opening) -> None:
        """Read what is to be opened; what was open stays until the new is there."""
        self.frame.banner.clear()
        steps = steps_to_choose(opening)
        if steps is not None:
            self.failed.emit(self.ranks.offer_steps(opening, steps))
        elif self.ranksView.takes(opening):
            self.ranksView.open(opening)
        else:
            self.opener.open(opening)

    def openSession(self, path: str | Path) -> None:
        """Open a kept session; raises OpdiffError where it cannot be read."""
        self.bench.sessions.open(Path(path))

    def compare(self, direction: Direction, *, stay: bool = False) -> None:
        """Compare from the anchors as they are now, typed but not yet entered ones included.

        The panes then stand at the anchors, but *stay* where they are for a new answer to the
        same question.
        """
        both = self.desk.both()
        if both is None or self.workshop.running or not self._anchored(direction):
            return
        # Compare is disabled while it runs; the focus it loses must not land in a text field, where
        # the keys that walk the differences would be typed.
        self.frame.view.leftPane.setFocus()
        before = (self.desk.comparison, self.desk.current)
        request = replace(self.desk.work.request, direction=direction)
        self.desk.setWork(replace(self.desk.work, request=request), self.tr("direction"))
        self.frame.banner.clear()
        known = self.bench.undoing.answers.to(request)
        if known is not None:
            self.showComparison(known, stay=stay)
            return
        self._stay = stay
        self._before = before
        self.desk.setComparison(None)
        self.workshop.compare(*both, request, self.frame.view.prepare)

    def showComparison(self, comparison: Comparison, *, stay: bool = False) -> None:
        """Show the outcome of a comparison: the panes at the anchors, the list at its first."""
        self._before = None
        if (comparison.left.trace, comparison.right.trace) != self.desk.both():
            return  # another trace was opened in the meantime
        self._announced = comparison
        self.desk.setComparison(comparison)
        # In two steps, so that the window can breathe between them.
        next_turn(self, lambda: self._stand(comparison, stay=stay))

    def _stand(self, comparison: Comparison, *, stay: bool) -> None:
        if self._announced is not comparison or self.desk.comparison is not comparison:
            return
        self._announced = None
        if not stay and self.desk.current is None:
            self._begin(comparison)
        self.comparisonReady.emit(comparison)

    def _begin(self, comparison: Comparison) -> None:
        """Stand where values show the cause, else at the anchors, or at what differs near them."""
        view, lead = self.frame.view, self.desk.lead()
        anchored = view.standAtAnchors()
        first = self.desk.neighbour(1)
        if lead is not None:
            self.desk.setCurrent(lead)
        elif first is not None and (not anchored or view.isInView(first)):
            self.desk.setCurrent(first)
        elif comparison.left.anchor is not None:
            # The anchor may differ itself: the walk begins at the first all the same.
            self.shown.standAt(Side.LEFT, comparison.left.anchor)

    def showError(self, error: OpdiffError) -> None:
        """Tell of something that cannot be done as asked."""
        self.frame.banner.show_error(error)

    def showCrash(self, text: str) -> None:
        """Tell of something no code foresaw."""
        if not any(dialog.isVisible() for dialog in self.findChildren(CrashDialog)):
            CrashDialog(text, self).show()
        self.crashed.emit(text)

    def _anchored(self, direction: Direction) -> bool:
        """Whether the fields hold what a comparison needs; they say so themselves if not."""
        for edit in self.frame.top.anchors.values():
            if not edit.commit():
                edit.setFocus()
                return False
        if direction is Direction.WHOLE and not any(
            self.desk.work.anchor(side) is not None for side in Side
        ):
            return True  # with one anchor the other is wanted here too
        for side, edit in self.frame.top.anchors.items():
            if self.desk.work.anchor(side) is None and not edit.takes_offer():
                self._ask_for_anchor(side, direction)
                return False
        return True

    def _ask_for_anchor(self, side: Side, direction: Direction) -> None:
        """Wait for the counterpart that is being looked for; else the user has to say."""
        other = self.desk.work.anchor(side.other)
        if other is not None and self.suggesting.searching:
            self.toast.tell(self.tr("Looking for the counterpart of the anchor…"))
            self.suggesting.when_found(lambda: self.compare(direction))
        else:
            self.frame.top.anchors[side].ask_for_one()

    def _connect_work(self) -> None:
        workshop, opener, frame = self.workshop, self.opener, self.frame
        workshop.started.connect(lambda: frame.setRunning(True))
        workshop.ended.connect(lambda: frame.setRunning(False))
        for signal in (workshop.started, workshop.ended):
            signal.connect(self.refreshActions)
        workshop.reported.connect(frame.setProgress)
        workshop.linked.connect(frame.view.addLinks)
        workshop.compared.connect(lambda found: self.showComparison(found, stay=self._stay))
        for fruitless in (workshop.cancelled, workshop.failed, workshop.crashed):
            fruitless.connect(self._take_back)
        for crashing in (workshop.crashed, self.suggesting.crashed):
            crashing.connect(self.showCrash)
        for failing in (workshop.failed, opener.failed):
            failing.connect(self._fail)
        opener.opened.connect(self._opened)
        opener.halfOpened.connect(self.failed)
        for asking in (opener, self.anchoring):
            asking.compareWanted.connect(self.compare)

    def showEvent(self, event: QShowEvent) -> None:
        """From now on there is a window of the system, which hears of every button of a mouse."""
        super().showEvent(event)
        handle = self.windowHandle()
        if handle is not None:
            handle.installEventFilter(self.jumps)

    def _connect_desk(self) -> None:
        desk = self.desk
        desk.workChanged.connect(self._work_changed)
        for signal in (desk.traceChanged, desk.visibleChanged, desk.currentChanged):
            signal.connect(self.refreshActions)
        self.suggesting.offered.connect(
            lambda side, candidate: self.frame.top.anchors[Side(side)].offer(candidate)
        )
        for signal in (self.shown.changed, self.search.found, self.jumps.changed):
            signal.connect(self.refreshActions)
        self.frame.differences.wantedAgain.connect(self.frame.view.showDivergence)
        self.appearance.themeChanged.connect(self._wear)
        connect_curve(self.frame.curve, self.frame.view, desk)
        for part in (self.frame.top, self.frame.details):  # the new style has reset their fonts
            self.appearance.zoomChanged.connect(
                lambda _, part=part: part.setScale(self.appearance.scale)
            )

    def _opened(self) -> None:
        for side in Side:
            trace = self.desk.trace(side)
            if trace is not None:
                self.frame.top.combos[side].setPath(trace.source.path)
                self.settings.add_recent(trace.source.path)
        self.remembered.offer_recent()
        self._retitle()
        if self.opener.latest is not None:
            self.graphs.offer(self.opener.latest)
        if self.desk.both() is not None:
            self.frame.view.leftPane.setFocus()
            self.tracesLoaded.emit()

    def _take_back(self) -> None:
        """A comparison that came to nothing leaves what was there before it."""
        if self._before is None:
            return
        comparison, current = self._before
        self._before = None
        self.frame.view.setComparison(None)
        self.desk.setComparison(comparison)
        self.desk.setCurrent(current)

    def _fail(self, error: OpdiffError) -> None:
        opening = self.opener.opening
        if opening is not None and error.sentence.code == SEVERAL_RANKS:
            self.ranks.offer(opening, error)
        else:
            self.showError(error)
        self.failed.emit(error)

    def _work_changed(self, before: Work, after: Work) -> None:
        was, request = before.request, after.request
        # Laying out a large trace again takes a moment: only where something is marked otherwise.
        anchors = (request.left_anchor, request.right_anchor)
        if anchors != (was.left_anchor, was.right_anchor):
            self.frame.view.setAnchors(*anchors)
        if request.pins != was.pins:
            self.frame.view.setPins(request.pins)
        self.refreshActions()

    def refreshActions(self) -> None:
        """Enable what is possible now."""
        self.commands.refresh()

    def _wear(self, worn: theme.Theme) -> None:
        self.frame.view.setTheme(worn)
        self.frame.details.setTheme(worn)
        self.frame.dataflow.setTheme(worn)
        self.frame.curve.setTheme(worn)
        self.frame.source.setTheme(worn)

    def _retitle(self) -> None:
        both, session = self.desk.both(), self.bench.sessions
        # Qt shows the star where the mark stands, and only while something is not saved.
        if both is None:
            self.setWindowTitle("opdiff[*]")
        else:
            names = " ↔ ".join(short_path(trace.source.path) for trace in both)
            title = f"{names}[*]" if session.path is None else f"{session.path.stem}[*] — {names}"
            self.setWindowTitle(f"{title} — opdiff")
        self.setWindowModified(session.unsaved)

    def changeEvent(self, event: QEvent) -> None:
        """Speak the window's language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.commands.retranslate()
            self.bench.retranslate()
            self.recent.retranslate()
            self.samples.retranslate()
            self.remembered.offer_recent()
        super().changeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files and folders."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        event.acceptProposedAction()
        urls = event.mimeData().urls()
        self.openDropped([url.toLocalFile() for url in urls if url.isLocalFile()])

    def openDropped(self, paths: list[str], side: Side | None = None) -> None:
        """Open files or folders: two are left and right, one goes to *side* or fills the gap."""
        if len(paths) == 1 and is_session(paths[0]):
            self.bench.sessions.try_open(Path(paths[0]))
        elif paths:
            self.open(dropped(paths, self.desk, side))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop what is under way and remember how the window was; offer to save the work."""
        if not self.bench.may_close():
            event.ignore()
            return
        self.workshop.wait()
        self.frame.structures.wait()
        self.suggesting.wait()
        self.remembered.save()
        super().closeEvent(event)
