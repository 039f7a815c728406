"""Large sidecars are read once, too: what is kept is equal, and believed only where it is whole."""

from __future__ import annotations

import threading
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.values.recorded_runs import network
from tests.values.sidecar_text import chain, sidecar, written

from opdiff.cli import main
from opdiff.errors import OpdiffError
from opdiff.progress import Cancelled, Progress
from opdiff.readers import elsewhere, open_trace, together, trace_values
from opdiff.readers.kept import cache
from opdiff.session.value_choice import ValueChoice, values_ahead
from opdiff.values.measures import Measures
from opdiff.values.sidecar import Parsed, parse_sidecar
from opdiff.values.table import Contents, Values


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own, in which everything is kept at once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(trace_values, "CACHED_FROM", 0)
    monkeypatch.setattr(cache, "_JUST_NOW", 0)
    return tmp_path / "cache/opdiff"


@pytest.fixture
def parsings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were read rather than found."""
    seen: list[str] = []

    def noticed(path: Path, *rest: Any) -> Parsed:
        seen.append(path.name)
        return parse_sidecar(path, *rest)

    monkeypatch.setattr("opdiff.values.sidecar.parse_sidecar", noticed)
    return seen


def wait_until_kept() -> None:
    for thread in threading.enumerate():
        if thread.name == "keep":
            thread.join()


def values_of(path: Path) -> Values:
    """Read them, and wait until they are kept."""
    found = trace_values.read_values(open_trace(path, cache=False))
    assert found is not None
    wait_until_kept()
    return found


def assert_equal(one: Values, other: Values) -> None:
    assert one.source == other.source
    assert one.problems == other.problems
    pairs = [(one.measures, other.measures), (one.inputs, other.inputs)]
    for left, right in [*pairs, (one.outputs, other.outputs)]:
        for each in fields(Measures if isinstance(left, Measures) else Contents):
            np.testing.assert_array_equal(getattr(left, each.name), getattr(right, each.name))


def test_what_is_kept_is_equal(tmp_path: Path, kept: Path, parsings: list[str]) -> None:
    trace = network().write(tmp_path, "x")
    first = values_of(trace)
    assert_equal(first, values_of(trace))
    assert parsings == ["x.values.csv"]


def test_problems_are_kept(tmp_path: Path, kept: Path, parsings: list[str]) -> None:
    chain(tmp_path, [(6,)] * 3)
    rows = [f"{number},out,0,6,0,,,,{number}.5,,1 2 3 4" for number in range(3)]
    written(tmp_path, sidecar(rows[0], "no row \x1b[31m", *rows[1:]))
    first, again = (values_of(tmp_path / "x.ir") for _ in range(2))
    assert [problem.line for problem in again.problems] == [4]
    assert_equal(first, again)
    assert parsings == ["x.values.csv"]


def test_another_content_is_read(tmp_path: Path, kept: Path, parsings: list[str]) -> None:
    trace = network().write(tmp_path, "x")
    first = values_of(trace)
    network(wrong="kernel").write(tmp_path, "x")
    assert values_of(trace).measures.norm.tolist() != first.measures.norm.tolist()
    assert parsings == ["x.values.csv"] * 2


@pytest.mark.parametrize("place", [0, 25, 400, -1])
def test_a_damaged_entry_is_not_believed(
    place: int, tmp_path: Path, kept: Path, parsings: list[str]
) -> None:
    trace = network().write(tmp_path, "x")
    first = values_of(trace)
    (entry,) = kept.glob("*.values")
    content = bytearray(entry.read_bytes())
    content[place] ^= 1
    entry.write_bytes(content)
    assert_equal(values_of(trace), first)
    assert len(parsings) == 2


def test_the_same_is_reported(tmp_path: Path, kept: Path, capsys: Any) -> None:
    paths = [str(network(wrong=wrong).write(tmp_path, f"x{wrong}")) for wrong in ("", "kernel")]
    said = []
    for more in (["--no-cache"], [], []):
        assert main(["compare", *paths, *more]) == 1
        wait_until_kept()
        said.append(capsys.readouterr())
        assert len(list(kept.glob("*.values"))) == (0 if more else 2)
    assert said[0] == said[1] == said[2]


def test_both_count_for_how_much_is_kept(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values_of(network().write(tmp_path, "x"))
    monkeypatch.setattr(cache, "MOST_BYTES", 10)
    values_of(network(layers=3).write(tmp_path, "y"))
    assert list(kept.glob("*.values")) == []


# By another process


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Another process is worth it; the files that it was asked to read."""
    monkeypatch.setattr(together, "WORTH_A_PROCESS", 0)
    monkeypatch.setattr(together, "_processors", lambda: 2)
    asked: list[str] = []
    honest = elsewhere.sidecar_elsewhere

    def noticed(path: Path, *rest: Any) -> Parsed:
        asked.append(path.name)
        return honest(path, *rest)

    monkeypatch.setattr(elsewhere, "sidecar_elsewhere", noticed)
    return asked


