"""Numbers as people type them, or as a settings file may hold them after anybody's hands."""

from __future__ import annotations

import re

# No more digits than any line or block has: Python refuses to read thousands of them.
_WHOLE = re.compile(r"-?[0-9]{1,18}")


def whole_number(text: str) -> int | None:
    """The number a text is; None where it is none."""
    return int(text) if _WHOLE.fullmatch(text) else None
