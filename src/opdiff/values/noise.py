"""What is noise, measured: the errors between two runs that should be equal."""

from __future__ import annotations

import numpy as np

from opdiff.values.floors import DEFAULT_FLOORS, Floors, Precision, precisions
from opdiff.values.pairing import Compared, ValuedTrace

_MARGIN = 2.0
"""A third run may be that much noisier than the one that was measured."""
_LARGEST = 0.1
"""More than this is no noise: random numbers from another seed, or a run that is not equal."""
_STEPS = {Precision.F64: 2e-16, Precision.F32: 1.2e-7, Precision.F16: 1e-3, Precision.BF16: 8e-3}
"""The step of each precision: what is measured below it is luck."""


def measured_floors(compared: Compared, left: ValuedTrace, right: ValuedTrace) -> Floors:
    """Of each precision the largest error between both runs, with a margin.

    A precision that does not occur keeps what is usual; whole numbers have no noise.
    """
    kinds = np.maximum(
        precisions(left.trace, left.values, outputs=True)[compared.output_left],
        precisions(right.trace, right.values, outputs=True)[compared.output_right],
    )
    error = compared.pairs.output_error
    floors = list(DEFAULT_FLOORS)
    for precision in Precision:
        here = error[(kinds == precision) & (error <= _LARGEST)]
        if precision is not Precision.WHOLE and len(here):
            floors[precision] = max(_MARGIN * float(here.max()), _STEPS.get(precision, 0.0))
    return Floors(tuple(floors))
