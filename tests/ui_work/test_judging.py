from __future__ import annotations

from bench_driving import Bench
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from opdiff.compare import Equivalent, Ignore, Kind, Side, State
from opdiff.report import ReportOptions, render
from opdiff.session.work import notes_by_index
from opdiff.ui.differences.cards import card_of
from opdiff.ui.work.noting import NoteDialog


def test_one_op_is_ignored(compared: Bench) -> None:
    before = compared.kinds()[Kind.CONTIGUOUS]
    row = compared.select(Side.RIGHT, 607)
    compared.do_and_compare("ignoreOp")
    assert compared.kinds()[Kind.CONTIGUOUS] == before - 1
    assert compared.comparison.right.state[row] == State.SWALLOWED


def test_a_type_is_ignored_everywhere_by_a_rule(compared: Bench) -> None:
    compared.select(Side.RIGHT, 607)
    compared.do_and_compare("ignoreType")
    assert Kind.CONTIGUOUS not in compared.kinds()
    work = compared.window.store.work
    assert work.request.rules.ignore == (Ignore("Contiguous"),)
    assert work.rules_text == "ignore:\n  - Contiguous\n"


def test_a_scope_is_ignored_by_a_rule(compared: Bench) -> None:
    row = compared.select(Side.RIGHT, 616)
    scope = compared.trace(Side.RIGHT).scope_name(row)
    assert scope
    compared.do_and_compare("ignoreScope")
    [rule] = compared.window.store.work.request.rules.ignore
    assert rule == Ignore(scope=f"{scope}*")


def test_eager_ops_have_no_scope_to_ignore(compared: Bench) -> None:
    compared.select(Side.LEFT, 520)
    assert not compared.window.commands["ignoreScope"].isEnabled()


def test_equivalent_here_settles_one_place(compared: Bench) -> None:
    before = compared.kinds()[Kind.OP_TYPE]
    compared.go_to(Kind.OP_TYPE)
    compared.do_and_compare("equivalentHere")
    assert compared.kinds()[Kind.OP_TYPE] == before - 1
    assert len(compared.window.store.work.request.equivalent_here) == 1


def test_equivalent_everywhere_settles_every_layer_with_one_click(compared: Bench) -> None:
    slices = [g for g in compared.comparison.groups if str(g.title) == "Slice → StridedSlice"]
    [group] = slices
    assert group.count == 16
    compared.window.store.setCurrent(group.members[0])
    compared.do_and_compare("equivalentRule")
    assert compared.window.store.work.request.rules.equivalent == (
        Equivalent(("Slice",), ("StridedSlice",)),
    )
    titles = [str(group.title) for group in compared.comparison.groups]
    assert "Slice → StridedSlice" not in titles


def test_what_rules_swallowed_is_shown_again_on_demand(compared: Bench) -> None:
    row = compared.select(Side.RIGHT, 607)
    compared.do_and_compare("ignoreType")
    pane = compared.window.frame.view.rightPane
    assert not pane.column.shows(row)
    compared.do("showSwallowed")
    assert pane.column.shows(row)
    compared.do("showSwallowed")
    assert not pane.column.shows(row)
    swallowed = compared.comparison.swallowed
    assert any(row in entry.right_rows for entry in swallowed)


def test_a_known_group_is_greyed_and_brought_back(compared: Bench) -> None:
    compared.go_to(Kind.CONTIGUOUS)
    group = compared.window.judging.group()
    assert group is not None
    model = compared.window.frame.differences.model
    compared.do("knownGroup")
    assert card_of(model.group_index(group.id)).greyed is True
    assert compared.window.commands["knownGroup"].isChecked()
    compared.do("hideKnown")
    assert not model.group_index(group.id).isValid()
    compared.do("hideKnown")
    compared.go_to(Kind.CONTIGUOUS)
    compared.do("knownGroup")
    assert card_of(model.group_index(group.id)).greyed is False


def test_a_known_kind_greys_all_its_groups(compared: Bench) -> None:
    compared.go_to(Kind.LAYOUT_MISSING)
    compared.do("knownKind")
    model, work = compared.window.frame.differences.model, compared.window.store.work
    for group in compared.comparison.groups:
        model.set_effects_shown(model.group_index(group.id), True)
        greyed = card_of(model.group_index(group.id)).greyed
        assert greyed == (group.kind is Kind.LAYOUT_MISSING)
    assert work.known_kinds == {Kind.LAYOUT_MISSING}


def write_note(bench: Bench, action: str, text: str) -> None:
    bench.do(action)
    bench.child(QPlainTextEdit, "noteEdit").setPlainText(text)
    bench.child(NoteDialog, "noteDialog").accept()


def test_notes_are_shown_in_the_list_and_in_reports(compared: Bench) -> None:
    index = compared.go_to(Kind.CONTIGUOUS)
    write_note(compared, "noteDifference", "this very one")
    write_note(compared, "noteGroup", "harmless, same aclnn kernel")
    model = compared.window.frame.differences.model
    tip = Qt.ItemDataRole.ToolTipRole
    member = model.member_index(index)
    assert "✎ this very one" in member.data(tip)
    assert "✎ harmless, same aclnn kernel" in member.parent().data(tip)
    details = compared.child(QWidget, "detailView")
    shown = "\n".join(label.text() for label in details.findChildren(QLabel))
    assert "this very one" in shown
    assert "harmless, same aclnn kernel" in shown
    notes, group_notes = notes_by_index(compared.window.store.work, compared.comparison)
    text = render(compared.comparison, "text", ReportOptions(notes=notes, group_notes=group_notes))
    assert "note: this very one" in text
    assert "note: harmless, same aclnn kernel" in text


def test_an_emptied_note_is_gone(compared: Bench) -> None:
    compared.go_to(Kind.CONTIGUOUS)
    write_note(compared, "noteGroup", "x")
    write_note(compared, "noteGroup", "  ")
    assert compared.window.store.work.notes == ()


def test_the_anchor_that_differs_itself_can_be_judged_at_once(compared: Bench) -> None:
    window, store = compared.window, compared.window.store
    for side, line in ((Side.LEFT, 547), (Side.RIGHT, 643)):
        store.setAnchor(side, compared.trace(side).row_at(line))
    compared.do_and_compare("compareUp")
    assert store.current is None, "the walk begins at the first"
    assert window.frame.view.leftPane.currentLine() == 547
    for name in ("noteDifference", "noteGroup", "copyDifference", "knownGroup", "knownKind"):
        assert window.commands[name].isEnabled(), name
    compared.do("noteDifference")
    compared.child(QPlainTextEdit, "noteEdit").setPlainText("a view")
    compared.child(NoteDialog, "noteDialog").accept()
    [found] = notes_by_index(store.work, compared.comparison)[0]
    noted = compared.comparison.divergences[found]
    assert noted.left_rows == (compared.trace(Side.LEFT).row_at(547),)
    compared.do("copyDifference")
    assert "a view" in QGuiApplication.clipboard().text()
    compared.do("knownGroup")
    assert len(store.work.known_groups) == 1
    assert window.commands["knownGroup"].isChecked()
