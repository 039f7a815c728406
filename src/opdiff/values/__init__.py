"""What tensors held, beside the order of ops: reading it, how far two runs are apart, and why.

Knows traces and no comparison: which ops are pairs is for the engine to say.

    left, right = (Side(trace, open_values(trace)) for trace in …)
    compared = compare_values(left, right, left_rows, right_rows)
    causes = find_causes(compared.pairs, Flow.of(left.trace), Flow.of(right.trace))
"""

from opdiff.values.causes import Cause, Causes, find_causes
from opdiff.values.drowning import brought_up
from opdiff.values.dump import is_dump, measure_file, read_dump
from opdiff.values.estimate import Errors, Estimate, Figures, errors, figures
from opdiff.values.floors import Floors, Precision, parse_jump
from opdiff.values.flow import Flow
from opdiff.values.measures import Measure, Measures, MeasuresBuilder
from opdiff.values.operands import OperandPairs, by_position
from opdiff.values.pairing import (
    Compared,
    ValuedTrace,
    compare_values,
    measured_floors,
    part_ways,
    reorders,
    same_job,
)
from opdiff.values.question import Held, ValueOptions
from opdiff.values.sidecar import read_sidecar, sidecar_beside
from opdiff.values.sketch import read_sketch
from opdiff.values.sources import open_values
from opdiff.values.table import Contents, Kept, ValueProblem, Values
from opdiff.values.twins import settle_twins
from opdiff.values.witnesses import witnesses

__all__ = [
    "Cause",
    "Causes",
    "Compared",
    "Contents",
    "Errors",
    "Estimate",
    "Figures",
    "Floors",
    "Flow",
    "Held",
    "Kept",
    "Measure",
    "Measures",
    "MeasuresBuilder",
    "OperandPairs",
    "Precision",
    "ValueOptions",
    "ValueProblem",
    "ValuedTrace",
    "Values",
    "brought_up",
    "by_position",
    "compare_values",
    "errors",
    "figures",
    "find_causes",
    "is_dump",
    "measure_file",
    "measured_floors",
    "open_values",
    "parse_jump",
    "part_ways",
    "read_dump",
    "read_sidecar",
    "read_sketch",
    "reorders",
    "same_job",
    "settle_twins",
    "sidecar_beside",
    "witnesses",
]
