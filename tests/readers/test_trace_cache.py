"""Large traces are read once: what is kept is equal, and believed only where it is whole."""

from __future__ import annotations

import inspect
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from opdiff import forked
from opdiff.cli import main
from opdiff.compare import Request, compare
from opdiff.errors import OpdiffError
from opdiff.progress import SILENT, Cancelled, Progress
from opdiff.readers import elsewhere, open_trace, open_traces, opening, together, tracker
from opdiff.readers.kept import cache
from opdiff.readers.opening import reading_ahead
from opdiff.trace import Operands, Tables, Trace, TraceColumns

SAMPLES = Path(__file__).parents[2] / "samples"
TRACES = [
    *sorted((SAMPLES / "rope").glob("*.ir")),
    *sorted((SAMPLES / "real/rope").glob("*/tracker_graph.ir")),
    SAMPLES.parent / "tests/trust/data/last2.ir",
]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder of the test's own, in which everything is kept at once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(opening, "CACHED_FROM", 0)
    monkeypatch.setattr(cache, "_JUST_NOW", 0)
    return tmp_path / "cache/opdiff"


@pytest.fixture
def trace_file(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return Path(shutil.copy(TRACES[0], tmp_path / "run/tracker_graph.ir"))


def read(path: Path) -> Trace:
    """Open, and wait until it is kept."""
    trace = open_trace(path)
    for thread in threading.enumerate():
        if thread.name == "keep":
            thread.join()
    return trace


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.trace"))


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were read rather than found."""
    seen: list[str] = []
    honest = tracker.read

    def noticed(source: object) -> Trace:
        seen.append(source.path)  # type: ignore[attr-defined]
        return honest(source)  # type: ignore[arg-type]

    monkeypatch.setattr(tracker, "read", noticed)
    return seen


def assert_equal(one: Trace, other: Trace) -> None:
    assert one.source == other.source
    for each in fields(TraceColumns):
        values = getattr(one.columns, each.name), getattr(other.columns, each.name)
        pairs = [values]
        if isinstance(values[0], Operands):
            pairs = [tuple(getattr(v, f.name) for v in values) for f in fields(Operands)]
        for left, right in pairs:
            assert left.dtype == right.dtype
            assert np.array_equal(left, right)
    for each in fields(Tables):
        assert list(getattr(one.tables, each.name)) == list(getattr(other.tables, each.name))
    assert one.problems == other.problems
    assert one.repaired == other.repaired
    assert one.notes == other.notes


@pytest.mark.parametrize("path", TRACES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_is_kept_is_equal(path: Path, kept: Path, readings: list[str]) -> None:
    first = read(path)
    second = read(path)
    assert readings == [str(path)]
    assert_equal(first, second)
    assert [str(op) for op in first] == [str(op) for op in second]
    assert not second.columns.line.flags.writeable


def test_kept_traces_compare_as_those_that_were_read(kept: Path) -> None:
    first = compare(read(TRACES[0]), read(TRACES[1]), Request())
    again = compare(read(TRACES[0]), read(TRACES[1]), Request())
    assert again.left.partner.tolist() == first.left.partner.tolist()
    assert [str(d.sentence) for d in again.divergences] == [
        str(d.sentence) for d in first.divergences
    ]


def test_all_of_a_trace_is_kept() -> None:
    """Whoever gives a trace more has to keep that too: see ``kept.traces``."""
    known = "source columns tables problems repaired notes".split()
    # Readers give no hidden copies: these are worked out of the columns.
    assert list(inspect.signature(Trace).parameters) == [*known, "hidden"]
    assert [each.name for each in fields(Tables)] == "names specs attrs stacks graphs".split()


def test_another_content_is_read(trace_file: Path, kept: Path, readings: list[str]) -> None:
    read(trace_file)
    before = trace_file.stat()
    content = bytearray(trace_file.read_bytes())
    content[content.index(b"Muls") : content.index(b"Muls") + 4] = b"Xuls"
    trace_file.write_bytes(content)
    os.utime(trace_file, ns=(before.st_atime_ns, before.st_mtime_ns))  # as if it were untouched
    assert "Xuls" in read(trace_file).types
    assert len(readings) == 2
    assert len(entries(kept)) == 2


def test_a_copy_is_known_by_its_content(
    trace_file: Path, kept: Path, readings: list[str], tmp_path: Path
) -> None:
    first = read(trace_file)
    (tmp_path / "other").mkdir()
    copy = Path(shutil.copyfile(trace_file, tmp_path / "other/moved.ir"))
    assert len(read(copy)) == len(first)
    assert open_trace(copy).source.path == str(copy)
    assert readings == [str(trace_file)]


def test_what_stands_beside_it_counts(trace_file: Path, kept: Path, readings: list[str]) -> None:
    alone = read(trace_file)
    assert alone.source.companions == ()
    table = trace_file.with_name("task.csv")
    table.write_text("time_stamp,task_name,node_name,graph_name,\n")
    beside = read(trace_file)
    assert beside.source.companions == (str(table),)
    assert [note.code for note in beside.notes] == ["reading.task-csv-foreign"]
    assert read(trace_file).notes == beside.notes
    assert len(readings) == 2
    table.unlink()
    assert read(trace_file).notes == ()
    assert len(readings) == 2  # known by its content


@pytest.mark.parametrize("seed", range(12))
def test_a_damaged_entry_is_not_believed(
    seed: int, trace_file: Path, kept: Path, readings: list[str]
) -> None:
    first = read(trace_file)
    (entry,) = entries(kept)
    content = bytearray(entry.read_bytes())
    chance = random.Random(seed)
    if seed % 3 == 0:
        content = content[: chance.randrange(len(content))]
    elif seed % 3 == 1:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    else:
        content += b"more"
    entry.write_bytes(content)
    assert_equal(read(trace_file), first)
    assert len(readings) == 2
    assert_equal(read(trace_file), first)
    assert len(readings) == 2  # it was made anew


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"entry": "../../x.trace"}', b"\xff", b"[" * 9000]
)
def test_a_damaged_record_is_not_believed(
    content: bytes, trace_file: Path, kept: Path, readings: list[str]
) -> None:
    read(trace_file)
    for record in kept.glob("*.json"):
        record.write_bytes(content)
    read(trace_file)
    assert len(readings) == 1  # known by its content


def test_what_other_code_has_made_is_of_no_use(
    trace_file: Path, kept: Path, readings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read(trace_file)
    monkeypatch.setattr(cache, "_code", lambda: "othercode")
    read(trace_file)
    assert len(readings) == 2


def test_a_file_that_has_just_changed_is_not_kept(
    trace_file: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_JUST_NOW", 10**12)
    read(trace_file)
    assert entries(kept) == []


def test_a_file_that_changes_while_it_is_read_is_not_kept(
    trace_file: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = opening._read_file

    def meanwhile(file: Path, *how: Any) -> Trace:
        trace = honest(file, *how)
        with file.open("a") as more:
            more.write("\n")
        return trace

    monkeypatch.setattr(opening, "_read_file", meanwhile)
    read(trace_file)
    assert entries(kept) == []


def test_no_more_is_kept_than_may_be(
    tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        path = tmp_path / f"{number}.ir"
        path.write_bytes(TRACES[0].read_bytes() + b"\n" * number)
        read(path)
        if number == 2:
            size = max(entry.stat().st_size for entry in entries(kept))
            monkeypatch.setattr(cache, "MOST_BYTES", 2 * size + size // 2)
            for age, entry in enumerate(sorted(entries(kept), key=lambda e: e.stat().st_mtime_ns)):
                os.utime(entry, (age, age))
    sizes = {entry.name.partition("-")[0] for entry in entries(kept)}
    base = TRACES[0].stat().st_size
    assert sizes == {str(base + 2), str(base + 3)}


@pytest.mark.parametrize("mode", [0o777, 0o720])
def test_a_folder_that_others_can_write_to_is_not_used(
    trace_file: Path, kept: Path, mode: int
) -> None:
    kept.mkdir(parents=True)
    kept.chmod(mode)
    read(trace_file)
    assert entries(kept) == []


def test_where_nothing_can_be_kept_traces_are_read(
    trace_file: Path, tmp_path: Path, kept: Path
) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert len(read(trace_file)) == 206


def test_without_the_cache_nothing_is_kept(
    trace_file: Path, kept: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (["info", str(trace_file)], ["compare", str(trace_file), str(TRACES[1])]):
        main([*words, "--no-cache"])
    assert not kept.exists()


def test_what_was_given_up_is_not_kept(trace_file: Path, kept: Path) -> None:
    class Impatient(Progress):
        def report(self, stage: str, done: int, total: int) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        open_trace(trace_file, progress=Impatient())
    assert entries(kept) == []
    assert not [thread for thread in threading.enumerate() if thread.name == "digest"]


def test_small_files_and_other_formats_are_not_kept(
    kept: Path, monkeypatch: pytest.MonkeyPatch, trace_file: Path
) -> None:
    read(SAMPLES / "assign_ir/with_copies.ir")
    assert entries(kept) == []
    monkeypatch.setattr(opening, "CACHED_FROM", 10**9)
    read(trace_file)
    assert entries(kept) == []


# At the same time


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "_WORTH_IT", 0)


@pytest.mark.usefixtures("at_once")
def test_two_traces_are_read_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    both = threading.Barrier(2, timeout=60)
    honest = opening._read_file

    def waiting(file: Path, *how: Any) -> Trace:
        both.wait()  # nobody comes past here alone
        return honest(file, *how)

    monkeypatch.setattr(opening, "_read_file", waiting)
    traces = open_traces(TRACES[:2])
    assert [trace.source.path for trace in traces] == [str(path) for path in TRACES[:2]]


@pytest.mark.usefixtures("at_once")
def test_progress_is_that_of_both() -> None:
    class Told(Progress):
        def __init__(self) -> None:
            self.parts: list[float] = []

        def report(self, stage: str, done: int, total: int) -> None:
            self.parts.append(done / total)

    told = Told()
    open_traces(TRACES[:2], progress=told)
    assert told.parts[0] < 0.5
    assert max(told.parts) <= 1.0
    assert told.parts[-1] > 0.9


@pytest.mark.usefixtures("at_once")
def test_the_first_that_fails_is_told_and_the_other_stops(tmp_path: Path) -> None:
    with pytest.raises(OpdiffError) as error:
        open_traces([TRACES[0], tmp_path / "gone"])
    assert error.value.sentence.code == "reading.missing"


@pytest.mark.usefixtures("at_once")
def test_cancelling_stops_both() -> None:
    class Impatient(Progress):
        def report(self, stage: str, done: int, total: int) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        open_traces(TRACES[:2], progress=Impatient())
    assert not [t for t in threading.enumerate() if t.name.startswith("reading")]


# By another process


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Every second trace is read elsewhere; the processes that do it."""
    monkeypatch.setattr(together, "_WORTH_IT", 0)
    monkeypatch.setattr(opening, "CACHED_FROM", 0)
    monkeypatch.setattr(together, "WORTH_A_PROCESS", 0)
    monkeypatch.setattr(together, "_processors", lambda: 2)
    started: list[subprocess.Popen[bytes]] = []
    honest = subprocess.Popen

    def noticed(*what: Any, **how: Any) -> subprocess.Popen[bytes]:
        started.append(honest(*what, **how))
        return started[-1]

    monkeypatch.setattr("subprocess.Popen", noticed)
    return started


@pytest.mark.parametrize("path", TRACES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_another_process_reads_is_equal(
    children: list[subprocess.Popen[bytes]], path: Path
) -> None:
    _, other = open_traces([TRACES[0], path], cache=False)
    assert_equal(other, open_trace(path, cache=False))
    (child,) = children
    assert child.returncode is not None


def test_what_another_process_reads_is_kept(
    children: list[subprocess.Popen[bytes]], kept: Path, trace_file: Path
) -> None:
    first = open_traces([TRACES[1], trace_file])  # not what the file is a copy of
    for thread in threading.enumerate():
        if thread.name == "keep":
            thread.join()
    again = open_traces([TRACES[1], trace_file])
    assert_equal(first[1], again[1])
    assert len(children) == 1


def test_errors_of_another_process_are_ours(
    children: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    broken = tmp_path / "broken.ir"
    broken.write_text("(%1) = Add(), task_info: x, attrs {\n), task_info: 1, attrs {\n")
    with pytest.raises(OpdiffError) as here:
        open_trace(broken, cache=False)
    with pytest.raises(OpdiffError) as there:
        open_traces([TRACES[0], broken], cache=False)
    assert there.value.args == here.value.args
    assert len(children) == 1


@pytest.mark.parametrize(
    "begin", ["raise SystemExit(3)", "print('no word of JSON')", "print('[]')"]
)
def test_where_another_process_fails_the_trace_is_read_here(
    children: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch, begin: str
) -> None:
    monkeypatch.setattr(elsewhere, "_BEGIN", begin)
    _, other = open_traces(TRACES[:2], cache=False)
    assert_equal(other, open_trace(TRACES[1], cache=False))
    assert len(children) == 1


def test_cancelling_ends_the_other_process(children: list[subprocess.Popen[bytes]]) -> None:
    class Impatient(Progress):
        def report(self, stage: str, done: int, total: int) -> None:
            if children:
                raise Cancelled

    with pytest.raises(Cancelled):
        open_traces(TRACES[:2], progress=Impatient(), cache=False)
    assert [child.returncode is not None for child in children] == [True]


def test_no_process_is_started_for_little_or_for_other_formats(
    children: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_traces([TRACES[0], SAMPLES / "assign_ir/with_copies.ir"], cache=False)
    monkeypatch.setattr(together, "WORTH_A_PROCESS", 10**9)
    open_traces(TRACES[:2], cache=False)
    assert not children


# By a copy of this process


@pytest.fixture
def copies(
    children: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> list[forked.Copy]:
    """As in a command, which has no threads; the copies that are made."""
    if sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor, or no copies of processes")
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    made: list[forked.Copy] = []

    class Noticed(forked.Copy):
        def __init__(self, work: Any) -> None:
            super().__init__(work)
            made.append(self)

    monkeypatch.setattr(elsewhere, "Copy", Noticed)
    return made


def opened_alone(
    paths: Sequence[Path], *, cache: bool = True, progress: Progress = SILENT
) -> list[Trace]:
    """As a command opens them, which does nothing else."""
    with reading_ahead(paths, cache=cache) as ahead:
        return open_traces(paths, cache=cache, progress=progress, ahead=ahead)


@pytest.mark.parametrize("path", TRACES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_a_copy_of_the_process_reads_is_equal(
    copies: list[forked.Copy], children: list[subprocess.Popen[bytes]], path: Path
) -> None:
    small = min(TRACES, key=lambda each: each.stat().st_size)
    for paths in ([small, path], [path, small]):
        for trace, read in zip(opened_alone(paths, cache=False), paths, strict=True):
            assert_equal(trace, open_trace(read, cache=False))
    assert len(copies) == 2
    assert copies[0].words.closed
    assert not children


def test_no_copy_is_made_for_what_is_kept_or_not_asked_for_alone(
    copies: list[forked.Copy], kept: Path, trace_file: Path
) -> None:
    opened_alone([TRACES[1], trace_file])
    for thread in threading.enumerate():
        if thread.name == "keep":
            thread.join()
    opened_alone([TRACES[1], trace_file])
    open_traces([TRACES[1], TRACES[0]], cache=False)
    assert len(copies) == 1


def test_where_a_copy_fails_the_trace_is_read_here(
    copies: list[forked.Copy], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "_read_into", lambda *how: os._exit(3))
    for trace, path in zip(opened_alone(TRACES[:2], cache=False), TRACES, strict=False):
        assert_equal(trace, open_trace(path, cache=False))
    assert len(copies) == 1


def test_what_is_wrong_with_a_file_is_told_as_ever(
    copies: list[forked.Copy], tmp_path: Path
) -> None:
    with pytest.raises(OpdiffError) as error:
        opened_alone([TRACES[0], tmp_path / "gone"], cache=False)
    assert error.value.sentence.code == "reading.missing"
    assert not copies


def test_cancelling_ends_the_copy(copies: list[forked.Copy]) -> None:
    class Impatient(Progress):
        def report(self, stage: str, done: int, total: int) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        opened_alone(TRACES[:2], progress=Impatient(), cache=False)
    assert copies[0].words.closed


def test_modules_of_the_current_folder_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "opdiff", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stranger')")
    monkeypatch.chdir(tmp_path)
    assert len(elsewhere.trace_elsewhere(TRACES[1].resolve(), Progress())) > 0
