"""The beginning of a large trace, to be looked at while the rest is read."""

from __future__ import annotations

import io
import os
from pathlib import Path

from opdiff.errors import OpdiffError
from opdiff.readers.formats import Input, formats, usual_format
from opdiff.readers.opening import _file_of, head_of
from opdiff.readers.unpacking import Unpacking, is_packed
from opdiff.regular_files import open_regular
from opdiff.trace import Trace

WORTH_IT = 2 << 20
"""Bytes of a file: what is smaller is there before anybody has looked."""
_BEGINNING = 192 << 10
"""Bytes: some hundreds of ops, many screens."""


def first_rows(path: str | Path, rank: int | None = None, worth_it: int = WORTH_IT) -> Trace | None:
    """The first ops of a tracker file; None where it is small, of another format, or unreadable.

    Other formats say what they hold at their ends, or all over.
    """
    try:
        with open_regular(_file_of(Path(path), rank)) as on_disk:
            if os.fstat(on_disk.fileno()).st_size < worth_it:
                return None
            head = head_of(on_disk)
            usual = usual_format()
            if next((each for each in formats() if each.sniff(head)), None) is not usual:
                return None
            stream = Unpacking(on_disk) if is_packed(on_disk) else on_disk
            whole = stream.read(_BEGINNING)
            # A record begins with the blocks it writes; the last one may not be whole.
            beginning = whole[: whole.rfind(b"\n(") + 1]
            if not beginning:
                return None
            content = io.BytesIO(beginning)
            return usual.read(Input(str(path), content, content, len(beginning)))
    except (OSError, ValueError, OpdiffError):
        return None  # reading all of it says why
