"""Which phase the names of ops speak for."""

from __future__ import annotations

import pytest

from opdiff.structure import Phase, phase_marks
from opdiff.trace import ColumnsBuilder, Operand, Source, TensorSpec, Trace

SPEC = TensorSpec("Float32", (4, 4))


@pytest.mark.parametrize(
    ("name", "phase"),
    [
        ("ReluGrad", Phase.BACKWARD),
        ("GraphKernel_MaxPoolGrad_ReluGrad_fusion", Phase.BACKWARD),
        ("GraphKernel_Mul_Add_fusion", Phase.FORWARD),
    ],
)
def test_a_fused_kernel_of_gradients_is_one(name: str, phase: Phase) -> None:
    builder = ColumnsBuilder()
    builder.add("Tanh", [Operand(2, SPEC)], [Operand(1, SPEC)])
    builder.add(name, [Operand(3, SPEC)], [Operand(2, SPEC)])
    marks = phase_marks(Trace(Source("trace.ir", "test"), *builder.build()))
    assert marks.tolist() == [Phase.FORWARD, phase]
