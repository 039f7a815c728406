from __future__ import annotations

import pytest

from opdiff.capture.environment import (
    is_on,
    read_alloc_conf,
    tracker_environment,
    what_matters,
    write_alloc_conf,
)


def test_the_tracker_is_added_to_what_is_set() -> None:
    base = {"MS_ALLOC_CONF": "enable_vmm:True, memory_tracker_path:/data/t", "HOME": "/root"}
    environment = tracker_environment(base, stacks=False)
    assert environment["MS_ALLOC_CONF"] == (
        "enable_vmm:True,memory_tracker_path:/data/t,memory_tracker:True"
    )
    assert environment["HOME"] == "/root"
    assert "MS_DEV_LAUNCH_BLOCKING" not in environment
    assert base["MS_ALLOC_CONF"] == "enable_vmm:True, memory_tracker_path:/data/t"


def test_a_tracker_that_is_off_or_says_1_is_turned_on() -> None:
    for value in ("False", "1"):
        base = {"MS_ALLOC_CONF": f"memory_tracker:{value}"}
        assert tracker_environment(base, stacks=False)["MS_ALLOC_CONF"] == "memory_tracker:True"


def test_stacks_need_synchronous_launches() -> None:
    assert tracker_environment({}, stacks=True)["MS_DEV_LAUNCH_BLOCKING"] == "1"


@pytest.mark.parametrize(
    ("value", "on"), [("True", True), ("true", True), ("1", False), ("", False)]
)
def test_switches_as_mindspore_reads_them(value: str, on: bool) -> None:
    assert is_on({"simple_tracker": value}, "simple_tracker") is on


def test_settings_survive_writing() -> None:
    text = "memory_tracker_path:C:/x,a:1"
    assert write_alloc_conf(read_alloc_conf(text)) == text


def test_only_what_decides_the_run_is_kept() -> None:
    environment = {
        "MS_DEV_X": "1",
        "RANK_ID": "0",
        "AWS_SECRET": "s",
        "PATH": "/bin",
        "GLOG_v": "3",
    }
    assert what_matters(environment) == {"GLOG_v": "3", "MS_DEV_X": "1", "RANK_ID": "0"}
