from __future__ import annotations

import pytest

from opdiff.readers.mindspore import graph_ir_text as text
from opdiff.trace import Frame, TensorSpec


@pytest.mark.parametrize(
    ("primitive", "op"),
    [
        ("PrimFunc_Mul", "Mul"),
        ("TensorMove", "TensorMove"),
        ("DoSignaturePrimitive::S-Prim-MakeTuple{prim_type=1}", "MakeTuple"),
        ("S_Prim_add", "add"),
        ("call @✓construct_12", "Call"),
        ("%3", "Call"),
    ],
)
def test_op_name(primitive: str, op: str) -> None:
    assert text.op_name(primitive) == op


def test_node_with_nested_arguments() -> None:
    node = text.read_node(
        "  %3(CNode_244) = PrimFunc_StridedSlice(%2, (I64(0), I64(16)), I64(15))"
        " primitive_attrs: {output_names: (output)}"
    )
    assert node is not None
    assert (node.number, node.op, node.complete) == (3, "StridedSlice", True)
    assert node.arguments == ("%2", "(I64(0), I64(16))", "I64(15)")
    assert not node.side_effect


def test_node_of_a_listing_without_labels() -> None:
    node = text.read_node("  %4 = Assign(%para2_param, Tensor(shape=[], dtype=Int32, value=1), %3)")
    assert node is not None
    assert node.op == "Assign"
    assert node.arguments[1] == "Tensor(shape=[], dtype=Int32, value=1)"


def test_unclosed_arguments_are_noticed() -> None:
    node = text.read_node("  %4(x) = Add(%1, (I64(1)")
    assert node is not None
    assert not node.complete


def test_types_of_tuples_references_scalars_and_monads() -> None:
    inputs, outputs = text.read_types(
        "      : (<Ref[Tensor[Float32]], (4, 4), ref_key=w, is_parameter>, <UMonad, NoShape>,"
        " <Tuple[Int64*2], TupleShape(NoShape, NoShape), elements_use_flags={[const vector]{1}}>)"
        " -> (<Tuple[Tensor[Float16]*2, Int64], TupleShape((2, 3), (), NoShape)>)"
    )
    assert inputs[0].spec == TensorSpec("Float32", (4, 4))
    assert inputs[1].spec is None
    assert inputs[2].elements is not None
    assert [element.spec for element in inputs[2].elements] == [TensorSpec("Int64", ())] * 2
    assert outputs[0].elements is not None
    assert [element.spec for element in outputs[0].elements] == [
        TensorSpec("Float16", (2, 3)),
        TensorSpec("Float16", ()),
        TensorSpec("Int64", ()),
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("      : (<Tensor[Float32], (2)>) -> (<Tensor[Float32], (2)>)", True),
        ("      : (<Float32xDefaultFormat[const vector]{2}>) -> ()", False),
        ("      : (Tensor, Scalar) -> (Tensor)", False),
        ("      : () -> (<Tensor[Float32], (2)>)", True),
    ],
)
def test_only_abstract_types_are_taken(line: str, expected: bool) -> None:
    assert text.is_type_line(line) is expected


def test_absurd_types_are_not_believed() -> None:
    deep = "<" + "Tuple[" * 5000 + "Int64" + "]" * 5000 + ", NoShape>"
    wide = "<Tuple[" + "Int64*999999, " * 2000 + "Int64], TupleShape(NoShape)>"
    assert text.read_type(deep).spec is None
    assert text.read_type(wide).elements == ()


def test_stack_keeps_the_narrowest_line_of_each_function() -> None:
    lines = [
        "      # In file /home/u/net.py:10~17, 4~29/    def construct(self, x):/",
        "      # In file /home/u/net.py:12~16, 8~36/        for i in range(3):/",
        "      # In file /home/u/net.py:14, 32~42/            y = add(w, x)/<~~This line of code"
        " can be shared by multiple nodes, and may be duplicated./",
        "      # In file /usr/lib/ops.py:2155~2204/def add(input, other):/",
        "      # In file /usr/lib/ops.py:2204, 11~31/    return add_op(input, other)/",
    ]
    assert text.read_stack(lines) == (
        Frame("/home/u/net.py", 14, "construct"),
        Frame("/usr/lib/ops.py", 2204, "add"),
    )
