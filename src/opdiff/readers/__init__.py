"""Traces from files: one module a format, found by content, never by name."""

from opdiff.readers.opening import open_trace, ranks_in
from opdiff.readers.values import values_of

__all__ = ["open_trace", "ranks_in", "values_of"]
