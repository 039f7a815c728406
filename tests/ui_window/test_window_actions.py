from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from window_driving import SAMPLES, Driver

from opdiff.compare import Side
from opdiff.ui.commands.actions import FACTS, keys_text
from opdiff.ui.commands.menus import ALL_ACTIONS
from opdiff.ui.files.opening import Opening

NOTHING_NEEDED = {
    "openLeft",
    "openRight",
    "quit",
    "ancestors",
    "foldEqual",
    "hideNoise",
    "alignRows",
    "followScrolling",
    "hideKnown",
    "zoomIn",
    "zoomOut",
    "zoomReset",
    "themeSystem",
    "themeLight",
    "themeDark",
    "languageEnglish",
    "languageChinese",
    "keys",
    "about",
    "nearestFirst",
    "openSession",
    "rules",
    "palette",
    "showStructure",
    "showSwallowed",
    "showDifferences",
    "showDetails",
    "showDataflow",
    "panesOnly",
    "resetLayout",
    "legend",
}
NEEDS_ANY_TRACE = {
    "search",
    "goLeftPane",
    "goRightPane",
    "goDifferences",
    "goDetails",
    "goDataflow",
    "goStructure",
    "goSource",
}
NEEDS = {
    "copyRow": {"row_selected"},
    "copyCommand": {"both"},
    "searchNext": {"search_hits"},
    "searchPrevious": {"search_hits"},
    "compareUp": {"ready"},
    "compareDown": {"ready"},
    "compareWhole": {"ready"},
    "cancel": {"can_cancel"},
    "anchorHere": {"row_selected"},
    "anchorPair": {"row_selected", "compared"},
    "anchorLastOfFunction": {"row_selected"},
    "takeHint": {"has_hint", "ready"},
    "findLeft": {"left"},
    "findRight": {"right"},
    "nextDifference": {"has_first"},
    "previousDifference": {"has_first"},
    "nextGroup": {"has_first"},
    "previousGroup": {"has_first"},
    "nextRoot": {"has_first"},
    "previousRoot": {"has_first"},
    "firstDifference": {"has_first"},
    "firstValueDifference": {"has_value_difference"},
    "goToCause": {"at_difference"},
    "goLeftAnchor": {"left"},
    "goRightAnchor": {"right"},
    "goSummary": {"differs"},
    "saveSession": {"both"},
    "saveSessionAs": {"both"},
    "export": {"compared"},
    "reload": {"both"},
    "msprobeResult": {"both"},
    "undo": {"can_undo"},
    "redo": {"can_redo"},
    "copyDifference": {"at_difference"},
    "noteDifference": {"at_difference"},
    "noteGroup": {"at_difference"},
    "notes": {"both"},
    "pinAdd": {"op_meant"},
    "pinMatch": {"pin_can_end"},
    "pinMove": {"pinned"},
    "pinRemove": {"pinned"},
    "pinAlone": {"op_meant"},
    "ignoreOp": {"op_meant"},
    "ignoreType": {"op_meant"},
    "ignoreScope": {"in_scope"},
    "equivalentHere": {"both_selected"},
    "equivalentRule": {"both_selected"},
    "knownGroup": {"at_difference"},
    "knownKind": {"at_difference"},
    "marks": {"both"},
    "goBack": {"can_go_back"},
    "goForward": {"can_go_forward"},
    "openSource": {"has_source"},
    "locateSource": {"has_source"},
}
SPECS = {spec.name: spec for spec in ALL_ACTIONS}


def held(*facts: str) -> dict[str, bool]:
    """Only these facts hold."""
    return {fact: fact in facts for fact in FACTS}


def test_every_action_is_accounted_for() -> None:
    assert NOTHING_NEEDED | NEEDS_ANY_TRACE | NEEDS.keys() == SPECS.keys()
    assert all((spec.does is None) != (spec.sets is None) for spec in ALL_ACTIONS)


