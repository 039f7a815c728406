"""Ignore, equivalent and known: what the user says of the selected ops and differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from opdiff.compare import Equivalent, Group, Ignore, Side
from opdiff.errors import OpdiffError
from opdiff.session import Work, group_key
from opdiff.session.edits import call_equivalent, set_group_known, set_ignored, set_kind_known
from opdiff.session.rules_text import RuleEntry, add_rule
from opdiff.ui.frame.messages import Offer

if TYPE_CHECKING:
    from opdiff.ui.main_window import MainWindow


class Judging(QObject):
    """Turns a selection into a decision."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._store = window.store
        for signal in (self._store.workChanged, self._store.currentChanged, window.shown.changed):
            signal.connect(self._check_known)
        self._told: tuple[Work, str] | None = None
        """What was decided last, and what the toast said of it."""
        self._store.workChanged.connect(self._withdraw_offer)

    def selected(self, side: Side) -> list[int]:
        """The rows selected on a side; else those of the current difference."""
        rows = self._window.frame.view.pane(side).selectedRows()
        found = self._store.current_divergence
        if not rows and found is not None:
            rows = list(found.rows(side))
        return rows

    def has_selected(self, side: Side) -> bool:
        """Whether :meth:`selected` would find any row, told without listing a million."""
        found = self._store.current_divergence
        row = self._window.frame.view.pane(side).currentRow()
        return row is not None or (found is not None and bool(found.rows(side)))

    def scope(self) -> str:
        """The scope of the selected op, or an empty text."""
        place = self._window.shown.meant()
        trace = self._store.trace(place[0]) if place is not None else None
        return "" if place is None or trace is None else trace.scope_name(place[1])

    def group(self) -> Group | None:
        """The group of the difference that is looked at."""
        found, comparison = self._window.shown.divergence(), self._store.comparison
        return None if found is None or comparison is None else comparison.groups[found.group]

    def ignore_ops(self) -> None:
        """The selected ops are no difference; with a difference selected, those of both sides."""
        place = self._window.shown.meant()
        if place is None:
            return
        work = self._store.work
        found = self._store.current_divergence
        in_difference = found is not None and place[1] in found.rows(place[0])
        for side in Side if in_difference else (place[0],):
            rows = self.selected(side)
            if rows:
                work = set_ignored(work, side, rows, ignored=True)
        count = len(_ignored(work)) - len(_ignored(self._store.work))
        self._store.setWork(work, self.tr("ignore ops"))
        self._offer_undo(self.tr("Ops ignored: {n}").format(n=count))

    def ignore_type(self) -> None:
        """Ops of this type are no difference anywhere."""
        place = self._window.shown.meant()
        trace = self._store.trace(place[0]) if place is not None else None
        if place is not None and trace is not None:
            op = _literal(trace.type_name(place[1]))
            if self._add_rule("ignore", Ignore(op=op), self.tr("ignore {op}").format(op=op)):
                self._offer_undo(self.tr("Ignored everywhere: {what}").format(what=op))

    def ignore_scope(self) -> None:
        """Ops of this scope are no difference."""
        scope = self.scope()
        if scope:
            rule = Ignore(scope=_literal(scope) + "*")
            if self._add_rule("ignore", rule, self.tr("ignore scope")):
                self._offer_undo(self.tr("Ignored everywhere: {what}").format(what=scope))

    def equivalent_here(self) -> None:
        """What is selected on both sides does the same work, here only."""
        try:
            work = call_equivalent(
                self._store.work, self.selected(Side.LEFT), self.selected(Side.RIGHT)
            )
        except OpdiffError as error:
            self._window.showError(error)
            return
        self._store.setWork(work, self.tr("equivalent here"))

    def equivalent_everywhere(self) -> None:
        """Such sequences do the same work wherever they occur."""
        both = self._store.both()
        if both is None:
            return
        types = [
            tuple(trace.type_name(row) for row in self.selected(side))
            for side, trace in zip(Side, both, strict=True)
        ]
        if not all(types):
            self.equivalent_here()  # says what is missing
            return
        left, right = (tuple(map(_literal, names)) for names in types)
        self._add_rule("equivalent", Equivalent(left, right), self.tr("equivalent everywhere"))

    def toggle_group(self) -> None:
        """Grey the current group out, or bring it back."""
        group = self.group()
        if group is not None:
            known = group_key(group) not in self._store.work.known_groups
            work = set_group_known(self._store.work, group, known=known)
            self._store.setWork(work, self.tr("known group"))

    def toggle_kind(self) -> None:
        """Grey a kind out, or bring it back."""
        group = self.group()
        if group is not None:
            known = group.kind not in self._store.work.known_kinds
            work = set_kind_known(self._store.work, group.kind, known=known)
            self._store.setWork(work, self.tr("known kind"))

    def _check_known(self) -> None:
        group, work, commands = self.group(), self._store.work, self._window.commands
        known = group is not None and group_key(group) in work.known_groups
        commands["knownGroup"].setChecked(known)
        commands["knownKind"].setChecked(group is not None and group.kind in work.known_kinds)

    def _offer_undo(self, text: str) -> None:
        """Say what was decided, with a button that takes it back while it is the last word."""
        decided, store = self._store.work, self._store

        def take_back() -> None:
            if store.work == decided:
                self._window.undoing.undo()

        self._window.toast.tell(text, [Offer("Undo", self.tr("Undo"), take_back)])
        self._told = decided, text

    def _withdraw_offer(self) -> None:
        """Something else was decided, or this undone: there is nothing to take back any more."""
        if self._told is not None and self._told[0] != self._store.work:
            self._window.toast.end(self._told[1])
            self._told = None

    def _add_rule(self, section: str, entry: RuleEntry, label: str) -> bool:
        work = self._store.work
        try:
            text = add_rule(work.rules_text, section, entry)
            changed: Work = work.with_rules(text, work.rules_path)
        except OpdiffError as error:
            self._window.showError(error)
            return False
        self._store.setWork(changed, label)
        return True


def _ignored(work: Work) -> set[tuple[Side, int]]:
    """The very ops that are ignored."""
    request = work.request
    both = (request.ignored_left, request.ignored_right)
    return {(side, row) for side, rows in zip(Side, both, strict=True) for row in rows}


def _literal(name: str) -> str:
    """A glob that matches this very name."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)