def read_elsewhere(path: Path) -> Values:
    trace = open_trace(path, cache=False)
    found = trace_values.read_values(trace, cache=False, elsewhere=True)
    assert found is not None
    return found


def test_what_another_process_reads_is_equal(
    tmp_path: Path, children: list[str], parsings: list[str]
) -> None:
    path = network().write(tmp_path, "x")
    there = read_elsewhere(path)
    assert (children, parsings) == (["x.values.csv"], [])
    here = trace_values.read_values(open_trace(path, cache=False), cache=False)
    assert here is not None
    assert_equal(there, here)


def test_errors_of_another_process_are_ours(tmp_path: Path, children: list[str]) -> None:
    chain(tmp_path, [(6,)] * 2)
    written(tmp_path, "# opdiff-values 7\n")
    with pytest.raises(OpdiffError) as there:
        read_elsewhere(tmp_path / "x.ir")
    with pytest.raises(OpdiffError) as here:
        values_of(tmp_path / "x.ir")
    assert there.value.args == here.value.args
    assert children


def test_what_cannot_be_handed_over_is_read_here(
    tmp_path: Path, children: list[str], parsings: list[str]
) -> None:
    chain(tmp_path, [(6,)] * 2)
    rows = [f"Op{number},out,0,6,0,,,,{number}.5,,1 2 3 4" for number in range(2)]
    written(tmp_path, sidecar(*rows))  # keyed by names
    assert read_elsewhere(tmp_path / "x.ir").known == 2
    assert (children, parsings) == (["x.values.csv"], ["x.values.csv"])


def test_those_of_a_pair_are_read_by_others_while_ops_are_paired(
    tmp_path: Path,
    children: list[str],
    parsings: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    paths = [str(network(wrong=wrong).write(tmp_path, f"x{wrong}")) for wrong in ("", "kernel")]
    assert main(["compare", *paths, "--no-cache", "--format", "json"]) == 1
    assert (sorted(children), parsings) == (["x.values.csv", "xkernel.values.csv"], [])
    ahead = capsys.readouterr().out
    monkeypatch.setattr(together, "WORTH_A_PROCESS", 10**9)
    assert main(["compare", *paths, "--no-cache", "--format", "json"]) == 1
    assert len(children) == 2
    assert ahead == capsys.readouterr().out


def test_of_a_pair_in_the_window_one_is_read_by_another_process(
    tmp_path: Path, children: list[str], parsings: list[str]
) -> None:
    left, right = (
        open_trace(network(wrong=wrong).write(tmp_path, f"x{wrong}"), cache=False)
        for wrong in ("", "kernel")
    )
    ValueChoice().held(left, right, cache=False)
    assert (children, parsings) == (["xkernel.values.csv"], ["x.values.csv"])


def test_values_read_ahead_are_refused_as_others_are(
    tmp_path: Path, children: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    left, right = (network().write(tmp_path, name) for name in ("x", "y"))
    network(layers=7).write(tmp_path, "z")
    (tmp_path / "y.values.csv").write_bytes((tmp_path / "z.values.csv").read_bytes())
    assert main(["compare", str(left), str(right), "--no-cache"]) == 2
    assert "y.values.csv" in capsys.readouterr().err
    assert "y.values.csv" in children


class ImpatientError(Exception):
    pass


def test_values_that_nobody_waits_for_are_not_read_to_the_end(
    tmp_path: Path, children: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(path: Path, progress: Progress) -> Parsed:
        while True:
            progress.report("values", 0, 1)

    monkeypatch.setattr(elsewhere, "sidecar_elsewhere", endless)
    left, right = (open_trace(network().write(tmp_path, name), cache=False) for name in ("x", "y"))
    with (
        pytest.raises(ImpatientError),
        values_ahead(ValueChoice(), left, right, cache=False) as held,
    ):
        raise ImpatientError
    with pytest.raises(Cancelled):
        held()


def test_progress_is_told_while_values_are_waited_for(
    tmp_path: Path, children: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    left, right = (open_trace(network().write(tmp_path, name), cache=False) for name in ("x", "y"))
    stages: list[str] = []
    waited = threading.Event()

    class Heard(Progress):
        def report(self, stage: str, done: int, total: int) -> None:
            stages.append(stage)
            waited.set()

    noticed = elsewhere.sidecar_elsewhere

    def late(*rest: Any) -> Parsed:
        waited.wait()
        return noticed(*rest)

    monkeypatch.setattr(elsewhere, "sidecar_elsewhere", late)
    with values_ahead(ValueChoice(), left, right, Heard(), cache=False) as held:
        assert held().both is not None
        assert held() is held()
    assert set(stages) == {"values"}
