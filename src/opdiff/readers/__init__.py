"""Traces from files: one module a format, found by content, never by name."""

from opdiff.readers.opening import open_trace, open_traces, ranks_in
from opdiff.readers.values import values_of

__all__ = ["open_trace", "open_traces", "ranks_in", "values_of"]
