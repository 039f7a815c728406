"""Making traces: run a command with the tracker on and bring home what it wrote."""

from opdiff.capture.manifest import why_no_trace, write_manifest
from opdiff.capture.running import CaptureRequest, CaptureRun, run_and_collect

__all__ = ["CaptureRequest", "CaptureRun", "run_and_collect", "why_no_trace", "write_manifest"]
