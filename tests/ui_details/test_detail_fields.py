from __future__ import annotations

from made_pairs import (
    HALF,
    WIDE,
    built,
    compared,
    dense,
    left_trace,
    right_trace,
    said,
    shown_in,
    view,
)

from opdiff.compare import Comparison, Divergence, Kind, LostLink, Side
from opdiff.trace import ColumnsBuilder, Frame, Trace
from opdiff.trace.columns import EAGER, GRAPH
from opdiff.ui.details.fields import FieldTable
from opdiff.ui.details.pairing import ComparedTrace, ShownPair
from opdiff.ui.details.table import NEW_LINE, DetailRow, GoTo, OpenSource, Unfold, cell_text


def fields_of(comparison: Comparison, left: int | None, right: int | None) -> list[DetailRow]:
    return FieldTable(shown_in(comparison, left, right)).fields()


def texts(fields: list[DetailRow]) -> list[tuple[str, str, str]]:
    return [(field.label, cell_text(field.left), cell_text(field.right)) for field in fields]


def test_every_fact_of_both_ops(rope: Comparison) -> None:
    assert texts(fields_of(rope, 1, 3)) == [
        ("type", "Slice", "StridedSlice"),
        ("stack", "rope.py:88 rotate   1 more", "— compiled graph, scope Default"),
        (
            "input 0",
            "%1 BFloat16 [64, 2, 4, 32]  {256, 128, 32, 1} +0",
            "%2 BFloat16 [64, 2, 4, 32]",
        ),
        ("", "from Reshape 1", "from Contiguous 4 → Reshape 1"),
        ("constants", "", "%70 BFloat16 [4]"),
        (
            "output 0",
            "%1 BFloat16 [64, 2, 4, 16]  {256, 128, 32, 1} +0",
            "%3 BFloat16 [64, 2, 4, 16]",
        ),
        ("read by", "Mul 7", "Mul 13"),
        ("stream", "0", "1"),
    ]


def test_what_differs_is_marked_by_its_kind(rope: Comparison) -> None:
    fields = fields_of(rope, 1, 3)
    marked = {field.label: field.kind for field in fields if field.kind is not None}
    assert marked == {
        "type": Kind.OP_TYPE,
        "input 0": Kind.LAYOUT_MISSING,
        "output 0": Kind.LAYOUT_MISSING,
        # The pair has no record of its attributes: the mark of its gravest kind.
        "stream": Kind.OP_TYPE,
    }
    strong = [span.text for field in fields for span in field.left if span.strong]
    assert strong == ["{256, 128, 32, 1} +0"] * 2


def test_a_scope_of_eager_code_is_no_compiled_graph() -> None:
    made = ColumnsBuilder()
    made.add("cos/Cos", [dense(1)], mode=EAGER)
    trace = built(made)
    fields = fields_of(compared(trace, trace, [(0, 0)], []), 0, 0)
    assert ("stack", "— no stack recorded", "— no stack recorded") in texts(fields)


def test_what_the_comparison_calls_equal_stays_unmarked(rope: Comparison) -> None:
    assert [field.kind for field in fields_of(rope, 2, 4)] == [None] * len(fields_of(rope, 2, 4))


def test_a_constant_that_one_side_lists_is_dimmed(rope: Comparison) -> None:
    constant = next(field for field in fields_of(rope, 1, 3) if field.label == "constants")
    assert [span.dim for span in constant.right] == [True]
    assert constant.left == ()
    assert constant.kind is None


def test_links_lead_to_producers_and_consumers(rope: Comparison) -> None:
    links = [
        span.link
        for field in fields_of(rope, 1, 3)
        for span in (*field.left, *field.right)
        if span.link is not None
    ]
    assert links == [
        OpenSource("/nowhere/rope.py", 88),
        Unfold(),
        GoTo(Side.LEFT, 0),
        GoTo(Side.RIGHT, 1),
        GoTo(Side.RIGHT, 0),
        GoTo(Side.RIGHT, 2),
        GoTo(Side.LEFT, 2),
        GoTo(Side.RIGHT, 4),
    ]


