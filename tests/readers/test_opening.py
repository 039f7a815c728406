"""From a path to a trace: directories, ranks, and paths that lead nowhere."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
from pathlib import Path

import pytest
from tracker_text import record

from opdiff.errors import OpdiffError
from opdiff.progress import Cancelled, Progress
from opdiff.readers import open_trace
from opdiff.wording.printable import printable


def write(path: Path, name: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(record(name))


def code_of(path: Path, rank: int | None = None) -> str:
    with pytest.raises(OpdiffError) as caught:
        open_trace(path, rank=rank)
    assert printable(str(path)) in str(caught.value)
    return caught.value.sentence.code


def test_a_directory_stands_for_its_trace(tmp_path: Path) -> None:
    write(tmp_path / "tracker_graph.ir", "Own")
    trace = open_trace(tmp_path)
    assert trace.op(0).name == "Own"
    assert trace.source.path == str(tmp_path / "tracker_graph.ir")


def test_a_directory_with_a_packed_trace(tmp_path: Path) -> None:
    (tmp_path / "tracker_graph.ir.gz").write_bytes(gzip.compress(record("Packed").encode()))
    assert open_trace(str(tmp_path)).op(0).name == "Packed"


def test_ranks(tmp_path: Path) -> None:
    for rank in (0, 1, 10):
        write(tmp_path / f"rank_{rank}" / "tracker_graph.ir", f"Of{rank}")
    assert open_trace(tmp_path, rank=10).op(0).name == "Of10"
    assert open_trace(tmp_path / "rank_1").op(0).name == "Of1"
    assert open_trace(tmp_path / "rank_1", rank=1).op(0).name == "Of1"
    assert code_of(tmp_path) == "reading.several-ranks"
    assert code_of(tmp_path, rank=2) == "reading.no-such-rank"
    assert code_of(tmp_path / "rank_1", rank=0) == "reading.directory-without-trace"


def test_a_single_rank_needs_no_choice(tmp_path: Path) -> None:
    write(tmp_path / "rank_3" / "tracker_graph.ir", "Of3")
    assert open_trace(tmp_path).op(0).name == "Of3"


def test_a_file_has_no_ranks(tmp_path: Path) -> None:
    write(tmp_path / "a.ir", "Add")
    assert code_of(tmp_path / "a.ir", rank=0) == "reading.rank-of-a-file"
    write(tmp_path / "rank_2" / "a.ir", "Mul")
    assert open_trace(tmp_path / "rank_2" / "a.ir", rank=2).op(0).name == "Mul"


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    assert code_of(tmp_path / "absent") == "reading.missing"
    assert code_of(tmp_path) == "reading.directory-without-trace"
    os.mkfifo(tmp_path / "pipe")
    assert code_of(tmp_path / "pipe") == "reading.not-a-file"
    write(tmp_path / "file", "Add")
    assert code_of(tmp_path / "file" / "below") == "reading.unreadable"
    assert code_of(Path("a\0b")) == "reading.unreadable"
    assert code_of(Path("x" * 5000)) == "reading.unreadable"


def test_reading_tells_how_far_it_is_and_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "t.ir").write_text(record() * 10_000)
    size = (tmp_path / "t.ir").stat().st_size

    class Watching(Progress):
        seen: list[tuple[str, int, int]]

        def report(self, stage: str, done: int, total: int) -> None:
            self.seen.append((stage, done, total))
            if stop and len(self.seen) > 2:
                raise Cancelled

    stop = False
    watching = Watching()
    watching.seen = []
    open_trace(tmp_path / "t.ir", progress=watching)
    assert watching.seen[0] == ("reading", 0, size)
    assert watching.seen[-1] == ("reading", size, size)
    assert watching.seen == sorted(watching.seen)
    stop = True
    watching.seen = []
    with pytest.raises(Cancelled):
        open_trace(tmp_path / "t.ir", progress=watching)


def archive(content: bytes) -> bytes:
    """A tar archive of a trace, which is text that begins and ends with what is none."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        entry = tarfile.TarInfo("run/tracker_graph.ir")
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (record("Add").encode("utf-16"), "reading.other-text"),
        (record("Add").encode("utf-32"), "reading.other-text"),
        (bz2.compress(record("Add").encode()), "reading.packed"),
        (lzma.compress(record("Add").encode()), "reading.packed"),
        (gzip.compress(gzip.compress(record("Add").encode())), "reading.packed"),
        (gzip.compress(archive(record("Add").encode())), "reading.packed"),
    ],
)
def test_a_trace_in_another_form_is_said_to_be_in_it(
    content: bytes, code: str, tmp_path: Path
) -> None:
    path = tmp_path / "trace.ir"
    path.write_bytes(content)
    with pytest.raises(OpdiffError) as error:
        open_trace(path)
    assert error.value.sentence.code == code
