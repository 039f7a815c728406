from __future__ import annotations

from bench_driving import Bench
from PySide6.QtWidgets import QPushButton, QTreeWidget

from opdiff.compare import Kind, Side
from opdiff.ui.work.decisions_dialog import MarksDialog


def pin(bench: Bench, left: int, right: int) -> tuple[int, int]:
    left_row = bench.select(Side.LEFT, left)
    bench.do("pinAdd")
    right_row = bench.select(Side.RIGHT, right)
    bench.do_and_compare("pinMatch")
    return left_row, right_row


def test_a_pin_is_made_in_two_steps_and_obeyed(compared: Bench) -> None:
    made = pin(compared, 520, 613)
    assert compared.window.store.work.request.pins == (made,)
    assert int(compared.comparison.left.partner[made[0]]) == made[1]
    assert compared.comparison.request.pins == (made,)


def test_the_first_step_says_what_comes_next_and_offers_the_counterpart(compared: Bench) -> None:
    compared.select(Side.LEFT, 520)
    compared.do("pinAdd")
    notice = compared.window.frame.notice
    assert notice.topic == "pin"
    assert "Slice (left line 520)" in notice.text
    compared.do_and_compare("pinMatch")
    [made] = compared.window.store.work.request.pins
    assert compared.trace(Side.RIGHT).line_of(made[1]) == 616
    assert notice.topic == ""


def test_crossing_is_refused_with_the_reason(compared: Bench) -> None:
    pin(compared, 520, 616)
    compared.select(Side.LEFT, 517)
    compared.do("pinAdd")
    compared.select(Side.RIGHT, 625)
    compared.do("pinMatch")
    assert "the pin 517:625 crosses 520:616" in compared.window.frame.banner.text
    assert len(compared.window.store.work.request.pins) == 1


def test_a_pin_is_moved_and_removed(compared: Bench) -> None:
    left_row, _ = pin(compared, 520, 616)
    compared.select(Side.RIGHT, 616)
    compared.do("pinMove")
    moved_to = compared.select(Side.RIGHT, 613)
    compared.do_and_compare("pinMatch")
    assert compared.window.store.work.request.pins == ((left_row, moved_to),)
    compared.select(Side.LEFT, 520)
    compared.do_and_compare("pinRemove")
    assert compared.window.store.work.request.pins == ()
    assert not compared.window.commands["pinRemove"].isEnabled()


def test_an_op_without_counterpart_is_a_difference_of_its_own(compared: Bench) -> None:
    row = compared.select(Side.LEFT, 520)
    compared.do_and_compare("pinAlone")
    records = compared.comparison.left.records_at(row)
    assert [compared.comparison.divergences[i].kind for i in records] == [Kind.ONLY_LEFT]
    compared.select(Side.LEFT, 520)
    compared.do_and_compare("pinAlone")
    assert compared.window.store.work.request.alone_left == frozenset()


def test_marks_are_listed_shown_and_removed(compared: Bench) -> None:
    pin(compared, 520, 616)
    compared.select(Side.RIGHT, 607)
    compared.do_and_compare("ignoreOp")
    compared.do("marks")
    dialog = compared.child(MarksDialog, "marksDialog")
    listing = compared.child(QTreeWidget, "marksList")
    sections = [listing.topLevelItem(i) for i in range(listing.topLevelItemCount())]
    assert [(s.text(0), s.childCount()) for s in sections] == [("Pins", 1), ("Ignored", 1)]
    assert sections[0].child(0).text(1) == "520 Slice"
    assert sections[0].child(0).text(2) == "616 StridedSlice"
    listing.setCurrentItem(sections[0].child(0))
    compared.child(QPushButton, "showMarkButton").click()
    assert compared.window.frame.view.leftPane.currentLine() == 520
    with compared.qtbot.waitSignal(compared.window.comparisonReady, timeout=20_000):
        compared.child(QPushButton, "removeMarkButton").click()
    assert compared.window.store.work.request.pins == ()
    assert listing.topLevelItemCount() == 1
    dialog.close()