def test_scope_and_mode_are_told_apart_from_the_stack() -> None:
    made = ColumnsBuilder()
    stack = (Frame("/nowhere/rope.py", 88, "rotate"),)
    made.add("Default/net/Mul-op1", [dense(1)], stack=stack, mode=GRAPH, graph="kernel_graph_1")
    table = FieldTable(ShownPair((0, None), (built(made), None)))
    assert texts(table.fields())[1] == ("stack", "rope.py:88 rotate", "")
    assert texts(table.fields())[-2:] == [
        ("mode", "graph kernel_graph_1", ""),
        ("scope", "Default/net", ""),
    ]


def test_every_frame_is_a_link_and_stands_in_a_line_of_its_own() -> None:
    table = FieldTable(ShownPair((1, None), (left_trace("/rope.py"), None)), unfolded=True)
    stack = next(field.left for field in table.fields() if field.label == "stack")
    assert [span.text for span in stack] == ["rope.py:88 rotate", NEW_LINE, "main.py:3 main"]
    assert stack[0].link == OpenSource("/rope.py", 88)
    assert isinstance(stack[2].link, OpenSource)


def test_one_sided(rope: Comparison) -> None:
    fields = fields_of(rope, None, 1)
    assert texts(fields)[0] == ("type", "— no counterpart", "Contiguous")
    assert fields[0].kind is Kind.CONTIGUOUS
    assert all(field.left == () for field in fields[1:])


def test_before_anything_is_compared() -> None:
    fields = FieldTable(ShownPair((1, 3), (left_trace(), right_trace()))).fields()
    assert [field.kind for field in fields] == [None] * len(fields)
    assert ("type", "Slice", "StridedSlice") in texts(fields)


def many_readers() -> Trace:
    made = ColumnsBuilder()
    made.add("Mul", [dense(1)], [dense(90)])
    for number in range(9):
        made.add("Add", [dense(10 + number)], [dense(1)])
    made.add("AddN", [dense(40)], [dense(10 + number % 9) for number in range(40)])
    return built(made)


def test_many_consumers_and_operands_are_folded() -> None:
    trace = many_readers()
    folded = FieldTable(ShownPair((0, None), (trace, None))).fields()
    readers = next(field.left for field in folded if field.label == "read by")
    assert cell_text(readers).endswith("Add 19 … 3 more")
    assert readers[-1].link == Unfold()
    inputs = FieldTable(ShownPair((10, None), (trace, None))).fields()
    assert sum(field.label.startswith("input") for field in inputs) == 24
    assert any(cell_text(field.left) == "16 more" for field in inputs)
    opened = FieldTable(ShownPair((10, None), (trace, None)), unfolded=True).fields()
    assert sum(field.label.startswith("input") for field in opened) == 40


def test_even_unfolded_there_is_an_end() -> None:
    made = ColumnsBuilder()
    made.add("Mul", [dense(1)])
    for number in range(1000):
        made.add("Add", [dense(10 + number)], [dense(1)])
    table = FieldTable(ShownPair((0, None), (built(made), None)), unfolded=True)
    readers = next(field.left for field in table.fields() if field.label == "read by")
    assert cell_text(readers).endswith(" … 800 more")
    assert readers[-1].link is None


def test_a_changed_origin_is_marked_only_where_the_comparison_says_so(rope: Comparison) -> None:
    left, right = left_trace(), right_trace()
    crossed = compared(
        left, right, [(2, 5)], [Divergence(Kind.DATAFLOW, (2,), (5,), said("flow"), 0)]
    )
    origins = [field for field in fields_of(crossed, 2, 5) if "from" in cell_text(field.left)]
    assert [field.kind for field in origins] == [Kind.DATAFLOW]
    agreed = [field for field in fields_of(rope, 2, 4) if "from" in cell_text(field.left)]
    assert [field.kind for field in agreed] == [None]


