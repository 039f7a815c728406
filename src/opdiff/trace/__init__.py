"""One run's execution order as columns of interned integers. Knows no format and no comparison."""

from opdiff.trace.columns import ColumnsBuilder, Operands, Tables, TraceColumns
from opdiff.trace.model import Part, Source, Trace
from opdiff.trace.names import Role
from opdiff.trace.values import Frame, Line, Op, Operand, Problem, Row, TensorSpec

__all__ = [
    "ColumnsBuilder",
    "Frame",
    "Line",
    "Op",
    "Operand",
    "Operands",
    "Part",
    "Problem",
    "Role",
    "Row",
    "Source",
    "Tables",
    "TensorSpec",
    "Trace",
    "TraceColumns",
]
