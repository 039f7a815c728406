"""The beginning of a large trace, to be looked at while the rest is read."""

from __future__ import annotations

import io
import os
from pathlib import Path

from opdiff.errors import OpdiffError
from opdiff.readers.formats import Format, Input, formats, usual_format
from opdiff.readers.opening import _file_of, head_of
from opdiff.readers.unpacking import unpacked
from opdiff.regular_files import open_regular
from opdiff.trace import Trace

WORTH_IT = 2 << 20
"""Bytes of a file: what is smaller is there before anybody has looked."""
_BEGINNING = 192 << 10
"""Bytes: some hundreds of ops, many screens."""


def first_rows(path: str | Path, rank: int | None = None, worth_it: int = WORTH_IT) -> Trace | None:
    """The first ops of a file that is read line by line; None where it is small or unreadable.

    Other formats say what they hold at their ends, all over, or in files beside.
    """
    try:
        with open_regular(_file_of(Path(path), rank)) as on_disk:
            if os.fstat(on_disk.fileno()).st_size < worth_it:
                return None
            head = head_of(on_disk)
            format_ = next((each for each in formats() if each.sniff(head)), None)
            end = _record_end(format_)
            if format_ is None or end is None:
                return None
            whole = unpacked(on_disk).read(_BEGINNING)
            beginning = whole[: whole.rfind(end) + 1]
            if not beginning:
                return None
            content = io.BytesIO(beginning)
            return format_.read(Input(str(path), content, content, len(beginning)))
    except (OSError, ValueError, OpdiffError):
        return None  # reading all of it says why


def _record_end(format_: Format | None) -> bytes | None:
    """What ends a record of a format whose beginning is a trace by itself; None for others."""
    if format_ is usual_format():
        return b"\n("  # a record begins with the blocks it writes; the last one may not be whole
    from opdiff.readers import debugmode, npu_log

    return b"\n" if format_ in (npu_log, debugmode) else None
