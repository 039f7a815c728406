"""Work that lasts: what the user decided, undo, and the document that keeps it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opdiff.session.document import Session, is_session, read_session, save_session
    from opdiff.session.history import Answers, History
    from opdiff.session.work import (
        DivergenceKey,
        GroupKey,
        UserNote,
        Work,
        divergence_key,
        group_key,
    )
else:
    from opdiff.on_demand import names_in

    __getattr__ = names_in(
        __name__,
        {
            "document": "Session is_session read_session save_session",
            "history": "Answers History",
            "work": "DivergenceKey GroupKey UserNote Work divergence_key group_key",
        },
    )

__all__ = [
    "Answers",
    "DivergenceKey",
    "GroupKey",
    "History",
    "Session",
    "UserNote",
    "Work",
    "divergence_key",
    "group_key",
    "is_session",
    "read_session",
    "save_session",
]
