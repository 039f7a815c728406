"""CSV as MindSpore writes it: fields quoted with backslashes, or as usual, or not at all."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from opdiff.readers.formats import Input
from opdiff.readers.problems import excerpt
from opdiff.readers.text_lines import numbered_lines

_FIELD = re.compile(r'\s*(?:"(?P<quoted>(?:[^"\\]|\\.|"")*)"\s*|(?P<plain>[^",]*))(?P<end>,|$)')
_ESCAPED = re.compile(r'\\(.)|"(")')


def split_row(line: str) -> list[str] | None:
    """The fields of a line; None if a quote is not closed."""
    if (
        "\\" not in line
        and line[:1] == line[-1:] == '"'
        and line.count('"') == 2 * line.count('","') + 2
    ):
        return line[1:-1].split('","')
    fields: list[str] = []
    place = 0
    while True:
        match = _FIELD.match(line, place)
        if match is None:
            return None
        quoted = match["quoted"]
        fields.append(match["plain"].strip() if quoted is None else _ESCAPED.sub(r"\1\2", quoted))
        place = match.end()
        if not match["end"]:
            return fields


def read_rows(
    source: Input, first_columns: Collection[str]
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Each row by the names of its columns, which stand in the line that begins with a known one.

    What stands before that line, and rows that are cut, are problems.
    """
    names: list[str] | None = None
    problems, last_row = source.problems, 1
    for number, line in numbered_lines(source):
        if not line.strip():
            continue
        fields = split_row(line)
        if names is None:
            if fields and fields[0] in first_columns:
                names = fields
            else:
                problems.skip(number, line.encode())
        elif fields is None or len(fields) < min(len(names), 2):
            problems.add("csv-row", number, number, excerpt=excerpt(line))
        else:
            problems.close()
            if len(fields) < len(names):
                problems.add("csv-row-short", number, number)
            last_row = number
            yield number, dict(zip(names, fields, strict=False))
    source.last_line = last_row
