"""The last row: what is open and found, how far long work is, and a few switches."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from opdiff.compare import Comparison, Side
from opdiff.ui.commands.actions import Actions, bind
from opdiff.ui.frame.boxes import in_row
from opdiff.ui.look import theme
from opdiff.ui.look.language import Retranslating
from opdiff.ui.look.plain_text import PlainLabel
from opdiff.ui.store import Store
from opdiff.ui.translations import language

_MARKUP = re.compile("<[^>]*>")
SHOW_IGNORED = "ignored"
"""Where the link to the ignored ops leads."""


class StatusBar(Retranslating, QWidget):
    """Facts at the left, progress in the middle, keys, language and theme at the right.

    Signal: ``explanationWanted(side)`` when "why?" or the problems of a trace are asked about.
    """

    explanationWanted = Signal(int)

    says_again_on = (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange)

    def __init__(self, store: Store, actions: Actions) -> None:
        super().__init__()
        self._store = store
        self._actions = actions
        theme.styled(self, "panel", name="statusBar", filled=True)
        self._facts = theme.styled(QLabel(), name="statusFacts")
        self._facts.setTextFormat(Qt.TextFormat.RichText)
        self._facts.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self._facts.linkActivated.connect(self._follow)
        self._stage = theme.styled(PlainLabel(), name="progressStage")
        self.progress = theme.styled(QProgressBar(), name="progressBar")
        self.progress.setRange(0, 1000)
        self.progress.setFixedWidth(180)
        self.cancel = bind(QPushButton(), actions["cancel"], "cancelButton")
        self._keys = theme.styled(QToolButton(), "flat", "dim", name="keysButton")
        self._keys.clicked.connect(actions["keys"].trigger)
        self._language = self._menu_button("languageButton", "languageEnglish", "languageChinese")
        self._theme = self._menu_button("themeButton", "themeSystem", "themeLight", "themeDark")
        self._lay_out()
        self.setRunning(False)
        for signal in (store.traceChanged, store.comparisonChanged, store.visibleChanged):
            signal.connect(self.refresh)
        actions["showSwallowed"].toggled.connect(self.refresh)
        self.refresh()

    def setRunning(self, running: bool) -> None:
        """Show or hide progress and Cancel."""
        for widget in (self._stage, self.progress, self.cancel):
            widget.setVisible(running)
        # What was said of the last piece of work is not said of this one.
        self._stage.setText("")
        self.progress.setValue(0)

    def setProgress(self, stage: str, permille: int) -> None:
        """Say how far long work is."""
        self._stage.setText(f"{self._stages().get(stage, stage)} {permille // 10} %")
        # Qt would paint whatever waits to be painted, there and then, with every step.
        self.progress.setUpdatesEnabled(False)
        self.progress.setValue(permille)
        self.progress.setUpdatesEnabled(True)

    @property
    def how_far(self) -> str:
        """What is said of long work."""
        return self._stage.text()

    def _stages(self) -> dict[str, str]:
        return {
            "reading": self.tr("reading"),
            "aligning": self.tr("aligning"),
            "classifying": self.tr("classifying"),
            "values": self.tr("values"),
        }

    def refresh(self, *_: object) -> None:
        """Say everything again."""
        self._keys.setText(self.tr("F1 keys"))
        self.cancel.setText(self.tr("Cancel"))
        self.progress.setAccessibleName(self.tr("Progress"))
        self._language.setText(("中文" if language() == "zh" else "English") + " ▾")
        self._language.setAccessibleName(self.tr("Language"))
        dark = theme.current().dark
        self._theme.setText((self.tr("dark") if dark else self.tr("light")) + " ▾")
        self._theme.setAccessibleName(self.tr("Theme"))
        # Room for the longest stage: a word that comes later is not cut until the next layout.
        letters, stages = self._stage.fontMetrics(), self._stages().values()
        widest = max(letters.horizontalAdvance(f"{stage} 100 %") for stage in stages)
        self._stage.setMinimumWidth(widest)
        self._show_facts()

    retranslate = refresh

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the room there is."""
        super().resizeEvent(event)
        self._show_facts()

    def _show_facts(self) -> None:
        """As many facts as fit; where some do not, a sign says so and the tooltip has them all."""
        facts, gap = self._say_facts(), "&nbsp;&nbsp;·&nbsp;&nbsp;"
        self._row.activate()
        shown = len(facts)
        while shown > 1 and self._wide(facts, shown) > self._facts.width():
            shown -= 1
        cut = shown < len(facts)
        text = gap.join([*facts[:shown], "…"] if cut else facts)
        if text != self._facts.text():
            self._facts.setText(text)
        self._facts.setToolTip(gap.join(facts) if cut else "")

    def _wide(self, facts: list[str], shown: int) -> int:
        """How much room some of the facts take."""
        more = ["…"] if shown < len(facts) else []
        words = "  ·  ".join([*facts[:shown], *more])
        return self._facts.fontMetrics().horizontalAdvance(_MARKUP.sub("", words)) + 2

    def _lay_out(self) -> None:
        row = self._row = in_row(self, margins=(14, 3, 8, 3), spacing=8)
        for label in (self._facts, self._stage):
            label.setProperty("dim", True)
        # Long facts are cut, they must not keep the window from being made narrow.
        self._facts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row.addWidget(self._facts, 1)
        for widget in (self._stage, self.progress, self.cancel):
            row.addWidget(widget)
        for button in (self._keys, self._language, self._theme):
            row.addWidget(button)

    def _menu_button(self, name: str, *actions: str) -> QToolButton:
        button = theme.styled(QToolButton(), "flat", "dim", name=name)
        menu = QMenu(button)
        menu.addActions([self._actions[action] for action in actions])
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        return button

    def _say_facts(self) -> list[str]:
        facts: list[str] = []
        traces = [self._store.trace(side) for side in Side]
        counts = [f"{len(trace):,}" if trace is not None else "—" for trace in traces]
        if any(trace is not None for trace in traces):
            facts.append(self.tr("{left} ↔ {right} ops").format(left=counts[0], right=counts[1]))
        facts += self._say_found()
        for side in Side:
            facts += self._say_troubles(side)
        return facts

    def _say_found(self) -> list[str]:
        comparison = self._store.comparison
        if comparison is None:
            return []
        pairs = self.tr("{n} pairs").format(n=f"{comparison.matched:,}")
        return [pairs, self._say_differences(comparison), *self._say_ignored(comparison)]

    def _say_ignored(self, comparison: Comparison) -> list[str]:
        """How many ops are no difference because the user said so, and the way to see them."""
        ignored = [entry for entry in comparison.swallowed if entry.rule == "ignore"]
        count = sum(len(entry.left_rows) + len(entry.right_rows) for entry in ignored)
        if not count:
            return []
        shown = self._actions["showSwallowed"].isChecked()
        link = self._link(SHOW_IGNORED, self.tr("hide") if shown else self.tr("show"))
        said = self.tr("{n} ignored").format(n=f"{count:,}")
        return [f"{said} ({link})"]

    def _follow(self, address: str) -> None:
        if address == SHOW_IGNORED:
            self._actions["showSwallowed"].trigger()
        else:
            self.explanationWanted.emit(int(address))

    def _say_differences(self, comparison: Comparison) -> str:
        count, groups = len(comparison.divergences), len(comparison.groups)
        outline = self._store.outline
        if not count:
            return self.tr("no differences")
        shown = len(self._store.visible)
        return self.tr("{differences} in {groups}, {roots}").format(
            differences=self._of(shown, count, self.tr("1 difference"), self.tr("{n} differences")),
            groups=self._of(len(outline.listed), groups, self.tr("1 group"), self.tr("{n} groups")),
            roots=self._of(
                outline.roots, outline.all_roots, self.tr("1 root"), self.tr("{n} roots")
            ),
        )

    def _of(self, shown: int, total: int, one: str, many: str) -> str:
        """How many there are; where filters hide some, how many of them are shown."""
        if shown < total:
            some = self.tr("{n} of {total}").format(n=f"{shown:,}", total=f"{total:,}")
            return many.format(n=some)
        return one if total == 1 else many.format(n=f"{total:,}")

    def _say_troubles(self, side: Side) -> list[str]:
        trace = self._store.trace(side)
        if trace is None:
            return []
        repaired, problems = len(trace.repaired), len(trace.problems)
        one, many = self.tr("1 operand repaired"), self.tr("{n} operands repaired")
        mended = self._of(repaired, repaired, one, many)
        odd = self._of(problems, problems, self.tr("1 problem"), self.tr("{n} problems"))
        if side is Side.LEFT:
            where = (self.tr("{what} on the left"), self.tr("{what} in the left file"))
        else:
            where = (self.tr("{what} on the right"), self.tr("{what} in the right file"))
        why, which = (self._link(str(int(side)), q) for q in (self.tr("why?"), self.tr("which?")))
        said = [f"{where[0].format(what=mended)} ({why})"] if repaired else []
        return said + ([f"{where[1].format(what=odd)} ({which})"] if problems else [])

    def _link(self, address: str, text: str) -> str:
        colour = theme.current().accent.name()
        return f'<a href="{address}" style="color:{colour};text-decoration:none">{text}</a>'
