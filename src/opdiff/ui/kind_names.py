"""The word for each kind of divergence, in the language of the window."""

from __future__ import annotations

from opdiff.compare import Kind
from opdiff.ui.language import spoken
from opdiff.wording import Sentence


def kind_name(kind: Kind) -> str:
    """A word or two for a chip, a list or a tooltip: those of reports."""
    return spoken(Sentence.of(f"kind.{kind}"))
