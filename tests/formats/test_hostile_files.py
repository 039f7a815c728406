"""Every format with something else in it: other output, fields of a newer version, bytes."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from format_files import check_survives, open_content
from test_all_formats import SAMPLES, TEXTS, sample

from opdiff.cli import main
from opdiff.errors import OpdiffError

every = pytest.mark.parametrize("name", SAMPLES)
every_text = pytest.mark.parametrize("name", TEXTS)
OTHER = (
    b"INFO:root: step 3 loss 2.5317",
    b"[W1116 21:00:00.123 Module.cpp:1] Warning: something (function operator())",
    b"Traceback (most recent call last):",
    b'  File "train.py", line 3, in <module>',
    b"ValueError: no such thing",
    b" 45%|####5     | 9/20 [00:01<00:02]",
    b"",
    b"\x1b[31mred\x1b[0m",
    b'{"step": 3, "loss": 2.53}',
    b"\xff\xfe\x00\x01",
)


@every_text
def test_other_output_around_it_costs_no_op(name: str) -> None:
    content = sample(name)
    whole = [op.name for op in open_content(content)]
    around = b"\n".join(OTHER)
    logged = b'{"step": 3, "loss": 2.53}\n' * 3
    for data in (around + b"\n" + content, logged + content, content + b"\n" + around):
        trace = open_content(data)
        assert trace.source.format == name
        assert [op.name for op in trace] == whole


@every_text
@pytest.mark.parametrize("seed", range(3))
def test_other_output_within_costs_little_and_is_told(name: str, seed: int) -> None:
    content = sample(name)
    whole = open_content(content)
    lines = content.split(b"\n")
    chance = random.Random(seed)
    places = [chance.randrange(len(lines)) for _ in range(4)]
    for place in places:
        lines.insert(place, chance.choice(OTHER))
    data = b"\n".join(lines)
    trace = open_content(data)
    assert trace.source.format == name
    # An entry of JSON is lost with what stands in it; its parts may then stand for themselves.
    assert len(trace) >= len(whole) - len(places)
    assert len(trace) == len(whole) or trace.problems
    check_survives(data)


@every
@pytest.mark.parametrize("place", [0.0, 0.5, 1.0])
def test_bytes_within(name: str, place: float) -> None:
    content = sample(name)
    noise = random.Random(7).randbytes(5000)
    at = int(len(content) * place)
    check_survives(content[:at] + noise + content[at:])
    check_survives(content[:at] + b"\0" * 5000 + content[at:])


@pytest.mark.parametrize("seed", range(5))
def test_bytes_alone_are_refused_with_what_could_be_read(
    seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.ir"
    path.write_bytes(random.Random(seed).randbytes(20_000))
    assert main(["info", str(path)]) == 2
    assert str(path) in capsys.readouterr().err
    with pytest.raises(OpdiffError):
        open_content(path.read_bytes())


def in_every_object(value: Any, *, but: frozenset[str] = frozenset()) -> Any:
    """A document with a field more in every object, save those that are lists by name."""
    if isinstance(value, list):
        return [in_every_object(item, but=but) for item in value]
    if not isinstance(value, dict):
        return value
    grown = {
        key: {name: in_every_object(item, but=but) for name, item in held.items()}
        if key in but and isinstance(held, dict)
        else in_every_object(held, but=but)
        for key, held in value.items()
    }
    return {"newer_field": {"deep": [1, {"deeper": None}]}, **grown, "version": "99.1"}


def json_with(content: bytes, *lists: str) -> bytes:
    return json.dumps(in_every_object(json.loads(content), but=frozenset(lists)), indent=1).encode()


def with_columns(content: bytes) -> bytes:
    first, *rows = content.rstrip(b"\n").split(b"\n")
    return b"\n".join([first + b",newer_column", *(row + b',"7"' for row in rows), b""])


NEWER: dict[str, Callable[[bytes], bytes]] = {
    "mindspore-tracker": lambda c: c.replace(b"attrs {", b"attrs {newer=[1, 2], "),
    "mindspore-graph-ir": lambda c: c.replace(
        b"      # Fullname", b"      # Newer: {a: (1, 2)}\n      # Fullname"
    ),
    "mindspore-execute-order": with_columns,
    "msprobe": lambda c: json_with(c, "data", "input_kwargs", "parameters"),
    "torch-npu-log": lambda c: re.sub(rb"(?m)( with[^\n]*)$", rb"\1, newer = 3", c),
    "torchair": lambda c: c.replace(b"\nop {", b'\nop {\n  newer: 7\n  newest {\n    a: "b"\n  }'),
    "fx": lambda c: c.replace(b"# File: ", b"# Newer: nothing\n        # File: "),
    "torch-export": lambda c: c.replace(b"# File: ", b"# Newer: nothing\n            # File: "),
    "pytorch-et": json_with,
    "torch-debugmode": lambda c: c.replace(b"{'input_hash'", b"{'newer': 3, 'input_hash'"),
    "torch-profiler": json_with,
}


@every_text
def test_what_a_newer_version_adds_is_left_alone(name: str) -> None:
    content = sample(name)
    newer = NEWER[name](content)
    assert len(newer) > len(content)
    before, after = open_content(content), open_content(newer)
    assert after.source.format == name
    assert [op.name for op in after] == [op.name for op in before]
    assert [op.inputs for op in after] == [op.inputs for op in before]
    assert [op.outputs for op in after] == [op.outputs for op in before]


@every
def test_two_damaged_files_compare_or_are_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = sample(name)
    paths = [tmp_path / "a", tmp_path / "b"]
    for path, part in zip(paths, (0.7, 0.4), strict=True):
        path.write_bytes(content[: int(len(content) * part)])
    assert main(["compare", *map(str, paths), "--format", "json"]) in (0, 1, 2)
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    assert shown.out or str(tmp_path) in shown.err
