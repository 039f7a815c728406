from __future__ import annotations

import json
from pathlib import Path

from window_driving import SAMPLES, Driver

from opdiff.compare import Direction, Side
from opdiff.msprobe.mapping_files import read_mappings
from opdiff.ui.files.opening import Opening
from opdiff.ui.panes.texts import tooltip
from opdiff.ui.work.export_dialog import report_of

DUMPS = Path(__file__).parents[1] / "formats" / "data" / "msprobe"
TABLE = DUMPS / "compare_A_L1_vs_B_norm_eps_L1.csv.gz"
PATHS = {Side.LEFT: DUMPS / "A_L1", Side.RIGHT: DUMPS / "B_norm_eps_L1"}


def test_what_msprobe_flagged_is_marked_and_exported(driver: Driver) -> None:
    window = driver.window
    opening = Opening(PATHS, msprobe_result=TABLE, compare=Direction.WHOLE)
    with driver.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
        window.open(opening)
    assert "6" in window.frame.notice.text
    assert window.frame.notice.topic == "msprobe"
    scene = window.frame.view._scene
    flagged = scene.side(Side.LEFT).flags
    assert len(flagged) == 6
    row = min(flagged)
    assert "⚑ msprobe: error, input.1" in tooltip(scene, Side.LEFT, row)
    shown = scene.layout.left.cells.tolist()
    assert set(flagged) <= set(shown), "not folded away"
    report = json.loads(report_of(window.store, "json", only_shown=False)())
    assert len(report["msprobe"]["flags"]) == 6
    driver.open(SAMPLES / "vocab" / "eager.ir", SAMPLES / "vocab" / "jit.ir")
    assert not scene.side(Side.LEFT).flags
    assert not window.store.flags
    assert window.frame.notice.topic != "msprobe"


def test_a_file_that_is_no_table_is_an_error(driver: Driver) -> None:
    driver.open(*PATHS.values())
    driver.window.msprobe.try_open(DUMPS / "resnet" / "dump.json")
    assert driver.window.frame.banner.isVisible()
    assert not driver.window.store.flags


def test_mapping_files_become_rules_and_pins(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "data.yaml").write_text(
        "Functional.linear.1.forward.input.0: Functional.linear.1.forward.input.0\n"
        "Tensor.nothing.0.forward.input.0: Functional.linear.1.forward.input.0\n"
    )
    (tmp_path / "api.yaml").write_text("{ms_api: Torch.rsqrt, pt_api: Tensor.rsqrt}\n")
    paths = {kind: tmp_path / f"{kind}.yaml" for kind in ("data", "api")}
    window = driver.window
    with driver.qtbot.waitSignal(window.comparisonReady, timeout=20_000):
        window.open(Opening(PATHS, mappings=read_mappings(paths), compare=Direction.WHOLE))
    work = window.store.work
    assert len(work.request.pins) == 1
    assert ("Torch::rsqrt", "Tensor::rsqrt") in work.request.rules.same
    assert '["Torch::rsqrt", "Tensor::rsqrt"]' in work.rules_text
    assert "2 of 3" in window.frame.notice.text
