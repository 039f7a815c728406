"""What tensors held, beside the order of ops: reading it, and how far two runs are apart.

Knows traces and no comparison: which ops are pairs is for the engine to say.
"""

from opdiff.values.measures import Measure, Measures, MeasuresBuilder
from opdiff.values.sidecar import read_sidecar, sidecar_beside
from opdiff.values.table import Contents, ValueProblem, Values

__all__ = [
    "Contents",
    "Measure",
    "Measures",
    "MeasuresBuilder",
    "ValueProblem",
    "Values",
    "read_sidecar",
    "sidecar_beside",
]
