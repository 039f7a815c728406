"""What each action of the table does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QObject, QPoint
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from opdiff.compare import Direction, Side
from opdiff.errors import OpdiffError
from opdiff.ui.about import AboutDialog
from opdiff.ui.details import open_in_editor
from opdiff.ui.finder import Finder
from opdiff.ui.help_sheets import CheatSheet, Legend
from opdiff.ui.menus.compare import ROW_MENU
from opdiff.ui.opening import Opening
from opdiff.ui.samples import Sample, sample_sources
from opdiff.ui.trouble_list import TroubleList
from opdiff.wording import Sentence

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow


class Commands(QObject):
    """Connects the actions, and the wishes of the parts, to what they do."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._desk = window.desk
        self._frame = window.frame
        handlers = {**self._work_handlers(), **self._going_handlers(), **self._view_handlers()}
        for name, handler in handlers.items():
            window.commands[name].triggered.connect(lambda _=False, do=handler: do())
        self._connect_switches()
        self._connect_parts()

    def _work_handlers(self) -> dict[str, Callable[[], object]]:
        window = self._window
        return {
            "openLeft": lambda: self._ask_for(Side.LEFT),
            "openRight": lambda: self._ask_for(Side.RIGHT),
            "quit": window.close,
            "copyRow": self._copy_row,
            "search": self._go_to_search,
            "searchNext": lambda: window.search.step(1),
            "searchPrevious": lambda: window.search.step(-1),
            "compareUp": lambda: window.compare(Direction.UP),
            "compareDown": lambda: window.compare(Direction.DOWN),
            "compareWhole": lambda: window.compare(Direction.WHOLE),
            "cancel": self._cancel,
            "findLeft": lambda: self._find(Side.LEFT),
            "findRight": lambda: self._find(Side.RIGHT),
        }

    def _going_handlers(self) -> dict[str, Callable[[], object]]:
        frame = self._frame
        return {
            "goLeftAnchor": lambda: self._go_to_anchor(Side.LEFT),
            "goRightAnchor": lambda: self._go_to_anchor(Side.RIGHT),
            "goLeftPane": frame.view.leftPane.setFocus,
            "goRightPane": frame.view.rightPane.setFocus,
            "goDifferences": frame.differences.list.setFocus,
            "goDetails": lambda: frame.below.enter(frame.details),
            "goDataflow": frame.dataflow.setFocus,
            "goStructure": lambda: self._go_to_structure(frame.structure.tree),
            "goSummary": lambda: self._go_to_structure(frame.structure.table),
        }

    def _view_handlers(self) -> dict[str, Callable[[], object]]:
        look = self._window.appearance
        return {
            "zoomIn": lambda: self._zoom(1),
            "zoomOut": lambda: self._zoom(-1),
            "zoomReset": lambda: self._zoom(0),
            "themeSystem": lambda: look.choose_theme("system"),
            "themeLight": lambda: look.choose_theme("light"),
            "themeDark": lambda: look.choose_theme("dark"),
            "languageEnglish": lambda: look.choose_language("en"),
            "languageChinese": lambda: look.choose_language("zh"),
            "keys": lambda: CheatSheet(self._window.commands.menus, self._window).show(),
            "legend": lambda: Legend(self._window).show(),
            "about": lambda: AboutDialog(self._window).show(),
        }

    def _connect_switches(self) -> None:
        commands, view = self._window.commands, self._frame.view
        commands["showStructure"].toggled.connect(self._show_structure)
        commands["foldEqual"].toggled.connect(view.setFolded)
        commands["hideNoise"].toggled.connect(view.setNoiseHidden)
        commands["alignRows"].toggled.connect(view.setAligned)
        commands["followScrolling"].toggled.connect(view.setFollowing)
        commands["hideKnown"].triggered.connect(self._hide_known)
        commands["ancestors"].triggered.connect(self._only_ancestors)
        self._desk.workChanged.connect(self._check_switches)

    def _connect_parts(self) -> None:
        frame, window = self._frame, self._window
        frame.view.anchorRequested.connect(lambda side, row: self._desk.setAnchor(Side(side), row))
        frame.view.contextMenuRequested.connect(self._open_row_menu)
        frame.view.filesDropped.connect(window.openDropped)
        frame.view.zoomed.connect(self._zoom)
        frame.view.openRequested.connect(lambda side: self._ask_for(Side(side)))
        frame.status.explanationWanted.connect(self._list_troubles)
        for part in (frame.details, frame.source, window.showing):
            part.openSource.connect(self._open_source)
        frame.welcome.sampleChosen.connect(self.open_sample)
        frame.structure.goTo.connect(frame.view.selectRow)
        frame.structures.found.connect(self._structure_found)
        window.shown.changed.connect(self._follow_in_structure)
        for side in Side:
            combo, edit = frame.top.combos[side], frame.top.anchors[side]
            combo.openRequested.connect(lambda side=side: self._ask_for(side))
            combo.pathChosen.connect(
                lambda path, side=side: window.open(Opening({side: Path(path)}))
            )
            edit.anchored.connect(lambda row, side=side: frame.view.selectRow(side, row))
            edit.findRequested.connect(lambda side=side: self._find(side))

    def _structure_found(self, side: int) -> None:
        outline = self._frame.structures.outline(Side(side))
        self._frame.view.setPartNames(side, None if outline is None else outline.names)

    def _show_structure(self, shown: bool) -> None:
        self._follow_in_structure()
        self._frame.structure.setVisible(shown)

    def _follow_in_structure(self) -> None:
        place = self._window.shown.place
        if place is not None:
            self._frame.structure.showRow(*place)

    def _go_to_structure(self, part: QWidget) -> None:
        self._window.commands["showStructure"].setChecked(True)
        part.setFocus()

    def _cancel(self) -> None:
        """Stop what runs; where nothing does, the pin that waits for its end."""
        if self._window.workshop.running:
            self._window.workshop.cancel()
        else:
            self._window.bench.pinning.give_up()

    def open_sample(self, sample: Sample) -> None:
        """Open a sample pair, anchored and compared."""
        sources = self._window.sources
        sources.setMap(sources.map.joined(sample_sources()))
        self._window.open(
            Opening(
                {Side.LEFT: sample.left, Side.RIGHT: sample.right},
                lines={Side.LEFT: sample.left_line, Side.RIGHT: sample.right_line},
                compare=Direction.UP,
            )
        )

    def _ask_for(self, side: Side) -> None:
        recent = self._window.settings.recent()
        title = self.tr("Open left trace") if side is Side.LEFT else self.tr("Open right trace")
        path, _ = QFileDialog.getOpenFileName(
            self._window,
            title,
            str(Path(recent[0]).parent) if recent else QDir.currentPath(),
            self.tr("Traces (*.ir *.gz *.txt *.json *.csv *.log *.py *.pbtxt);;All files (*)"),
        )
        if path:
            self._window.open(Opening({side: Path(path)}))

    def _copy_row(self) -> None:
        place = self._window.shown.place
        if place is not None:
            side, row = place
            pane = self._frame.view.pane(side)
            rows = pane.selectedRows() or [row]
            QGuiApplication.clipboard().setText("\n".join(pane.rowText(each) for each in rows))

    def _go_to_search(self) -> None:
        self._frame.top.search.setFocus()
        self._frame.top.search.selectAll()

    def _go_to_anchor(self, side: Side) -> None:
        self._frame.top.anchors[side].setFocus()
        self._frame.top.anchors[side].selectAll()

    def _list_troubles(self, side: int) -> None:
        trace = self._desk.trace(Side(side))
        if trace is not None:
            troubles = TroubleList(Side(side), trace, self._window)
            troubles.goTo.connect(self._frame.view.selectRow)
            troubles.close_with_trace(self._desk)
            troubles.show()

    def _find(self, side: Side) -> None:
        finder = Finder(self._desk, side, self._window)
        finder.anchored.connect(self._frame.view.selectRow)
        finder.compareWanted.connect(lambda: self._window.compare(Direction.UP))
        finder.show()

    def _open_source(self, file: str, line: int) -> None:
        path = self._window.sources.path_of(file)
        if not Path(path).is_file():
            self._window.showing.show(file, line)
        elif not open_in_editor(path, line):
            error = OpdiffError(Sentence.of("editor.none"), path=path, line=line)
            self._frame.banner.show_error(error)

    def _zoom(self, step: int) -> None:
        look = self._window.appearance
        look.choose_zoom(look.zoom + step if step else 0)
        self._frame.view.setZoom(look.zoom)
        self._frame.setScale(look.scale)

    def _hide_known(self, hidden: bool) -> None:
        work = replace(self._desk.work, known_hidden=hidden)
        self._desk.setWork(work, self.tr("known renames"))

    def _only_ancestors(self, only: bool) -> None:
        request = replace(self._desk.work.request, ancestors=only)
        self._desk.setWork(replace(self._desk.work, request=request), self.tr("ancestors only"))

    def _check_switches(self) -> None:
        work, commands = self._desk.work, self._window.commands
        commands["hideKnown"].setChecked(work.known_hidden)
        commands["ancestors"].setChecked(work.request.ancestors)

    def _open_row_menu(self, side: int, row: int, at: QPoint) -> None:
        commands = self._window.commands
        menu = QMenu(self._window)
        for name in ("anchorHere", "anchorPair", "anchorLastOfFunction"):
            menu.addAction(commands[name])
        self._window.anchoring.offer_calls(menu, Side(side), row)
        for name in ("", "copyRow", "copyCommand", "", "goToCause", *ROW_MENU):
            if name:
                menu.addAction(commands[name])
            else:
                menu.addSeparator()
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)
