"""What tensors held, in the window: the curve of errors, their column, both statistics."""

from opdiff.ui.values.error_curve import ErrorCurve, connect_curve

__all__ = ["ErrorCurve", "connect_curve"]
