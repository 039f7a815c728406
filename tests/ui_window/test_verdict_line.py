"""What the comparison comes to, said above the list."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication, QLabel
from window_driving import SAMPLES, Driver


def verdict(driver: Driver) -> str:
    line = driver.named("verdictLine", QLabel)
    return line.text() if line.isVisible() else ""


def compare(driver: Driver, sample: str, left: str, right: str, *anchors: int) -> None:
    driver.open(SAMPLES / sample / left, SAMPLES / sample / right)
    driver.anchor(*anchors)
    driver.compare_up()


def test_nothing_can_change_a_value(driver: Driver) -> None:
    assert verdict(driver) == ""
    compare(driver, "rope", "eager.ir", "jit.ir", 547, 643)
    assert verdict(driver) == "None of the differences can change a value."
    driver.window.commands["languageChinese"].trigger()
    QApplication.processEvents()
    assert verdict(driver) == "这些差异都不会改变数值。"


def test_some_may_and_all_may(driver: Driver) -> None:
    compare(driver, "vocab", "eager.ir", "jit.ir", 34, 49)
    assert verdict(driver) == "6 of 9 differences may change a value."
    compare(driver, "activation", "silu.ir", "gelu.ir", 616, 607)
    assert verdict(driver) == "All 4 differences may change a value."


def test_it_says_how_much_of_that_the_filters_show(driver: Driver) -> None:
    compare(driver, "vocab", "eager.ir", "jit.ir", 34, 49)
    driver.click("kind-cpu-fallback")
    assert verdict(driver) == "0 of the 3 shown may change a value (6 of all 9)."
    driver.click("kind-cpu-fallback")
    assert verdict(driver) == "6 of 9 differences may change a value."


def test_traces_with_hardly_anything_in_common_are_told_as_such(
    driver: Driver, tmp_path: Path
) -> None:
    for name, letter in (("left.ir", "L"), ("right.ir", "R")):
        ops = [
            f"(%{at + 1}) = {letter}{at}(%{at}), task_info: {at + 1}, attrs {{}}\n"
            "    (Float32:[4]) <- (Float32:[4])\n    # \n"
            for at in range(400)
        ]
        (tmp_path / name).write_text("".join(ops))
    driver.open(tmp_path / "left.ir", tmp_path / "right.ir")
    with driver.qtbot.waitSignal(driver.window.comparisonReady, timeout=20_000):
        driver.click("compareWholeButton")
    assert verdict(driver).startswith("Hardly anything in common: ")


def test_an_empty_list_speaks_for_itself(driver: Driver) -> None:
    compare(driver, "rope", "eager.ir", "jit.ir", 547, 643)
    compare(driver, "identical", "first.ir", "second.ir", 616, 634)
    assert verdict(driver) == ""
    hint = driver.named("differenceList").accessibleDescription()
    assert hint.endswith("Values were not compared.")
