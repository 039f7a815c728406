"""The window: it only puts the parts together and lets them hear of each other."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QSettings, Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QMainWindow

from opdiff.compare import Direction, Side
from opdiff.errors import OpdiffError
from opdiff.session import Work, is_session
from opdiff.session.steps import steps_of
from opdiff.ui.anchors.anchoring import Anchoring
from opdiff.ui.anchors.suggesting import Suggesting
from opdiff.ui.commands.actions import Actions
from opdiff.ui.commands.handlers import Handlers
from opdiff.ui.commands.menus import MENUS
from opdiff.ui.comparing import Comparing
from opdiff.ui.comparison_notes import tell_limits
from opdiff.ui.files.choices import SEVERAL_RANKS, FirstStep, offer_graphs, offer_ranks
from opdiff.ui.files.file_submenus import RecentMenus, SampleMenu
from opdiff.ui.files.opening import Loading, Opener, Opening, dropped
from opdiff.ui.files.trace_combo import short_paths
from opdiff.ui.frame.crash import CrashDialog
from opdiff.ui.frame.messages import Toast
from opdiff.ui.frame.window_frame import WindowFrame
from opdiff.ui.guide.hints import Hints
from opdiff.ui.look.appearance import Appearance
from opdiff.ui.main_thread import collect_in_turns, leave_out
from opdiff.ui.moving.jump_history import JumpHistory
from opdiff.ui.moving.search import SearchWalk
from opdiff.ui.moving.shown_row import ShownRow
from opdiff.ui.moving.walking import Walking
from opdiff.ui.msprobe_marks import MsprobeMarks
from opdiff.ui.ranks.view import RanksView
from opdiff.ui.remembered import Remembered
from opdiff.ui.settings import Settings
from opdiff.ui.sharing import Sharing
from opdiff.ui.source import SourceActions, Sources
from opdiff.ui.store import Store
from opdiff.ui.tasks import Tasks
from opdiff.ui.values import connect_curve
from opdiff.ui.work.judging import Judging
from opdiff.ui.work.noting import Noting
from opdiff.ui.work.pinning import Pinning
from opdiff.ui.work.reloading import Reloading
from opdiff.ui.work.sessions import Sessions
from opdiff.ui.work.undoing import Undoing


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
        self.store = Store(self)
        self.store.comparisonChanged.connect(leave_out)
        self.destroyed.connect(lambda: leave_out(None))
        self.tasks = Tasks(self)
        self.suggesting = Suggesting(self.store, self.tasks)
        self.opener = Opener(self.store, self.tasks)
        self.commands = Actions(MENUS, self)
        self.sources = Sources(self)
        self.frame = WindowFrame(self.store, self.commands, self.sources)
        followers = (self.frame.details, self.frame.dataflow, self.frame.source)
        self.shown = ShownRow(self.store, self.frame.view, followers)
        self.search = SearchWalk(self.store, self.frame.top.search, self.frame.view)
        self.jumps = JumpHistory(self.store, self.shown, self.frame.view)
        self.showing = SourceActions(
            self.store, self.shown, self.frame.below, self.frame.source, self.sources
        )
        self.loading = Loading(self.store, self.frame, self.opener, self.tasks)
        self.menus = self.commands.fill(self.menuBar())
        self.toast = Toast(self.frame, above=self.frame.status, back=self.frame.view)
        self.walking = Walking(self.store, self.shown, self.commands, self.toast)
        self.anchoring = Anchoring(self.store, self.shown, self.frame.view, self.toast)
        self.handlers = Handlers(self)
        self.undoing = Undoing(self)
        self.pinning = Pinning(self)
        self.judging = Judging(self)
        self.noting = Noting(self)
        self.reloading = Reloading(self)
        self.msprobe = MsprobeMarks(self)
        self.opener.opened.connect(lambda: tell_limits(self.store, self.frame.notice))
        self.firstStep = FirstStep(self)
        self.sessions = Sessions(self)
        self.comparing = Comparing(
            self.store, self.tasks, self.frame, self.shown, self.suggesting, self.toast
        )
        self.comparing.ready.connect(self.comparisonReady)
        self.sharing = Sharing(self)
        self.samples = SampleMenu(
            self.menus["help"], self.commands["about"], self.handlers.open_sample
        )
        self.hints = Hints(self.store, self.frame.hint, self.settings, self.suggesting)
        self.comparisonReady.connect(self.hints.arrive)
        self.ranksView = RanksView(self)
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
        for signal in (self.sessions.renamed, self.loading.told):
            signal.connect(self._retitle)
        self.remembered.restore()
        self.commands.refresh()
        self._retitle()

    def openTraces(self, left: str | Path, right: str | Path) -> None:
        """Read two traces; ``tracesLoaded`` tells when they are there."""
        self.open(Opening({Side.LEFT: Path(left), Side.RIGHT: Path(right)}))

    def open(self, opening: Opening) -> None:
        """Read what is to be opened; what was open stays until the new is there."""
        self.frame.banner.put_away()
        self.firstStep.forget()
        steps = steps_of([str(path) for _, path in sorted(opening.paths.items())])
        if steps is not None:
            self.firstStep.look(opening, steps)
        elif self.ranksView.takes(opening):
            self.ranksView.open(opening)
        else:
            self.opener.open(opening)

    def openSession(self, path: str | Path) -> None:
        """Open a kept session; raises OpdiffError where it cannot be read."""
        self.sessions.open(Path(path))

    def compare(self, direction: Direction) -> None:
        """Compare from the anchors as they are now; ``comparisonReady`` tells when it is shown."""
        self.comparing.compare(direction)

    def showError(self, error: OpdiffError) -> None:
        """Tell of something that cannot be done as asked."""
        self.frame.banner.show_error(error)

    def showCrash(self, text: str) -> None:
        """Tell of something no code foresaw; the first is enough where one leads to the next."""
        if not any(dialog.isVisible() for dialog in self.findChildren(CrashDialog)):
            CrashDialog(text, self).show()
        self.crashed.emit(text)

    def _connect_work(self) -> None:
        tasks, opener, frame = self.tasks, self.opener, self.frame
        tasks.started.connect(lambda: frame.setRunning(True))
        tasks.ended.connect(lambda: frame.setRunning(False))
        for signal in (tasks.started, tasks.ended):
            signal.connect(self.commands.refresh)
        tasks.reported.connect(frame.setProgress)
        tasks.linked.connect(frame.view.addLinks)
        for crashing in (tasks.crashed, self.suggesting.crashed):
            crashing.connect(self.showCrash)
        for failing in (tasks.failed, opener.failed):
            failing.connect(self._fail)
        opener.opened.connect(self._opened)
        opener.halfOpened.connect(self.failed)
        opener.settled.connect(lambda: self.anchoring.show(opener.latest))
        for asking in (opener, self.anchoring):
            asking.compareWanted.connect(self.compare)

    def showEvent(self, event: QShowEvent) -> None:
        """From now on there is a window of the system, which hears of every button of a mouse."""
        super().showEvent(event)
        handle = self.windowHandle()
        if handle is not None:
            handle.installEventFilter(self.jumps)

    def _connect_desk(self) -> None:
        store = self.store
        store.workChanged.connect(self._work_changed)
        for signal in (store.traceChanged, store.visibleChanged, store.currentChanged):
            signal.connect(self.commands.refresh)
        self.suggesting.offered.connect(
            lambda side, candidate: self.frame.top.anchors[Side(side)].offer(candidate)
        )
        for signal in (self.shown.changed, self.search.found, self.jumps.changed):
            signal.connect(self.commands.refresh)
        self.frame.differences.wanted.connect(self.shown.goTo)
        connect_curve(self.frame.curve, self.frame.view, store)
        self.appearance.zoomed.connect(self.frame.resize_text)
        frame = self.frame
        for again in (frame.top.dress, frame.details.refresh, frame.source.dress):
            self.appearance.dressed.connect(again)  # the new style has reset their fonts

    def _opened(self) -> None:
        latest = self.opener.latest
        # A bad file is still named, to be mended.
        asked = {} if latest is None else {s: str(path) for s, path in latest.paths.items()}
        self.frame.top.namePaths({**asked, **self.store.paths()})
        for path in self.store.paths().values():
            self.settings.add_recent(path)
        self.remembered.offer_recent()
        self._retitle()
        if latest is not None:
            offer_graphs(self, latest)
        if self.store.both() is not None:
            self.frame.view.leftPane.setFocus()
            self.tracesLoaded.emit()

    def _fail(self, error: OpdiffError) -> None:
        opening = self.opener.opening
        if opening is not None and error.sentence.code == SEVERAL_RANKS:
            offer_ranks(self, opening, error)
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
        self.commands.refresh()

    def _retitle(self) -> None:
        both, session, coming = self.store.both(), self.sessions, self.loading.title()
        # Qt shows the star where the mark stands, and only while something is not saved.
        if coming:
            self.setWindowTitle(f"{coming}[*] — opdiff")
        elif both is None:
            self.setWindowTitle("opdiff[*]")
        else:
            names = " ↔ ".join(short_paths(*(trace.source.path for trace in both)))
            title = f"{names}[*]" if session.path is None else f"{session.path.stem}[*] — {names}"
            self.setWindowTitle(f"{title} — opdiff")
        self.setWindowModified(session.unsaved)

    def changeEvent(self, event: QEvent) -> None:
        """Speak the window's language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.commands.retranslate()
            self.undoing.name_steps()
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
            self.sessions.try_open(Path(paths[0]))
        elif paths:
            self.open(dropped(paths, self.store, side))

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop what is under way and remember how the window was; offer to save the work."""
        if not self.sessions.may_close():
            event.ignore()
            return
        self.tasks.wait()
        self.frame.structures.wait()
        self.suggesting.wait()
        self.remembered.save()
        super().closeEvent(event)
