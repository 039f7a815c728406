from __future__ import annotations

import pytest

from opdiff.capture.environment import (
    is_on,
    kept_variables,
    read_alloc_conf,
    tracker_environment,
    what_matters,
    write_alloc_conf,
)
from opdiff.capture.masking import masked, masked_command


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
        "MS_JIT": "1",
        "RANK_ID": "0",
        "AWS_SECRET": "s",
        "PATH": "/bin",
        "GLOG_v": "3",
        "MS_SECRET_TOKEN": "x",
        "ASCEND_PASSWORD": "x",
        "MS_UNHEARD_OF": "x",
    }
    assert what_matters(environment) == {"GLOG_v": "3", "MS_JIT": "1", "RANK_ID": "0"}


def test_no_variable_that_is_kept_is_named_like_a_secret() -> None:
    assert [name for name in kept_variables() if masked(f"{name}=x") != f"{name}=x"] == []


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        (["python", "train.py", "--epochs=3"], None),
        (
            ["-m", "tokenizer", "--max-tokens", "64", "--tokenizer-path=x", "--token-type", "y"],
            None,
        ),
        (["t.py", "--token", "abc"], ["t.py", "--token", "***"]),
        (["t.py", "--api-key=abc", "b"], ["t.py", "--api-key=***", "b"]),
        (["t.py", "--hf_token", "--quiet"], ["t.py", "--hf_token", "--quiet"]),
        (["env", "HF_TOKEN=abc", "t.py"], ["env", "HF_TOKEN=***", "t.py"]),
        (["sh", "-c", "DB_PASSWORD='a b' t.py x"], ["sh", "-c", "DB_PASSWORD=*** t.py x"]),
        (["-c", 'f(password="a", n=1)'], ["-c", "f(password=***, n=1)"]),
        (["-H", "Authorization: Bearer abc.def"], ["-H", "Authorization: ***"]),
        (["--data", "https://me:pw@host/x"], ["--data", "https://me:***@host/x"]),
        (["--data", "https://host:8080/a@b"], None),
        (["x", "hf_abcdefghijklmnopqrstu"], ["x", "***"]),
        (["x", "AKIAIOSFODNN7EXAMPLE"], ["x", "***"]),
        (["--data", "/data/sk-small/a"], None),
    ],
)
def test_secrets_of_a_command_line_are_masked(words: list[str], kept: list[str] | None) -> None:
    found = masked_command(words)
    assert found[-len(kept or words) :] == (kept or words)