def test_a_fusion_names_all_its_ops() -> None:
    left = built(_chain("Mul", "Sigmoid", "Sub"))
    right = built(_chain("GraphKernel_Mul_Sigmoid_Sub_fusion"))
    record = Divergence(Kind.FUSED, (0, 1, 2), (0,), said("fusion"), 0)
    comparison = compared(left, right, [], [record])
    assert shown_in(comparison, 1, None).rows == (1, 0)
    assert texts(fields_of(comparison, 1, 0))[0] == (
        "together",
        "Mul 1, Sigmoid 4, Sub 7",
        "GraphKernel_Mul_Sigmoid_Sub_fusion 1",
    )


def test_links_lost_to_the_host_are_listed() -> None:
    bare, full = ColumnsBuilder(), ColumnsBuilder()
    bare.add("Or")
    full.add("Or", [dense(2)], [dense(90)])
    for made in (bare, full):
        made.add("Not", [dense(3)], [dense(2)])
    for left, right, side in ((full, bare, Side.RIGHT), (bare, full, Side.LEFT)):
        links = (LostLink(side, 1, 0, 0),)
        record = Divergence(Kind.CPU_FALLBACK, (0,), (0,), said("fallback"), 0, lost_links=links)
        comparison = compared(built(left), built(right), [(0, 0), (1, 1)], [record])
        lost = next(row for row in texts(fields_of(comparison, 0, 0)) if row[0] == "lost links")
        assert lost[1 + side] == "Not 4 input 0"


def _chain(*types: str) -> ColumnsBuilder:
    made = ColumnsBuilder()
    for number, name in enumerate(types):
        made.add(name, [dense(number + 2)], [dense(number + 1)])
    return made


def test_records_come_gravest_first(rope: Comparison) -> None:
    kinds = [record.kind for record in shown_in(rope, 1, 3).records()]
    assert kinds == [Kind.OP_TYPE, Kind.LAYOUT_MISSING]
    assert ShownPair((1, 3)).records() == []


def test_completing_a_pair(rope: Comparison) -> None:
    assert shown_in(rope, 1, None).rows == (1, 3)
    assert shown_in(rope, None, 4).rows == (2, 4)
    assert shown_in(rope, None, 1).rows == (None, 1)
    assert ShownPair().at(1, None).rows == (1, None)
    assert not shown_in(rope, None, None)


def test_origins_look_through_inserted_copies_only(rope: Comparison) -> None:
    right = ComparedTrace.of(rope.right.trace, rope, Side.RIGHT)
    assert right.origin(3, 0) == [1, 0]
    assert ComparedTrace(rope.right.trace).origin(3, 0) == [1]
    assert right.origin(0, 0) == []


def test_inputs_are_numbered_without_what_is_not_compared() -> None:
    left, right = ColumnsBuilder(), ColumnsBuilder()
    left.add("Slice", [view(9, HALF)], [dense(1, WIDE), dense(2, WIDE)])
    right.add("data-1", [dense(50, (4,))])
    right.add("data-2", [dense(51, (4,))])
    right.add(
        "Slice", [dense(9)], [dense(50, (4,)), dense(1, WIDE), dense(51, (4,)), dense(2, WIDE)]
    )
    comparison = compared(built(left), built(right), [(0, 2)], [])
    trace = comparison.right.trace
    assert ComparedTrace.of(trace, comparison, Side.RIGHT).inputs(2) == ([1, 3], [0, 2])
    assert ComparedTrace(trace).inputs(2) == ([0, 1, 2, 3], [])
    told = {label: (left, right) for label, left, right in texts(fields_of(comparison, 0, 2))}
    assert told["input 1"] == ("%2 BFloat16 [64, 2, 4, 32]", "%2 BFloat16 [64, 2, 4, 32]")
    assert told["constants"] == ("", "%50 BFloat16 [4],  %51 BFloat16 [4]")


def test_a_constant_that_both_sides_list_has_no_number_either() -> None:
    made = ColumnsBuilder()
    made.add("data-1", [dense(50, (4,))])
    made.add("Slice", [dense(9)], [dense(50, (4,)), dense(1, WIDE)])
    trace = built(made)
    found = texts(fields_of(compared(trace, trace, [(0, 0), (1, 1)], []), 1, 1))
    assert ("input 0", "%1 BFloat16 [64, 2, 4, 32]", "%1 BFloat16 [64, 2, 4, 32]") in found
