"""The empty list of differences says what to do next."""

from __future__ import annotations

from window_driving import SAMPLES, Driver

from opdiff.compare import Side


def hint(driver: Driver) -> str:
    return driver.window.frame.differences.list.accessibleDescription()


def test_the_way_to_the_first_comparison_is_told_step_by_step(driver: Driver) -> None:
    window = driver.window
    assert hint(driver).startswith("Open the left trace")
    with driver.qtbot.waitSignal(window.opener.settled, timeout=20_000):
        window.openDropped([str(SAMPLES / "activation/silu.ir")], Side.LEFT)
    assert hint(driver).startswith("Open the right trace")
    with driver.qtbot.waitSignal(window.tracesLoaded, timeout=20_000):
        window.openDropped([str(SAMPLES / "activation/gelu.ir")], Side.RIGHT)
    assert hint(driver).startswith("Anchor both traces")
    window.store.setAnchor(Side.LEFT, 100)
    assert "offered at the right field" in hint(driver)
    window.store.setAnchor(Side.LEFT, None)
    window.store.setAnchor(Side.RIGHT, 100)
    assert "offered at the left field" in hint(driver)
    window.store.setAnchor(Side.LEFT, 100)
    assert hint(driver) == "Both sides are anchored: compare upward (F5)."


def test_nothing_is_asked_for_while_something_runs(rope: Driver) -> None:
    rope.anchor(550, 649)
    with rope.qtbot.waitSignal(rope.window.comparisonReady, timeout=20_000):
        rope.click("compareUpButton")
        assert hint(rope).startswith("Comparing…")
        assert "anchor" not in hint(rope)


def test_without_differences_the_anchor_is_shown(driver: Driver) -> None:
    driver.open(SAMPLES / "identical/first.ir", SAMPLES / "identical/second.ir")
    driver.anchor(616, 634)
    driver.compare_up()
    assert driver.lines() == (616, 634)
    assert hint(driver).startswith("No differences")
