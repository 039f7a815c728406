"""Traces from files: one module a format, found by content, never by name."""

from opdiff.readers.opening import open_trace, open_traces, ranks_in

__all__ = ["open_trace", "open_traces", "ranks_in"]
