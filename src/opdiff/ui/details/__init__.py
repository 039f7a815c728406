"""The selected pair close up: its details field by field, and the dataflow around it."""

from opdiff.ui.details.dataflow_view import DataflowView
from opdiff.ui.details.detail_view import DetailView

__all__ = ["DataflowView", "DetailView"]
