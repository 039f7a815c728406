from __future__ import annotations

from pathlib import Path

from window_driving import SAMPLES, Driver

from opdiff.readers import open_trace
from opdiff.ui.comparison_notes import limits_of

DATA = Path(__file__).parents[1] / "formats" / "data"
OLD_LOG = DATA / "torch-npu-log" / "torch_npu_op_plugin_v7.1.log"


def test_what_a_format_does_not_tell_is_said_when_it_is_opened(driver: Driver) -> None:
    notice = driver.window.frame.notice
    driver.open(DATA / "msprobe" / "A_L1", DATA / "msprobe" / "B_norm_eps_L1")
    assert notice.text.count("msprobe: ") == 1, "though both sides are of that format"
    assert "links are guesses" in notice.text
    driver.open(OLD_LOG, OLD_LOG)
    assert "prints no addresses" in notice.text
    assert "msprobe" not in notice.text
    driver.open(SAMPLES / "vocab" / "eager.ir", SAMPLES / "vocab" / "jit.ir")
    assert notice.topic == ""


def test_which_graph_is_read_is_no_limit() -> None:
    log = open_trace(DATA / "fx" / "torch_logs_inductor_vpe.txt")
    assert [note.code for note in log.notes] == ["reading.first-graph"]
    assert limits_of([log]) == []
