from __future__ import annotations

import pytest
from bench_driving import Bench

from opdiff.compare import Kind, Side
from opdiff.ui.tasks import Tasks


@pytest.fixture
def never_compares(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails a test in which anything is compared."""

    def compare(*_: object) -> None:
        pytest.fail("compared again")

    monkeypatch.setattr(Tasks, "compare", compare)


def test_undo_and_redo_bring_back_the_very_comparison(
    compared: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = compared.comparison
    compared.select(Side.RIGHT, 607)
    second = compared.do_and_compare("ignoreType")

    def fail(*_: object) -> None:
        pytest.fail("compared again")

    monkeypatch.setattr(Tasks, "compare", fail)
    compared.do("undo")
    assert compared.window.store.comparison is first
    assert compared.window.store.work.rules_text == ""
    compared.do("redo")
    assert compared.window.store.comparison is second


def test_steps_share_the_traces_and_what_did_not_change(compared: Bench) -> None:
    before = compared.window.store.work
    compared.go_to(Kind.CONTIGUOUS)
    compared.do("knownGroup")
    after = compared.window.store.work
    assert after.request is before.request
    compared.do("undo")
    assert compared.window.store.work is before


def test_anchors_and_filters_are_undone_too(compared: Bench) -> None:
    store, commands = compared.window.store, compared.window.commands
    anchor = store.work.anchor(Side.LEFT)
    store.setAnchor(Side.LEFT, 5)
    assert commands["undo"].text() == "&Undo left anchor"
    compared.do("undo")
    assert store.work.anchor(Side.LEFT) == anchor
    compared.do("hideKnown")
    assert store.work.known_hidden
    assert commands["hideKnown"].isChecked()
    compared.do("undo")
    assert not store.work.known_hidden
    assert not commands["hideKnown"].isChecked()
    assert commands["redo"].text() == "&Redo known renames"


def test_all_the_way_back_and_forth(compared: Bench, never_compares: None) -> None:
    store, history = compared.window.store, compared.window.undoing.history
    last = store.work
    while compared.window.commands["undo"].isEnabled():
        compared.do("undo")
    assert store.work.anchor(Side.LEFT) is None
    while compared.window.commands["redo"].isEnabled():
        compared.do("redo")
    assert store.work == last
    assert history.redo_label() is None


def test_other_traces_begin_another_history(compared: Bench) -> None:
    assert compared.window.commands["undo"].isEnabled()
    compared.open()
    assert not compared.window.commands["undo"].isEnabled()


def test_one_stays_at_the_difference_one_was_at(compared: Bench) -> None:
    compared.go_to(Kind.LAYOUT_MISSING)
    found = compared.window.store.current_divergence
    assert found is not None
    compared.select(Side.RIGHT, 607)
    compared.go_to(Kind.LAYOUT_MISSING)
    text = "ignore:\n  - Contiguous\n"
    with compared.qtbot.waitSignal(compared.window.comparisonReady, timeout=20_000):
        compared.window.store.setWork(compared.window.store.work.with_rules(text), "rules")
    now = compared.window.store.current_divergence
    assert now is not None
    assert (now.kind, now.left_rows) == (found.kind, found.left_rows)
