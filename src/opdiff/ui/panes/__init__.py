"""Two traces side by side: painted rows, the links between them and an overview."""

from opdiff.ui.panes.comparison_view import ComparisonView
from opdiff.ui.panes.pane import TracePane

__all__ = ["ComparisonView", "TracePane"]
