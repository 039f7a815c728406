"""Which operands are compared: by position, or by which are alike."""

from __future__ import annotations

import numpy as np

from opdiff.trace import ColumnsBuilder, Operand, Source, TensorSpec, Trace
from opdiff.values.measures import Measure, Measures
from opdiff.values.pairing import ValuedTrace, compare_values, same_job
from opdiff.values.sketch import KIND, measure
from opdiff.values.table import Contents, Values

RNG = np.random.default_rng(0)
SCORES, MASK, LOW = RNG.standard_normal((8, 8)), RNG.random((8, 8)) > 0.5, np.full((), -9.0)


def side(name: str, inputs: list[np.ndarray], output: np.ndarray) -> ValuedTrace:
    """A trace of one op with these operands."""
    builder, contents = ColumnsBuilder(), list[Measure]()
    operands = []
    for number, array in enumerate([*inputs, output]):
        dtype = "Bool" if array.dtype == bool else "Float32"
        operands.append(Operand(number, TensorSpec(dtype, array.shape)))
        contents.append(measure(array if array.dtype == bool else array.astype(np.float32)))
    builder.add(name, operands[-1:], operands[:-1])
    places = np.arange(len(operands), dtype=np.int32)
    values = Values(
        "made",
        Measures.of(contents, KIND),
        Contents(np.array([0, len(inputs)]), places[:-1]),
        Contents(np.array([0, 1]), places[-1:]),
    )
    return ValuedTrace(Trace(Source("made", "made"), *builder.build()), values)


def compared(
    left: ValuedTrace, right: ValuedTrace
) -> tuple[list[tuple[int, int]], list[float], float]:
    """Which inputs are compared, their errors, and that of the output."""
    row = np.zeros(1, np.int32)
    pairs = compare_values(left, right, row, row).pairs
    places = zip(pairs.input_left.tolist(), pairs.input_right.tolist(), strict=True)
    return list(places), pairs.input_error.tolist(), float(pairs.output_error[0])


def test_ops_of_one_name_by_position() -> None:
    left = side("aten::sub", [SCORES, SCORES + 1], SCORES)
    right = side("aten::sub", [SCORES + 1, SCORES], SCORES)
    places, errors, _ = compared(left, right)
    assert places == [(0, 0), (1, 1)]
    assert min(errors) > 0.1


def test_ops_of_two_names_by_likeness() -> None:
    masked = np.where(MASK, LOW, SCORES)
    left = side("aten::masked_fill", [SCORES, MASK], masked)
    right = side("aten::where", [MASK, LOW, SCORES], masked)
    places, errors, output = compared(left, right)
    assert places == [(0, 2), (1, 0)]
    assert errors == [0.0, 0.0]
    assert output == 0.0


def test_inputs_of_ops_of_two_names_that_do_not_agree_are_not_known() -> None:
    left = side("aten::gelu", [SCORES], SCORES * 0.7)
    right = side("aten::mul", [SCORES * 0.5, SCORES + 3.0], SCORES * 0.7)
    _, errors, output = compared(left, right)
    assert np.isnan(errors).all()
    assert output == 0.0


def test_the_order_of_terms_does_not_matter() -> None:
    left = side("aten::add", [SCORES, SCORES * 2], SCORES * 3)
    right = side("aten::add", [SCORES * 2, SCORES], SCORES * 3)
    places, errors, _ = compared(left, right)
    assert places == [(0, 1), (1, 0)]
    assert errors == [0.0, 0.0]
    # One of them twice is something else.
    wrong = side("aten::add", [SCORES, SCORES], SCORES * 2)
    assert sorted(compared(left, wrong)[1])[0] == 0.0
    assert sorted(compared(left, wrong)[1])[1] > 0.1


def test_ops_that_lay_values_out_in_two_ways_do_not_do_the_same_job() -> None:
    row = np.zeros(1, np.int32)

    def job(left: str, right: str) -> bool:
        traces = [side(name, [SCORES], SCORES).trace for name in (left, right)]
        return bool(same_job(traces[0], traces[1], row, row)[0])

    assert job("aten::t", "aten::t")
    assert not job("aten::t", "aten::detach")
    assert not job("aten::t", "aten::mul")
    assert job("aten::masked_fill", "aten::where")


def test_lists_of_which_one_lacks_some() -> None:
    """A weight without a gradient is missing in the lists of an optimizer, twice here."""
    lists = [[RNG.standard_normal(size) for size in (4, 6, 6, 4)] for _ in range(2)]
    fewer = [tensors[:1] + tensors[2:] for tensors in lists]
    left = side("aten::_foreach_add_", lists[0] + lists[1], SCORES)
    right = side("aten::_foreach_add_", fewer[0] + fewer[1], SCORES)
    places, errors, _ = compared(left, right)
    assert places == [(0, 0), (2, 1), (3, 2), (4, 3), (6, 4), (7, 5)]
    assert errors == [0.0] * 6
    places, errors, _ = compared(right, left)
    assert places == [(0, 0), (1, 2), (2, 3), (3, 4), (4, 6), (5, 7)]
    assert errors == [0.0] * 6


def test_lists_of_which_one_lacks_some_where_all_is_wrong() -> None:
    """Sizes tell, too."""
    tensors = [RNG.standard_normal(size) for size in (4, 6, 8)]
    left = side("aten::_foreach_add_", tensors, SCORES)
    right = side("aten::_foreach_add_", [tensors[0] + 0.3, tensors[2] + 0.3], SCORES)
    assert compared(left, right)[0] == [(0, 0), (2, 1)]
