"""msprobe's ``compare.json``: which two dumps its own compare would take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from opdiff.errors import OpdiffError

_LARGEST = 1 << 20
_NEEDED = ("npu_path", "bench_path")


class NamedDumps(NamedTuple):
    """Two dumps, what is to be checked on the left and what it is held against on the right."""

    left: str
    right: str
    rank: int | None = None


def read_compare_file(path: str) -> NamedDumps | None:
    """What such a file names; None if it is none. Raises OpdiffError for one that is broken."""
    file = Path(path)
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return None
        text = file.read_bytes().decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        return None
    if not all(f'"{key}"' in text for key in _NEEDED):
        return None
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise OpdiffError(
            "session.not-json", problem=error.msg, column=error.colno, path=path, line=error.lineno
        ) from None
    except (ValueError, RecursionError):
        return None
    if not isinstance(content, dict):
        return None
    left, right = (_dump(content, key, file) for key in _NEEDED)
    return NamedDumps(left, right, _number(content, "rank_id", path))


def _dump(content: dict[str, Any], key: str, file: Path) -> str:
    """A path as msprobe takes it, from where the command runs; else from where the file lies."""
    value = content.get(key)
    if not isinstance(value, str) or not value:
        raise OpdiffError("reading.compare-path", key=key, path=file)
    found = Path(value)
    if not found.exists() and (file.parent / value).exists():
        found = file.parent / value
    step = _number(content, "step_id", str(file))
    below = found / f"step{step}"
    return str(below if step is not None and below.is_dir() else found)


def _number(content: dict[str, Any], key: str, path: str) -> int | None:
    """One rank or step; none is all of them, which only folders of one can be."""
    value = content.get(key)
    listed = value if isinstance(value, list) else [] if value is None else [value]
    if not all(type(one) is int and one >= 0 for one in listed) or len(listed) > 1:
        raise OpdiffError("reading.compare-number", key=key, path=path)
    return listed[0] if listed else None
