"""What is odd about the traces is said in one line, once."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from window_driving import SAMPLES, Driver

from opdiff.compare import Direction
from opdiff.compare.comparison import Note
from opdiff.ui import comparison_notes
from opdiff.wording import Sentence

ROPE = SAMPLES / "rope/eager.ir"


def compare_whole(driver: Driver) -> None:
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.window.compare(Direction.WHOLE)


def said(driver: Driver) -> str:
    text = driver.named("comparisonNotesText", QLabel).text()
    return text if driver.named("comparisonNotes").isVisible() else ""


def test_the_same_file_on_both_sides_is_said(driver: Driver) -> None:
    driver.open(ROPE, ROPE)
    compare_whole(driver)
    assert said(driver) == "ℹ  Both sides are the same file"
    driver.window.appearance.choose_language("zh")
    driver.qtbot.waitUntil(lambda: said(driver) == "ℹ  两侧是同一个文件")


def test_what_was_closed_is_not_said_again_of_these_traces(driver: Driver) -> None:
    driver.open(ROPE, ROPE)
    compare_whole(driver)
    driver.click("comparisonNotesCloseButton")
    assert said(driver) == ""
    driver.window.commands["ancestors"].trigger()
    compare_whole(driver)
    assert said(driver) == ""
    driver.open(ROPE, ROPE)
    compare_whole(driver)
    assert said(driver) != ""


def test_ordinary_traces_say_nothing(compared: Driver) -> None:
    assert said(compared) == ""


def test_a_note_that_begins_with_an_op_spells_it_as_it_is() -> None:
    for title, shown in (("aten::add", "aten::add"), ("Mul", "Mul")):
        sentence = Sentence.of("structure.named", name=f"{title} runs again")
        assert comparison_notes._sentence(Note("again", sentence)).startswith(shown)
    plain = Note("x", Sentence.of("structure.named", name="some ops"))
    assert comparison_notes._sentence(plain) == "Some ops"
