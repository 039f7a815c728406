"""Files that are damaged, cut, or not quite what the grammar says: nothing is lost silently."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tracker_text import codes, empty, frames, read, record

from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.readers.problems import MOST_PROBLEMS, Problems
from opdiff.readers.tracker import blocks

STACK = frames(("/a/b.py", 3, "f"))


def names(trace: object) -> list[str]:
    return [op.name for op in trace]  # type: ignore[attr-defined]


def test_windows_line_ends(tmp_path: Path) -> None:
    text = (record(stack=STACK) + record("Mul") + record()).replace("\n", "\r\n")
    trace = read(tmp_path, text)
    assert names(trace) == ["Add", "Mul", "Add"]
    assert trace.op(0).stack[0].function == "f"
    assert codes(trace) == []


def test_some_windows_line_ends(tmp_path: Path) -> None:
    text = record() + record("Mul", stack=STACK).replace("\n", "\r\n") + record()
    trace = read(tmp_path, text)
    assert names(trace) == ["Add", "Mul", "Add"]
    assert trace.op(1).stack[0].function == "f"
    assert codes(trace) == []


def test_a_byte_order_mark(tmp_path: Path) -> None:
    trace = read(tmp_path, b"\xef\xbb\xbf" + record().encode())
    assert names(trace) == ["Add"]
    assert codes(trace) == []


def test_blank_lines_anywhere(tmp_path: Path) -> None:
    lines = (record() + record("Mul", stack=STACK)).splitlines(keepends=True)
    trace = read(tmp_path, "\n\n" + "\n".join(lines) + "\n\n\n" + record("Sub"))
    assert names(trace) == ["Add", "Mul", "Sub"]
    assert [op.line for op in trace] == [3, 9, 17]
    assert trace.row_at(11) == 1
    assert codes(trace) == []


def test_a_path_with_line_ends_and_separators(tmp_path: Path) -> None:
    odd = "/tmp/odd;dir|x\n(new) line\n/net.py"
    stack = frames((odd, 3, "f"), (odd, 9, "<lambda>"))
    trace = read(tmp_path, record() + record("Mul", stack=stack) + record("Sub"))
    assert names(trace) == ["Add", "Mul", "Sub"]
    assert [(frame.file, frame.line) for frame in trace.op(1).stack] == [(odd, 3), (odd, 9)]
    assert (trace.op(1).last_line, trace.op(2).line) == (10, 11)
    assert codes(trace) == []


def test_a_path_that_looks_like_a_record(tmp_path: Path) -> None:
    odd = "/tmp/x\n() = Fake(), task_info: 1, attrs {a=b} \n/net.py"
    trace = read(tmp_path, record("Mul", stack=frames((odd, 3, "f"))) + record("Sub"))
    assert names(trace) == ["Mul", "Sub"]
    assert trace.op(0).stack[0].file == odd
    assert codes(trace) == []


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    text = record("Add\xff").encode("latin-1") + record(stack=STACK).encode()
    trace = read(tmp_path, text.replace(b"/a/", b"/\xfe\x80/"))
    assert names(trace) == ["Add\\xff", "Add"]
    assert trace.op(1).stack[0].file == "/\\xfe\\x80/b.py"
    assert "".join(names(trace)).encode()


def test_trailing_blanks_cut_off_by_an_editor(tmp_path: Path) -> None:
    text = "\n".join(line.rstrip() for line in (record() + record("Mul")).split("\n"))
    trace = read(tmp_path, text)
    assert names(trace) == ["Add", "Mul"]
    assert codes(trace) == []


def test_text_between_records_is_a_problem_with_its_lines(tmp_path: Path) -> None:
    text = record(stack=STACK) + "junk one\njunk two|\n" + record("Mul") + record("Sub")
    trace = read(tmp_path, text)
    assert names(trace) == ["Add", "Mul", "Sub"]
    assert codes(trace) == [("unexpected-text", 4, 5)]
    assert "junk one" in str(trace.problems[0].sentence)


def test_text_before_the_first_record(tmp_path: Path) -> None:
    trace = read(tmp_path, "a log line\nanother\n" + record())
    assert codes(trace) == [("unexpected-text", 1, 2)]
    assert trace.op(0).line == 3


def test_a_header_without_its_second_line(tmp_path: Path) -> None:
    first = record("Lost").splitlines(keepends=True)[0]
    trace = read(tmp_path, record() + first + record("Mul"))
    assert names(trace) == ["Add", "Mul"]
    assert codes(trace) == [("header-alone", 4, 4)]


def test_a_record_without_its_third_line(tmp_path: Path) -> None:
    short = "".join(record("Short").splitlines(keepends=True)[:2])
    trace = read(tmp_path, record() + short + record("Mul"))
    assert names(trace) == ["Add", "Short", "Mul"]
    assert codes(trace) == [("no-stack-line", 4, 5)]


@pytest.mark.parametrize("size", range(1, len(record("Mul", stack=STACK)) + 1))
def test_a_cut_file_keeps_what_is_whole(tmp_path: Path, size: int) -> None:
    whole = record("Mul", stack=STACK)
    trace = read(tmp_path, record() + whole[:size])
    first, second, _ = (len(line) for line in whole.splitlines(keepends=True))
    read_second = size >= first + second - 1
    assert names(trace) == ["Add", "Mul"][: 1 + read_second]
    if size < len(whole) - 1 and size not in (first + second + len("    #"), first + second + 6):
        assert len(trace.problems) == 1
        assert trace.problems[0].line >= 4
    else:
        assert codes(trace) == []


def test_ids_that_are_not_as_many_as_specs(tmp_path: Path) -> None:
    text = record() + record("Mul", inputs="%1, %2, %3") + record("Sub", outputs="") + record()
    trace = read(tmp_path, text)
    assert [code for code, _, _ in codes(trace)] == ["count-mismatch"] * 2
    assert [operand.memory for operand in trace.op(1).inputs] == [1, 2]
    assert trace.op(2).outputs == ()
    assert [operand.memory for operand in trace.op(3).inputs] == [1, 2]


@pytest.mark.parametrize(
    "text",
    [
        record(inputs=f"%{2**63}, %2"),
        record(inputs=f"%{'9' * 5000}, %2"),
        record(task=10**30),
        record(specs=f"(Float32:[{2**70}]) <- (Float32:[2], Float32:[2])"),
    ],
    ids=["id", "very long id", "task", "shape"],
)
def test_numbers_beyond_64_bits(tmp_path: Path, text: str) -> None:
    trace = read(tmp_path, record() + text + record("Mul"))
    assert names(trace) == ["Add", "Mul"]
    assert codes(trace) == [("too-large", 4, 6)]


def test_the_largest_numbers(tmp_path: Path) -> None:
    largest = 2**63 - 1
    trace = read(tmp_path, record(inputs=f"%{largest}, %0", task=largest) * 2)
    assert trace.op(1).inputs[0].memory == largest
    assert trace.op(1).task == largest


def test_part_of_a_stack_that_is_no_frame(tmp_path: Path) -> None:
    trace = read(tmp_path, record(stack=STACK + "garbage") + record("Mul"))
    assert names(trace) == ["Add", "Mul"]
    assert codes(trace) == [("bad-stack", 3, 3)]
    assert trace.op(0).stack[0].function == "f"


def test_problems_are_counted_when_there_are_too_many(tmp_path: Path) -> None:
    trace = read(tmp_path, (record() + "junk\n") * 1500)
    assert len(trace) == 1500
    assert len(trace.problems) == 1001
    assert dict(trace.problems[-1].sentence.args)["count"] == 500
    assert trace.problems[-1].last_line == 6000


def test_blocks_end_anywhere(tmp_path: Path) -> None:
    """Records that lie across the ends of blocks and pieces are read like all others."""
    odd = frames(("/tmp/a\nb.py", 3, "f"))
    text = "".join(record("Add", task=n, stack=odd if n % 7 == 0 else STACK) for n in range(9000))
    path = tmp_path / "t.ir"
    path.write_text(text)
    assert len(text) > 2 * blocks._PIECE
    trace = open_trace(path)
    assert list(trace.columns.task) == list(range(9000))
    assert codes(trace) == []
    assert trace.op(7).stack[0].file == "/tmp/a\nb.py"


def test_a_line_without_end_costs_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "LONGEST_LINE", 1 << 20)
    trace = read(tmp_path, record() + "x" * (9 << 20) + "\n" + record("Mul"))
    assert names(trace) == ["Add", "Mul"]
    assert codes(trace) == [("unexpected-text", 4, 4)]


@pytest.mark.parametrize(
    "line",
    ["(" * 300_000, "File:" * 100_000, "(%1), task_info: 1, attrs {" * 20_000, ":[" * 200_000],
    ids=["parentheses", "frames", "headers", "specs"],
)
def test_hostile_lines_are_read_in_linear_time(tmp_path: Path, line: str) -> None:
    text = record() + f"    # {line}\n    ({line}) <- ()\n{line}\n" + record("Mul")
    assert names(read(tmp_path, text)) == ["Add", "Mul"]


# -- files that are no traces -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "reading.empty"),
        (b"\0\1\2" * 100, "reading.binary"),
        (b"hello\nworld\n", "reading.no-ops"),
        (gzip.compress(b"", mtime=0), "reading.empty"),
        (b"() = Add(), task_info: 1, attrs {}", "reading.no-ops"),
    ],
)
def test_a_file_without_ops_is_an_error(tmp_path: Path, content: bytes, code: str) -> None:
    with pytest.raises(OpdiffError) as caught:
        read(tmp_path, content)
    assert caught.value.sentence.code == code
    assert "MS_ALLOC_CONF=memory_tracker:True" in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_gzipped(tmp_path: Path) -> None:
    text = (record() * 3000).encode()
    trace = read(tmp_path, gzip.compress(text) + gzip.compress(text) + bytes(100), "t.ir.gz")
    assert len(trace) == 6000
    assert codes(trace) == []


def test_a_cut_archive_keeps_what_could_be_unpacked(tmp_path: Path) -> None:
    text = "".join(record(task=n * n, inputs=f"%{n * 77}, %{n}") for n in range(3000))
    packed = gzip.compress(text.encode())
    trace = read(tmp_path, packed[: len(packed) // 2])
    assert 500 < len(trace) < 2500
    assert codes(trace)[-1][0] == "cut-archive"


def test_a_damaged_archive(tmp_path: Path) -> None:
    text = "".join(record(task=n * n, inputs=f"%{n * 77}, %{n}") for n in range(9000))
    packed = bytearray(gzip.compress(text.encode()))
    packed[len(packed) // 2] ^= 0xFF
    trace = read(tmp_path, bytes(packed))
    assert len(trace) > 1000
    assert "cut-archive" in [code for code, _, _ in codes(trace)]


def test_operandless_records_are_ops(tmp_path: Path) -> None:
    assert names(read(tmp_path, empty("Default/Less-op0") + empty("Mul"))) == [
        "Default/Less-op0",
        "Mul",
    ]


def test_problems_beyond_those_listed_are_counted_wherever_they_are() -> None:
    problems = Problems()
    for line in range(MOST_PROBLEMS + 3, 0, -1):
        problems.add("unexpected-text", line, line, excerpt="x")
    *_, more = problems.all()
    assert (more.line, more.last_line) == (1, 3)
    assert dict(more.sentence.args) == {"count": 3}
