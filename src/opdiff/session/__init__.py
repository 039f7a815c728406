"""Work that lasts: what the user decided, undo, and the document that keeps it."""

from opdiff.session.history import Answers, History
from opdiff.session.work import DivergenceKey, GroupKey, Note, Work, divergence_key, group_key

__all__ = [
    "Answers",
    "DivergenceKey",
    "GroupKey",
    "History",
    "Note",
    "Work",
    "divergence_key",
    "group_key",
]
