"""What stands in a large sidecar as a file that is mapped: its text takes longest to read."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import BinaryIO

from opdiff.readers.cache import Form
from opdiff.readers.kept_arrays import Facts, NotKeptError, read_arrays, write_arrays
from opdiff.readers.kept_form import sentence_from, sentence_json
from opdiff.values.measures import Measures
from opdiff.values.sidecar import Parsed
from opdiff.values.table import Places, ValueProblem

_MAGIC = b"opdiff-kept-values/1\n"
_KINDS = ("sketch_kind", "digest_kind")
_COLUMNS = [each.name for each in fields(Measures) if each.name not in (*_KINDS, "dtypes")]
_PLACES = [each.name for each in fields(Places)]


def _write(file: BinaryIO, parsed: Parsed) -> None:
    arrays = {name: getattr(parsed.measures, name) for name in _COLUMNS}
    arrays |= {f"places.{name}": getattr(parsed.places, name) for name in _PLACES}
    facts = {
        **{kind: getattr(parsed.measures, kind) for kind in _KINDS},
        "problems": [(each.line, sentence_json(each.sentence)) for each in parsed.problems],
    }
    write_arrays(file, _MAGIC, facts, {**arrays, "line": parsed.line})


def _read(path: Path, origin: str, _: tuple[str, ...]) -> Parsed:
    facts, arrays = read_arrays(path, _MAGIC)
    try:
        columns: Facts = {name: arrays[name] for name in _COLUMNS}
        return Parsed(
            origin,
            Measures(**columns, **{kind: facts[kind] for kind in _KINDS}),
            Places(*(arrays[f"places.{name}"] for name in _PLACES)),
            arrays["line"],
            None,
            tuple(
                ValueProblem(origin, line, sentence_from(said)) for line, said in facts["problems"]
            ),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotKeptError from error


SIDECARS: Form[Parsed] = Form(
    suffix=".values",
    write=_write,
    read=_read,
    # Those keyed by names are of dumps, and small.
    is_kept=lambda parsed: parsed.names is None and not parsed.measures.dtypes,
)
