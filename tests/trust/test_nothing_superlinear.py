"""Small files that once took minutes: each ends within bounds that have nothing to do with it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from benchmarks.patterns import PATTERNS
from tests.trust.bounds import bounded, opdiff

from opdiff.readers import open_trace
from opdiff.readers.formats import formats
from opdiff.readers.mindspore import graph_ir
from opdiff.readers.mindspore import graph_ir_text as text

DATA = Path(__file__).parent / "data"


def _graph(*nodes: str) -> str:
    return "\n".join(["# IR entry: @x", "subgraph @x() {", *nodes, "}", ""])


def test_a_file_of_blank_lines_is_sniffed_at_once(tmp_path: Path) -> None:
    file = tmp_path / "newlines.ir"
    file.write_text("subgraph @x{" + "\n" * 60_001)
    done = opdiff("info", file)
    assert done.returncode == 2
    assert b"there is no op in this file" in done.stderr


@pytest.mark.parametrize(
    "head",
    [
        b"subgraph @x{" + b"\n" * (1 << 16),
        b"subgraph @x{ \n" * (1 << 12),
        b"subgraph @x" + b"{" * (1 << 16),
        b"subgraph @x{" + b" \n" * (1 << 15),
        b"), task_info: " * (1 << 12),
        b"(" * (1 << 16),
        b" " * (1 << 16),
        b"%1 = " * (1 << 13),
    ],
)
def test_no_format_takes_long_to_see_that_a_file_is_none_of_its_own(head: bytes) -> None:
    assert not any(format_.sniff(head) for format_ in formats())


@pytest.mark.parametrize(
    "between", ["", "\n\n", "  # a comment\n", "\n# a comment\n\n", "  \r\n# a comment\r\n"]
)
def test_a_graph_is_known_by_its_first_node(between: str) -> None:
    head = f"junk\nsubgraph @x() {{\n{between}  %0(a) = Z(U)\n"
    assert graph_ir.sniff(head.encode())
    assert not graph_ir.sniff(head.replace("{", "").encode())
    assert not graph_ir.sniff(head.replace("%0", "# one\n# two\n  %0").encode())


def test_tuples_named_again_and_again_are_taken_apart_only_so_far(tmp_path: Path) -> None:
    file = tmp_path / "operands.ir"
    count = 20_000
    many = _graph(
        "  %0(a) = PrimFunc_Z(U)",
        "  %1(a) = MakeTuple(" + ", ".join(["%0"] * count) + ")",
        "  %2(a) = Add(" + ",".join(["%1"] * count) + ")",
    )
    file.write_text(many)
    done = opdiff("info", file)
    assert done.returncode == 0, done.stderr
    assert b"Add has more tensors than are kept of one op (4096)" in done.stdout


@pytest.mark.parametrize("element", ["%0", "U"])
def test_a_tuple_read_by_every_node_costs_no_more_than_a_file_may(
    tmp_path: Path, element: str
) -> None:
    file = tmp_path / "readers.ir"
    count = 5_000
    nodes = ["  %0(a) = PrimFunc_Z(U)", f"  %1(a) = MakeTuple({', '.join([element] * count)})"]
    nodes += [f"  %{number}(a) = Add(%1, %0)" for number in range(2, count)]
    file.write_text(_graph(*nodes))
    done = opdiff("info", file)
    assert done.returncode == 0, done.stderr
    assert b"the tuples of one file" in done.stdout


@pytest.mark.parametrize("brackets", ["[]", "{}"])
@pytest.mark.parametrize("depth", [30, 250, 399, 5_000])
def test_types_however_deep_are_read_without_recursion(
    tmp_path: Path, depth: int, brackets: str
) -> None:
    file = tmp_path / "deep.ir"
    kind = f"Tuple{brackets[0]}" * depth + "Tensor[Float32]" + brackets[1] * depth
    type_ = f"<{kind}, {'TupleShape(' * depth}(2, 3){')' * depth}>"
    node = "  %0(a) = PrimFunc_Z(%para1_x)"
    file.write_text(_graph(node, f"      : ({type_}) -> (<Tensor[Float32], (2, 3)>)"))
    trace = open_trace(file)
    assert str(trace.op(0).outputs[0].spec) == "Float32:[2, 3]"
    codes = [problem.sentence.code for problem in trace.problems]
    if depth == 30:
        assert [str(operand.spec) for operand in trace.op(0).inputs] == ["Float32:[2, 3]"]
        assert codes == []
    else:
        assert codes == ["graph-ir.deep-type"]


def test_a_tuple_of_many_unlike_tensors_is_kept() -> None:
    kinds = ", ".join(["Tensor[Float32], Tensor[Int64]"] * 300)
    type_ = text.read_type(f"<Tuple[{kinds}], TupleShape({', '.join(['(2)'] * 600)})>")
    assert type_.elements is not None
    assert len(type_.elements) == 600


def test_a_count_that_nothing_bears_out_costs_nothing() -> None:
    claims = ", ".join(["Tuple[Int64*999999]"] * 2_000)
    shapes = ", ".join(["TupleShape(NoShape)"] * 2_000)
    type_ = text.read_type(f"<Tuple[{claims}], TupleShape({shapes})>")
    assert type_.elements is not None
    assert {element.elements for element in type_.elements} == {()}


@pytest.mark.parametrize("operands", [True, False])
def test_traces_that_have_only_names_in_common_end(tmp_path: Path, operands: bool) -> None:
    """Every name once, in another order: names were compared two by two, blocks place by place."""
    paths = [tmp_path / "left.ir", tmp_path / "right.ir"]
    names = [f"Op{number}" for number in range(8000)]
    for path, order in zip(paths, (names, random.Random(1).sample(names, len(names))), strict=True):
        lines = []
        for number, name in enumerate(order):
            made, read = (f"%{number + 1}", f"%{number}") if operands else ("", "")
            spec = "Float32:[8]" if operands else ""
            lines.append(f"({made}) = {name}({read}), task_info: {number}, attrs {{stream_id=0}} ")
            lines.append(f"    ({spec}) <- ({spec})\n    # ")
        path.write_text("\n".join(lines) + "\n")
    assert opdiff("compare", *paths).returncode == 1


@pytest.mark.parametrize("name", PATTERNS)
def test_sequences_made_to_be_hard_are_compared(name: str) -> None:
    """Names that nothing orders: all pairs of them would take minutes and gigabytes."""
    done = bounded("benchmarks.patterns", name, "10000")
    assert (done.returncode, done.stderr) == (0, b"")
    _, _, divergences = json.loads(done.stdout)
    left, right = PATTERNS[name](10_000)
    assert abs(len(left) - len(right)) <= divergences <= len(left) + len(right)
    assert divergences > 0


@pytest.mark.parametrize("size", [1, 2, 9, 1000])
def test_no_word_of_a_de_bruijn_sequence_occurs_twice(size: int) -> None:
    names = "".join(PATTERNS["rotated"](size)[0])
    length = max(1, (size - 1).bit_length())
    found = [names[at : at + length] for at in range(len(names) - length + 1)]
    assert len(names) == size
    assert len(set(found)) == len(found)
