from __future__ import annotations

import json
from pathlib import Path

import pytest

from opdiff.cli import main

SAMPLES = Path(__file__).parents[2] / "samples"
LOG = str(SAMPLES / "formats" / "npu_log" / "ops.log")


def test_names_that_nobody_knows_are_told_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", LOG, "--names"]) == 0
    assert "unknown names  1  MyScatter" in capsys.readouterr().out
    assert main(["info", LOG, "--names", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["unknown_names"] == [{"name": "MyScatter", "count": 1}]
    assert main(["info", LOG, "--format", "json"]) == 0
    assert "unknown_names" not in json.loads(capsys.readouterr().out)


def test_a_trace_of_known_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(SAMPLES / "rope" / "eager.ir"), "--names", "--lang", "zh"]) == 0
    assert "未知名称" in capsys.readouterr().out
