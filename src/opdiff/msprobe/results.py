"""The table that msprobe's own compare writes, CSV or Excel: what it flagged, op by op.

A row of it is an operand, named as the dump names it. Of those that msprobe did not let pass are
kept the verdict, the operand, and why.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from opdiff.errors import OpdiffError
from opdiff.msprobe.names import RowsByName, owner_of
from opdiff.readers.formats import Input
from opdiff.readers.text_lines import numbered_lines
from opdiff.regular_files import open_regular
from opdiff.report.flags import ERROR, UNMATCHED, WARNING, Flag, ToolFlags
from opdiff.report.spreadsheets import spreadsheets
from opdiff.trace import Trace

_NPU, _BENCH = "NPU Name", "Bench Name"
_VERDICTS = ("Result", "Accuracy Reached or Not")
"""The column's name now, and in older versions."""
_MESSAGE = "Err_message"
_PASSED = frozenset({"", "pass", "yes", "n/a", "none", "true", "skip"})
_WARNINGS = frozenset({"warning", "unsupported", "unmatched", "unknown"})
_ZIP = b"PK\x03\x04"
_LONGEST = 500
_LARGEST_SHEET = 1 << 30
_QUOTED = re.compile(r"""^\[\s*(?P<quote>['"])(?P<text>.*)(?P=quote)\s*\]$""", re.DOTALL)


class MsprobeVerdict(NamedTuple):
    """What msprobe says of one operand that it did not let pass."""

    npu: str
    bench: str
    verdict: str
    message: str


def read_flags(path: str | Path, left: Trace, right: Trace) -> ToolFlags:
    """What such a table flags among the ops of two traces, whichever of them is the NPU's.

    Raises OpdiffError where the file is no such table.
    """
    verdicts = read_verdicts(str(path))
    one, other = RowsByName(left), RowsByName(right)
    straight, turned = _flags(verdicts, one, other), _flags(verdicts, other, one)
    if len(turned) > len(straight):
        straight = [Flag(f.verdict, f.operand, f.message, f.right, f.left) for f in turned]
    return ToolFlags(str(path), tuple(straight), len(verdicts) - len(straight))


def _flags(verdicts: Iterable[MsprobeVerdict], npu: RowsByName, bench: RowsByName) -> list[Flag]:
    found = []
    for one in verdicts:
        (name, operand), (other, _) = owner_of(one.npu), owner_of(one.bench)
        here, there = npu.row(name), bench.row(other)
        if here is not None or there is not None:
            found.append(Flag(one.verdict, operand, one.message, here, there))
    return found


def read_verdicts(path: str) -> list[MsprobeVerdict]:
    """All operands that msprobe flagged, in the order of the table."""
    try:
        with open_regular(path) as file:
            is_sheet = file.read(len(_ZIP)) == _ZIP
        rows = _sheet_rows(path) if is_sheet else _csv_rows(path)
        return list(_verdicts(rows, path))
    except OSError as error:
        raise OpdiffError.of_system("reading.unreadable", error, path) from None


def _verdicts(rows: Iterator[Sequence[str]], path: str) -> Iterator[MsprobeVerdict]:
    header = [cell.strip() for cell in next(rows, ())]
    verdict = next((name for name in _VERDICTS if name in header), None)
    if verdict is None or _NPU not in header or _BENCH not in header:
        raise OpdiffError("flags.not-a-result", path=path)
    places = [header.index(name) for name in (_NPU, _BENCH, verdict)]
    why = header.index(_MESSAGE) if _MESSAGE in header else None
    for row in rows:
        if len(row) <= max(places):
            continue  # a row that is cut off, or an empty one
        npu, bench, said = (row[place].strip() for place in places)
        kind = _kind(said, bench)
        if kind is not None:
            message = row[why] if why is not None and why < len(row) else ""
            yield MsprobeVerdict(npu, bench, kind, _plain(message, said) or said)


def _kind(said: str, bench: str) -> str | None:
    if bench.casefold() in ("n/a", ""):
        return UNMATCHED
    folded = said.casefold()
    if folded in _PASSED:
        return None
    return WARNING if folded in _WARNINGS else ERROR


def _plain(message: str, said: str) -> str:
    """The text of ``["error: …"]`` without the verdict, which is told anyway."""
    text = " ".join(message.split())
    quoted = _QUOTED.match(text)
    text = quoted["text"] if quoted else "" if text in ("[]", "nan", "None") else text
    text = text.removeprefix(f"{said}: ")
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _csv_rows(path: str) -> Iterator[list[str]]:
    with Input.opened(path) as source:
        lines = (line.replace("\0", "") + "\n" for _, line in numbered_lines(source))
        try:
            yield from csv.reader(lines)
        except csv.Error:  # a cell that is larger than any of msprobe's
            raise OpdiffError("flags.not-a-result", path=path) from None


def _sheet_rows(path: str) -> Iterator[list[str]]:
    """The first sheet of a workbook; one that is no workbook is no table."""
    openpyxl = spreadsheets()
    with open_regular(path) as file:
        try:
            _refuse_bombs(file.read(), path)
            file.seek(0)
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            for row in book.worksheets[0].iter_rows(values_only=True):
                yield ["" if cell is None else str(cell) for cell in row]
        except OpdiffError:
            raise
        except Exception as error:  # noqa: BLE001 # whatever a damaged archive or its XML makes of it
            reason = str(error) or type(error).__name__
            raise OpdiffError("flags.not-a-workbook", reason=reason, path=path) from None


def _refuse_bombs(content: bytes, path: str) -> None:
    from zipfile import ZipFile

    with ZipFile(io.BytesIO(content)) as archive:
        total = sum(info.file_size for info in archive.infolist())
    if total > _LARGEST_SHEET:
        most = f"{_LARGEST_SHEET:,}"
        raise OpdiffError("file.too-large", size=f"{total:,}", most=most, path=path)
