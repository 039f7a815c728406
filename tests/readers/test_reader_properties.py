"""Whatever a writer of the grammar writes reads back equal; nothing makes the reader fall over."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tracker_text import printed

from opdiff.cli import main
from opdiff.errors import OpdiffError
from opdiff.readers import open_trace
from opdiff.trace import Frame, Line, Op, Operand, Row, TensorSpec

REAL = Path(__file__).parents[2] / "samples/real"
TEXTS = [
    (REAL / "static/assign_elim0/tracker_graph.ir").read_bytes(),
    (REAL / "rope/jit_ast/tracker_graph.ir").read_bytes()[:30_000],
]

# Bounded, so that generated files stay small; the limits of 64 bits have tests of their own.
INT64 = st.integers(0, 2**63 - 1)
DIMS = st.lists(st.integers(-2, 2**40), max_size=5).map(tuple)
DTYPES = st.sampled_from("Bool Int4 BFloat16 HiFloat8 Float8E4M3FN Complex128 int String".split())
NO_LINE_END = st.characters(blacklist_categories=("Cs",), blacklist_characters="\n\r")
NAMES = st.one_of(
    st.sampled_from(["Add", "Default/net-Net/MatMul-op3", "Default/data-0", "net.weight"]),
    st.text(NO_LINE_END, min_size=1, max_size=20),
)
# A name in a file may look like the end of a first line: then two readings are right.
PLAIN_NAMES = NAMES.filter(lambda name: "task_info" not in name and ") = " not in name)
KEYS = st.text("abcdefgh_", min_size=1, max_size=8)
VALUES = st.text(NO_LINE_END, max_size=8).filter(lambda v: not set(v) & set(";=)}"))
PATHS = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=20).filter(
    lambda path: "\r" not in path and "Line:" not in path and "File:" not in path
)
FUNCTIONS = st.sampled_from(["<module>", "<lambda>", "construct", "函数", "a|b"])


@st.composite
def specs(draw: st.DrawFn) -> TensorSpec:
    shape = draw(DIMS)
    if draw(st.booleans()):
        return TensorSpec(draw(DTYPES), shape)
    strides = tuple(draw(st.lists(st.integers(0, 9), min_size=len(shape), max_size=len(shape))))
    return TensorSpec(draw(DTYPES), shape, strides, draw(st.integers(0, 2**40)))


OPERANDS = st.lists(st.builds(Operand, INT64, specs()), max_size=4).map(tuple)
STACKS = st.lists(st.builds(Frame, PATHS, st.integers(1, 9999), FUNCTIONS), max_size=3).map(tuple)


@st.composite
def ops(draw: st.DrawFn) -> Op:
    name = draw(PLAIN_NAMES)
    return Op(
        row=Row(0),
        line=Line(0),
        last_line=Line(0),
        name=name,
        type="",
        scope="",
        outputs=draw(OPERANDS),
        inputs=draw(OPERANDS),
        attrs={"stream_id": "0", **draw(st.dictionaries(KEYS, VALUES, max_size=2))},
        stack=draw(STACKS),
        task=draw(INT64),
        mode="",
        graph="",
    )


def facts(op: Op) -> tuple[object, ...]:
    return op.name, op.outputs, op.inputs, dict(op.attrs), op.stack, op.task


def write(content: bytes) -> Path:
    with tempfile.NamedTemporaryFile(suffix=".ir", delete=False) as file:
        file.write(content)
    return Path(file.name)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ops(), min_size=1, max_size=6), st.booleans())
def test_what_is_written_reads_back_equal(written: list[Op], packed: bool) -> None:
    content = printed(written).encode()
    path = write(gzip.compress(content) if packed else content)
    try:
        trace = open_trace(path)
    finally:
        path.unlink()
    assert [facts(op) for op in trace if op.row not in trace.repaired] == [
        facts(op) for row, op in enumerate(written) if row not in trace.repaired
    ]
    assert trace.problems == ()


@st.composite
def edited(draw: st.DrawFn) -> bytes:
    """A real trace with some bytes replaced, removed, doubled or inserted, or cut off."""
    content = bytearray(draw(st.sampled_from(TEXTS)))
    for _ in range(draw(st.integers(1, 6))):
        place = draw(st.integers(0, len(content)))
        size = draw(st.sampled_from([0, 1, 3, 40, 400]))
        filling = draw(
            st.one_of(
                st.binary(max_size=12),
                st.sampled_from([b"\n", b"\r\n", b"(", b"%", b")", b"|", b"\0", b"9" * 25]),
                st.just(bytes(content[place : place + 2 * size])),
            )
        )
        content[place : place + size] = filling
    return bytes(content[: draw(st.sampled_from([len(content), len(content) // 2]))])


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.binary(max_size=300), edited()))
def test_nothing_but_its_own_error_is_raised(content: bytes) -> None:
    path = write(content)
    try:
        trace = open_trace(path)
    except OpdiffError:
        return
    finally:
        path.unlink()
    assert len(trace) > 0
    for op in trace:
        assert op.line <= op.last_line
        assert op.name.encode()
    covered = sum(op.last_line - op.line + 1 for op in trace)
    skipped = sum(problem.last_line - problem.line + 1 for problem in trace.problems)
    blank = sum(not line.strip() for line in content.split(b"\n"))
    assert covered + skipped + blank >= content.count(b"\n")


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    content=st.one_of(st.binary(max_size=300), edited()), command=st.sampled_from(["info", "find"])
)
def test_the_command_line_never_shows_a_traceback(
    content: bytes,
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OPDIFF_TRACEBACK", "1")
    path = write(content)
    try:
        status = main([command, str(path)])
    finally:
        path.unlink()
    output = capsys.readouterr()
    assert status == 0 or (status == 2 and output.err.startswith("opdiff: "))
