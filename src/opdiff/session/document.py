"""The ``.opdiff`` document: an investigation on disk, schema ``opdiff-session/1``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from opdiff import __version__
from opdiff.compare import Direction, Side
from opdiff.errors import OpdiffError
from opdiff.regular_files import read_bounded, too_large
from opdiff.report.writing import write_atomically
from opdiff.session.coding import Decoder, Encoder
from opdiff.session.files import FileMark, mark, path_for, path_from
from opdiff.session.json_fields import Field
from opdiff.session.rules_text import rules_of
from opdiff.session.value_choice import ValueChoice
from opdiff.session.work import Work
from opdiff.trace import Trace
from opdiff.trace.told import NOTHING_TOLD, Told
from opdiff.values.sources import sidecar_beside
from opdiff.wording import Sentence
from opdiff.wording.printable import json_text

SCHEMA = "opdiff-session/1"
SUFFIX = ".opdiff"
MOST_BYTES = 64_000_000
"""Hundreds of thousands of decisions; what is larger is none of ours."""
_AS_USUAL = ValueChoice()
_VERSION = re.compile(r"opdiff-session/([0-9]+)")

View = Mapping[str, object]
"""How the window looked: whatever it wants to find again, as JSON."""


class Restored(NamedTuple):
    """Work brought back, and what the user should know about it."""

    work: Work
    remarks: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Session:
    """A document that was read: its files are known, its work waits for their traces."""

    path: Path
    left: FileMark
    right: FileMark
    view: View
    _document: Field = field(repr=False)

    def restore(self, left: Trace, right: Trace) -> Restored:
        """The work on these traces; changed files are said, ops are found by their content."""
        decoder = Decoder(left, right)
        work = decoder.decode(self._document)
        if work.rules_path is not None:
            work = work.with_rules(work.rules_text, path_from(work.rules_path, self.path))
        return Restored(work, (*self._changes(left, right), *decoder.remarks))

    def told(self) -> Told:
        """What its rules say of how the traces are read."""
        try:
            rules = rules_of(self._document["rules"]["text"].text(""), str(self.path))
        except OpdiffError:  # told when the work is restored
            return NOTHING_TOLD
        return Told(kernels=dict(rules.kernels))

    def values(self) -> ValueChoice:
        """How values were compared."""
        return ValueChoice.from_json(self._document["values"], self.path)

    def direction(self) -> Direction | None:
        """How it was compared; None where anchors are wanting for that."""
        direction = self._document["direction"].one_of(Direction, Direction.WHOLE)
        anchors = self._document["anchors"]
        anchored = not (anchors["left"].is_absent or anchors["right"].is_absent)
        return direction if anchored or direction is Direction.WHOLE else None

    def _changes(self, left: Trace, right: Trace) -> list[Sentence]:
        said: list[Sentence] = []
        for side, then, trace in ((Side.LEFT, self.left, left), (Side.RIGHT, self.right, right)):
            now = mark(trace.source.path)
            if (now.size, now.digest) != (then.size, then.digest):
                name = Sentence.of(f"session.{side.name.lower()}")
                said.append(Sentence.of("session.trace-changed", side=name, path=trace.source.path))
        return said


def save_session(
    path: str | Path,
    work: Work,
    left: Trace,
    right: Trace,
    view: View | None = None,
    values: ValueChoice = _AS_USUAL,
) -> None:
    """Write the document, all of it or nothing."""
    target = Path(path)
    document: dict[str, object] = {
        "schema": SCHEMA,
        "written_by": f"opdiff {__version__}",
        "left": _file(left, target),
        "right": _file(right, target),
        **Encoder(left, right).encode(work),
        "values": values.as_json(target),
        "view": dict(view or {}),
    }
    if work.rules_path is not None:
        rules = dict(Field(document, None)["rules"].mapping())
        document["rules"] = {**rules, "path": path_for(work.rules_path, target)}
    content = (json_text(document, indent=1) + "\n").encode("utf-8")
    if len(content) > MOST_BYTES:  # it could not be opened again
        raise too_large(len(content), MOST_BYTES, target)
    write_atomically(target, content, reads=[*files_read(work, left, right), *values.files])


def files_read(work: Work, *traces: Trace | None) -> list[str]:
    """The files that a piece of work comes from, with the values that lie beside its traces."""
    there = [trace.source for trace in traces if trace is not None]
    beside = (sidecar_beside(source.path) for source in there)
    files = [
        *chain.from_iterable(source.files for source in there),
        *map(str, filter(None, beside)),
    ]
    return [*files, work.rules_path] if work.rules_path is not None else files


def _file(trace: Trace, document: Path) -> dict[str, object]:
    now = mark(trace.source.path)
    known = {"path": path_for(now.path, document), "size": now.size, "digest": now.digest}
    graph = trace.source.graph
    return known if graph is None else {**known, "graph": graph}


def is_session(path: str | Path) -> bool:
    """Whether a path is meant as a session."""
    return str(path).endswith(SUFFIX)


def read_session(path: str | Path) -> Session:
    """Read a document; one that is broken, foreign or newer is an error that says so."""
    source = Path(path)
    document = Field(_parse(source), str(path))
    _check_schema(document, str(path))
    return Session(
        path=source,
        left=_file_mark(document["left"], source),
        right=_file_mark(document["right"], source),
        view=document["view"].mapping(),
        _document=document,
    )


def _file_mark(entry: Field, document: Path) -> FileMark:
    return FileMark(
        path_from(entry["path"].text(), document),
        entry["size"].number(),
        entry["digest"].text(),
        entry["graph"].text_if_any(),
    )


def _parse(path: Path) -> object:
    try:
        return json.loads(read_bounded(path, MOST_BYTES).decode("utf-8-sig"))
    except OSError as error:
        raise OpdiffError.of_system("session.unreadable", error, path) from None
    except UnicodeDecodeError:
        raise OpdiffError("session.not-utf8", path=path) from None
    except json.JSONDecodeError as error:
        raise OpdiffError(
            "session.not-json", problem=error.msg, column=error.colno, path=path, line=error.lineno
        ) from None
    except (RecursionError, ValueError):
        # Nested a thousand deep, or a number of thousands of digits: nothing we ever wrote.
        raise OpdiffError("session.foreign", schema=SCHEMA, path=path) from None


def _check_schema(document: Field, path: str) -> None:
    try:
        schema = document["schema"].text("")
    except OpdiffError:
        schema = ""
    if schema == SCHEMA:
        return
    if schema.startswith("opdiff/"):
        raise OpdiffError("session.report", path=path)
    if _VERSION.fullmatch(schema):
        raise OpdiffError("session.newer", schema=schema, path=path)
    raise OpdiffError("session.foreign", schema=SCHEMA, path=path)
