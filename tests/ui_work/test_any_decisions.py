"""Decisions in any order: nothing breaks, and all of it can be undone and redone."""

from __future__ import annotations

import random

import pytest
from bench_driving import Bench

from opdiff.compare import Side

DECISIONS = (
    "pinAdd pinMatch pinMove pinRemove pinAlone ignoreOp ignoreType ignoreScope equivalentHere "
    "equivalentRule knownGroup knownKind hideKnown showSwallowed undo redo nextDifference "
    "anchorHere compareWhole"
).split()


def settle(bench: Bench) -> None:
    bench.qtbot.waitUntil(lambda: not bench.window.tasks.running, timeout=20_000)


@pytest.mark.parametrize("seed", [1, 2])
def test_any_decisions_can_be_taken_and_taken_back(compared: Bench, seed: int) -> None:
    chance = random.Random(seed)
    window = compared.window
    begun = window.store.work
    steps = window.undoing.history
    for _ in range(40):
        side = chance.choice(list(Side))
        row = chance.randrange(len(compared.trace(side)))
        window.frame.view.selectRow(side, row)
        window.frame.view.pane(side).setFocus()
        action = window.commands[chance.choice(DECISIONS)]
        if action.isEnabled():
            action.trigger()
        settle(compared)
    last = window.store.work
    while steps.undo_label() is not None:
        compared.do("undo")
        settle(compared)
    assert window.store.work.request.pins == begun.request.pins == ()
    assert window.store.work.rules_text == ""
    while steps.redo_label() is not None:
        compared.do("redo")
        settle(compared)
    assert window.store.work == last
