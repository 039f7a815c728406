"""The user's source beside the ops: stacks, the lines around a frame, and where the files are."""

from opdiff.ui.source.source_view import SourceActions, SourceView
from opdiff.ui.source.sources import Sources

__all__ = ["SourceActions", "SourceView", "Sources"]
