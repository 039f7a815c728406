"""Differences in values, in words."""

from __future__ import annotations

import math

from opdiff.compare.kinds import Kind
from opdiff.compare.records.findings import Detail
from opdiff.compare.values.value_comparison import CONSEQUENCE, OperandAt
from opdiff.values.causes import Cause
from opdiff.values.estimate import Estimate
from opdiff.wording import Sentence

_SHOWN_AS_SHARE = 1e-3


def error_text(error: float) -> str:
    """An error as people read it: ``0.8 %``, or ``2e-07`` where that is little."""
    if error >= _SHOWN_AS_SHARE:
        percent = 100.0 * error
        digits = 0 if percent >= 10 else 1 if percent >= 1 else 2
        return f"{percent:.{digits}f} %"
    return f"{error:.0e}" if error else "0"


def decade(error: float) -> int:
    """The power of ten that an error reaches; a very small number for none."""
    return math.floor(math.log10(error)) if error > 0 else -99


def about(error: float) -> str:
    """The powers of ten that an error lies between, as groups are told apart."""
    return f"1e{decade(error)}–1e{decade(error) + 1}" if error > 0 else "0"


def root(
    name: str,
    cause: Cause,
    error: float,
    source: float,
    floor: float,
    operand: OperandAt,
    *,
    made_by: str = "",
    random: bool = False,
    estimate: Estimate = Estimate.SKETCH,
) -> Detail:
    """A cause: the op to look at."""
    word = _word(cause, source, floor, random=random)
    said = Sentence.of("value.bits") if estimate is Estimate.HASH else error_text(error)
    place = Sentence.of(
        "operand.output" if operand.is_output else "operand.input", number=operand.left
    )
    sentence = Sentence.of(
        f"divergence.value-{word}",
        op=name,
        operand=place,
        error=said,
        inputs=error_text(0.0 if math.isnan(source) else source),
        ops=made_by,
    )
    group = "random" if word == "random" else cause.word
    title = Sentence.of(f"group.value-{group}", op=name, error=about(error))
    return Detail(Kind.VALUE, title, sentence)


def _word(cause: Cause, source: float, floor: float, *, random: bool) -> str:
    if cause is not Cause.COMPUTE:
        return cause.word
    if random:
        return "random"
    if math.isnan(source):
        return "compute-alone"
    return "compute" if source <= floor else "compute-more"


def consequence(name: str, error: float) -> Detail:
    """What follows from a cause; one sentence for all of an op type and power of ten."""
    sentence = Sentence.of(f"divergence.value-{CONSEQUENCE}", op=name, error=about(error))
    return Detail(Kind.VALUE, Sentence.of(f"group.value-{CONSEQUENCE}"), sentence, quiet=True)
