"""What the comparison says of the shown ops in words, above their fields."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from opdiff.compare import Comparison, Divergence, Side
from opdiff.ui.details.table import Cell, Field, GoTo, Span
from opdiff.ui.language import kind_name, spoken
from opdiff.ui.theme import sign_of


def record_fields(comparison: Comparison, found: Iterable[Divergence]) -> list[Field]:
    """One field a record: sign and word of its kind, its sentence, and because of what it is."""
    return [
        Field(
            "",
            (
                Span(
                    f"{sign_of(record.kind)} {kind_name(record.kind)}", words=True, ink=record.kind
                ),
                Span(f"   {spoken(record.sentence)}", words=True),
                *_cause(comparison, record),
            ),
            (),
            wide=True,
        )
        for record in found
    ]


def note_fields(notes: Iterable[str]) -> list[Field]:
    """One field a note of the user."""
    words = (f"✎ {note}" for note in dict.fromkeys(notes))
    return [Field("", (Span(note, words=True),), (), wide=True) for note in words]


def _cause(comparison: Comparison, record: Divergence) -> Cell:
    if record.caused_by is None:
        return ()
    cause = comparison.divergences[record.caused_by]
    side = Side.LEFT if cause.left_rows else Side.RIGHT
    title = spoken(comparison.groups[cause.group].title)
    text = QCoreApplication.translate("FieldTable", "because of {0}")
    named = text.format(f"{sign_of(cause.kind)} {title}")
    return (Span("  "), Span(named, GoTo(side, cause.rows(side)[0]), words=True))