@pytest.mark.parametrize("name", sorted(NOTHING_NEEDED))
def test_some_actions_are_always_possible(name: str) -> None:
    assert SPECS[name].enabled(held())


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_an_action_is_possible_exactly_when_it_makes_sense(name: str) -> None:
    needed = NEEDS[name]
    assert SPECS[name].enabled(held(*needed))
    for missing in needed:
        assert not SPECS[name].enabled(held(*FACTS.keys() - {missing})), missing


@pytest.fixture
def rope_files() -> tuple[Path, Path]:
    return SAMPLES / "rope/eager.ir", SAMPLES / "rope/jit.ir"


def facts_of(driver: Driver, *names: str) -> list[bool]:
    return [FACTS[name](driver.window) for name in names]


def test_what_holds_of_a_window(driver: Driver, rope_files: tuple[Path, Path]) -> None:
    window, names = driver.window, ("any_trace", "left", "right", "both", "ready")
    assert facts_of(driver, *names) == [False] * 5
    with driver.qtbot.waitSignal(window.opener.settled, timeout=20_000):
        window.open(Opening({Side.RIGHT: rope_files[1]}))
    assert facts_of(driver, *names) == [True, False, True, False, False]
    driver.open(*rope_files)
    assert facts_of(driver, *names) == [True] * 5
    window.tasks.do(lambda _: None, window.tasks.compared)
    assert facts_of(driver, "both", "ready", "can_cancel") == [True, False, True]
    window.tasks.cancel()
    assert facts_of(driver, "ready", "can_cancel") == [True, False]


def test_a_pin_that_was_begun_can_be_given_up(rope: Driver) -> None:
    rope.window.frame.view.selectRow(0, 3)
    assert facts_of(rope, "can_cancel") == [False]
    rope.window.pinning.add()
    assert facts_of(rope, "can_cancel") == [True]


@pytest.mark.parametrize("name", sorted(NEEDS_ANY_TRACE))
def test_one_trace_is_enough_to_look_around(name: str) -> None:
    assert SPECS[name].enabled(held("any_trace"))
    assert not SPECS[name].enabled(held())


def test_no_two_actions_share_a_key() -> None:
    keys = [QKeySequence(key).toString() for spec in ALL_ACTIONS for key in spec.keys]
    assert all(keys)
    assert len(keys) == len(set(keys))


def test_every_action_has_words_a_tip_and_a_place_in_a_menu(driver: Driver) -> None:
    in_menus = {
        action.objectName()
        for menu in driver.window.menus.values()
        for entry in menu.actions()
        for action in (entry.menu().actions() if entry.menu() else [entry])  # type: ignore[attr-defined]
    }
    for spec in ALL_ACTIONS:
        action = driver.window.commands[spec.name]
        assert action.text()
        assert action.statusTip()
        assert action.toolTip().startswith(action.statusTip())
        assert action.objectName() in in_menus


def test_the_window_tells_the_actions_what_is_possible(driver: Driver) -> None:
    commands = driver.window.commands
    enabled = {name for name in SPECS if commands[name].isEnabled()}
    assert enabled == NOTHING_NEEDED


def test_after_comparing_the_walk_is_possible(compared: Driver) -> None:
    commands = compared.window.commands
    assert not commands["goToCause"].isEnabled()  # the window stands at the anchors
    commands["nextDifference"].trigger()
    for name in ("nextDifference", "previousGroup", "nextRoot", "goToCause", "anchorPair"):
        assert commands[name].isEnabled()
    assert not commands["cancel"].isEnabled()


def test_the_list_of_keys_names_every_key(driver: Driver) -> None:
    from PySide6.QtWidgets import QDialog, QLabel

    driver.window.commands["keys"].trigger()
    sheet = driver.named("cheatSheet", QDialog)
    text = "\n".join(label.text() for label in sheet.findChildren(QLabel))
    for spec in ALL_ACTIONS:
        assert keys_text(spec) in text
    assert "Alt+↓" in text
    sheet.close()
