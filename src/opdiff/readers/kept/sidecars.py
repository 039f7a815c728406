"""What stands in a large sidecar as a file that is mapped: its text takes longest to read."""

from __future__ import annotations

from dataclasses import fields

from opdiff.readers.kept.arrays import Arrays, Facts, Form
from opdiff.readers.kept.traces import sentence_from, sentence_json
from opdiff.values.measures import MEASURED, Measures
from opdiff.values.sidecar import Parsed
from opdiff.values.table import OperandPlaces, ValueProblem

_KINDS = ("sketch_kind", "digest_kind")
_PLACES = [each.name for each in fields(OperandPlaces)]


def _parts(parsed: Parsed) -> tuple[Facts, Arrays]:
    arrays = {name: getattr(parsed.measures, name) for name in MEASURED}
    arrays |= {f"places.{name}": getattr(parsed.places, name) for name in _PLACES}
    facts = {
        **{kind: getattr(parsed.measures, kind) for kind in _KINDS},
        "problems": [(each.line, sentence_json(each.sentence)) for each in parsed.problems],
    }
    return facts, {**arrays, "line": parsed.line}


def _whole(facts: Facts, arrays: Arrays, origin: str, _: tuple[str, ...]) -> Parsed:
    columns: Facts = {name: arrays[name] for name in MEASURED}
    problems = ((line, sentence_from(said)) for line, said in facts["problems"])
    return Parsed(
        origin,
        Measures(**columns, **{kind: facts[kind] for kind in _KINDS}),
        OperandPlaces(*(arrays[f"places.{name}"] for name in _PLACES)),
        arrays["line"],
        None,
        tuple(ValueProblem(origin, line, sentence) for line, sentence in problems),
    )


SIDECARS: Form[Parsed] = Form(
    "values",
    1,
    _parts,
    _whole,
    # Those keyed by names are of dumps, and small.
    fits=lambda parsed: parsed.names is None and not parsed.measures.dtypes,
)
